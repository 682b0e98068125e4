"""The limit of requests in flight, which the processes of a run share, and the queue for it.

A slot is a byte of the run's lock file, so the system frees the slots of a process that is killed.
If there can be no lock file, each process applies the limit separately.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from itertools import chain, cycle, islice
from typing import Any, Generic, TypeVar

from ...runtime.clock import Clock
from ...storage.files.locks import LockFile, leave_lock_file
from ...storage.run_state.run_folder import RunFolder
from ..calls.user_calls import Overrun

Waiter = TypeVar("Waiter")

_POLL_SECONDS = 0.005
# Longer than a poll, so that another process sees that it may be next.
_YIELD_SECONDS = 0.008
_PROBED = 64  # slots per poll, so that a high limit does not cost processor time
# Locks. Of the processes that find no free slot, one waits for the next slot, and one of the others
# has the second lock to show that it wants to.
_NEXT, _WANTING = "slot: who is next", "slot: who wants to be next"


class SemaphoreExhausted(Exception):
    """Calls that do not return occupy all slots."""


class SharedSemaphore:
    """Lets a limited number of requests be in flight at once. Used only on the loop's thread.

    Args:
        limit: requests in flight, for all processes of the run together.
        patience: seconds after which waiting ends if calls that do not return occupy all slots.
        ready: returns when a slot can be used; only then is the next waiter chosen.
    """

    def __init__(
        self,
        run: RunFolder,
        limit: int,
        patience: float = 60.0,
        ready: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        self._run = run
        self._ready = ready
        self._patience = patience
        self._overrun: set[str] = set()
        self._names = [f"slot {number}" for number in range(limit)]
        self._cycled_names = cycle(self._names)
        self._held: set[str] = set()
        self._queue = WaitQueue[asyncio.Future[str]](lambda waiter: not waiter.done())
        self._serving: asyncio.Task[None] | None = None
        self._freed = asyncio.Event()
        self._waited = False
        self._opened = False
        self._locks: LockFile | None = None

    @contextlib.asynccontextmanager
    async def slot(
        self, *, leads: bool = False, waited: Callable[[], bool] = lambda: True
    ) -> AsyncIterator[None]:
        """Occupy a slot. Waiters get slots in the order of `WaitQueue`.

        The slot of a call that exceeded its time becomes free when the call returns.

        Raises:
            SemaphoreExhausted: calls that do not return occupy all slots.
        """
        name = await self._acquire(leads, waited)
        try:
            yield
        except Overrun as overrun:
            if overrun.ended is None:
                self._release(name)
            else:
                self._hold_overrun(name, overrun.ended)
            raise
        except BaseException:
            self._release(name)
            raise
        self._release(name)

    async def _acquire(self, leads: bool, waited: Callable[[], bool]) -> str:
        acquired: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._queue.put(acquired, leads=leads, waited=waited)
        if self._serving is None:
            self._serving = asyncio.ensure_future(self._serve())
        try:
            return await acquired
        except BaseException:
            if acquired.done() and not acquired.cancelled() and acquired.exception() is None:
                # the slot came at the same moment
                self._release(acquired.result())
            raise

    async def _serve(self) -> None:
        """Get slots as long as there are waiters. The next waiter is chosen when a slot is
        available.
        """
        try:
            while self._queue:
                if self._ready is not None:
                    await self._ready()
                name = await self._take()
                self._held.add(name)
                waiter = self._queue.pop()
                if waiter is None:
                    self._release(name)
                else:
                    waiter.set_result(name)
        except Exception as error:
            while (waiter := self._queue.pop()) is not None:
                waiter.set_exception(error)
        finally:
            self._serving = None

    def _hold_overrun(self, name: str, until: asyncio.Future[Any]) -> None:
        self._overrun.add(name)
        if self._locks is not None:
            # for other processes to see
            self._locks.acquire(_overrun(name))
        until.add_done_callback(lambda _: self._release(name))

    def _none_returns(self) -> bool:
        """Whether calls that do not return occupy all slots."""
        return all(
            name in self._overrun or self._overran_elsewhere(_overrun(name)) for name in self._names
        )

    def _overran_elsewhere(self, lock: str) -> bool:
        if self._locks is None:
            return False
        if not self._locks.acquire(lock):
            return True
        self._locks.release(lock)
        return False

    def _release(self, name: str) -> None:
        self._held.discard(name)
        if name in self._overrun:
            self._overrun.discard(name)
            if self._locks is not None:
                self._locks.release(_overrun(name))
        if self._locks is not None:
            self._locks.release(name)
        self._freed.set()

    def close(self) -> None:
        if self._locks is not None:
            leave_lock_file(self._locks)
        self._locks, self._opened = None, False

    async def _take(self) -> str:
        locks = self._lock_file()
        if locks is None:
            return await self._first_free(None)
        if self._waited and not locks.acquire(_WANTING):
            # this process got the last slot that became free: now a waiter elsewhere gets one
            await asyncio.sleep(_YIELD_SECONDS)
        elif self._waited:
            locks.release(_WANTING)
        elif (name := self._free(locks, len(self._names))) is not None:
            # there are no waiters, or this process is not among those with the most slots
            return name
        self._waited = False
        await self._be_next(locks)
        try:
            return await self._first_free(locks)
        finally:
            locks.release(_NEXT)

    async def _be_next(self, locks: LockFile) -> None:
        """Become the one process that waits for a free slot; the others wait for this one."""
        wanting = False
        try:
            while not locks.acquire(_NEXT):
                wanting = wanting or locks.acquire(_WANTING)
                await asyncio.sleep(_POLL_SECONDS)
        finally:
            if wanting:
                locks.release(_WANTING)

    async def _first_free(self, locks: LockFile | None) -> str:
        name = self._free(locks, len(self._names))
        start = Clock.now()
        while name is None:
            if Clock.now() - start > self._patience and self._none_returns():
                raise SemaphoreExhausted
            self._waited = True
            self._freed.clear()
            # there is nothing to look for if this process itself has all slots
            own = locks is None or len(self._held) == len(self._names)
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(self._freed.wait(), self._patience if own else _POLL_SECONDS)
            name = self._free(locks, _PROBED)
        return name

    def _free(self, locks: LockFile | None, most: int) -> str | None:
        """Take a slot that was free, out of a limited number that are examined, and return it."""
        names = islice(self._cycled_names, min(most, len(self._names)))
        free = (name for name in names if name not in self._held)
        return next((name for name in free if locks is None or locks.acquire(name)), None)

    def _lock_file(self) -> LockFile | None:
        if not self._opened:
            self._opened = True
            self._locks = self._run.locks()
        return self._locks


def _overrun(name: str) -> str:
    return f"{name}: overrun"


class WaitQueue(Generic[Waiter]):
    """The order of waiters: those that tests wait for, then those that others depend on, then by
    age.

    Args:
        is_waiting: whether a waiter still waits.
    """

    def __init__(self, is_waiting: Callable[[Waiter], bool]) -> None:
        self._is_waiting = is_waiting
        self._waited: dict[bool, deque[Waiter]] = {True: deque(), False: deque()}
        self._prefetched: dict[bool, deque[tuple[Waiter, Callable[[], bool]]]]
        self._prefetched = {True: deque(), False: deque()}

    def put(self, waiter: Waiter, *, leads: bool, waited: Callable[[], bool]) -> None:
        """Add a waiter.

        Args:
            leads: other requests depend on its result.
            waited: whether a test waits for it by now; once one does, this does not change.
        """
        if waited():
            self._waited[leads].append(waiter)
        else:
            self._prefetched[leads].append((waiter, waited))

    def __bool__(self) -> bool:
        """Whether there are waiters."""
        prefetched = (waiter for waiters in self._prefetched.values() for waiter, _ in waiters)
        waited = (waiter for waiters in self._waited.values() for waiter in waiters)
        return any(map(self._is_waiting, chain(waited, prefetched)))

    def pop(self) -> Waiter | None:
        """Remove and return the next waiter, or None if there is none."""
        self._promote_waited_for()
        for waiters in self._waited.values():
            while waiters:
                waiter = waiters.popleft()
                if self._is_waiting(waiter):
                    return waiter
        # those that no longer wait were removed above
        for others in self._prefetched.values():
            if others:
                return others.popleft()[0]
        return None

    def _promote_waited_for(self) -> None:
        for leads, waiters in self._prefetched.items():
            self._prefetched[leads] = deque()
            for waiter, waited in waiters:
                if self._is_waiting(waiter):
                    self.put(waiter, leads=leads, waited=waited)
