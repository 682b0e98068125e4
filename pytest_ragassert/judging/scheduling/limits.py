"""The limits of a run on what it asks the judge: requests, tokens, and requests per minute.

They apply to all processes of the run together. A request is counted before it is sent, so the
number of requests is exact. Its tokens are known when it is answered, so tokens may exceed the
limit by what is in flight.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Iterator
from functools import partial
from typing import TypeVar

from ...config.settings import Settings
from ...errors import ConfigurationError, JudgeError
from ...runtime.clock import Clock
from ...storage.run_state.run_folder import JUDGING, RunFolder
from ...storage.run_state.usage_ledger import Entries, Ledger
from ...usage import Usage

Result = TypeVar("Result")

# Requests are sent at equal distances, longer than the rate's own by this factor, so that a request
# that is delayed on its way puts no more of them into one or ten seconds than the rate allows.
_MARGIN = 1.05
# A request is chosen this long before its time, or later: one that comes until then may go first.
_CHOSEN_SECONDS = 0.05
# A reserved time that passed this long ago is not used any more.
_LATE_SECONDS = 0.015
_POLL_SECONDS = 0.001
_LONGEST_SLEEP = 0.2


class Limits:
    """The limits of a session.

    Attributes:
        outer: the limits of the pytest run, if these belong to other settings within it.
    """

    def __init__(self, settings: Settings, run: RunFolder) -> None:
        self.outer: Limits | None = None
        self._run = run
        self._ledger = Ledger(run)
        self._calls = settings.max_calls
        self._tokens = settings.max_tokens_total
        self._rate = settings.requests_per_minute
        # a time that this process took and that no request has used yet
        self._reserved: float | None = None
        self._reservation_used = asyncio.Event()

    async def permitted(self) -> None:
        """Count a request and wait until it may be sent.

        Raises:
            JudgeError: a budget is spent, or judging has ended in the meantime.
            ConfigurationError: the run's folder can't be written, so nothing can be counted.
        """
        await self._counted(self._use_reserved())
        if self.outer is not None:
            await self.outer._counted(None)

    @property
    def paces(self) -> bool:
        """Whether each request has a time to be sent."""
        return bool(self._rate)

    async def reserve(self) -> None:
        """Reserve the next time to send, and return when it is near or judging has ended.

        The next request of this process that asks for a permit gets this time.

        Raises:
            ConfigurationError: as in `permitted`.
        """
        while self._run.ended(JUDGING) is None:
            if self._reserved is not None:
                self._reservation_used.clear()
                with contextlib.suppress(asyncio.TimeoutError):
                    await asyncio.wait_for(self._reservation_used.wait(), _LONGEST_SLEEP)
                if self._reserved is not None:
                    # the request it was reserved for does not ask: another one uses it
                    return
            left = await self._alone(self._take_if_near)
            if left <= 0:
                return
            await asyncio.sleep(min(left, _LONGEST_SLEEP))

    @contextlib.asynccontextmanager
    async def going_out(self) -> AsyncIterator[None]:
        """Enter to send a request whose time has come. No other request of the run is sent
        meanwhile.

        A reserved time says when a request is to be sent. A busy machine, or a connection that has
        to be opened first, may delay a request. The next one then keeps its distance from the
        actual time.

        Raises:
            ConfigurationError: as in `permitted`.
        """
        async with contextlib.AsyncExitStack() as within:
            if self.outer is not None:
                await within.enter_async_context(self.outer.going_out())
            if self._rate:
                await within.enter_async_context(self._apart(self._rate))
            yield

    async def used(self, usage: Usage) -> None:
        tokens = usage.prompt_tokens + usage.completion_tokens
        if self._tokens and not tokens:
            self._run.add_notice(
                "the judge does not report the tokens of a reply, so "
                "--ragassert-max-tokens-total has no effect"
            )
        if self._tokens and tokens:
            await self._alone(lambda entries: entries.add_tokens(tokens))
        if self.outer is not None:
            await self.outer.used(usage)

    def close(self) -> None:
        self._ledger.close()

    async def _counted(self, send_at: float | None) -> None:
        """Count a request and wait for its time, which may already be reserved."""
        if not (self._calls or self._tokens or self._rate):
            return
        taken = await self._alone(partial(self._count, send_at))
        if isinstance(taken, JudgeError):
            if self._run.ended(JUDGING) is None:
                self._run.end(JUDGING, taken)
            raise taken
        await self._until(taken)

    @contextlib.asynccontextmanager
    async def _apart(self, rate: int) -> AsyncIterator[None]:
        with self._countable():
            while not self._ledger.start_sending():
                await asyncio.sleep(_POLL_SECONDS)
        try:
            now = Clock.now()
            send_at = await self._alone(lambda entries: next_send_time(entries.sent, now, rate))
            await asyncio.sleep(send_at - now)
            try:
                yield
            finally:
                sent = Clock.now()
                await self._alone(lambda entries: entries.set_sent(sent))
        finally:
            self._ledger.end_sending()

    def _count(self, send_at: float | None, entries: Entries) -> float | JudgeError:
        """Return when the next request, which is then counted, may be sent, or why none may."""
        if self._calls and entries.calls >= self._calls:
            return _spent("max-calls", self._calls, "requests to the judge")
        if self._tokens and entries.tokens >= self._tokens:
            return _spent("max-tokens-total", self._tokens, "tokens")
        entries.add_call()
        if send_at is None or Clock.now() - send_at > _LATE_SECONDS:
            return self._take(entries, instead=send_at)
        return send_at

    def _take(self, entries: Entries, instead: float | None = None) -> float:
        """Take the next time to send. One that passed unused does not count if it was the last."""
        now = Clock.now()
        if not self._rate:
            return now
        unused = instead is not None and entries.turn == instead
        send_at = now if unused else next_send_time(entries.turn, now, self._rate)
        entries.set_turn(send_at)
        return send_at

    def _take_if_near(self, entries: Entries) -> float:
        """Return the seconds until the next time is near. If it is near, reserve it for this
        process.
        """
        now = Clock.now()
        left = next_send_time(entries.turn, now, self._rate or 0) - _CHOSEN_SECONDS - now
        if left <= 0:
            self._reserved = self._take(entries)
        return left

    def _use_reserved(self) -> float | None:
        """Take the reserved time for the caller alone."""
        send_at, self._reserved = self._reserved, None
        self._reservation_used.set()
        return send_at

    async def _until(self, send_at: float) -> None:
        while (left := send_at - Clock.now()) > 0:
            await asyncio.sleep(min(left, _LONGEST_SLEEP))
            ended = self._run.ended(JUDGING)
            # a spent budget still lets requests be sent that were counted before
            if ended is not None and ended.kind != "budget":
                raise ended

    async def _alone(self, work: Callable[[Entries], Result]) -> Result:
        """Return the result of `work`, during which no other process or thread uses the counts."""
        with self._countable():
            while True:
                with self._ledger.held() as entries:
                    if entries is not None:
                        return work(entries)
                await asyncio.sleep(_POLL_SECONDS)
        raise AssertionError  # the loop ends when this returns

    @contextlib.contextmanager
    def _countable(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise ConfigurationError(
                f"requests can't be counted, so none are sent: {self._run.path}: "
                f"{error.strerror or error}; set TMPDIR to a writable folder, or "
                "omit --ragassert-max-calls, --ragassert-max-tokens-total and "
                "--ragassert-requests-per-minute"
            ) from None


def next_send_time(last: float | None, now: float, rate: int) -> float:
    """Return when one more request may be sent, in the seconds of `now`.

    Args:
        last: when the previous one is sent; None: there was none.
        rate: requests per minute.
    """
    # in the order of asking, across processes; idle time is not made up for
    return now if last is None else max(now, last + _MARGIN * 60 / rate)


def _spent(option: str, most: int, of: str) -> JudgeError:
    return JudgeError(
        f"the run's budget of {most} {of} is spent (--ragassert-{option}={most}); stored answers "
        "are still used",
        kind="budget",
        ends_judging=True,
    )
