"""One thread for what the event loop must not wait for: reading and writing the store.

One thread has one connection to the store. The standard thread pool is shut by the interpreter
before exit handlers run, which is too early for a store that is closed by one.
"""

from __future__ import annotations

import queue
from collections.abc import Callable
from concurrent.futures import Executor, Future
from functools import partial
from typing import Any, TypeVar

from .forks import Worker
from .threads import run_into, started

Result = TypeVar("Result")
_Work = Callable[[], None]


class DiskThread(Executor):
    """Does what is submitted, one after the other; a daemon, so it never keeps a process alive.

    Args:
        leave: closes what the thread has open; called before the process forks, as the child can
            neither use nor close it.
    """

    def __init__(self, name: str = "ragassert-store", leave: _Work | None = None) -> None:
        self._queue: queue.SimpleQueue[_Work | None] = queue.SimpleQueue()
        self._leave = leave
        self._thread = started(name, self._run)
        self._worker = Worker(self._thread, self._stand)

    def submit(  # type: ignore[override]  # arguments by position only
        self, work: Callable[..., Result], /, *args: Any
    ) -> Future[Result]:
        future: Future[Result] = Future()

        self._queue.put(partial(run_into, future, partial(work, *args)))
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        self._queue.put(None)
        if wait:
            self._thread.join()

    def _stand(self, stand: _Work) -> None:
        if self._leave is not None:
            self._queue.put(self._leave)
        self._queue.put(stand)

    def _run(self) -> None:
        while (do := self._queue.get()) is not None:
            do()
