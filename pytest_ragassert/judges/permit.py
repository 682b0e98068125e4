"""Leave to send one request: what whoever sends waits for, each time, and tells what it used.

The dispatcher knows the limits and the judge knows when it sends; neither knows the other.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextvars import ContextVar
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from .judge import Usage


class Permit(Protocol):
    async def permitted(self) -> float:
        """Return when a request may go out; the seconds that this took.

        Raises:
            JudgeError: none may go out any more in this run.
        """
        ...

    async def used(self, usage: Usage) -> None:
        """Count what a reply used, whatever it is worth."""
        ...


class _Unlimited:
    async def permitted(self) -> float:
        return 0.0

    async def used(self, usage: Usage) -> None:
        return None


_unlimited = _Unlimited()
_given: ContextVar[Permit] = ContextVar("ragassert_permit", default=_unlimited)


def permit() -> Permit:
    """The one that the running task sends under."""
    return _given.get()


@contextlib.contextmanager
def sending_under(given: Permit) -> Iterator[None]:
    token = _given.set(given)
    try:
        yield
    finally:
        _given.reset(token)
