"""What a run is configured with: options, environment, judge and hooks, decided at its start."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from ..config.metric_table import MINIMUMS
from ..config.option_types import Chosen
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
    from .project_hooks import ProjectHooks

# How variables of providers end: in runs without one nothing more is loaded.
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
    """What a run is configured with, decided once.

    Attributes:
        chosen: the options that are given, by field.
        environ: the variables as the session's start found them; of a worker of xdist those that
            decide are its controller's.
        in_time: ids of the plugins that implement one of the `AT_START` hooks; None: the session
            has not started.
    """

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        workerinput: Mapping[str, Any] | None = getattr(config, "workerinput", None)
        self.is_worker = workerinput is not None
        self.environ = Environment(os.environ)
        if workerinput is not None:
            # what its conftest.py made of them is not what the controller's header says
            deciding = json.loads(workerinput["ragassert_environment"])
            self.environ = self.environ.with_deciding(deciding)
        self.chosen = chosen_options(config, self.environ)
        self.in_time: frozenset[int] | None = None
        self._hide_secrets()
        check_ini_was_found(config)

    def start(self) -> None:
        """Take environment and hooks as the session's start finds them: they decide."""
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
        """Whether somebody implements a hook that was decided when the session started."""
        return self.in_time is not None and not self.in_time.issuperset(self._implementers())

    @cached_property
    def hooks(self) -> ProjectHooks:
        """The hooks that hold for all tests."""
        from .project_hooks import ProjectHooks

        return ProjectHooks(self.config, lambda: self.in_time)

    @property
    def has_custom_names(self) -> bool:
        """Whether judge or embedder is one that only a hook or committed verdicts may know."""
        judge, embedder = self.value("judge", "auto"), self.value("embedder", "none")
        # which model it is of one kind matters where it embeds
        kinds = tuple(one.removesuffix("MODEL") for one in EMBEDDERS if one.endswith(":MODEL"))
        known = embedder in EMBEDDERS or embedder.startswith(kinds)
        return judge not in JUDGES or not known

    def _hide_secrets(self) -> None:
        # most runs of others hold none, and load nothing for it
        if self.chosen or any(map(secret_in, self.environ)):
            from ..runtime.redaction import hide_environment, hide_url

            hide_environment(self.environ)
            hide_url(self.value("base_url", None))
        if "extra_body" in self.chosen or "headers" in self.chosen:
            from ..config.request_extras import secrets_of
            from ..runtime.redaction import hide

            hide(*secrets_of(self.value("extra_body", None), self.value("headers", ())))

    def deciding(self) -> str:
        """The variables that decide, for the workers of xdist."""
        return json.dumps(self.environ.deciding())

    def value(self, field: str, default: Any) -> Any:
        return self.chosen[field].value if field in self.chosen else default

    @property
    def skips_outages(self) -> bool:
        return bool(self.value("on_judge_error", "fail") == "skip")

    @property
    def skips_missing(self) -> bool:
        """Whether a test is skipped for verdicts that a replay does not have."""
        return bool(self.value("on_missing", "fail") == "skip")

    @cached_property
    def mode(self) -> Chosen:
        """The record mode, and why."""
        if "record_mode" in self.chosen:
            return self.chosen["record_mode"]
        from ..config.judge_choice import default_record_mode

        return default_record_mode(self.value("verdicts", None), self.updates, self.environ)

    @property
    def record_mode(self) -> str:
        return str(self.mode.value)

    @property
    def updates(self) -> str | None:
        """`on` or `prune` where this run writes the committed verdicts."""
        value: str | None = self.value("update_verdicts", None)
        return value

    @property
    def judge(self) -> str:
        return self._choice.judge

    @cached_property
    def _choice(self) -> JudgeChoice:
        # asking nobody needs no key
        return self._chosen_judge("none")

    @property
    def adopted_judge(self) -> dict[str, Any]:
        """Model and id, as settings, of the judge that the committed verdicts are by, where `auto`
        is that one."""
        choice = self._choice
        if choice.model is None:
            return {}
        return {"model": (choice.model,), "judge_id": choice.judge_id}

    @property
    def unused_keys(self) -> list[str]:
        """Lines on variables of other providers, where no option says who judges."""
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
        """Whether only stored answers can be used, because the key is missing."""
        if self.judge != "openai" or self.has_key:
            return False
        from ..config.credentials import needs_key

        url = self._base_url() or DEFAULT_BASE_URL
        return needs_key(url, self.environ, self.value("headers", ()))

    def check_choice(self) -> None:
        """
        Raises:
            ValueError: a judge is configured that can't be asked.
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
            headers=self.value("headers", ()),
            baseline="baseline" in self.chosen,
        )

    @property
    def replays_alone(self) -> bool:
        """Whether the judge is known from committed verdicts alone, so that nobody can be asked."""
        if self.verdicts is None or self.judge in JUDGES:
            return False
        return self.hooks.judge(self.judge) is None

    @property
    def judge_label(self) -> str:
        """For header and summary: the models and endpoint, or the judge's name."""
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
        """The OpenAI-compatible judge's."""
        model = self._choice.model
        configured: tuple[str, ...] = self.value("model", (DEFAULT_MODEL,))
        return configured if model is None else (model,)

    @property
    def _models(self) -> str:
        """The same for people."""
        return ", ".join(self.models)

    def _base_url(self) -> str | None:
        url: str | None = self.value("base_url", None)
        return url or self.environ.get(BASE_URL_VARIABLE)

    @property
    def folder(self) -> Path:
        """Where the store lies: an ini path is the project's, any other the caller's."""
        return self._path("cache_dir") or self.config.rootpath / DEFAULT_FOLDER

    @cached_property
    def verdicts(self) -> Path | None:
        """Committed verdicts, a file or a folder; None where none are configured."""
        return self._path("verdicts")

    @cached_property
    def answers(self) -> Path | None:
        """The file of recorded answers; None where none is configured."""
        return self._path("answers")

    @property
    def refreshes_answers(self) -> bool:
        """Whether the application is asked for answers that are recorded."""
        return bool(self.value("refresh", None) == "answers")

    @property
    def has_records(self) -> bool:
        """Whether there may be a store, or there are committed verdicts."""
        return (self.verdicts is not None and self.verdicts.exists()) or self.folder.is_dir()

    def _path(self, field: str) -> Path | None:
        if field not in self.chosen:
            return None
        value, source = self.chosen[field]
        base = self.config.rootpath if source == "ini" else self.config.invocation_params.dir
        return Path(base, expanded(value, self.environ))

    def output(self, option: str) -> Path | None:
        """Where an output of `report.writers` is wanted; None where it is not."""
        if option == "github":
            summary = self.environ.get("GITHUB_STEP_SUMMARY")
            return Path(summary) if summary and self.reports_to_github else None
        return self.artifacts if option == "artifacts" else self._path(option)

    @property
    def baseline(self) -> Path | None:
        """The file of the good run's results; None where there is none."""
        return self._path("baseline")

    @property
    def baseline_name(self) -> str:
        """Its path for people: from rootdir where it lies there."""
        path = Path(os.path.abspath(self.baseline or ""))
        root = self.config.rootpath
        return str(path.relative_to(root) if path.is_relative_to(root) else path)

    @property
    def history(self) -> Path | None:
        return self._path("history")

    @property
    def artifacts(self) -> Path | None:
        """The folder of the results file; None where none is wanted."""
        value = self.value("artifacts", None)
        return None if value is None else self.config.rootpath / expanded(value, self.environ)

    @property
    def reports_to_github(self) -> bool:
        """Whether the step summary and annotations are written."""
        wanted = self.value("github", "auto")
        return bool(wanted == "on" or (wanted == "auto" and self.environ.get("GITHUB_ACTIONS")))

    @property
    def adds_properties(self) -> bool:
        """Whether a test's scores are among its properties."""
        return bool(self.value("junit_properties", "on") == "on")

    @property
    def plans(self) -> bool:
        """Whether what would be asked is only counted."""
        return "plan" in self.chosen or self.plans_with_answers

    @property
    def plans_with_answers(self) -> bool:
        """Whether the application is asked for answers before that."""
        return "plan_answers" in self.chosen

    @property
    def lists_only(self) -> bool:
        """Whether no test is run."""
        return self.plans or any(getattr(self.config.option, name, False) for name in _LISTINGS)

    @property
    def judges_whole(self) -> bool:
        """Whether the run as a whole is compared with something."""
        return not _OF_THE_WHOLE.isdisjoint(self.chosen)

    @property
    def reports_on_the_whole(self) -> bool:
        """Whether something of the run holds only where all tests ran."""
        return self.judges_whole or "history" in self.chosen

    @property
    def holds_gates(self) -> bool:
        """Whether gates are checked in this run, if it is a whole one."""
        return bool(self.value("hold_gates", "on") == "on")

    @property
    def must_hold_gates(self) -> bool:
        """Whether a partial run fails, in which no gate is checked: nobody's are off by mistake."""
        from ..config.judge_choice import is_ci

        return is_ci(self.environ)

    @cached_property
    def minimums(self) -> dict[str, float]:
        """The minimums that are given, by the metrics' names.

        Raises:
            ConfigurationError: one is for an unknown metric, or out of range.
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

        # where a report is to be written need be no setting
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
