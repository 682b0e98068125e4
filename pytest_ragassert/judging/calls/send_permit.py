"""The permit to send one request: a sender waits for it, and reports how the request ended.

The dispatcher knows the limits and whether the endpoint answers others, and the judge knows when it
sends; neither knows the other.
"""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AbstractAsyncContextManager
from contextvars import ContextVar
from typing import NamedTuple, Protocol

from ...errors import JudgeError
from ...runtime.clock import Clock
from ...usage import Usage

# Errors of an endpoint that may pass, whatever was asked.
PASSING = ("connection", "timeout", "server", "rate limit")


class Failure(NamedTuple):
    """A request that failed.

    Attributes:
        error: what to raise.
        wait: seconds before another try; None: not again.
        asked: the endpoint itself asks for this wait.
        after_pause: again all the same, when the whole run has waited.
        not_ready: somebody is there, and says that it passes.
    """

    error: JudgeError
    wait: float | None = None
    asked: bool = False
    after_pause: bool = False
    not_ready: bool = False

    @property
    def is_outage(self) -> bool:
        """Whether the endpoint may be away. One that limits the rate and says until when is not."""
        kind = self.error.kind
        return kind in PASSING and not (kind == "rate limit" and self.asked)


class Spent:
    """What went out so far for one message, and what the replies used, whatever they are worth."""

    def __init__(self) -> None:
        self.usage = Usage()

    def add(self, usage: Usage) -> None:
        self.usage += usage


class Sent(NamedTuple):
    """How a request ended that was sent once more.

    Attributes:
        failure: None: the endpoint answered.
        usage: what it cost.
    """

    failure: Failure | None
    usage: Usage


class Attempt(Protocol):
    """One request that is sent.

    Attributes:
        sent: when, in seconds of `Clock.now`.
        waited: seconds that it waited before.
        probe: all others wait for what becomes of it.
    """

    sent: float
    waited: float
    probe: bool

    async def answered(self, again: Callable[[], Awaitable[Sent]]) -> None:
        """
        Args:
            again: sends the same request again.
        """
        ...

    async def failed(self, failure: Failure, *, last: bool) -> bool:
        """Whether the whole run waits now and the request is to be sent again after that.

        Args:
            last: by itself it would not be sent again.

        Raises:
            JudgeError: the endpoint stays away: nothing is sent any more in this run.
        """
        ...


class Permit(Protocol):
    def attempt(self, requests: int, spent: Spent) -> AbstractAsyncContextManager[Attempt]:
        """Entered when a request may go out, left when it is over.

        Args:
            requests: that were sent before, for the same question.
            spent: takes what else is sent for its sake while it waits.

        Raises:
            JudgeError: none may go out any more in this run.
        """
        ...

    def going_out(self) -> AbstractAsyncContextManager[None]:
        """Entered when the bytes of a permitted request may be sent, left when they are."""
        ...

    async def used(self, usage: Usage) -> None:
        """Count what a reply used, whatever it is worth."""
        ...


class _Unlimited:
    @contextlib.asynccontextmanager
    async def attempt(self, requests: int, spent: Spent) -> AsyncIterator[_Free]:
        yield _Free()

    def going_out(self) -> AbstractAsyncContextManager[None]:
        return contextlib.nullcontext()

    async def used(self, usage: Usage) -> None:
        return None


class _Free:
    def __init__(self) -> None:
        self.sent, self.waited, self.probe = Clock.now(), 0.0, False

    async def answered(self, again: Callable[[], Awaitable[Sent]]) -> None:
        return None

    async def failed(self, failure: Failure, *, last: bool) -> bool:
        return False


_unlimited = _Unlimited()
_current: ContextVar[Permit] = ContextVar("ragassert_permit", default=_unlimited)


def permit() -> Permit:
    """The one that the running task sends under."""
    return _current.get()


@contextlib.contextmanager
def sending_under(permit: Permit) -> Iterator[None]:
    token = _current.set(permit)
    try:
        yield
    finally:
        _current.reset(token)
