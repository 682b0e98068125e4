"""The settings of a run, validated once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    PrivateAttr,
    SecretStr,
    ValidationError,
    ValidationInfo,
    field_serializer,
    field_validator,
)

from ..errors import ConfigurationError
from ..language.escaping import visible
from ..runtime.environment import Environment, current_environment
from ..runtime.redaction import hide, hide_environment, hide_url, shown_wrong_value
from ..runtime.urls import endpoint_of, shown_url
from ..storage.store_place import StorePlace
from ..storage.store_url import (
    DEFAULT_NAMESPACE,
    DISK,
    read_namespace,
    read_store,
    shown_store,
)
from .credentials import Credentials, header_value, needs_key, read_credentials, sent_credentials
from .environment_options import base_url_from, from_environment
from .judge_choice import CONFIGURES_A_JUDGE, JudgeChoice, chosen_judge, default_record_mode
from .metric_table import MINIMUMS
from .option_types import EXTRA_BODY, HEADERS, read_url
from .options import (
    BASE_URL_VARIABLE,
    DEFAULT_BASE_URL,
    DEFAULT_FOLDER,
    DEFAULT_MODEL,
    DEFAULT_TOLERANCE,
    DEFAULT_VOTE_TEMPERATURE,
    KEY_VARIABLE,
)
from .request_extras import (
    Headers,
    checked_extra_body,
    checked_headers,
    key_digests,
    read_extra_body,
    read_headers,
    secrets_of,
)


class Settings(BaseModel):
    """The options of a run, named as on the command line with `_` for `-`.

    Raises:
        ConfigurationError: an unknown name or a value out of range.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", protected_namespaces=())

    judge: str = "auto"
    judge_id: str | None = None
    model: tuple[str, ...] = (DEFAULT_MODEL,)
    base_url: str | None = None
    api_key: SecretStr | None = Field(default=None, exclude=True, repr=False)
    extra_body: dict[str, Any] | None = Field(default=None, exclude=True, repr=False)
    headers: Headers = Field(default=(), exclude=True, repr=False)
    embedder: str | None = None
    embedding_model: str | None = None
    cache_dir: Path | None = None
    store: str = DISK
    store_namespace: str = DEFAULT_NAMESPACE
    artifacts: Path | None = None
    baseline: Path | None = None
    update_baseline: Literal["on", "prune"] | None = None
    tolerance: float = Field(default=DEFAULT_TOLERANCE, ge=0, le=1, allow_inf_nan=False)
    # for pytest runs: conditions on the whole run, which cases it takes, and what it writes
    gates: tuple[str, ...] = ()
    hold_gates: Literal["on", "off"] = "on"
    sample: float | None = Field(default=None, gt=0)
    sample_by: str | None = None
    history: Path | None = None
    date: str | None = None
    commit: str | None = None
    record_mode: Literal["new_episodes", "none", "all", "off"] = "new_episodes"
    reuse: Literal["carry", "exact"] = "carry"
    refresh: Literal["answers", "carried"] | None = None
    verdicts: Path | None = None
    # for pytest runs: files written at the end
    update_verdicts: Literal["on", "prune"] | None = None
    temperature: float = Field(default=0.0, ge=0, le=2, allow_inf_nan=False)
    vote_temperature: float | None = Field(default=None, ge=0, le=2, allow_inf_nan=False)
    top_p: float | None = Field(default=None, ge=0, le=1, allow_inf_nan=False)
    seed: int | None = Field(default=None, ge=0)
    max_tokens: int | None = Field(default=None, ge=1)
    votes: int = Field(default=1, ge=1, strict=True)
    concurrency: int = Field(default=16, ge=1)
    # for pytest runs, where the coming tests are known
    prefetch: Literal["on", "off"] = "on"
    stream: Literal["on", "off"] = "off"
    timeout: float = Field(default=60.0, gt=0, allow_inf_nan=False)
    max_calls: int | None = Field(default=None, ge=1)
    max_tokens_total: int | None = Field(default=None, ge=1)
    requests_per_minute: int | None = Field(default=None, ge=1)
    # for pytest runs, which then only count what they would ask
    plan: Literal["on"] | None = None
    # for pytest runs: without one there is no test to skip
    on_judge_error: Literal["fail", "skip"] = "fail"
    on_missing: Literal["fail", "skip"] = "fail"
    evidence_gate: Literal["on", "off"] = "on"
    store_reasons: Literal["on", "off"] = "on"
    store_passages: Literal["on", "off"] = "on"
    no_claims: Literal["fail", "warn", "pass"] = "fail"
    token_budget: int = Field(default=12_000, ge=500)
    prices: tuple[tuple[str, float, float], ...] = ()
    minimums: dict[str, float] = Field(default_factory=dict)
    # decides what the options leave open; None: the environment at the time of use
    _environ: Environment | None = PrivateAttr(default=None)

    def __init__(self, **options: Any) -> None:
        hide_environment(current_environment())
        for name in ("base_url", "store"):
            if isinstance(options.get(name), str):
                hide_url(options[name])
        if isinstance(options.get("api_key"), str):
            hide(options["api_key"].strip())
            options["api_key"] = SecretStr(options["api_key"])
        verdicts, update = options.get("verdicts"), options.get("update_verdicts")
        if "record_mode" not in options and verdicts is not None:
            options["record_mode"] = default_record_mode(
                verdicts, update, current_environment()
            ).value
        try:
            super().__init__(**options)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            where = ".".join(map(str, first["loc"])) or "settings"
            raise ConfigurationError(f"settings: {where}: {first['msg']}") from None

    @field_validator("model", mode="before")
    @classmethod
    def _one_model(cls, value: Any) -> Any:
        return (value,) if isinstance(value, str) else value

    @field_validator("model")
    @classmethod
    def _named(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if not value or not all(name.strip() for name in value):
            raise ValueError("a model's name is empty")
        if len(set(value)) < len(value):
            raise ValueError("a model is listed twice")
        return value

    @field_validator("base_url")
    @classmethod
    def _a_url(cls, value: str | None) -> str | None:
        if value is None:
            return None
        try:
            return read_url(value)
        except ValueError as error:
            raise ValueError(f"{shown_wrong_value(value)} is not {error}") from None

    @field_serializer("base_url")
    def _without_secrets(self, value: str | None) -> str | None:
        return None if value is None else shown_url(value)

    @field_validator("store", "store_namespace")
    @classmethod
    def _a_store(cls, value: str, info: ValidationInfo) -> str:
        try:
            return (read_store if info.field_name == "store" else read_namespace)(value)
        except ValueError as error:
            raise ValueError(f"{shown_wrong_value(value)} is not {error}") from None

    @field_serializer("store")
    def _shown_store(self, value: str) -> str:
        return shown_store(value)

    def __repr_args__(self) -> Iterable[tuple[str | None, Any]]:
        shown = {"base_url": shown_url, "store": shown_store}
        for name, value in super().__repr_args__():
            yield name, shown[name](value) if name in shown and value else value

    @field_validator("api_key")
    @classmethod
    def _a_header(cls, value: SecretStr | None) -> SecretStr | None:
        if value is None:
            return None
        return SecretStr(header_value(value.get_secret_value(), KEY_VARIABLE))

    @field_validator("extra_body", mode="before")
    @classmethod
    def _members(cls, value: Any) -> Any:
        if value is None:
            return None
        read = read_extra_body if isinstance(value, str) else checked_extra_body
        members = read(value, EXTRA_BODY)
        hide(*secrets_of(members, ()))
        return members

    @field_validator("headers", mode="before")
    @classmethod
    def _pairs(cls, value: Any) -> Any:
        """A text with one header per line, a list of such lines or of pairs, or a mapping."""
        if isinstance(value, Mapping):
            value = list(value.items())
        read = read_headers if isinstance(value, str) else checked_headers
        found = read(value, HEADERS)
        hide(*secrets_of(None, found))
        return found

    @field_validator("minimums")
    @classmethod
    def _known_minimums(cls, value: dict[str, float]) -> dict[str, float]:
        for metric, minimum in value.items():
            if not 0 <= minimum <= 1:
                raise ValueError(f"{visible(metric)}: {minimum} is not a number from 0 to 1")
        return value

    @classmethod
    def from_environment(cls, environ: Mapping[str, str] | None = None, **options: Any) -> Settings:
        """Read settings from the `RAGASSERT_…` variables; `options` take precedence.

        Args:
            environ: the variables. Default: the environment at the start of the pytest run, or the
                current environment outside pytest.

        Raises:
            ConfigurationError: a variable has an invalid value; the message names the variable and
                what it takes.
        """
        variables = current_environment() if environ is None else environ
        try:
            chosen = from_environment(variables)
        except ValueError as error:
            raise ConfigurationError(str(error)) from None
        return cls(**{**{field: one.value for field, one in chosen.items()}, **options})

    def minimum(self, metric: str, default: float | None = None) -> float:
        """The minimum for a metric's score, in [0, 1]."""
        if metric in self.minimums:
            return self.minimums[metric]
        return MINIMUMS[metric] if default is None else default

    def temperature_of(self, sample: int) -> float:
        """The sampling temperature of one sample; the first uses the configured temperature.

        At 0, further votes would be copies of the first. Default: 0.7, or `temperature` if that is
        higher.
        """
        if sample == 0:
            return self.temperature
        if self.vote_temperature is not None:
            return self.vote_temperature
        return max(self.temperature, DEFAULT_VOTE_TEMPERATURE)

    def within(self, environ: Environment) -> Settings:
        """The same settings, with everything they leave open fixed by `environ`."""
        hide_environment(environ)
        fixed = self.model_copy()
        fixed._environ = environ
        return fixed

    @property
    def environ(self) -> Environment:
        """The variables that decide what the options leave open."""
        return current_environment() if self._environ is None else self._environ

    @property
    def folder(self) -> Path:
        """The folder of stored verdicts."""
        return self.cache_dir or Path.cwd() / DEFAULT_FOLDER

    @property
    def store_place(self) -> StorePlace:
        """The folder of stored verdicts, and the shared store if one is configured."""
        return StorePlace(
            self.folder,
            None if self.store == DISK else self.store,
            self.store_namespace,
        )

    @property
    def embedder_name(self) -> str:
        """The embedder's name: `none` if none is configured; a model alone implies `openai`."""
        return self.embedder or ("openai" if self.embedding_model else "none")

    @property
    def url(self) -> str:
        """The endpoint's base URL as configured, including credentials: for the client only."""
        return self.base_url or self.environ.get(BASE_URL_VARIABLE) or DEFAULT_BASE_URL

    @property
    def is_default_url(self) -> bool:
        """Whether no base URL is configured."""
        return not (self.base_url or self.environ.get(BASE_URL_VARIABLE))

    @property
    def endpoint(self) -> str:
        """The endpoint's base URL as it enters keys: without credentials or final slash."""
        return endpoint_of(self.url)

    @property
    def request_marks(self) -> dict[str, str]:
        """The part of `extra_body` and `headers` that enters keys; empty if neither is set."""
        return key_digests(self.extra_body, self.headers)

    @property
    def lacks_key(self) -> bool:
        """Whether the endpoint needs a key and none is set."""
        return self.key is None and needs_key(self.url, self.environ, self.headers)

    @property
    def sent_credentials(self) -> list[str]:
        """The sources of the credentials sent with each request, never their values."""
        key = f"the API key in {KEY_VARIABLE}"
        if self.api_key is not None:
            key = f"the API key in Settings.api_key (instead of {KEY_VARIABLE})"
        return sent_credentials(self.url, self.environ, self.headers, key if self.key else None)

    @property
    def credentials(self) -> Credentials:
        """The credentials and headers sent with each request: for the client only.

        Raises:
            ConfigurationError: a value cannot be sent as an HTTP header; the message names its
                variable.
        """
        try:
            return read_credentials(self.environ, self.key, KEY_VARIABLE)
        except ValueError as error:
            raise ConfigurationError(str(error)) from None

    @property
    def key(self) -> str | None:
        """The API key, for the client only; None if there is none."""
        own = self.api_key.get_secret_value() if self.api_key is not None else None
        return (self.environ.get(KEY_VARIABLE, "") if own is None else own).strip() or None

    @property
    def choice(self) -> JudgeChoice:
        """The judge with `auto` resolved: offline only if no other judge is configured.

        Raises:
            ConfigurationError: an OpenAI-compatible judge is configured, its key is missing and
                nothing is stored; or the committed verdicts come from several judges.
        """
        try:
            return chosen_judge(
                self.judge,
                configured=not self.model_fields_set.isdisjoint(CONFIGURES_A_JUDGE | {"api_key"}),
                has_key=self.key is not None,
                environ=self.environ,
                record_mode=self.record_mode,
                url=self.url,
                verdicts=self.verdicts,
                store=self.folder,
                shares=self.store != DISK,
                headers=self.headers,
                baseline=self.baseline is not None,
            )
        except ConfigurationError:
            raise
        except ValueError as error:
            raise ConfigurationError(str(error)) from None

    def decided(self) -> Settings:
        """The same settings, with the judge resolved.

        Raises:
            ConfigurationError: as for `choice` and `credentials`, or the base URL in the
                environment is not a URL.
        """
        choice = self.choice
        asks = "openai" in (choice.judge, self.embedder_name)
        if asks and self.record_mode != "none":
            _ = self.credentials
            if self.base_url is None:
                self._check_base_url()
        known: dict[str, Any] = {"judge": choice.judge}
        if choice.model is not None:
            known.update(model=(choice.model,), judge_id=choice.judge_id)
        return self.model_copy(update=known)

    def _check_base_url(self) -> None:
        try:
            base_url_from(self.environ)
        except ValueError as error:
            raise ConfigurationError(str(error)) from None
