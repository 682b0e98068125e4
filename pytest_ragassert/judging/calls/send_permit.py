"""The permit to send one request. A sender waits for it and then reports how the request ended.

It separates the dispatcher, which knows the limits and whether the endpoint answers others, from
the judge, which knows when it sends.
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

# Errors of an endpoint that may be temporary, whatever was asked.
PASSING = ("connection", "timeout", "server", "rate limit")


class Failure(NamedTuple):
    """A request that failed.

    Attributes:
        error: the error to raise.
        wait: seconds to wait before another try; None: do not try again.
        asked: the endpoint itself asked for this wait.
        after_pause: try again nevertheless once the whole run has waited.
        not_ready: a server answered and said that its state is temporary.
    """

    error: JudgeError
    wait: float | None = None
    asked: bool = False
    after_pause: bool = False
    not_ready: bool = False

    @property
    def is_outage(self) -> bool:
        """Whether the endpoint may be down. A rate limit with a given waiting time is not an
        outage.
        """
        kind = self.error.kind
        return kind in PASSING and not (kind == "rate limit" and self.asked)


class Spent:
    """The requests sent so far for one message, and the tokens of their replies, usable or not."""

    def __init__(self) -> None:
        self.usage = Usage()

    def add(self, usage: Usage) -> None:
        self.usage += usage


class Sent(NamedTuple):
    """How a request ended that was sent once more.

    Attributes:
        failure: None if the endpoint answered.
        usage: what the request cost.
    """

    failure: Failure | None
    usage: Usage


class Attempt(Protocol):
    """One request that is sent.

    Attributes:
        sent: when it was sent, in seconds of `Clock.now`.
        waited: seconds that it waited before being sent.
        probe: all other requests wait for the outcome of this one.
    """

    sent: float
    waited: float
    probe: bool

    async def answered(self, again: Callable[[], Awaitable[Sent]]) -> None:
        """Report that the endpoint answered.

        Args:
            again: sends the same request again.
        """
        ...

    async def failed(self, failure: Failure, *, last: bool) -> bool:
        """Report a failure. Return whether the whole run waits now and then sends the request
        again.

        Args:
            last: the request would not be sent again otherwise.

        Raises:
            JudgeError: the endpoint remains unavailable, so this run sends nothing more.
        """
        ...


class Permit(Protocol):
    def attempt(self, requests: int, spent: Spent) -> AbstractAsyncContextManager[Attempt]:
        """Enter when a request may be sent, leave when it is over.

        Args:
            requests: how many were sent before, for the same question.
            spent: collects the cost of other requests sent on its behalf while it waits.

        Raises:
            JudgeError: this run may send nothing more.
        """
        ...

    def going_out(self) -> AbstractAsyncContextManager[None]:
        """Enter when the bytes of a permitted request may be sent, leave when they are out."""
        ...

    async def used(self, usage: Usage) -> None:
        """Count what a reply used, whether it is usable or not."""
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
    """Return the permit under which the running task sends."""
    return _current.get()


@contextlib.contextmanager
def sending_under(permit: Permit) -> Iterator[None]:
    token = _current.set(permit)
    try:
        yield
    finally:
        _current.reset(token)
