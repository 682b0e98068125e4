"""One pytest run in one process: its options, its session at first use, and its report."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from .. import current
from ..current import run_folder_path
from ..environment import Environment, expanded
from ..judge_choice import (
    CONFIGURES_A_JUDGE,
    JudgeChoice,
    chosen_judge,
    default_record_mode,
    is_ci,
)
from ..options import (
    BASE_URL_VARIABLE,
    DEFAULT_BASE_URL,
    DEFAULT_FOLDER,
    DEFAULT_MODEL,
    KEY_VARIABLE,
    OFFLINE_ID,
    Chosen,
)
from ..redaction import hide_environment, hide_url
from ..urls import endpoint_of, shown_url
from .given import check_ini_was_found, chosen_options
from .printing import usage_error
from .project_hooks import ProjectHooks
from .recording import ItemRecorder
from .running import RunningTests

if TYPE_CHECKING:
    from ..asking.counts import Standing
    from ..judges.judge import Usage
    from ..metrics.metric import Metric
    from ..report.tally import Tally
    from ..session import Session
    from ..settings import Settings
    from ..store.run_folder import RunFolder

RUN = pytest.StashKey["Run"]()
_OF_THE_WHOLE = frozenset({"gates", "baseline", "update_baseline"})
_OUTPUTS = frozenset({"update_verdicts", "update_baseline", "history", "artifacts"})
_PLACES = frozenset({"baseline", "history"})
_LISTINGS = ("collectonly", "showfixtures", "show_fixtures_per_test")
_SAMPLE = "sample"


class Sample(NamedTuple):
    """How many of a project's cases a run took on purpose."""

    taken: int
    of: int


class Run:
    """Lives in `config.stash`."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.started = current.Clock.since_1970()
        workerinput: Mapping[str, Any] | None = getattr(config, "workerinput", None)
        self.is_worker = workerinput is not None
        self.environ = Environment(os.environ)
        if workerinput is not None:
            # what its conftest.py made of them is not what the controller's header says
            deciding = json.loads(workerinput["ragassert_environment"])
            self.environ = self.environ.with_deciding(deciding)
        self.chosen = chosen_options(config, self.environ)
        self.hooks = ProjectHooks(config)
        self._hide_secrets()
        check_ini_was_found(config)
        self.id = uuid.uuid4().hex
        self.recorder = ItemRecorder(
            config, self.id[:12], self.reporting, keeps_texts="artifacts" in self.chosen
        )
        if workerinput is None:
            self.path = run_folder_path(self.id)
        else:
            self.path = Path(workerinput["ragassert_run"])
        # hears of how far this process is, where somebody looks at it
        self.heard: Callable[[Standing], None] | None = None
        if workerinput is not None and "ragassert_tells_as" in workerinput:
            from ..store.told import Teller

            self.heard = Teller(self.run_folder(), workerinput["ragassert_tells_as"]).tell
        # whether something went wrong while this process reported
        self.is_troubled = False
        # None: nothing was measured yet
        self.made_session: Session | None = None
        self.tests = RunningTests(self)
        self._tally: Tally | None = None
        # keys of the committed verdicts that this run is to update, before any test ran
        self.committed_at_start: frozenset[str] = frozenset()
        current.enter(self)

    def start(self) -> None:
        """Take environment and hooks as the session's start finds them: they decide."""
        self.hooks.start()
        try:
            _ = self.minimums
        except ValueError as error:
            raise usage_error(error) from None
        if not self.is_worker:
            self.environ = Environment(os.environ)
            self._hide_secrets()

    def _hide_secrets(self) -> None:
        if self.chosen:
            hide_environment(self.environ)
            hide_url(self.value("base_url", None))

    def for_worker(self) -> dict[str, str]:
        """What a worker of xdist is to have of this run, as its input."""
        deciding = json.dumps(self.environ.deciding())
        return {"ragassert_run": str(self.path), "ragassert_environment": deciding}

    def value(self, field: str, default: Any) -> Any:
        return self.chosen[field].value if field in self.chosen else default

    @property
    def skips_outages(self) -> bool:
        return bool(self.value("on_judge_error", "fail") == "skip")

    @cached_property
    def mode(self) -> Chosen:
        """The record mode, and why."""
        if "record_mode" in self.chosen:
            return self.chosen["record_mode"]
        return default_record_mode(self.value("verdicts", None), self.updates, self.environ)

    @property
    def record_mode(self) -> str:
        return str(self.mode.value)

    @property
    def updates(self) -> str | None:
        """`on` or `prune` where this run writes the committed verdicts."""
        value: str | None = self.value("update_verdicts", None)
        return value

    def check_outputs(self) -> None:
        """Raises pytest.UsageError where what this run is to write can't be written."""
        if _OUTPUTS.isdisjoint(self.chosen):
            return
        from .outputs import check_outputs

        try:
            check_outputs(self)
        except ValueError as error:
            raise pytest.UsageError(str(error)) from None

    def check_judge(self) -> None:
        """Raises pytest.UsageError where a judge is configured that can't be asked."""
        from .checks import check_headers, check_verdicts

        try:
            check_headers(self)
            self._chosen_judge(self.record_mode)
            check_verdicts(self)
        except ValueError as error:
            raise usage_error(error) from None

    @property
    def judge(self) -> str:
        return self._choice.judge

    @cached_property
    def _choice(self) -> JudgeChoice:
        # asking nobody needs no key
        return self._chosen_judge("none")

    def _chosen_judge(self, record_mode: str) -> JudgeChoice:
        return chosen_judge(
            self.value("judge", "auto"),
            configured=not CONFIGURES_A_JUDGE.isdisjoint(self.chosen),
            has_key=bool(self.environ.get(KEY_VARIABLE, "").strip()),
            environ=self.environ,
            record_mode=record_mode,
            endpoint=endpoint_of(self._base_url() or DEFAULT_BASE_URL),
            verdicts=self.verdicts,
            baseline="baseline" in self.chosen,
        )

    @property
    def judge_label(self) -> str:
        """For header and summary: the models and endpoint, or the judge's name."""
        if self.judge == "offline":
            return OFFLINE_ID
        if self.judge != "openai":
            return self.judge
        if self._choice.model is not None:
            return self._choice.model
        return self._models + (f" at {shown_url(url)}" if (url := self._base_url()) else "")

    @property
    def _models(self) -> str:
        """The OpenAI-compatible judge's, for people."""
        return self._choice.model or ", ".join(self.value("model", (DEFAULT_MODEL,)))

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

    def _path(self, field: str) -> Path | None:
        if field not in self.chosen:
            return None
        value, source = self.chosen[field]
        base = self.config.rootpath if source == "ini" else self.config.invocation_params.dir
        return Path(base, expanded(value, self.environ))

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
    def plans(self) -> bool:
        """Whether what would be asked is only counted."""
        return "plan" in self.chosen

    @property
    def lists_only(self) -> bool:
        """Whether no test is run."""
        return self.plans or any(getattr(self.config.option, name, False) for name in _LISTINGS)

    @contextlib.contextmanager
    def reporting(self, what: str) -> Iterator[None]:
        """What goes wrong inside costs the line that it was to tell, never the run.

        Args:
            what: in words that follow "could not".
        """
        try:
            yield
        except Exception as error:
            from ..report.trouble import trouble_lines

            self.is_troubled = True
            lines = trouble_lines(what, error, verbose=self.config.get_verbosity() > 1)
            # a worker's too come to the process that prints
            self.run_folder().tell("\n".join(lines))

    def run_folder(self) -> RunFolder:
        from ..store.run_folder import RunFolder

        return RunFolder(self.path)

    @property
    def judges_whole(self) -> bool:
        """Whether the run as a whole has something to be held against."""
        return not _OF_THE_WHOLE.isdisjoint(self.chosen)

    @property
    def is_told_of_the_whole(self) -> bool:
        """Whether it matters if the run is one of all tests."""
        return self.judges_whole or "history" in self.chosen

    @property
    def holds_gates(self) -> bool:
        """Whether gates are held in this run, where it is a whole one."""
        return bool(self.value("hold_gates", "on") == "on")

    @property
    def must_hold_gates(self) -> bool:
        """Whether a part of a run, which holds no gate, fails: nobody's are off by mistake."""
        return is_ci(self.environ)

    offline_id = OFFLINE_ID

    def known_judge(self) -> str | None:
        """Who will judge, as results say it; None where only a conftest below knows."""
        if self.judge == "offline":
            return OFFLINE_ID
        if self.judge == "openai":
            return self._models
        made = self.hooks.judge(self.judge)
        return None if made is None else str(made.id)

    def sample(self) -> Sample | None:
        """How many cases the run took of how many; None where it takes all."""
        text = self.run_folder().marked(_SAMPLE) if "sample" in self.chosen else None
        if text is None:
            return None
        return Sample(*map(int, text.split()))

    def note_sample(self, taken: int, of: int) -> None:
        # every process takes the same; under xdist only the workers collect
        self.run_folder().mark(_SAMPLE, f"{taken} {of}")

    @cached_property
    def minimums(self) -> dict[str, float]:
        """The minimums that are given, by the metrics' names.

        Raises:
            ConfigurationError: one is of no metric, or out of range.
        """
        from .minimums import checked_minimums

        return checked_minimums(self)

    def settings(self, **changes: Any) -> Settings:
        """The run's settings, but for `changes`.

        Raises:
            ConfigurationError: the settings do not fit together.
        """
        from ..settings import Settings

        options = {field: chosen.value for field, chosen in self.chosen.items()}
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

    def session(self) -> Session:
        """The run's session, made at first use.

        Raises:
            ConfigurationError: the settings do not fit together.
        """
        if self.made_session is None:
            self.made_session = self.session_of(self.settings(), self.hooks.metrics())
            if self.heard is not None:
                self.made_session.asker.counts.tell(self.heard)
            self.tests.look_ahead(self.made_session)
        return self.made_session

    def session_of(self, settings: Settings, metrics: Iterable[Metric]) -> Session:
        """A new session in this run, which its maker closes.

        Raises:
            ConfigurationError: the settings do not fit together.
        """
        from ..session import Session

        return Session(
            settings,
            run=self.run_folder(),
            make_judge=self.hooks.judge,
            make_embedder=self.hooks.embedder,
            metrics=metrics,
            recorder=self.recorder,
        )

    @property
    def tally(self) -> Tally:
        if self._tally is None:
            from ..report.tally import Tally

            self._tally = Tally()
        return self._tally

    @property
    def has_rows(self) -> bool:
        return self._tally is not None

    def put_back(self) -> None:
        """Store this run's answers that the store lacks at its end, whatever became of it."""
        if self.record_mode != "off" and (self.made_session is not None or self.path.exists()):
            from ..store.put_back import put_back

            put_back(self.run_folder(), self.folder)

    def notices(self) -> list[str]:

        return self.run_folder().notices(asides=self.config.get_verbosity() > 0)

    def asked_ahead(self) -> dict[str, Usage]:
        """What each question cost that was asked for a test still to come, by key."""
        return self.run_folder().asked_ahead() if self.path.exists() else {}

    def refused(self) -> bool:
        """Whether a budget of the run was spent when a request was to go out."""
        if not self.path.exists():
            return False
        from ..store.run_folder import JUDGING

        ended = self.run_folder().ended(JUDGING)
        return ended is not None and ended.kind == "budget"

    def close(self) -> None:
        current.leave(self)
        if self.made_session is not None:
            self.made_session.close()
        if not self.is_worker and self.path.exists():
            shutil.rmtree(self.path, ignore_errors=True)
