"""Judgements in flight: each one once in this process, and whether a test waits for them.

Judgements of one question that are not yet in flight fly together. They are asked because a test
waits for them, or they are prefetched for a later test; the running task knows which. When a test
reaches something that is being prefetched, it is waited for from then on.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable, Collection, Coroutine, Iterable, Iterator
from contextvars import ContextVar
from functools import partial
from typing import Any, Generic, NamedTuple, TypeVar

Result = TypeVar("Result")


class NotPrefetched(Exception):
    """Another process asks the same question, or HTTP is intercepted, so the prefetch ends here."""


class PrefetchScope:
    """One prefetch and its cost.

    Attributes:
        sent: keys of the judgements that were sent for it while no test waited for them.
    """

    def __init__(self) -> None:
        self.sent: set[str] = set()


class Flight(Generic[Result]):
    """Judgements of a question that are in flight.

    Attributes:
        keys: the keys of the judgements.
        prefetch: the prefetch that asks; None: a test waited for it from the start.
        waited: a test waits for it.
        sent: a request was sent.
    """

    task: asyncio.Task[Result]

    def __init__(self, keys: tuple[str, ...], prefetch: PrefetchScope | None) -> None:
        self.keys = keys
        self.prefetch = prefetch
        self.waited = prefetch is None
        self.sent = False
        self._needed: list[Flight[Any]] = []

    def wait(self) -> None:
        """Note that a test waits for it from now on, and for everything it needs."""
        self.waited = True
        for flight in self._needed:
            flight.wait()

    def need(self, flights: Iterable[Flight[Any]]) -> None:
        """Note that it continues when these have ended."""
        self._needed += flights
        if self.waited:
            self.wait()

    @property
    def spent_by_prefetch(self) -> bool:
        """Whether it was sent while no test waited for it."""
        return self.prefetch is not None and not self.prefetch.sent.isdisjoint(self.keys)

    def begin(self) -> None:
        """Make this the flight of the running task and of the tasks that it starts."""
        _flight.set(self)

    def mark_sent(self) -> None:
        """Note that a request is being sent."""
        self.sent = True
        if self.prefetch is not None and not self.waited:
            self.prefetch.sent.update(self.keys)


class InFlight(Generic[Result]):
    """The flights of a session by key. Used only on the loop's thread."""

    def __init__(self) -> None:
        self._flights: dict[str, Flight[Result]] = {}
        self._dropped: set[asyncio.Task[Result]] = set()

    def __len__(self) -> int:
        return len(list(iter(self)))

    def __iter__(self) -> Iterator[Flight[Result]]:
        return iter(list(dict.fromkeys(self._flights.values())))

    def join(
        self,
        keys: Iterable[str],
        prefetch: PrefetchScope | None,
        start: Callable[[Flight[Result]], Coroutine[Any, Any, Result]],
    ) -> list[Flight[Result]]:
        """Return the flights that bring these judgements, starting one for those that are in none.

        From now on they are waited for, unless a prefetch joins them.
        """
        flights: dict[Flight[Result], None] = {}
        others = []
        for key in keys:
            flight = self._flights.get(key)
            # a flight that has ended may be here until the loop's next iteration, and would bring
            # the same answers
            if flight is None or flight.task.done():
                others.append(key)
            else:
                if prefetch is None:
                    flight.wait()
                flights[flight] = None
        if others:
            flight = Flight(tuple(others), prefetch)
            self._flights.update(dict.fromkeys(others, flight))
            flight.task = asyncio.ensure_future(start(flight))
            flight.task.add_done_callback(partial(self._remove, flight))
            flights[flight] = None
        return list(flights)

    def drop(self, prefetches: Collection[PrefetchScope]) -> None:
        """Cancel what these ask, except what was sent or is waited for."""
        for flight in self:
            if flight.prefetch in prefetches and not flight.waited and not flight.sent:
                # a test that reaches it now asks again
                self._forget(flight)
                self._dropped.add(flight.task)
                flight.task.cancel()

    async def settle(self, seconds: float) -> None:
        """Wait at most this many seconds for the answers to what prefetches sent."""
        sent = [flight.task for flight in self if flight.prefetch is not None and flight.sent]
        if sent:
            await asyncio.wait(sent, timeout=seconds)

    async def close(self) -> None:
        tasks = [*self._dropped, *(flight.task for flight in self)]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _remove(self, flight: Flight[Result], task: asyncio.Task[Result]) -> None:
        self._dropped.discard(task)
        self._forget(flight)
        # if nothing waits any more, nothing else looks at the error
        if not task.cancelled():
            task.exception()

    def _forget(self, flight: Flight[Result]) -> None:
        for key in flight.keys:
            if self._flights.get(key) is flight:
                del self._flights[key]


_prefetch: ContextVar[PrefetchScope | None] = ContextVar("ragassert_prefetch", default=None)
_flight: ContextVar[Flight[Any] | None] = ContextVar("ragassert_flight", default=None)


def running_prefetch() -> PrefetchScope | None:
    """Return the prefetch that the running task belongs to; None: a test waits for it."""
    return _prefetch.get()


def running_flight() -> Flight[Any] | None:
    """Return the flight that the running task belongs to."""
    return _flight.get()


@contextlib.contextmanager
def prefetching(prefetch: PrefetchScope) -> Iterator[None]:
    """Make this the prefetch of the running task and of the tasks that it starts."""
    token = _prefetch.set(prefetch)
    try:
        yield
    finally:
        _prefetch.reset(token)


class RequestCounts(NamedTuple):
    """The progress of a process.

    Attributes:
        asked: judgements of flights that ended with an answer from the judge, or with an error.
        in_flight: requests that are not answered yet.
    """

    asked: int = 0
    in_flight: int = 0


class RequestCounter:
    """Counts the progress of a process. May be used from any thread."""

    def __init__(self) -> None:
        self._callback: Callable[[RequestCounts], None] | None = None
        self._lock = threading.Lock()
        self._counts = RequestCounts()

    def call_on_change(self, callback: Callable[[RequestCounts], None]) -> None:
        """Set a callback for changes.

        Args:
            callback: called when a request begins or ends and when a question is answered, in the
                thread that asks. It must not raise.
        """
        self._callback = callback

    def answered(self, judgements: int) -> None:
        """Count judgements that were answered or failed."""
        self._change(asked=judgements)

    @contextlib.contextmanager
    def request(self) -> Iterator[None]:
        self._change(in_flight=1)
        try:
            yield
        finally:
            self._change(in_flight=-1)

    def _change(self, *, asked: int = 0, in_flight: int = 0) -> None:
        with self._lock:
            before = self._counts
            self._counts = RequestCounts(before.asked + asked, before.in_flight + in_flight)
            if self._callback is not None:
                self._callback(self._counts)
