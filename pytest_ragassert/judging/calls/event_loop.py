"""The one event loop of the process, on its own thread.

The event loops of tests are left alone, running or not, and the client lives as long as the run.
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


# A loop that does not answer for this long is blocked by a coroutine of the user's.
_PATIENCE = 3.0
_END_SECONDS = 15.0  # for everything that ends together with a loop


class LoopThread:
    """The thread of the event loop. The first coroutine starts it, and `stop` ends it for good."""

    def __init__(self, name: str = "ragassert") -> None:
        self._name = name
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._pid = 0
        self._starting = threading.RLock()
        self._stopped = False

    @property
    def running(self) -> bool:
        # a fork copies the object but not the thread
        return self._thread is not None and self._pid == os.getpid()

    @property
    def stopped(self) -> bool:
        return self._stopped

    def check(self) -> None:
        """Raise an error if the loop was stopped.

        Raises:
            ConfigurationError: the loop was stopped.
        """
        if self._stopped:
            raise ConfigurationError(
                "this session is closed because its run has ended: measure before that, or in a "
                "session of its own: evaluate(…, settings=Settings(…))"
            )

    def submit(self, work: Coroutine[Any, Any, Result]) -> concurrent.futures.Future[Result]:
        """Start the coroutine without the caller's context variables.

        Raises:
            JudgeError: sockets are blocked, so that the first call can't start the loop.
            ConfigurationError: the loop was stopped, or the interpreter is shutting down.
        """
        try:
            # `stop` finds what was submitted before it, and nothing is submitted after it
            with self._starting:
                loop = self.started()
                # the variables of the caller's event loop would mislead libraries: this is another
                # loop
                return Context().run(asyncio.run_coroutine_threadsafe, work, loop)
        except BaseException:
            work.close()
            raise

    def run(self, work: Coroutine[Any, Any, Result]) -> Result:
        """Return the coroutine's result. An interrupt of the waiting thread cancels it."""
        return result_or_cancel(self.submit(work))

    def call(self, function: Callable[[], None]) -> None:
        """Call the function on the loop's thread soon, if the loop is running."""
        if self.running and self._loop is not None:
            self._loop.call_soon_threadsafe(function)

    def frame(self) -> FrameType | None:
        """Return the frame that the thread is executing, or None if there is no thread."""
        thread = self._thread
        return sys._current_frames().get(thread.ident or 0) if thread is not None else None

    def stop(
        self, last: Coroutine[Any, Any, None] | None = None, *, seconds: float = _END_SECONDS
    ) -> bool:
        """Run `last`, cancel everything else and end the thread. Return whether everything ended.

        A loop that is blocked or does not finish in time is left to its thread, which does not keep
        the process alive.

        Args:
            seconds: how long to wait for tasks to end.
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
        """Return the running loop, starting it if necessary.

        Raises:
            JudgeError: as in `submit`.
            ConfigurationError: as in `submit`.
        """
        with self._starting:
            self.check()
            if self._loop is None or not self.running:
                # created here, so that whatever forbids it is reported to the caller
                loop = _new_loop()
                loop.set_default_executor(DaemonThreads())
                # a test may freeze the time, but sleeping tasks must still wake up
                with contextlib.suppress(AttributeError):
                    loop.time = Clock.now  # type: ignore[method-assign]
                try:
                    thread = started(self._name, _run, loop)
                except RuntimeError as error:
                    loop.close()
                    raise ConfigurationError(
                        f"no more questions can be asked, because no thread can be started: {error}"
                    ) from None
                self._loop, self._thread, self._pid = loop, thread, os.getpid()
                self._worker = Worker(thread, loop.call_soon_threadsafe)
            return self._loop


def result_or_cancel(future: concurrent.futures.Future[Result]) -> Result:
    """Return the result. An interrupt of the waiting thread cancels the coroutine."""
    try:
        return future.result()
    except BaseException:
        future.cancel()
        raise


def _new_loop() -> asyncio.AbstractEventLoop:
    """Create an event loop.

    Raises:
        JudgeError: sockets are blocked; a loop needs two of them to wake itself up.
    """
    try:
        # a loop that fails half-way leaves sockets open, which warn when they are collected
        socket.socket(getattr(socket, "AF_UNIX", socket.AF_INET)).close()
    except OSError:
        raise
    except Exception as error:
        advice = "pytest-socket allows event loops with --allow-unix-socket"
        raise blocked(error, advice) from None
    return asyncio.new_event_loop()


def _run(loop: asyncio.AbstractEventLoop) -> None:
    asyncio.set_event_loop(loop)
    while True:
        try:
            loop.run_forever()
        except (SystemExit, KeyboardInterrupt):
            # asyncio lets these through; tasks that wait for the raising task get them too
            continue
        return


async def _end(last: Coroutine[Any, Any, None] | None) -> None:
    # cancel all first: a task that waits for another must not take its cancellation for an error
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
    try:
        if last is not None:
            await last
    finally:
        await asyncio.get_running_loop().shutdown_asyncgens()
        # while the interpreter shuts down, no thread can be started to wait for the executor's
        # threads
        with contextlib.suppress(RuntimeError):
            await asyncio.get_running_loop().shutdown_default_executor()


async def all_done(works: Iterable[Awaitable[Result]]) -> list[Result]:
    """Wait until all have ended. Return their results, or raise the first error in order."""
    results = await asyncio.gather(*works, return_exceptions=True)
    for result in results:
        if isinstance(result, BaseException):
            raise result
    return results  # type: ignore[return-value]  # the errors were raised


class NeedsLoop(RuntimeError):
    """A coroutine had to wait, which requires an event loop."""


def without_loop(work: Coroutine[Any, Any, Result]) -> Result:
    """Run a coroutine that never waits and return its result.

    Raises:
        NeedsLoop: it has to wait.
    """
    try:
        work.send(None)
    except StopIteration as end:
        return end.value  # type: ignore[no-any-return]  # StopIteration is not generic
    work.close()
    raise NeedsLoop("a coroutine that needs a loop was run without one")
