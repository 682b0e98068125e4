"""The one event loop of the process, on a thread of its own.

The tests' own loops, running or not, are left alone, and the client lives as long as the run.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import os
import socket
import threading
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from .blocked import blocked
from .current import Clock
from .forks import Worker

Result = TypeVar("Result")


class LoopThread:
    """Started by the first coroutine, stopped by `stop`."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._pid = 0
        self._starting = threading.Lock()

    @property
    def running(self) -> bool:
        # a fork copies the object, but not the thread
        return self._thread is not None and self._pid == os.getpid()

    def submit(self, work: Coroutine[Any, Any, Result]) -> concurrent.futures.Future[Result]:
        """
        Raises:
            JudgeError: the first one, where sockets are blocked.
        """
        try:
            loop = self._started()
        except BaseException:
            work.close()
            raise
        return asyncio.run_coroutine_threadsafe(work, loop)

    def run(self, work: Coroutine[Any, Any, Result]) -> Result:
        """The coroutine's result; an interrupt of the waiting thread cancels it."""
        return result_or_cancel(self.submit(work))

    def call(self, function: Callable[[], None]) -> None:
        """Call it on the loop's thread, soon; not where that does not run."""
        if self.running and self._loop is not None:
            self._loop.call_soon_threadsafe(function)

    def stop(self) -> None:
        """Cancel what is running and end the thread."""
        if not self.running:
            return
        loop, thread = self._loop, self._thread
        self._loop = self._thread = None
        if loop is None or thread is None:
            return
        asyncio.run_coroutine_threadsafe(_cancel_others(), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()

    def _started(self) -> asyncio.AbstractEventLoop:
        with self._starting:
            if self._loop is None or not self.running:
                # made here, so that what forbids it is the caller's error
                loop = _new_loop()
                # a test may freeze the time; what sleeps here wakes up all the same
                with contextlib.suppress(AttributeError):
                    loop.time = Clock.now  # type: ignore[method-assign]
                thread = threading.Thread(target=_run, args=(loop,), name="ragassert", daemon=True)
                thread.start()
                self._loop, self._thread, self._pid = loop, thread, os.getpid()
                self._worker = Worker(thread, loop.call_soon_threadsafe)
            return self._loop


def result_or_cancel(future: concurrent.futures.Future[Result]) -> Result:
    """The result; an interrupt of the waiting thread cancels it."""
    try:
        return future.result()
    except BaseException:
        future.cancel()
        raise


def _new_loop() -> asyncio.AbstractEventLoop:
    """
    Raises:
        JudgeError: sockets are blocked, of which a loop has two to be woken by.
    """
    try:
        # a loop that fails half-way leaves sockets open and is a nuisance when it is collected
        socket.socket(getattr(socket, "AF_UNIX", socket.AF_INET)).close()
    except OSError:
        raise
    except Exception as error:
        advice = "pytest-socket lets event loops be made by --allow-unix-socket"
        raise blocked(error, advice) from None
    return asyncio.new_event_loop()


def _run(loop: asyncio.AbstractEventLoop) -> None:
    asyncio.set_event_loop(loop)
    while True:
        try:
            loop.run_forever()
        except (SystemExit, KeyboardInterrupt):
            continue  # asyncio lets these through; who waits for the task that raised gets them too
        return


async def _cancel_others() -> None:
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
    await asyncio.get_running_loop().shutdown_asyncgens()
    # at the interpreter's end no thread can be started that would wait for the executor's
    with contextlib.suppress(RuntimeError):
        await asyncio.get_running_loop().shutdown_default_executor()
