"""How far a process is: what it asked, and what is in flight."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from typing import NamedTuple


class Standing(NamedTuple):
    """
    Attributes:
        asked: questions that were answered by asking, or failed.
        in_flight: requests that are not answered yet.
    """

    asked: int = 0
    in_flight: int = 0


class Counts:
    """Of any thread."""

    def __init__(self) -> None:
        self._callback: Callable[[Standing], None] | None = None
        self._lock = threading.Lock()
        self._standing = Standing()

    def call_on_change(self, callback: Callable[[Standing], None]) -> None:
        """
        Args:
            callback: called when a request begins or ends and when a question is answered, in the
                thread that asks. It must not raise.
        """
        self._callback = callback

    def answered(self) -> None:
        self._change(asked=1)

    @contextlib.contextmanager
    def flight(self) -> Iterator[None]:
        self._change(in_flight=1)
        try:
            yield
        finally:
            self._change(in_flight=-1)

    def _change(self, *, asked: int = 0, in_flight: int = 0) -> None:
        with self._lock:
            before = self._standing
            self._standing = Standing(before.asked + asked, before.in_flight + in_flight)
            if self._callback is not None:
                self._callback(self._standing)
