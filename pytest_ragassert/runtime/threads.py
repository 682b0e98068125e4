"""The threads of this package: daemons, which do not keep the process alive."""

from __future__ import annotations

import asyncio
import contextvars
import queue
import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from functools import partial
from typing import Any, TypeVar

from .forks import Worker

Result = TypeVar("Result")
_Work = Callable[[], None]

# Taken before any test runs: if a test replaces them by mocks, nothing would ever start.
_THREAD, _START = threading.Thread, threading.Thread.start


def started(name: str, target: Callable[..., None], *args: object) -> threading.Thread:
    """Start a thread that runs `target`, and return it.

    Raises:
        RuntimeError: no thread can be started, for example while the interpreter shuts down.
    """
    thread = _THREAD(target=target, args=args, name=name, daemon=True)
    _START(thread)
    return thread


class DaemonThreads(ThreadPoolExecutor):
    """Runs each call on its own thread, as event loops do to look up a host's name.

    The standard executors would keep the process alive until the last call returns.
    """

    def submit(self, call: Callable[..., Result], /, *args: Any, **kwargs: Any) -> Future[Result]:
        future: Future[Result] = Future()
        started("ragassert-call", run_into, future, partial(call, *args, **kwargs))
        return future


async def apart(call: Callable[..., Result], *arguments: Any) -> Result:
    """Return the result of a long computation, during which the loop continues."""
    future: Future[Result] = Future()
    called = partial(contextvars.copy_context().run, call, *arguments)
    started("ragassert-work", run_into, future, called)
    return await asyncio.wrap_future(future)


def run_into(future: Future[Result], call: Callable[[], Result]) -> None:
    """Run the call, unless it was given up, and settle the future."""
    if not future.set_running_or_notify_cancel():
        return
    try:
        future.set_result(call())
    except BaseException as error:
        future.set_exception(error)


class DiskThread(Executor):
    """Runs functions one after another on a daemon thread.

    Args:
        leave: closes what the thread has open. It is called before the process forks, because the
            child can neither use nor close it.
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
