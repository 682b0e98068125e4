"""When a request may go out: a limit of requests in flight, and no more after the end of judging.

Until the first answer is known a process sends one request only, so that bad credentials cost one
request each process, whatever the number of tests. Judge and embedder share the limit, as all
processes of a run do; for each of them requests begin and end on their own. What a test waits for
is sent before what is prefetched.
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

_LOOK_SECONDS = 1.0  # between two looks whether the run was interrupted


class Scheduler:
    """Sends requests when they may go out. Used on the loop's thread alone.

    Args:
        limit: requests in flight, of all processes of the run together.
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
        """Begin anew after a fork: tasks and locks are the parent's."""
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
        """Send the request when it may go out, and return its result.

        Args:
            what: `JUDGING` or `EMBEDDING` of the run's folder.
            leads: other requests follow from it.

        Raises:
            JudgeError: the request failed, or no more are sent in this run.
        """
        if what not in self._answered:
            async with self._first[what]:
                if what not in self._answered:
                    # a cancelled first request leaves open whether it works
                    try:
                        result = await self._limited(request, what, leads)
                    except (JudgeError, TooLong, Truncated, Malformed) as error:
                        # nothing was sent where sockets are blocked
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
            # texts of several askers share a request: it may be waited for by any of them
            return flight is None or flight.waited

        self._check(what)
        try:
            async with self._semaphores[what].slot(leads=leads, waited=waited):
                return await self._sent(request, what)
        except SemaphoreExhausted:
            error = JudgeError(
                f"no call returned within {self._timeout:g} s, and as many run on as may at once "
                f"(--ragassert-concurrency={self._limit}): nothing more is asked",
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
            # who keeps a budget says itself which run it ends
            if error.ends_judging and error.kind != "budget":
                self._run.end(what, error)
            raise

    async def _unless_interrupted(self, request: Callable[[], Awaitable[Result]]) -> Result:
        """The request's result; an interrupt of another process of the run ends it here too."""
        task = asyncio.ensure_future(request())
        try:
            while not (await asyncio.wait([task], timeout=_LOOK_SECONDS))[0]:
                if (interrupt := self._run.interrupt()) is not None:
                    raise interrupt
        finally:
            task.cancel()
        return task.result()
