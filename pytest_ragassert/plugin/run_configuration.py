"""The configuration of a run: options, environment, judge and hooks, fixed at its start."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from ..config.metric_table import MINIMUMS
from ..config.option_types import Chosen, Shard
from ..config.options import (
    BASE_URL_VARIABLE,
    DEFAULT_BASE_URL,
    DEFAULT_FOLDER,
    DEFAULT_MODEL,
    EMBEDDERS,
    JUDGES,
    KEY_VARIABLE,
    OFFLINE_ID,
)
from ..runtime.environment import Environment, expanded, secret_in
from .hookspecs import AT_START
from .pytest_options import added_keys, check_ini_was_found, chosen_options, usage_error

if TYPE_CHECKING:
    from ..config.judge_choice import JudgeChoice
    from ..config.settings import Settings
    from ..storage.store_place import StorePlace
    from .project_hooks import ProjectHooks

# Suffixes of provider variables: nothing more is loaded in runs without one.
OF_PROVIDERS = (
    "_API_KEY",
    "OPENAI_KEY",
    "OPENAI_AD_TOKEN",
    "OPENAI_ENDPOINT",
    "OPENAI_API_VERSION",
    "_API_BASE",
    "OLLAMA_HOST",
    "OLLAMA_BASE_URL",
    "ANTHROPIC_AUTH_TOKEN",
)
_OF_THE_WHOLE = frozenset({"gates", "baseline", "update_baseline"})
_PLACES = frozenset({"baseline", "history"})
_LISTINGS = ("collectonly", "showfixtures", "show_fixtures_per_test")


class Decision:
    """The configuration of a run, fixed once.

    Attributes:
        chosen: the options that are set, by field.
        environ: the environment at the session's start; an xdist worker takes the relevant
            variables from its controller.
        in_time: ids of the plugins that implement one of the `AT_START` hooks; None: the session
            has not started.
    """

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        workerinput: Mapping[str, Any] | None = getattr(config, "workerinput", None)
        self.is_worker = workerinput is not None
        self.environ = Environment(os.environ)
        if workerinput is not None:
            # its conftest.py may have changed them since the controller printed its header
            deciding = json.loads(workerinput["ragassert_environment"])
            self.environ = self.environ.with_deciding(deciding)
        self.chosen = chosen_options(config, self.environ)
        self.in_time: frozenset[int] | None = None
        self._hide_secrets()
        check_ini_was_found(config)

    def start(self) -> None:
        """Fix environment and hooks as they are at the session's start."""
        self.in_time = frozenset(self._implementers())
        try:
            _ = self.minimums
        except ValueError as error:
            raise usage_error(error) from None
        if not self.is_worker:
            self.environ = Environment(os.environ)
            self._hide_secrets()

    def _implementers(self) -> list[int]:
        hooks = (getattr(self.config.hook, name) for name in AT_START)
        return [id(one.plugin) for hook in hooks for one in hook.get_hookimpls()]

    @property
    def has_late_hooks(self) -> bool:
        """Whether a hook with a fixed implementer at the session's start is implemented."""
        return self.in_time is not None and not self.in_time.issuperset(self._implementers())

    @cached_property
    def hooks(self) -> ProjectHooks:
        """The hooks that apply to the whole run."""
        from .project_hooks import ProjectHooks

        return ProjectHooks(self.config, lambda: self.in_time)

    @property
    def has_custom_names(self) -> bool:
        """Whether judge or embedder can only come from a hook or from committed verdicts."""
        judge, embedder = self.value("judge", "auto"), self.value("embedder", "none")
        # the model only matters when it embeds
        kinds = tuple(one.removesuffix("MODEL") for one in EMBEDDERS if one.endswith(":MODEL"))
        known = embedder in EMBEDDERS or embedder.startswith(kinds)
        return judge not in JUDGES or not known

    def _hide_secrets(self) -> None:
        # most projects have no hooks, and should not load anything for them
        if self.chosen or any(map(secret_in, self.environ)):
            from ..runtime.redaction import hide_environment, hide_url

            hide_environment(self.environ)
            hide_url(self.value("base_url", None))
            hide_url(self.value("store", None))
        if "extra_body" in self.chosen or "headers" in self.chosen:
            from ..config.request_extras import secrets_of
            from ..runtime.redaction import hide

            hide(*secrets_of(self.value("extra_body", None), self.value("headers", ())))

    def deciding(self) -> str:
        """The relevant variables, for xdist workers."""
        return json.dumps(self.environ.deciding())

    def value(self, field: str, default: Any) -> Any:
        return self.chosen[field].value if field in self.chosen else default

    @property
    def skips_outages(self) -> bool:
        return bool(self.value("on_judge_error", "fail") == "skip")

    @property
    def skips_missing(self) -> bool:
        """Whether a test is skipped if its verdicts are missing in a replay."""
        return bool(self.value("on_missing", "fail") == "skip")

    @cached_property
    def mode(self) -> Chosen:
        """The record mode and the reason for it."""
        if "record_mode" in self.chosen:
            return self.chosen["record_mode"]
        from ..config.judge_choice import default_record_mode

        return default_record_mode(self.value("verdicts", None), self.updates, self.environ)

    @property
    def record_mode(self) -> str:
        return str(self.mode.value)

    @property
    def updates(self) -> str | None:
        """`on` or `prune` if this run writes the committed verdicts."""
        value: str | None = self.value("update_verdicts", None)
        return value

    @property
    def judge(self) -> str:
        return self._choice.judge

    @cached_property
    def _choice(self) -> JudgeChoice:
        # without requests, no key is needed
        return self._chosen_judge("none")

    @property
    def adopted_judge(self) -> dict[str, Any]:
        """Model and id of the judge of the committed verdicts, as settings, if `auto` selects
        it.
        """
        choice = self._choice
        if choice.model is None:
            return {}
        return {"model": (choice.model,), "judge_id": choice.judge_id}

    @property
    def unused_keys(self) -> list[str]:
        """Lines on variables of other providers, if no option selects the judge."""
        named = self.value("judge", "auto") != "auto" or self._base_url()
        if named or self.judge not in ("offline", "openai"):
            return []
        if not any(name.endswith(OF_PROVIDERS) for name in self.environ if name != KEY_VARIABLE):
            return []
        from ..config.other_providers import unused_lines

        return unused_lines(self.environ, self.judge)

    @property
    def has_key(self) -> bool:
        return bool(self.environ.get(KEY_VARIABLE, "").strip())

    @property
    def lacks_key(self) -> bool:
        """Whether only stored answers are available, because the key is missing."""
        if self.judge != "openai" or self.has_key:
            return False
        from ..config.credentials import needs_key

        url = self._base_url() or DEFAULT_BASE_URL
        return needs_key(url, self.environ, self.value("headers", ()))

    def check_choice(self) -> None:
        """
        Raises:
            ValueError: the configured judge cannot be asked.
        """
        self._chosen_judge(self.record_mode)

    def _chosen_judge(self, record_mode: str) -> JudgeChoice:
        from ..config.judge_choice import CONFIGURES_A_JUDGE, chosen_judge

        return chosen_judge(
            self.value("judge", "auto"),
            configured=not CONFIGURES_A_JUDGE.isdisjoint(self.chosen),
            has_key=self.has_key,
            environ=self.environ,
            record_mode=record_mode,
            url=self._base_url() or DEFAULT_BASE_URL,
            verdicts=self.verdicts,
            store=self.folder,
            shares=self.shared_store is not None,
            headers=self.value("headers", ()),
            baseline="baseline" in self.chosen,
        )

    @property
    def replays_alone(self) -> bool:
        """Whether the judge is known only from committed verdicts, so that it cannot be asked."""
        if self.verdicts is None or self.judge in JUDGES:
            return False
        return self.hooks.judge(self.judge) is None

    @property
    def judge_label(self) -> str:
        """The judge in header and summary: models and endpoint, or the judge's name."""
        if self.judge == "offline":
            return OFFLINE_ID
        if self.judge != "openai":
            return self.judge
        if self._choice.model is not None:
            return self._choice.model
        from ..runtime.urls import shown_url

        return self._models + (f" at {shown_url(url)}" if (url := self._base_url()) else "")

    @property
    def models(self) -> tuple[str, ...]:
        """Models and endpoint of the OpenAI-compatible judge."""
        model = self._choice.model
        configured: tuple[str, ...] = self.value("model", (DEFAULT_MODEL,))
        return configured if model is None else (model,)

    @property
    def _models(self) -> str:
        """The same for display."""
        return ", ".join(self.models)

    def _base_url(self) -> str | None:
        url: str | None = self.value("base_url", None)
        return url or self.environ.get(BASE_URL_VARIABLE)

    @property
    def folder(self) -> Path:
        """The folder of the store: a path in the ini file is relative to rootdir, others to the
        current folder.
        """
        return self._path("cache_dir") or self.config.rootpath / DEFAULT_FOLDER

    @property
    def store_place(self) -> StorePlace:
        """The folder of the store, and the shared store if one is configured."""
        from ..storage.store_place import StorePlace
        from ..storage.store_url import DEFAULT_NAMESPACE

        namespace = self.value("store_namespace", DEFAULT_NAMESPACE)
        return StorePlace(self.folder, self.shared_store, namespace)

    @property
    def shared_store(self) -> str | None:
        """The URL of the shared store; None if none is configured."""
        url: str = self.value("store", "disk")
        return None if url == "disk" else url

    @cached_property
    def verdicts(self) -> Path | None:
        """The file or folder of committed verdicts; None if none is configured."""
        return self._path("verdicts")

    @cached_property
    def answers(self) -> Path | None:
        """The file of recorded answers; None if none is configured."""
        return self._path("answers")

    @property
    def refreshes_answers(self) -> bool:
        """Whether the application is asked again for recorded answers."""
        return bool(self.value("refresh", None) == "answers")

    @property
    def has_records(self) -> bool:
        """Whether a store may exist, or committed verdicts exist."""
        return self.has_store or (self.verdicts is not None and self.verdicts.exists())

    @property
    def has_store(self) -> bool:
        """Whether a store may exist."""
        return self.shared_store is not None or self.folder.is_dir()

    def _path(self, field: str) -> Path | None:
        if field not in self.chosen:
            return None
        value, source = self.chosen[field]
        base = self.config.rootpath if source == "ini" else self.config.invocation_params.dir
        return Path(base, expanded(value, self.environ))

    def output(self, option: str) -> Path | None:
        """The path of an output of `report.writers`; None if it is not configured."""
        if option == "github":
            summary = self.environ.get("GITHUB_STEP_SUMMARY")
            return Path(summary) if summary and self.reports_to_github else None
        return self.artifacts if option == "artifacts" else self._path(option)

    @property
    def baseline(self) -> Path | None:
        """The baseline file; None if none is configured."""
        return self._path("baseline")

    @property
    def baseline_name(self) -> str:
        """The path of the baseline for display: relative to rootdir if it is below."""
        path = Path(os.path.abspath(self.baseline or ""))
        root = self.config.rootpath
        return str(path.relative_to(root) if path.is_relative_to(root) else path)

    @property
    def history(self) -> Path | None:
        return self._path("history")

    @property
    def artifacts(self) -> Path | None:
        """The folder of the results file; None if none is configured."""
        value = self.value("artifacts", None)
        return None if value is None else self.config.rootpath / expanded(value, self.environ)

    @property
    def reports_to_github(self) -> bool:
        """Whether to write the step summary and annotations."""
        wanted = self.value("github", "auto")
        return bool(wanted == "on" or (wanted == "auto" and self.environ.get("GITHUB_ACTIONS")))

    @property
    def adds_properties(self) -> bool:
        """Whether to add a test's scores to its properties."""
        return bool(self.value("junit_properties", "on") == "on")

    @property
    def plans(self) -> bool:
        """Whether the run only counts what it would ask."""
        return "plan" in self.chosen or self.plans_with_answers

    @property
    def plans_with_answers(self) -> bool:
        """Whether a plan asks the application for answers."""
        return "plan_answers" in self.chosen

    @property
    def lists_only(self) -> bool:
        """Whether the run only lists or plans tests."""
        return self.plans or any(getattr(self.config.option, name, False) for name in _LISTINGS)

    @property
    def judges_whole(self) -> bool:
        """Whether the run as a whole is checked against gates or a baseline."""
        return not _OF_THE_WHOLE.isdisjoint(self.chosen)

    @cached_property
    def shard(self) -> Shard | None:
        """Which shard this run is; None if it is not one of several.

        Raises:
            pytest.UsageError: the variables that `auto` reads are invalid.
        """
        if "shard" not in self.chosen and not getattr(self.config.option, "splits", None):
            return None
        from .shard_choice import chosen_shard

        return chosen_shard(self.value("shard", None), self.config, self.environ)

    @property
    def reports_on_the_whole(self) -> bool:
        """Whether some output is only valid if all tests ran."""
        return self.judges_whole or "history" in self.chosen

    @property
    def must_know_whether_whole(self) -> bool:
        """Whether what the run writes or reports depends on whether all tests ran."""
        prunes = self.updates == "prune"
        whole = self.reports_on_the_whole or self.shard is not None
        return prunes or whole or self.refreshes_answers

    @property
    def holds_gates(self) -> bool:
        """Whether gates are checked, if this run is whole."""
        return bool(self.value("hold_gates", "on") == "on")

    @property
    def must_hold_gates(self) -> bool:
        """Whether a partial run fails because its gates are not checked, so that gates are never
        off by mistake.
        """
        from ..config.judge_choice import is_ci

        return is_ci(self.environ)

    @cached_property
    def minimums(self) -> dict[str, float]:
        """The minimums that are set, by metric name.

        Raises:
            ConfigurationError: a minimum is for an unknown metric, or out of range.
        """
        minimums: dict[str, float] = self.value("minimums", {})
        if minimums.keys() <= MINIMUMS.keys() and not added_keys(self.config):
            return minimums
        from .minimums import checked_minimums

        return checked_minimums(self.config, minimums, self.hooks.metrics)

    def settings(self, **changes: Any) -> Settings:
        """The run's settings, with `changes`.

        Raises:
            ConfigurationError: the settings do not fit together.
        """
        from ..config.settings import Settings

        # the path of a report need not be a setting
        known = self.chosen.keys() & Settings.model_fields.keys()
        options = {field: self.chosen[field].value for field in known}
        options.update(
            cache_dir=self.folder,
            artifacts=self.artifacts,
            verdicts=self.verdicts,
            record_mode=self.record_mode,
            minimums=self.minimums,
        )
        for field in _PLACES & options.keys():
            options[field] = self._path(field)
        return Settings(**{**options, **changes}).within(self.environ)
