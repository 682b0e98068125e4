"""Lets one process at a time ask for a judgement, here and on other machines.

The locks of this machine are taken on the loop, which takes microseconds. Leases of a shared store
take a round trip: one thread asks for those of all waiting flights together.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Sequence
from typing import TYPE_CHECKING

from ...storage.shared_flights import SharedFlights
from .answer_cache import POLL_SECONDS, AnswerCache, longer
from .in_flight import NotPrefetched

if TYPE_CHECKING:
    from ...storage.store import Flights

# Between two round trips for what another machine asks for.
_SHARED_POLL_SECONDS = 0.05
_LONGEST_SHARED_POLL_SECONDS = 0.25


class _Waiting:
    """A flight that waits for its keys.

    Attributes:
        left: keys that are not taken yet, in order.
        taken: the others.
        done: when all are taken.
        is_wanted: whether a test waits for the flight.
    """

    def __init__(self, names: Sequence[str], is_wanted: Callable[[], bool]) -> None:
        self.left = list(names)
        self.taken: list[str] = []
        self.done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.is_wanted = is_wanted


class SingleFlight:
    """The flights of a session. Used only on the loop's thread."""

    def __init__(self, cache: AnswerCache) -> None:
        self._cache = cache
        self.forget()

    def forget(self) -> None:
        """Drop everything that belongs to the parent process, after a fork."""
        self._waiting: list[_Waiting] = []
        self._new = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    @contextlib.asynccontextmanager
    async def alone(
        self, names: Sequence[str], is_wanted: Callable[[], bool]
    ) -> AsyncIterator[None]:
        """Keep all others from asking for these judgements in the meantime.

        Args:
            is_wanted: whether a test in this process waits for them.

        Raises:
            NotPrefetched: others ask for one, and no test in this process waits for it.
        """
        flights = await self._cache.flights()
        # always in the same order, so that no two processes wait for each other
        ordered = sorted(names)
        if flights is None:
            yield
        elif isinstance(flights, SharedFlights):
            await self._taken_together(flights, ordered, is_wanted)
            try:
                yield
            finally:
                self._cache.soon(flights.release_many, ordered)
        else:
            with contextlib.ExitStack() as held:
                for name in ordered:
                    await _acquire(flights, name, is_wanted)
                    held.callback(flights.release, name)
                yield

    async def _taken_together(
        self, flights: SharedFlights, names: Sequence[str], is_wanted: Callable[[], bool]
    ) -> None:
        waiting = _Waiting(names, is_wanted)
        self._waiting.append(waiting)
        self._new.set()
        if self._task is None or self._task.done():
            self._task = asyncio.ensure_future(self._take(flights))
        try:
            await waiting.done
        except asyncio.CancelledError:
            if not waiting.done.cancelled():
                self._give_back(flights, waiting)
            raise

    async def _take(self, flights: SharedFlights) -> None:
        """Take what flights wait for, until none waits."""
        wait = _SHARED_POLL_SECONDS
        while self._waiting:
            self._new.clear()
            for waiting in [one for one in self._waiting if one.done.done()]:
                self._settle(flights, waiting, 0)
            some = list(self._waiting)
            try:
                taken = await self._cache.taken(flights, [one.left for one in some])
            except BaseException as error:
                self._end(flights, error)
                raise
            for waiting, count in zip(some, taken, strict=True):
                self._settle(flights, waiting, count)
            if self._waiting:
                with contextlib.suppress(TimeoutError, asyncio.TimeoutError):
                    await asyncio.wait_for(self._new.wait(), wait)
                    wait = _SHARED_POLL_SECONDS
                    continue
                wait = min(wait * 1.5, _LONGEST_SHARED_POLL_SECONDS)

    def _settle(self, flights: SharedFlights, waiting: _Waiting, count: int) -> None:
        waiting.taken += waiting.left[:count]
        del waiting.left[:count]
        if waiting.done.done():  # cancelled
            self._give_back(flights, waiting)
        elif not waiting.left:
            waiting.done.set_result(None)
        elif not waiting.is_wanted():
            self._give_back(flights, waiting)
            waiting.done.set_exception(NotPrefetched())
        else:
            return
        if waiting in self._waiting:
            self._waiting.remove(waiting)

    def _give_back(self, flights: SharedFlights, waiting: _Waiting) -> None:
        if waiting.taken:
            self._cache.soon(flights.release_many, waiting.taken)
            waiting.taken = []

    def _end(self, flights: SharedFlights, error: BaseException) -> None:
        for waiting in self._waiting:
            self._give_back(flights, waiting)
            if not waiting.done.done():
                if isinstance(error, asyncio.CancelledError):
                    waiting.done.cancel()
                else:
                    waiting.done.set_exception(error)
        self._waiting = []

    async def close(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)


async def _acquire(flights: Flights, name: str, is_wanted: Callable[[], bool]) -> None:
    wait = POLL_SECONDS
    while not flights.acquire(name):
        if not is_wanted():
            raise NotPrefetched
        await asyncio.sleep(wait)
        wait = longer(wait)
