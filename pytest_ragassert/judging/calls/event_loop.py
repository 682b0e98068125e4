"""The one event loop of the process, on a thread of its own.

The tests' own loops, running or not, are left alone, and the client lives as long as the run.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import os
import socket
import sys
import threading
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from contextvars import Context
from types import FrameType
from typing import Any, TypeVar

from ...errors import ConfigurationError
from ...runtime.clock import Clock
from ...runtime.forks import Worker
from ...runtime.threads import DaemonThreads, started
from .blocked_sockets import blocked

Result = TypeVar("Result")


# A loop that does not answer for so long is blocked by a coroutine of the user's.
_PATIENCE = 3.0
_END_SECONDS = 15.0  # for all that ends with a loop


class LoopThread:
    """Started by the first coroutine, stopped by `stop`, and not started again."""

    def __init__(self, name: str = "ragassert") -> None:
        self._name = name
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._pid = 0
        self._starting = threading.RLock()
        self._stopped = False

    @property
    def running(self) -> bool:
        # a fork copies the object, but not the thread
        return self._thread is not None and self._pid == os.getpid()

    @property
    def stopped(self) -> bool:
        return self._stopped

    def check(self) -> None:
        """
        Raises:
            ConfigurationError: the loop was stopped.
        """
        if self._stopped:
            raise ConfigurationError(
                "this session is closed, as its run has ended: measure before that, or in a "
                "session of its own: evaluate(…, settings=Settings(…))"
            )

    def submit(self, work: Coroutine[Any, Any, Result]) -> concurrent.futures.Future[Result]:
        """Begin the coroutine; it sees no context variables of the caller.

        Raises:
            JudgeError: the first one, where sockets are blocked.
            ConfigurationError: the loop was stopped, or the interpreter ends.
        """
        try:
            # `stop` finds what was submitted before it, and nothing comes behind it
            with self._starting:
                loop = self.started()
                # those of the caller's event loop would mislead libraries: this is another loop
                return Context().run(asyncio.run_coroutine_threadsafe, work, loop)
        except BaseException:
            work.close()
            raise

    def run(self, work: Coroutine[Any, Any, Result]) -> Result:
        """The coroutine's result; an interrupt of the waiting thread cancels it."""
        return result_or_cancel(self.submit(work))

    def call(self, function: Callable[[], None]) -> None:
        """Call it on the loop's thread, soon; not where that does not run."""
        if self.running and self._loop is not None:
            self._loop.call_soon_threadsafe(function)

    def frame(self) -> FrameType | None:
        """What the thread is at; None where none runs."""
        thread = self._thread
        return sys._current_frames().get(thread.ident or 0) if thread is not None else None

    def stop(
        self, last: Coroutine[Any, Any, None] | None = None, *, seconds: float = _END_SECONDS
    ) -> bool:
        """Run `last`, cancel what else is running and end the thread; whether all that ended.

        A loop that is blocked, or not done in time, is left to its thread, which keeps no process
        alive.

        Args:
            seconds: how long to wait for what ends.
        """
        with self._starting:
            running, self._stopped = self.running, True
            loop, thread = self._loop, self._thread
            self._loop = self._thread = None
        if not running or loop is None or thread is None:
            if last is not None:
                last.close()
            return True
        answers = threading.Event()
        loop.call_soon_threadsafe(answers.set)
        if not answers.wait(_PATIENCE):
            loop.call_soon_threadsafe(loop.stop)
            if last is not None:
                last.close()
            return False
        try:
            ending = asyncio.run_coroutine_threadsafe(_end(last), loop)
            ending.result(seconds)
        except concurrent.futures.TimeoutError:
            return False
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
        return True

    def started(self) -> asyncio.AbstractEventLoop:
        """The running loop.

        Raises:
            JudgeError, ConfigurationError: as `submit`.
        """
        with self._starting:
            self.check()
            if self._loop is None or not self.running:
                # made here, so that what forbids it is the caller's error
                loop = _new_loop()
                loop.set_default_executor(DaemonThreads())
                # a test may freeze the time; what sleeps here wakes up all the same
                with contextlib.suppress(AttributeError):
                    loop.time = Clock.now  # type: ignore[method-assign]
                try:
                    thread = started(self._name, _run, loop)
                except RuntimeError as error:
                    loop.close()
                    raise ConfigurationError(
                        f"nothing can be asked any more, no thread can be started: {error}"
                    ) from None
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


async def _end(last: Coroutine[Any, Any, None] | None) -> None:
    # first all at once: who waits for another task must not take its end for an error
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
    try:
        if last is not None:
            await last
    finally:
        await asyncio.get_running_loop().shutdown_asyncgens()
        # at the interpreter's end no thread can be started that would wait for the executor's
        with contextlib.suppress(RuntimeError):
            await asyncio.get_running_loop().shutdown_default_executor()


async def all_done(works: Iterable[Awaitable[Result]]) -> list[Result]:
    """The results of all; when all have ended, the first error in order."""
    results = await asyncio.gather(*works, return_exceptions=True)
    for result in results:
        if isinstance(result, BaseException):
            raise result
    return results  # type: ignore[return-value]  # the errors were raised


class NeedsLoop(RuntimeError):
    """A coroutine waited, which needs an event loop."""


def without_loop(work: Coroutine[Any, Any, Result]) -> Result:
    """The result of a coroutine that never waits.

    Raises:
        NeedsLoop: it waits.
    """
    try:
        work.send(None)
    except StopIteration as end:
        return end.value  # type: ignore[no-any-return]  # StopIteration is not generic
    work.close()
    raise NeedsLoop("a coroutine that needs a loop was run without one")
