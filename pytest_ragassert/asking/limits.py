"""The limits of a run on what it asks of the judge: requests, tokens, and requests a minute.

They hold over all processes of the run. A request is counted before it is sent, so that its number
is exact; what it used is known when it is answered, so that tokens may go over by what is in
flight.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeVar

from ..current import Clock
from ..errors import ConfigurationError, JudgeError
from ..judges.judge import Usage
from ..settings import Settings
from ..store.ledger import Entries, Ledger
from ..store.run_folder import JUDGING, RunFolder

Result = TypeVar("Result")

# Providers count a minute's limit over a minute, and over one second or ten its share of them.
WINDOWS = (1, 10, 60)
_POLL_SECONDS = 0.001
_LONGEST_SLEEP = 0.2


class Limits:
    """One for a session; a `Permit`.

    Attributes:
        outer: those of the pytest run, where this one is of other settings within it.
    """

    def __init__(self, settings: Settings, run: RunFolder) -> None:
        self.outer: Limits | None = None
        self._run = run
        self._ledger = Ledger(run)
        self._calls = settings.max_calls
        self._tokens = settings.max_tokens_total
        self._rate = settings.requests_per_minute

    async def permitted(self) -> float:
        """Count a request and wait for its turn; the seconds that it took.

        Raises:
            JudgeError: a budget is spent, or judging has ended meanwhile.
            ConfigurationError: the run's folder can't be written, so that nothing can be counted.
        """
        start = Clock.now()
        if self._calls or self._tokens or self._rate:
            turn = await self._alone(self._take)
            if isinstance(turn, JudgeError):
                if self._run.ended(JUDGING) is None:
                    self._run.end(JUDGING, turn)
                raise turn
            await self._until(turn)
        if self.outer is not None:
            await self.outer.permitted()
        return Clock.now() - start

    async def used(self, usage: Usage) -> None:
        tokens = usage.prompt_tokens + usage.completion_tokens
        if self._tokens and not tokens:
            self._run.tell(
                "the judge tells no tokens of a reply: --ragassert-max-tokens-total can't hold"
            )
        if self._tokens and tokens:
            await self._alone(lambda entries: entries.add_tokens(tokens))
        if self.outer is not None:
            await self.outer.used(usage)

    def close(self) -> None:
        self._ledger.close()

    def _take(self, entries: Entries) -> float | JudgeError:
        """When the next request may go out, which is counted with that; or why none may."""
        if self._calls and entries.calls >= self._calls:
            return _spent("max-calls", self._calls, "requests to the judge")
        if self._tokens and entries.tokens >= self._tokens:
            return _spent("max-tokens-total", self._tokens, "tokens")
        turn = Clock.now()
        if self._rate:
            turn = next_turn(entries, turn, self._rate)
        entries.add_call(turn)
        return turn

    async def _until(self, turn: float) -> None:
        while (left := turn - Clock.now()) > 0:
            await asyncio.sleep(min(left, _LONGEST_SLEEP))
            ended = self._run.ended(JUDGING)
            # a spent budget leaves what was counted before its turn
            if ended is not None and ended.kind != "budget":
                raise ended

    async def _alone(self, work: Callable[[Entries], Result]) -> Result:
        """What `work` gives; no other process or thread is at the counts meanwhile."""
        try:
            while True:
                with self._ledger.held() as entries:
                    if entries is not None:
                        return work(entries)
                await asyncio.sleep(_POLL_SECONDS)
        except OSError as error:
            raise ConfigurationError(
                f"requests can't be counted, so that none is sent: {self._run.path}: "
                f"{error.strerror or error}; let TMPDIR name a folder that can be written, or "
                "leave out --ragassert-max-calls, -max-tokens-total and -requests-per-minute"
            ) from None


def next_turn(entries: Entries, now: float, rate: int) -> float:
    """When one more request may go out, in the seconds of `now`.

    Args:
        rate: requests a minute. No window of `WINDOWS` gets more than its share of them, rounded
            up.
    """
    # in the order of asking, whichever process asks
    turn = max(now, entries.time(1) or now)
    for seconds in WINDOWS:
        share = -(-rate * seconds // 60)
        before = entries.time(share)
        if before is not None:
            turn = max(turn, before + seconds)
    return turn


def _spent(option: str, most: int, of: str) -> JudgeError:
    return JudgeError(
        f"the run's budget of {most} {of} is spent (--ragassert-{option}={most}); stored answers "
        "are used all the same",
        kind="budget",
        ends_judging=True,
    )
