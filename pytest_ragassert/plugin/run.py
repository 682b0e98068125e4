"""A pytest run in one process: its session, what it shares with other processes, and its
notices.
"""

from __future__ import annotations

import contextlib
import shutil
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import pytest

from ..config.options import OFFLINE_ID
from ..engine import current_run as current
from ..runtime.clock import Clock
from ..runtime.environment import run_folder_path
from .run_configuration import Decision

if TYPE_CHECKING:
    from ..config.settings import Settings
    from ..engine.session import Session
    from ..judging.scheduling.in_flight import RequestCounts
    from ..metrics.metric import Metric
    from ..report.tally import Tally
    from ..storage.run_state.run_folder import RunFolder
    from ..usage import Usage
    from .recorded_answers import RecordedAnswers
    from .recorder import ItemRecorder

RUN = pytest.StashKey["Run"]()
_SAMPLE = "sample"


class Sample(NamedTuple):
    """The number of cases in a sample, and of those it was drawn from."""

    taken: int
    of: int


class Run(Decision):
    """A run in this process, kept in `config.stash`."""

    def __init__(self, config: pytest.Config) -> None:
        super().__init__(config)
        self.started = Clock.since_1970()
        self.id = uuid.uuid4().hex
        workerinput: Mapping[str, Any] = getattr(config, "workerinput", {})
        if not self.is_worker:
            self.path = run_folder_path(self.id)
        else:
            self.path = Path(workerinput["ragassert_run"])
        # called with the progress of this process, if it is displayed
        self.on_progress: Callable[[RequestCounts], None] | None = None
        if "ragassert_progress_as" in workerinput:
            from ..storage.run_state.process_progress import ProgressFile

            self.on_progress = ProgressFile(
                self.run_folder(), workerinput["ragassert_progress_as"]
            ).write
        # whether reporting failed in this process
        self.is_troubled = False
        # called with the session when it is created
        self.at_session: Callable[[Session], None] | None = None
        # errors of answer hooks that ran ahead, kept for the case's test
        self.failed_answers: dict[str, BaseException] = {}
        # None: nothing was measured yet
        self.made_session: Session | None = None
        self._tally: Tally | None = None
        # the lines of the summary on recorded answers
        self.answer_lines: list[str] = []
        # keys of the committed verdicts to update, as of the start of the run
        self.committed_at_start: frozenset[str] = frozenset()
        self.case_fields: dict[str, str] = self.value("fields", {})
        current.enter(self)

    @property
    def keeps_all(self) -> bool:
        """Whether an output needs everything, including the texts of passing cases."""
        own_report = self.config.hook.pytest_ragassert_report.get_hookimpls()
        return bool({"artifacts", "html"} & self.chosen.keys() or own_report)

    @cached_property
    def recorder(self) -> ItemRecorder:
        """Records what this process measures."""
        from .recorder import ItemRecorder

        return ItemRecorder(
            self.config,
            self.id[:12],
            self.reporting,
            keeps_texts=self.keeps_all,
            adds_properties=self.adds_properties,
        )

    def shown(self, path: Path) -> str:
        """A path for display: relative to the folder where pytest was started, if it is below."""
        here = self.config.invocation_params.dir
        return str(path.relative_to(here) if path.is_relative_to(here) else path)

    def for_worker(self) -> dict[str, str]:
        """The data of this run for an xdist worker, as its input."""
        return {"ragassert_run": str(self.path), "ragassert_environment": self.deciding()}

    @cached_property
    def recorded_answers(self) -> RecordedAnswers | None:
        """The recorded answers of the application; None if no file is configured."""
        if self.answers is None:
            return None
        from .recorded_answers import RecordedAnswers

        return RecordedAnswers(
            self.answers,
            replays=self.record_mode == "none",
            refreshes=self.refreshes_answers,
            on_trouble=self.run_folder().add_notice,
        )

    @contextlib.contextmanager
    def reporting(self, what: str) -> Iterator[None]:
        """A context that turns an error into a notice: the output is lost, but the run continues.

        Args:
            what: what was tried, in words that follow "could not".
        """
        try:
            yield
        except Exception as error:
            from ..report.trouble_lines import trouble_lines

            self.is_troubled = True
            lines = trouble_lines(what, error, verbose=self.config.get_verbosity() > 1)
            # notices of workers also reach the controller
            self.run_folder().add_notice("\n".join(lines))

    def run_folder(self) -> RunFolder:
        from ..storage.run_state.run_folder import RunFolder

        return RunFolder(self.path)

    def known_judge(self) -> str | None:
        """The judge's name as in results; None if no hook provides it."""
        if self.judge == "offline":
            return OFFLINE_ID
        if self.judge == "openai":
            return self._models
        made = self.hooks.judge(self.judge)
        return None if made is None else str(made.id)

    def sample(self) -> Sample | None:
        """The size of the sample; None if the run takes all cases."""
        text = self.run_folder().value(_SAMPLE) if "sample" in self.chosen else None
        if text is None:
            return None
        return Sample(*map(int, text.split()))

    def note_sample(self, taken: int, of: int) -> None:
        # every process takes the same sample; under xdist only the workers collect
        self.run_folder().set_value(_SAMPLE, f"{taken} {of}")

    def session(self) -> Session:
        """The session of the run, created at first use.

        Raises:
            ConfigurationError: the settings do not fit together.
        """
        if self.made_session is None:
            from ..engine.session import MAKING

            with MAKING:
                # another thread may have created it meanwhile
                if self.made_session is None:
                    made = self.session_of(self.settings(), self.hooks.metrics())
                    if self.on_progress is not None:
                        made.asker.scheduler.counter.call_on_change(self.on_progress)
                    self.made_session = made
                    if self.at_session is not None:
                        self.at_session(made)
        return self.made_session

    def session_of(self, settings: Settings, metrics: Iterable[Metric]) -> Session:
        """Create a new session in this run, which the caller closes.

        Raises:
            ConfigurationError: the settings do not fit together.
        """
        from ..engine.session import Session

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
        """Put answers of this run that the store lacks at the end back into the store."""
        if self.record_mode != "off" and (self.made_session is not None or self.path.exists()):
            from ..engine.restore import put_back

            put_back(self.run_folder(), self.folder)

    def settle_store(self) -> None:
        """Finish the use of a shared store, so that the summary reports trouble with it."""
        if self.made_session is not None:
            self.made_session.settle_store()

    @property
    def store_outcome(self) -> Literal["unused"] | None:
        """`unused` if a process of the run could not use the shared store at its end."""
        if not self.path.exists():
            return None
        from ..storage.run_state.run_folder import SHARED_STORE

        return "unused" if self.run_folder().value(SHARED_STORE) is not None else None

    def notices(self) -> list[str]:
        """Lines for the summary, even if the run folder could not be created."""
        if self.made_session is None and not self.is_troubled and not self.path.exists():
            return []
        return self.run_folder().notices(verbose=self.config.get_verbosity() > 0)

    def asked_ahead(self) -> dict[str, Usage]:
        """The cost of each prefetched question whose test has not used it, by key."""
        return self.run_folder().asked_ahead() if self.path.exists() else {}

    def refused(self) -> bool:
        """Whether a budget of the run was exhausted when a request was due."""
        if not self.path.exists():
            return False
        from ..storage.run_state.run_folder import JUDGING

        ended = self.run_folder().ended(JUDGING)
        return ended is not None and ended.kind == "budget"

    def close(self) -> None:
        current.leave(self)
        if self.made_session is not None:
            self.made_session.close()
        if not self.is_worker and self.path.exists():
            shutil.rmtree(self.path, ignore_errors=True)
