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
    """Runs functions one after another on a daemon thread, or on several.

    Args:
        leave: closes what a thread has open. It is called before the process forks, because the
            child can neither use nor close it, and when one of several threads ends.
        threads: how many; several are for functions that wait for a network.
    """

    def __init__(
        self, name: str = "ragassert-store", leave: _Work | None = None, *, threads: int = 1
    ) -> None:
        self._queue: queue.SimpleQueue[_Work | None] = queue.SimpleQueue()
        self._leave = leave
        self._threads = [started(name, self._run) for _ in range(threads)]
        self._workers = [Worker(thread, self._stand) for thread in self._threads]

    def submit(  # type: ignore[override]  # arguments by position only
        self, work: Callable[..., Result], /, *args: Any
    ) -> Future[Result]:
        future: Future[Result] = Future()

        self._queue.put(partial(run_into, future, partial(work, *args)))
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        for _ in self._threads:
            self._queue.put(None)
        for thread in self._threads if wait else ():
            thread.join()

    def _stand(self, stand: _Work) -> None:
        # on the thread that stands: any of them takes it
        self._queue.put(partial(self._leave_and, stand))

    def _leave_and(self, do: _Work) -> None:
        if self._leave is not None:
            self._leave()
        do()

    def _run(self) -> None:
        while (do := self._queue.get()) is not None:
            do()
        if self._leave is not None and len(self._threads) > 1:
            self._leave()
