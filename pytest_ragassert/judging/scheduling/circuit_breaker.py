"""Makes a whole run pause while an endpoint does not answer.

After a few failures in a row, all processes of the run wait. One of them sends one request at a
time as a probe, and when that is answered all of them continue. An endpoint that remains
unavailable ends judging within the time that one question may take. Requests that were in flight
are sent again after the pause, which does not use up a question's own retries.

The lock for probing belongs to the operating system: if its holder dies, the next process takes it.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from typing import TypeVar

from ...errors import JudgeError
from ...runtime.clock import Clock
from ...storage.files.locks import LockFile, leave_lock_file
from ...storage.run_state.outage import Outage, end_outage, read_outage, write_outage
from ...storage.run_state.run_folder import RunFolder
from ...usage import Usage
from ..calls import retries
from ..calls.send_permit import Failure, Sent, Spent
from .limits import Limits

Result = TypeVar("Result")

FAILURES = 3  # in a row; more if more are in flight, because half of them may be answered
_LONGEST_WAIT = 2.0  # seconds between two probes
# how long a question waits that is the only one to have failed: it may be the cause itself
_ALONE_SECONDS = 30.0
_POLL_SECONDS = 0.05
_LOCK_POLL_SECONDS = 0.001
# seconds without any request, after which failures no longer count as in a row
_STALE_SECONDS = 60.0
# Errors that show neither that the endpoint answers nor that it does not.
_SAY_NOTHING = ("rate limit", "blocked", "configuration", "judge", "budget")


class CircuitBreaker:
    """A `Permit`. Used only on the loop's thread.

    Args:
        what: `JUDGING` or `EMBEDDING` of the run's folder.
        timeout: seconds that a request may take.
        limits: the limits on requests to the judge; None: no limits.
    """

    def __init__(
        self, run: RunFolder, what: str, timeout: float, limits: Limits | None = None
    ) -> None:
        self._run = run
        self._what = what
        self._timeout = timeout
        self._limits = limits
        self._locks: LockFile | None = None
        self._opened = False
        self._mine = asyncio.Lock()  # which task of this process takes the lock for all of them
        self._answers_known = False
        self._in_flight = 0
        self._waiting: deque[_Waiter] = deque()
        self._watching: asyncio.Task[None] | None = None
        # the last request that was answered, and whether it was the last probe
        self._known_good: Callable[[], Awaitable[Sent]] | None = None
        self._tried_good = False
        self._good_failed_in: float | None = None  # the beginning of the outage

    @contextlib.asynccontextmanager
    async def attempt(self, requests: int, spent: Spent) -> AsyncIterator[BreakerAttempt]:
        """Return when a request may be sent: the endpoint answers, or this request is the probe.

        Args:
            requests: how many failed for the same question.
            spent: collects the cost of another question that was sent as a probe in its place.

        Raises:
            JudgeError: judging has ended in the meantime.
        """
        start = Clock.now()
        over = await self._wait_for_endpoint(requests > 0, spent)
        try:
            await self._permitted()
            self._in_flight += 1
            try:
                yield BreakerAttempt(self, start, first=not requests, probe=over is not None)
            finally:
                self._in_flight -= 1
        finally:
            _set(over)

    def going_out(self) -> AbstractAsyncContextManager[None]:
        return contextlib.nullcontext() if self._limits is None else self._limits.going_out()

    async def used(self, usage: Usage) -> None:
        if self._limits is not None:
            await self._limits.used(usage)

    async def close(self) -> None:
        if self._watching is not None:
            self._watching.cancel()
            await asyncio.gather(self._watching, return_exceptions=True)
        if self._locks is not None:
            leave_lock_file(self._locks)
        self._locks, self._opened = None, False

    # -- how attempts ended ----------------------------------------------------------------------

    async def answered(self, sent: float, again: Callable[[], Awaitable[Sent]] | None) -> None:
        """Record an answer.

        Args:
            sent: when the answered request was sent.
            again: sends it again; None: the answer was an error.
        """
        self._known_good = again or self._known_good
        if not self._answers():
            self._answers_known = True
            self._run.set_value(self._answered_name, "")
        if self._outage() is not None:
            await self._alone(lambda: self._end_outage(sent))

    async def failed(self, attempt: BreakerAttempt, failure: Failure, *, last: bool) -> bool:
        """Record a failure. Return whether the run waits and the question is asked again
        afterwards.

        Args:
            last: the question has no retries left.

        Raises:
            JudgeError: the endpoint remains unavailable, so judging ends.
        """
        if failure.is_outage:
            return await self._alone(lambda: self._counted(attempt, failure, last=last))
        if failure.error.kind not in _SAY_NOTHING:
            await self.answered(attempt.sent, None)
        return False

    def _counted(self, attempt: BreakerAttempt, failure: Failure, *, last: bool) -> bool:
        now, error = Clock.now(), failure.error
        outage = self._outage() or Outage(attempt.sent, now, now)
        outage.failures += 1
        outage.questions += attempt.first or not outage.questions
        outage.last, outage.kind, outage.words = now, error.kind, error.message
        if not (outage.pauses or failure.not_ready or self._answers()):
            # the address may be wrong: do not wait for an endpoint that never answered
            outage.given_up += last
            long = now - outage.since >= retries.RETRY_SECONDS
            if last and not error.ends_judging and (outage.given_up >= FAILURES or long):
                self._end_judging(outage, now)
            write_outage(self._run, self._what, outage)
            return False
        if failure.wait is not None:
            # it did answer, as another process may know
            error.ends_judging = False
        if outage.pauses:
            outage.probes += attempt.probe
        else:
            # requests that were in flight with the first may fail together, and the next one be
            # answered; but while nothing is answered, no question is given up
            most = FAILURES if last else max(FAILURES, self._in_flight)
            if outage.failures < most or attempt.sent < outage.noticed:
                write_outage(self._run, self._what, outage)
                return False
        if attempt.probe or outage.next is None:
            outage.next = now + self._wait(outage, failure)
            if outage.next > outage.since + retries.RETRY_SECONDS:
                self._end_judging(outage, now)
            if outage.questions == 1 and outage.next > outage.since + _ALONE_SECONDS:
                outage.next = None
                write_outage(self._run, self._what, outage)
                raise error
        write_outage(self._run, self._what, outage)
        return failure.wait is not None or failure.after_pause

    def _wait(self, outage: Outage, failure: Failure) -> float:
        wait = min(retries.ordinary_wait(outage.probes), _LONGEST_WAIT)
        return max(wait, failure.wait or 0.0) if failure.asked else wait

    def _end_judging(self, outage: Outage, now: float) -> None:
        error = outage.end(now)
        self._run.end(self._what, error)
        raise error

    def _end_outage(self, sent: float) -> None:
        outage = self._outage()
        # an answer to a request sent before the outage does not show that the endpoint is back
        if outage is None or (outage.pauses and sent < outage.noticed):
            return
        # one question failed alone, and the first probe was answered: there was no outage
        waited = outage.pauses and (outage.probes or not self._tried_good)
        end_outage(self._run, self._what, Clock.now() - outage.since if waited else None)

    def _answers(self) -> bool:
        """Whether the endpoint answered any process of the run."""
        self._answers_known = (
            self._answers_known or self._run.value(self._answered_name) is not None
        )
        return self._answers_known

    @property
    def _answered_name(self) -> str:
        return f"{self._what}-answered"

    def _outage(self) -> Outage | None:
        outage = read_outage(self._run, self._what)
        if outage is None:
            return None
        lasts = max(outage.last, outage.next or 0.0) + self._timeout + _STALE_SECONDS
        return outage if Clock.now() < lasts else None

    # -- who waits -------------------------------------------------------------------------------

    async def _wait_for_endpoint(self, failed: bool, spent: Spent) -> asyncio.Future[None] | None:
        """Wait for the endpoint. Return None, or what to set when the probe, which this request is,
        is over.
        """
        while (outage := self._outage()) is not None and outage.pauses:
            if (ended := self._run.ended(self._what)) is not None:
                raise ended
            waiter = _Waiter(failed, spent)
            self._waiting.append(waiter)
            if self._watching is None:
                self._watching = asyncio.ensure_future(self._watch())
            try:
                over = await waiter.woken
            except BaseException:
                waiter.leave()
                raise
            if over is not None:
                return over
        return None

    async def _watch(self) -> None:
        """Send one request after another as a probe, as long as requests wait."""
        error: Exception | None = None
        try:
            while self._waits():
                now, outage = Clock.now(), self._outage()
                if outage is None or outage.next is None or self._run.ended(self._what):
                    return
                if now > outage.since + retries.RETRY_SECONDS + 2 * self._timeout:
                    # the process that probed has stopped without an end
                    self._run.end(self._what, outage.end(now))
                elif now >= outage.next and self._acquired(self._probe_lock):
                    try:
                        await self._probe_if_due()
                    finally:
                        self._release(self._probe_lock)
                    # so that another process probes next, with a question of its own
                    await asyncio.sleep(_LOCK_POLL_SECONDS)
                else:
                    left = outage.next - now
                    await asyncio.sleep(min(left, _POLL_SECONDS) if left > 0 else _POLL_SECONDS)
        except Exception as raised:
            error = raised
        finally:
            self._watching = None
            self._tried_good = False
            while self._waiting:
                self._waiting.popleft().wake(error)

    async def _probe_if_due(self) -> None:
        outage = self._outage()
        if outage is None or outage.next is None or Clock.now() < outage.next:
            return
        waiter = self._waits()
        if waiter is None:
            return
        alone = len(self._waiting) == 1 and waiter.failed
        # if that failed too, the endpoint is down. An answer to the question shows that it is back,
        # and costs nothing extra; but the question may be the cause of its own failure
        known_away = (
            self._good_failed_in == outage.since and Clock.now() < outage.since + _ALONE_SECONDS
        )
        if alone and self._known_good is not None and not (self._tried_good or known_away):
            # does the endpoint fail, or only this question?
            self._tried_good = True
            self._good_failed_in = outage.since
            with contextlib.suppress(JudgeError):
                await self._send_again(self._known_good, waiter.spent)
            return
        self._tried_good = False
        self._waiting.popleft()
        await waiter.probe()

    async def _send_again(self, send: Callable[[], Awaitable[Sent]], spent: Spent) -> None:
        await self._permitted()
        attempt = BreakerAttempt(self, Clock.now(), first=True, probe=True)
        failure, usage = await send()
        spent.add(usage)
        if failure is None:
            await attempt.answered(send)
        else:
            await attempt.failed(failure, last=False)

    def _waits(self) -> _Waiter | None:
        """Return the request that has waited longest and is still waiting."""
        while self._waiting and self._waiting[0].woken.done():
            self._waiting.popleft()
        return self._waiting[0] if self._waiting else None

    async def _permitted(self) -> None:
        if self._limits is not None:
            await self._limits.permitted()

    # -- locks -----------------------------------------------------------------------------------

    @property
    def _probe_lock(self) -> str:
        return f"{self._what}: probe"

    async def _alone(self, work: Callable[[], Result]) -> Result:
        """Return the result of `work`, which no other process runs at the same time."""
        name = f"{self._what}: outage"
        async with self._mine:
            while not self._acquired(name):
                await asyncio.sleep(_LOCK_POLL_SECONDS)
            try:
                return work()
            finally:
                self._release(name)

    def _acquired(self, name: str) -> bool:
        locks = self._lock_file()
        return locks is None or locks.acquire(name)

    def _release(self, name: str) -> None:
        if self._locks is not None:
            self._locks.release(name)

    def _lock_file(self) -> LockFile | None:
        if not self._opened:
            self._opened = True
            self._locks = self._run.locks()
        return self._locks


class BreakerAttempt:
    """One request that is sent.

    Attributes:
        sent: when it was sent, in seconds of `Clock.now`.
        waited: seconds that it waited before being sent.
        first: it is the first of its question.
        probe: all other requests wait for its outcome.
    """

    def __init__(self, breaker: CircuitBreaker, start: float, *, first: bool, probe: bool) -> None:
        self._breaker = breaker
        self.first = first
        self.sent = Clock.now()
        self.waited = self.sent - start
        self.probe = probe

    async def answered(self, again: Callable[[], Awaitable[Sent]]) -> None:
        await self._breaker.answered(self.sent, again)

    async def failed(self, failure: Failure, *, last: bool) -> bool:
        return await self._breaker.failed(self, failure, last=last)


class _Waiter:
    """One request that waits.

    Attributes:
        failed: its question failed before.
        spent: the cost of its question.
        woken: done when it may look again; it has a future as its result if it is the probe.
    """

    def __init__(self, failed: bool, spent: Spent) -> None:
        self.failed = failed
        self.spent = spent
        self.woken: asyncio.Future[asyncio.Future[None] | None]
        self.woken = asyncio.get_running_loop().create_future()

    def wake(self, error: Exception | None) -> None:
        if self.woken.done():
            return
        if error is None:
            self.woken.set_result(None)
        else:
            self.woken.set_exception(error)

    async def probe(self) -> None:
        """Let it be sent as the probe, and return when it is over."""
        over: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.woken.set_result(over)
        await over

    def leave(self) -> None:
        """Stop waiting. If it was chosen as the probe at this very moment, the probe is over."""
        if self.woken.done() and not self.woken.cancelled() and self.woken.exception() is None:
            _set(self.woken.result())


def _set(over: asyncio.Future[None] | None) -> None:
    # the waiting task may be cancelled before
    if over is not None and not over.done():
        over.set_result(None)
