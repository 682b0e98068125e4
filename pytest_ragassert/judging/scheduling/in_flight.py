"""Whether a question is waited for, or asked ahead for a test that is still to come.

Which of the two holds is known to the running task; what is asked ahead becomes waited for when a
test comes to it.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator
from contextvars import ContextVar
from typing import Any, Generic, TypeVar

Result = TypeVar("Result")


class LeftToItsTest(Exception):
    """Another process is asking the question, or HTTP is intercepted: who only prepares goes no
    further."""


class Ahead:
    """One preparation, and what it cost.

    Attributes:
        sent: keys of questions that went out for it, when nobody waited for them.
    """

    def __init__(self) -> None:
        self.sent: set[str] = set()


class Errand(Generic[Result]):
    """A question on its way to its answer.

    Attributes:
        ahead: the preparation that asks; None: it was waited for from the start.
        waited: a test waits for it.
        sent: a request went out.
    """

    task: asyncio.Task[Result]

    def __init__(self, key: str, ahead: Ahead | None) -> None:
        self.key = key
        self.ahead = ahead
        self.waited = ahead is None
        self.sent = False

    @property
    def spent_ahead(self) -> bool:
        """Whether it went out when nobody waited for it."""
        return self.ahead is not None and self.key in self.ahead.sent

    def begin(self) -> None:
        """The running task, and those that it starts, are on this errand."""
        _errand.set(self)

    def go_out(self) -> None:
        """A request is sent now."""
        self.sent = True
        if self.ahead is not None and not self.waited:
            self.ahead.sent.add(self.key)


_ahead: ContextVar[Ahead | None] = ContextVar("ragassert_ahead", default=None)
_errand: ContextVar[Errand[Any] | None] = ContextVar("ragassert_errand", default=None)


def running_ahead() -> Ahead | None:
    """The preparation that the running task belongs to; None: somebody waits for it."""
    return _ahead.get()


def running_errand() -> Errand[Any] | None:
    return _errand.get()


@contextlib.contextmanager
def asking_ahead(ahead: Ahead) -> Iterator[None]:
    token = _ahead.set(ahead)
    try:
        yield
    finally:
        _ahead.reset(token)
