"""Decides when a request may be sent: within the limit of requests in flight, until judging ends.

Until the first answer is known, a process sends only one request. So bad credentials cost one
request per process, whatever the number of tests. Judge and embedder share the limit across all
processes of a run, but begin and end separately. Requests that a test waits for are sent before
prefetched ones.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable
from typing import TypeVar

from ...errors import JudgeError
from ...runtime.http_mocks import intercepted
from ...storage.run_state.run_folder import EMBEDDING, JUDGING, RunFolder
from ..calls.send_permit import sending_under
from ..judges.judge import Malformed, TooLong, Truncated
from .circuit_breaker import CircuitBreaker
from .in_flight import NotPrefetched, RequestCounter, running_flight
from .limits import Limits
from .semaphore import SemaphoreExhausted, SharedSemaphore

Result = TypeVar("Result")

_LOOK_SECONDS = 1.0  # seconds between two checks whether the run was interrupted


class Scheduler:
    """Sends requests when they may be sent. Used only on the loop's thread.

    Args:
        limit: requests in flight, for all processes of the run together.
        limits: of the whole run, on what is asked of the judge; not on embeddings.
        timeout: seconds that a request may take.

    Attributes:
        counter: counts the requests, and may be shared with another session.
    """

    def __init__(
        self, run: RunFolder, limit: int, limits: Limits, *, timeout: float = 60.0
    ) -> None:
        self.counter = RequestCounter()
        self._run = run
        self._limit = limit
        self._limits = limits
        self._timeout = timeout
        self.forget()

    def forget(self) -> None:
        """Start over after a fork: tasks and locks belong to the parent process."""
        run, limits, timeout = self._run, self._limits, self._timeout
        self._breakers = {
            JUDGING: CircuitBreaker(run, JUDGING, timeout, limits),
            EMBEDDING: CircuitBreaker(run, EMBEDDING, timeout),
        }
        embedding = judging = SharedSemaphore(run, self._limit, timeout)
        if limits.paces:
            # an embedding does not wait until the judge's rate allows a request
            judging = SharedSemaphore(run, self._limit, timeout, limits.reserve)
        self._semaphores = {JUDGING: judging, EMBEDDING: embedding}
        self._first: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._answered: set[str] = set()

    async def send(
        self, request: Callable[[], Awaitable[Result]], what: str = JUDGING, *, leads: bool = False
    ) -> Result:
        """Send the request when it may be sent, and return its result.

        Args:
            what: `JUDGING` or `EMBEDDING` of the run's folder.
            leads: other requests depend on its result.

        Raises:
            JudgeError: the request failed, or this run sends no more.
        """
        if what not in self._answered:
            async with self._first[what]:
                if what not in self._answered:
                    # a cancelled first request does not show whether it works
                    try:
                        result = await self._limited(request, what, leads)
                    except (JudgeError, TooLong, Truncated, Malformed) as error:
                        # nothing was sent if sockets are blocked
                        if not (isinstance(error, JudgeError) and error.blocked):
                            self._answered.add(what)
                        raise
                    self._answered.add(what)
                    return result
        return await self._limited(request, what, leads)

    async def close(self) -> None:
        for breaker in self._breakers.values():
            await breaker.close()
        for semaphore in self._semaphores.values():
            semaphore.close()

    async def _limited(
        self, request: Callable[[], Awaitable[Result]], what: str, leads: bool
    ) -> Result:
        flight = running_flight()

        def waited() -> bool:
            # texts of several askers share a request: any of them may wait for it
            return flight is None or flight.waited

        self._check(what)
        try:
            async with self._semaphores[what].slot(leads=leads, waited=waited):
                return await self._sent(request, what)
        except SemaphoreExhausted:
            error = JudgeError(
                f"no call returned within {self._timeout:g} s, and those still running take up "
                f"--ragassert-concurrency={self._limit}: nothing more is asked",
                kind="timeout",
                ends_judging=True,
            )
            self._run.end(what, error)
            raise error from None

    def _check(self, what: str) -> None:
        ended = self._run.ended(what)
        if ended is not None:
            raise ended

    async def _sent(self, request: Callable[[], Awaitable[Result]], what: str) -> Result:
        self._check(what)
        try:
            if what == JUDGING and (flight := running_flight()) is not None:
                if not flight.waited and intercepted():
                    raise NotPrefetched
                flight.mark_sent()
            with sending_under(self._breakers[what]), self.counter.request():
                return await self._unless_interrupted(request)
        except JudgeError as error:
            # the session that enforces a budget itself says which run it ends
            if error.ends_judging and error.kind != "budget":
                self._run.end(what, error)
            raise

    async def _unless_interrupted(self, request: Callable[[], Awaitable[Result]]) -> Result:
        """Return the request's result. An interrupt of another process of the run ends it here
        too.
        """
        task = asyncio.ensure_future(request())
        try:
            while not (await asyncio.wait([task], timeout=_LOOK_SECONDS))[0]:
                if (interrupt := self._run.interrupt()) is not None:
                    raise interrupt
        finally:
            task.cancel()
        return task.result()
