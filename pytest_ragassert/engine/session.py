"""`Session`: the settings, judge, store, event loop and recorder of a process."""

from __future__ import annotations

import asyncio
import contextlib
import uuid
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Mapping, Sequence
from concurrent.futures import CancelledError, Future
from concurrent.futures import TimeoutError as FutureTimeoutError
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from ..case import EvalCase, not_a_case
from ..config.settings import Settings
from ..errors import ConfigurationError, JudgeError
from ..judging.calls.event_loop import LoopThread, result_or_cancel
from ..judging.calls.user_calls import HookCalls
from ..judging.factories import MakeByName, embedder_of, judge_of
from ..judging.judges.judge import Lesson
from ..judging.scheduling.asker import Asker
from ..metrics.metric import Metric
from ..metrics.option_checks import check_minimum, check_models, check_no_claims, is_count
from ..metrics.registry import Registry, whole_options
from ..runtime.environment import run_folder_path
from ..runtime.forks import lock_across_forks
from ..runtime.threads import apart
from ..storage.run_state.run_folder import SHARED_STORE, RunFolder
from .asking import READ_AT_ONCE
from .jobs import Job, Measured
from .restore import put_back
from .runner import measure_all_on_loop, measure_at_once, not_measured

if TYPE_CHECKING:
    from ..judging.judges.openai.request_findings import Findings

Result = TypeVar("Result")

# Held while a shared session is made: two threads would make, and ask for, everything twice, and
# nobody would close one of the sessions.
MAKING = lock_across_forks()

_PATIENCE = 3.0  # seconds for a task that takes no time unless the loop is blocked


class Recorder(Protocol):
    """Is called with every measurement, in the thread that asked for it."""

    def record(self, measured: Measured) -> None: ...

    def known_failure(self, metric: str, case: str | None) -> str | None:
        """Why an assertion on the metric is expected to fail; None if it is not."""
        ...


class PrefetchObserver(Protocol):
    """Is called before and after each measurement, to prefetch for coming tests."""

    def before(self, job: Job) -> Callable[[], None] | None:
        """Return what to call when the job meets a question that is not known yet."""
        ...

    def after(self, measured: Measured) -> None: ...


class Session:
    """Measures jobs.

    Args:
        run: what the processes of one run share; default: a folder of its own.

    Raises:
        ConfigurationError: the judge is unknown, or can't be made.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        run: RunFolder | None = None,
        make_judge: MakeByName | None = None,
        make_embedder: MakeByName | None = None,
        metrics: Iterable[Metric] = (),
        recorder: Recorder | None = None,
    ) -> None:
        configured = settings.within(settings.environ)
        settings = configured.decided()
        self._owns_run = run is None
        self.run = run or RunFolder(run_folder_path(uuid.uuid4().hex))
        added = list(metrics)
        self.registry = Registry(added)
        # `beside` passes judges, embedders and metrics on to another session
        self._hooks = partial(
            Session, make_judge=make_judge, make_embedder=make_embedder, metrics=added
        )
        minimums = {self.registry.spelled(n): m for n, m in settings.minimums.items()}
        self._check_names("settings", minimums)
        self.settings = settings = settings.model_copy(update={"minimums": minimums})
        self.recorder = recorder
        # gets the notices of the run folder if no summary prints them
        self.on_notice: Callable[[str], None] | None = None
        self._noticed: set[str] = set()
        # whether the offline judge is used, outside a run, because nothing chooses a judge
        self.lacks_choice = False
        self.folder = settings.folder
        committed = None
        if settings.verdicts is not None:
            from ..storage.committed.committed_verdicts import open_verdicts

            committed = open_verdicts(settings.verdicts)
        self.hooks = HookCalls()
        judge, local = judge_of(
            settings, make_judge, committed, self._note_refusal, self.hooks, self._findings
        )
        embedder = embedder_of(configured, make_embedder, committed, self.hooks)
        self._store = None
        if _stores(settings) and not (local and (embedder is None or embedder.local)):
            from ..storage.open_store import open_store

            place = replace(settings.store_place, fills=settings.record_mode != "none")
            self._store = open_store(
                place, self.run.add_notice, self.run.make, on_state=self._note_store
            )
        self.asker = Asker(
            settings,
            judge,
            local=local,
            store=self._store,
            committed=committed,
            run=self.run,
            embedder=embedder,
        )
        self.prefetching: PrefetchObserver | None = None
        self._loop = LoopThread()
        self._votes_noticed = False

    @property
    def stores(self) -> bool:
        """Whether answers are stored, or read from a store."""
        return self._store is not None

    def beside(self, settings: Settings) -> Session:
        """Make a session with other settings, and the same judges, embedders and metrics.

        Raises:
            ConfigurationError: as in the constructor.
        """
        return self._hooks(settings)

    def job(
        self,
        case: EvalCase,
        name: str,
        options: dict[str, Any],
        minimum: float | None = None,
        *,
        asserted: bool = False,
        labels: tuple[str, ...] = (),
    ) -> Job:
        """Make a job, and check everything that can be checked without measuring.

        Raises:
            TypeError: the metric or an option is unknown, or `case` is not an `EvalCase`.
            ValueError: `min`, `no_claims`, `models` or `votes` is invalid.
        """
        if not isinstance(case, EvalCase):
            raise TypeError(not_a_case(case))
        metric = self.registry[name]
        self._check_names(f"case {case.name}", case.minimums)
        options = dict(options)
        no_claims = options.pop("no_claims", None)
        no_claims = self.settings.no_claims if no_claims is None else check_no_claims(no_claims)
        models = options.pop("models", None)
        models = self.settings.model if models is None else check_models(models)
        votes = self._votes(options.pop("votes", None))
        if minimum is None:
            minimum = case.minimums.get(name, self.settings.minimum(name, metric.default_min))
        minimum = check_minimum(minimum)
        whole = whole_options(metric, options)
        known = None
        if asserted and self.recorder is not None:
            known = self.recorder.known_failure(name, case.id)
        return Job(
            case, name, metric, whole, minimum, no_claims, models, votes, asserted, labels, known
        )

    def _votes(self, votes_option: Any) -> int:
        """The number of samples of each judgement; 1 if all samples would be equal.

        Raises:
            ValueError: the option is not a whole number from 1.
        """
        votes = self.settings.votes if votes_option is None else votes_option
        if not is_count(votes):
            raise ValueError(f"votes must be a whole number of samples from 1, not {votes!r}")
        if self.asker.local and votes > 1:
            if not self._votes_noticed:
                self._votes_noticed = True
                self.run.add_notice(
                    f"votes: {self.asker.judge.id} gives the same answer each time, so it is asked "
                    "once"
                )
            return 1
        return int(votes)

    def _note_refusal(self, lesson: Lesson) -> None:
        """Give notice of what the endpoint rejects; if verdicts are not affected, only with -v."""
        self.run.add_notice(lesson.text, verbose_only=not lesson.loud)

    def _note_store(self, line: str) -> None:
        self.run.add_notice(line, place=SHARED_STORE)

    def settle_store(self) -> None:
        """Share what is not shared yet, and note whether a shared store can't be used."""
        if self._store is not None and self._store.settle():
            self.run.set_value(SHARED_STORE, "unused")

    def _findings(self) -> Findings:
        from ..storage.run_state.request_forms import KeptFindings

        folder = self.folder if _stores(self.settings) else None
        return KeptFindings(self.run, folder, forgets=self.settings.record_mode == "all")

    def _check_names(self, whose: str, minimums: Mapping[str, float]) -> None:
        for name in minimums:
            try:
                self.registry[name]
            except TypeError as error:
                raise ConfigurationError(f"{whose}: minimums: {error}") from None

    def measure(self, jobs: Sequence[Job]) -> list[Measured]:
        """Measure the jobs and return the outcomes in order; blocks, even inside a running loop.

        Raises:
            ConfigurationError: the session is closed, or is closed meanwhile.
        """
        done, rest = self._at_once(jobs)
        measured = []
        if rest:
            begun = self._begun(rest)
            try:
                measured = begun if isinstance(begun, list) else result_or_cancel(begun)
            except CancelledError:
                raise self._cancelled() from None
        return self._recorded(done, measured)

    async def measure_async(self, jobs: Sequence[Job]) -> list[Measured]:
        """Measure the jobs while the caller's event loop runs on.

        Raises:
            ConfigurationError: as in `measure`, or the caller's loop is not asyncio's.
        """
        _check_asyncio()
        waits = self._store is not None and self._store.networked
        if waits or sum(job.characters for job in jobs) > READ_AT_ONCE:
            done, rest = await apart(self._at_once, jobs)
        else:
            done, rest = self._at_once(jobs)
        measured = []
        if rest:
            begun = self._begun(rest)
            try:
                measured = begun if isinstance(begun, list) else await asyncio.wrap_future(begun)
            except asyncio.CancelledError:
                if self._loop.stopped:
                    raise self._cancelled() from None
                raise
        return self._recorded(done, measured)

    def _cancelled(self) -> Exception:
        """The error for a measurement that was cancelled by neither the caller nor the session."""
        if self._loop.stopped:
            return ConfigurationError("the session was closed while it measured")
        return RuntimeError("a metric raised CancelledError, so that nothing was measured")

    def _begun(self, jobs: Sequence[Job]) -> Future[list[Measured]] | list[Measured]:
        """Start the jobs; return their future outcomes, or their errors without a usable loop."""
        try:
            return self._loop.submit(self._on_loop(jobs))
        except JudgeError as error:
            return [not_measured(job, error) for job in jobs]

    def _on_loop(self, jobs: Sequence[Job]) -> Coroutine[Any, Any, list[Measured]]:
        prefetching = self.prefetching
        unknown = [None if prefetching is None else prefetching.before(job) for job in jobs]
        return measure_all_on_loop(jobs, self.asker, unknown)

    def later(self, call: Callable[[], None]) -> None:
        """Call it on the session's loop soon, if the loop runs."""
        self._loop.call(call)

    def settle(self, before: Callable[[], None], seconds: float) -> None:
        """Wait for prefetches in flight, for at most this many seconds.

        Args:
            before: called first, on the loop.
        """

        async def settled() -> None:
            before()
            await self.asker.in_flight.settle(seconds)

        if self._loop.running:
            # do not wait for a metric that blocks the loop
            with contextlib.suppress(FutureTimeoutError):
                self._loop.submit(settled()).result(seconds + _PATIENCE)

    def wait_for(self, work: Awaitable[Result]) -> Result:
        """Run a coroutine on the session's loop, and return its result."""

        async def result() -> Result:
            return await work

        return self._loop.run(result())

    def close(self) -> None:
        """Close the loop, the client and this thread's connection to the store."""
        if self._loop.stopped:
            return
        self._loop.stop(self.asker.close())
        self.hooks.close()
        if self._store is not None:
            if self._owns_run:
                self.settle_store()
            self._store.close()
            if self._owns_run:
                put_back(self.run, self.folder)
        self._notice()

    def _at_once(self, jobs: Sequence[Job]) -> tuple[list[Measured | None], list[Job]]:
        """The outcomes of jobs that need no loop, in order, and the other jobs."""
        self._loop.check()
        try:
            done = [measure_at_once(job, self.asker) for job in jobs]
        finally:
            self.asker.leave_thread()
        return done, [job for job, one in zip(jobs, done, strict=True) if one is None]

    def _recorded(
        self, done: Sequence[Measured | None], rest: Sequence[Measured]
    ) -> list[Measured]:
        later = iter(rest)
        whole = [measured or next(later) for measured in done]
        if self.prefetching is not None:
            for measured in whole:
                self.prefetching.after(measured)
        if self.recorder is not None:
            _record_all(self.recorder, whole)
        self._notice()
        return whole

    def _notice(self) -> None:
        """Pass on the notices of the run folder, each once."""
        if self.on_notice is None:
            return
        for line in self.run.notices():
            if line not in self._noticed:
                self._noticed.add(line)
                self.on_notice(line)


def _record_all(recorder: Recorder, whole: Sequence[Measured]) -> None:
    """Record each outcome even if a hook raises for one of them; raise its error at the end."""
    raised: BaseException | None = None
    for measured in whole:
        try:
            recorder.record(measured)
        except BaseException as error:
            raised = raised or error
    if raised is not None:
        raise raised


def _check_asyncio() -> None:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        raise ConfigurationError(
            "the coroutines of pytest_ragassert.aio run on asyncio's event loop; elsewhere call "
            "the plain function in a thread: await trio.to_thread.run_sync(assert_faithful, case)"
        ) from None


def _stores(settings: Settings) -> bool:
    """Whether the store is read or written; a replay may use committed verdicts alone."""
    mode = settings.record_mode
    return mode != "off" and not (mode == "none" and settings.verdicts is not None)
