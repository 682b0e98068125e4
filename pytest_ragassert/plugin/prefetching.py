"""Prefetching in a pytest run: which tests come next, with which cases, and when it is off."""

from __future__ import annotations

import contextlib
import json
import os
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from ..engine.prefetch_plan import Place, Prefetch, PrefetchPlan, equal_cases
from ..engine.prefetcher import Prefetcher
from ..runtime.canonical_json import digest
from ..runtime.http_mocks import intercepted
from .answer_hook import FILLED, filled_ahead, waits_for_answer
from .collected_tests import MARKER, collected_case, declared_by, function_of, is_skipped

if TYPE_CHECKING:
    from ..engine.jobs import Job, Measured
    from ..engine.session import Session
    from ..storage.run_state.run_folder import RunFolder
    from .run import Run

# Seconds to wait at the end of a run for requests in flight, which are paid for.
_SOON = 3.0
_AT_ONCE = 1.0  # after an interrupt
_BUDGETS = ("max_calls", "max_tokens_total")
# Options for stepping through tests one by one.
_STEPWISE = ("usepdb", "trace", "stepwise", "stepwise_skip", "collectonly", "setuponly")


def does_prefetch(run: Run, session: Session) -> bool:
    """Whether this run prefetches."""
    settings, option = session.settings, run.config.option
    return (
        settings.prefetch == "on"
        and not (session.asker.local or session.asker.replays)
        and not any(getattr(settings, name) for name in _BUDGETS)
        and not any(getattr(option, name, False) for name in _STEPWISE)
    )


class Prefetching:
    """Prefetches for a session, from the tests that pytest will run and what they measure.

    Args:
        items: the run's tests, in order; an xdist worker knows those of all workers.
    """

    def __init__(self, run: Run, session: Session, items: list[pytest.Item]) -> None:
        self._run = run
        self._session = session
        self._items = items
        self._pid = os.getpid()
        # made for the first job that is not stored: a fully stored run needs neither
        self._places: dict[pytest.Item, Place] = {}
        self._items_by_name: dict[str, pytest.Item] = {}
        self._plan: PrefetchPlan | None = None
        self._prefetcher = Prefetcher(
            session.asker, self._next, self._job_of, self._ended, self._pause
        )
        self._used: set[str] = set()
        self._here: pytest.Item | None = None
        self._following: pytest.Item | None = None

    # -- on the thread of the tests --------------------------------------------------------------

    def begin(self, item: pytest.Item, following: pytest.Item | None) -> None:
        """
        Args:
            following: the next test of this process.
        """
        if self._is_forked():
            return
        self._here, self._following = item, following
        if self._plan is not None:
            self._begin(self._plan)

    def passed(self, item: pytest.Item) -> None:
        place = self._places.get(item)
        if self._plan is not None and place is not None and not self._is_forked():
            self._plan.passed(place)
            self._session.later(self._prefetcher.more)

    def end(self, item: pytest.Item) -> None:
        self._here, place = None, self._places.get(item)
        if self._plan is None or place is None or self._is_forked():
            return
        useless, stopped = self._plan.end(place, self._is_used)
        if not stopped and self._run.is_worker and self._wasted_elsewhere(place):
            useless, stopped = [*useless, *self._plan.stop(place.function)], True
        if stopped and self._run.is_worker:
            self._session.run.set_value(_value_name("stopped", place.function), "")
        if useless:
            self._session.later(lambda: self._prefetcher.drop(useless))

    def before(self, job: Job) -> Callable[[], None] | None:
        """A callback for a question of the running test that is not stored; None if other tests
        cannot ask the same.
        """
        item = self._here
        # a fake judge's answer in one test must not reach others
        if item is None or self._is_forked() or intercepted():
            return None
        plan = self._plan or self._open()
        place = self._places.get(item)
        if place is None or not equal_cases(job.case, place.case, item.stash.get(FILLED, None)):
            return None
        declared = declared_by(item)
        return lambda: self._learn(plan, place, job, declared)

    def after(self, measured: Measured) -> None:
        if self._plan is None or self._is_forked():
            return
        self._used.update(asked.key for asked in measured.asked)
        if self._plan.paused and measured.result is not None and not measured.result.stored:
            # the judge is available again
            self._plan.paused = False
            self._session.later(self._prefetcher.more)

    def finish(self, *, broken_off: bool) -> None:
        """Stop prefetching, and wait briefly for requests in flight."""
        if self._plan is None or self._is_forked():
            return
        useless = self._plan.close()
        # other workers may wait for the requests of this one
        seconds = self._session.settings.timeout if self._run.is_worker else _SOON
        # a second interrupt ends the wait
        with contextlib.suppress(KeyboardInterrupt):
            self._session.settle(
                lambda: self._prefetcher.drop(useless), _AT_ONCE if broken_off else seconds
            )

    def _is_forked(self) -> bool:
        """Whether this is a forked process, whose parent has the tasks and the loop."""
        return os.getpid() != self._pid

    def _open(self) -> PrefetchPlan:
        self._places = _places_of(self._items)
        self._items_by_name = {place.name: item for item, place in self._places.items()}
        functions: dict[str, list[Place]] = {}
        for place in self._places.values():
            functions.setdefault(place.function, []).append(place)
        self._plan = PrefetchPlan(
            functions.values(),
            windowed=bool(self._run.config.getoption("maxfail", 0)),
            wraps=self._run.is_worker,
        )
        self._begin(self._plan)
        return self._plan

    def _begin(self, plan: PrefetchPlan) -> None:
        here = None if self._here is None else self._places.get(self._here)
        if here is None:
            return
        after = None if self._following is None else self._places.get(self._following)
        same = after is not None and after.function == here.function
        plan.begin(here, after if same else None)
        self._session.later(self._prefetcher.more)

    def _is_used(self, key: str) -> bool:
        return key in self._used or key in self._session.asker.wanted

    def _wasted_elsewhere(self, place: Place) -> bool:
        """Whether another worker prefetched for the test at this place in vain."""
        text = self._session.run.value(_value_name("of", place.name))
        return text is not None and not all(map(self._is_used, json.loads(text)))

    # -- on the loop -----------------------------------------------------------------------------

    def _learn(
        self, plan: PrefetchPlan, place: Place, job: Job, declared: Mapping[str, Mapping[str, Any]]
    ) -> None:
        others = []
        for name, options in declared.items():
            # the test's own call reports the invalid value
            with contextlib.suppress(TypeError, ValueError):
                others.append(self._session.job(place.case, name, dict(options)))
        if plan.learn(place, job, others):
            self._prefetcher.more()

    def _next(self) -> Prefetch | None:
        if self._plan is None:
            return None
        if intercepted():
            return None
        return self._plan.next(self._is_stopped if self._run.is_worker else None)

    def _is_stopped(self, function: str) -> bool:
        return self._session.run.value(_value_name("stopped", function)) is not None

    async def _job_of(self, prefetch: Prefetch) -> Job | None:
        case = prefetch.place.case.fresh()
        item = self._items_by_name[prefetch.place.name]
        if waits_for_answer(case, item, self._run) and not await filled_ahead(
            case, item, self._run, self._run.failed_answers
        ):
            return None
        job = replace(prefetch.template, case=case, asserted=False, known_failure=None)
        return None if job.missing else job

    def _ended(self, prefetch: Prefetch) -> None:
        if prefetch.sent and self._run.is_worker:
            # the process that runs the test sees whether it was useful
            name = _value_name("of", prefetch.place.name)
            self._session.run.set_value(name, json.dumps(sorted(prefetch.sent)))

    def _pause(self) -> None:
        if self._plan is not None:
            self._plan.paused = True
            self._prefetcher.drop(self._plan.running())


def heed_unused(folder: RunFolder, item: pytest.Item) -> None:
    """Tell all workers that one of them prefetched for a test that measured nothing."""
    if folder.value(_value_name("of", item.nodeid)) is not None:
        folder.set_value(_value_name("stopped", function_of(item)), "")


def _value_name(what: str, name: str) -> str:
    return f"ahead-{what}-{digest(name)[:32]}"


def _places_of(items: list[pytest.Item]) -> dict[pytest.Item, Place]:
    """The tests with a case from `rag_cases`."""
    counts: Counter[str] = Counter()
    places = {}
    for item in items:
        # a skipped test measures nothing
        if is_skipped(item) or item.get_closest_marker(MARKER) is None:
            continue
        case = collected_case(item)
        if case is not None:
            function = function_of(item)
            places[item] = Place(function, case, counts[function], item.nodeid)
            counts[function] += 1
    return places
