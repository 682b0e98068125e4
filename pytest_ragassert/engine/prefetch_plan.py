"""Decides what to prefetch for coming tests, and in which order, without pytest or event loops.

A test function has places, one for each test, and jobs that its tests were seen to measure. Each
job at each coming place is one prefetch.
"""

from __future__ import annotations

import heapq
import itertools
import threading
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..case import EvalCase
from ..judging.scheduling.in_flight import PrefetchScope
from .jobs import Job

FIRST_WINDOW = 2  # places ahead, if the run ends with its first failures


@dataclass(frozen=True, eq=False)
class Place:
    """A test of a function.

    Attributes:
        function: the function's name.
        case: the case as it was collected.
        index: the position among the function's tests, in the order in which they run.
        name: the place's own name, for other processes.
    """

    function: str
    case: EvalCase
    index: int
    name: str


class Prefetch(PrefetchScope):
    """A job at a place that is being measured ahead.

    Attributes:
        template: the job, without the case.
    """

    def __init__(self, place: Place, template: Job) -> None:
        super().__init__()
        self.place = place
        self.template = template


@dataclass
class _Function:
    places: list[Place]
    jobs: dict[Hashable, Job] = field(default_factory=dict)
    stopped: bool = False
    current: int = -1
    passed: int = 0
    # what remains, the next one first: by place, then by job
    left: list[tuple[int, int, int, Hashable, Place]] = field(default_factory=list)


class PrefetchPlan:
    """Decides what to prefetch next; any thread may use it.

    Args:
        functions: the places of each function, in the order in which they run.
        windowed: whether the run ends with its first failures, so that prefetching is limited to
            two places ahead, plus one for each test of the function that has passed.
        wraps: whether earlier places may still be to come, in another process.
    """

    def __init__(
        self, functions: Iterable[Sequence[Place]], *, windowed: bool, wraps: bool
    ) -> None:
        self._functions = {places[0].function: _Function(list(places)) for places in functions}
        self._windowed = windowed
        self._wraps = wraps
        self._lock = threading.Lock()
        self._order: list[str] = []
        self._begun: set[tuple[Place, Hashable]] = set()
        self._of_place: dict[Place, list[Prefetch]] = {}
        self._over: set[Place] = set()
        self._count = itertools.count()
        self.paused = False
        self.closed = False

    def learn(self, place: Place, job: Job, others: Sequence[Job] = ()) -> bool:
        """Learn that the place's test measures the job; return whether that is new.

        Args:
            others: other jobs that the function is declared to measure, at this place as well.
        """
        with self._lock:
            function = self._functions[place.function]
            if function.stopped:
                return False
            known = len(function.jobs)
            for one in (job, *others):
                key, number = job_key(one), len(function.jobs)
                if key not in function.jobs:
                    function.jobs[key] = one
                    self._plan(function, place, key, number, here=one is not job)
            new = len(function.jobs) > known
            if new and place.function not in self._order:
                self._order.append(place.function)
            return new

    def _plan(
        self, function: _Function, place: Place, key: Hashable, number: int, *, here: bool
    ) -> None:
        count, start = len(function.places), place.index + (not here)
        end = place.index + count if self._wraps else count
        for order in range(start, end):
            coming = function.places[order % count]
            if coming not in self._over:
                self._push(function, order, number, key, coming)

    def _push(
        self, function: _Function, order: int, number: int, key: Hashable, place: Place
    ) -> None:
        heapq.heappush(function.left, (order, number, next(self._count), key, place))

    def begin(self, place: Place, following: Place | None = None) -> None:
        """Note that the place's test begins.

        Args:
            following: the next place of this process, if it belongs to the same function.
        """
        with self._lock:
            function = self._functions[place.function]
            function.current = place.index
            if following is None or function.stopped or not self._wraps:
                return
            for number, key in enumerate(function.jobs):
                if (following, key) not in self._begun:
                    self._push(function, -1, number, key, following)

    def passed(self, place: Place) -> None:
        with self._lock:
            self._functions[place.function].passed += 1

    def end(self, place: Place, used: Callable[[str], bool]) -> tuple[list[Prefetch], bool]:
        """Note that the place's test is over.

        Args:
            used: returns whether a test has used the question with a key.

        Returns:
            The prefetches that are no longer useful, and whether prefetching for the function stops
            because one of them was not used.
        """
        with self._lock:
            self._over.add(place)
            own = self._of_place.pop(place, [])
            wasted = any(not used(key) for one in own for key in list(one.sent))
            if not wasted:
                return own, False
            return [*own, *self._stopped(place.function)], True

    def stop(self, name: str) -> list[Prefetch]:
        """Stop prefetching for a function; return its prefetches."""
        with self._lock:
            return self._stopped(name)

    def _stopped(self, name: str) -> list[Prefetch]:
        function = self._functions[name]
        function.stopped, function.left = True, []
        own = [one for one in self._of_place if one.function == name]
        return [prefetch for place in own for prefetch in self._of_place.pop(place)]

    def close(self) -> list[Prefetch]:
        """Stop all prefetching; return the prefetches of coming tests."""
        with self._lock:
            self.closed = True
            every = [one for many in self._of_place.values() for one in many]
            self._of_place.clear()
            return every

    def running(self) -> list[Prefetch]:
        with self._lock:
            return [one for many in self._of_place.values() for one in many]

    def next(self, stopped: Callable[[str], bool] | None = None) -> Prefetch | None:
        """Return what to prefetch next; None: nothing, or nothing yet.

        Args:
            stopped: returns whether another process stopped prefetching for a function.
        """
        with self._lock:
            if self.closed or self.paused:
                return None
            for name in self._order:
                function = self._functions[name]
                found = None if function.stopped else self._first(function)
                if found is None:
                    continue
                if stopped is not None and stopped(name):
                    self._stopped(name)
                    continue
                return found
            return None

    def _first(self, function: _Function) -> Prefetch | None:
        while function.left:
            *_, key, place = function.left[0]
            if place in self._over or (place, key) in self._begun:
                heapq.heappop(function.left)
                continue
            reach = function.current + FIRST_WINDOW + function.passed
            if self._windowed and place.index > reach:
                return None
            heapq.heappop(function.left)
            prefetch = Prefetch(place, function.jobs[key])
            self._begun.add((place, key))
            self._of_place.setdefault(place, []).append(prefetch)
            return prefetch
        return None


def job_key(job: Job) -> Hashable:
    """A key that is equal for jobs that ask the same about equal cases."""
    return job.name, repr(sorted(job.options.items())), job.models, job.votes


def equal_cases(
    case: EvalCase, collected: EvalCase, filled: Mapping[str, Any] | None = None
) -> bool:
    """Whether a case equals the collected one, except for results.

    Args:
        filled: fields that a hook filled in the test's case.
    """
    fields = {**vars(collected), **(filled or {}), "results": None}
    try:
        return bool({**vars(case), "results": None} == fields)
    except Exception:
        # metadata may contain anything, such as arrays, whose comparison gives arrays
        return False
