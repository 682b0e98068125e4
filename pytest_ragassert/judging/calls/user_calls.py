"""Calls of what a hook gave, sync or async, so that none can stop the run.

A sync call has a thread of its own, and coroutines share one event loop that is not the session's:
whatever blocks there, the session's loop goes on, time limits hold and an interrupt ends the run.
All these threads are daemons, so that none keeps the process alive.
"""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import sys
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import Future
from contextvars import Context
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from ...errors import ConfigurationError, JudgeError
from ...language.escaping import shortened
from ...runtime import source_lines
from ...runtime.redaction import redact
from ...runtime.threads import started
from .blocked_sockets import blocked, blocker_in
from .event_loop import LoopThread, result_or_cancel

Result = TypeVar("Result")

_LONGEST_TOLD = 300  # characters of what an error says
# Seconds in which what was cancelled has ended, where it lets itself be: one call, or all of them.
_CANCEL_SECONDS, _END_SECONDS = 1.0, 3.0
_STATUSES = {
    401: "credentials",
    403: "credentials",
    404: "model",
    408: "server",
    409: "server",
    429: "rate limit",
}


class Overrun(JudgeError):
    """A call did not return within the time limit.

    Attributes:
        ended: done when it returns, where it could not be stopped; None: it was.
    """

    def __init__(self, message: str, ended: asyncio.Future[Any] | None) -> None:
        super().__init__(message, kind="timeout")
        self.ended = ended


@dataclass(frozen=True)
class Outcome(Generic[Result]):
    """What a call came to. An error is kept as data: futures take not every one.

    Attributes:
        error: None where it returned.
    """

    value: Result | None = None
    error: BaseException | None = None


def checked_id(named: Any, kind: str, name: str, call: str) -> str:
    """The object's id.

    Args:
        kind: `judge` or `embedder`, as in the hook's name.
        name: what it was asked for as.
        call: the method that it must have, with its arguments.

    Raises:
        ConfigurationError: it lacks id or method.
    """
    id = getattr(named, "id", None)
    if not isinstance(id, str) or not callable(getattr(named, call.partition("(")[0], None)):
        raise ConfigurationError(
            f"{kind} {name!r}: pytest_ragassert_make_{kind} must return an object with "
            f"`id: str` and `{call}`, not {redact(repr(named)):.80}"
        )
    return id


class HookCalls:
    """The calls of one session's hooks."""

    def __init__(self) -> None:
        self._loop = LoopThread("ragassert-hooks")

    async def result(
        self, whose: str, call: Callable[..., Any], *arguments: Any, seconds: float
    ) -> Any:
        """What a method gives, called from the session's loop.

        Args:
            whose: who the method belongs to, for messages.
            seconds: how long it may take.

        Raises:
            JudgeError: it raised something; says what and at which line.
            Overrun: it did not return in time.
            ConfigurationError: its own.
        """
        running = self._begun(call, arguments)
        if not await running.ends_within(seconds):
            name = getattr(call, "__name__", "it")
            where = running.where()
            stopped = await running.stopped()
            if not stopped:
                where = running.blocking() or where
            message = (
                f"{whose}: {name}() did not return within {seconds:g} s"
                f"{f', it is at {where}' if where else ''}; --ragassert-timeout sets how long to "
                "wait"
            )
            raise Overrun(message, None if stopped else running.ended)
        outcome = running.ended.result()
        if outcome.error is None:
            return outcome.value
        raise _told(whose, outcome.error) from outcome.error

    async def done(self, work: Awaitable[Result]) -> Result:
        """The result of an awaitable that a hook gave, awaited from the session's loop."""
        running = _Coroutine(self._loop, lambda: work, ())
        try:
            await running.ends_within(None)
        except asyncio.CancelledError:
            running.cancel()
            raise
        outcome: Outcome[Result] = running.ended.result()
        return _value_of(outcome)

    def wait_for(self, work: Awaitable[Result]) -> Result:
        """The same for a thread without a loop, which waits."""
        return _value_of(result_or_cancel(self._loop.submit(_outcome(lambda: work, ()))))

    def close(self) -> None:
        self._loop.stop(seconds=_END_SECONDS)

    def _begun(self, call: Callable[..., Any], arguments: tuple[Any, ...]) -> _Running:
        if inspect.iscoroutinefunction(call):
            return _Coroutine(self._loop, call, arguments)
        return _Thread(self._loop, call, arguments)


class _Running(ABC):
    """A call under way; made on the session's loop."""

    def __init__(self) -> None:
        self._own = asyncio.get_running_loop()
        self.ended: asyncio.Future[Outcome[Any]] = self._own.create_future()

    async def ends_within(self, seconds: float | None) -> bool:
        await asyncio.wait([self.ended], timeout=seconds)
        return self.ended.done()

    def where(self) -> str:
        """The line at which it is; empty where that is not known."""
        return ""

    @abstractmethod
    async def stopped(self) -> bool:
        """Stop it, where that can be; whether it ended."""

    def blocking(self) -> str:
        """The line at which something is that keeps this call from being stopped."""
        return ""

    def _end(self, outcome: Outcome[Any]) -> None:
        """Called on any thread."""

        def end() -> None:
            if not self.ended.done():
                self.ended.set_result(outcome)

        # nobody waits any more where the session's loop is closed
        with contextlib.suppress(RuntimeError):
            self._own.call_soon_threadsafe(end)


class _Thread(_Running):
    """A sync call.

    Args:
        loop: where what it returns is awaited, if it has to be.
    """

    def __init__(
        self, loop: LoopThread, call: Callable[..., Any], arguments: tuple[Any, ...]
    ) -> None:
        super().__init__()
        self._loop = loop
        self._awaited: Future[Outcome[Any]] | None = None
        self._thread = started("ragassert-hook", self._run, call, arguments)

    def _run(self, call: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
        outcome = _tried(call, arguments)
        if inspect.isawaitable(outcome.value):
            awaited = _tried(self._await, (outcome.value,))
            outcome = awaited if awaited.value is None else awaited.value
        self._end(outcome)

    def _await(self, work: Awaitable[Any]) -> Outcome[Any]:
        self._awaited = self._loop.submit(_outcome(lambda: work, ()))
        return self._awaited.result()

    def where(self) -> str:
        return source_lines.of_frame(sys._current_frames().get(self._thread.ident or 0))

    async def stopped(self) -> bool:
        if self._awaited is None:
            return False
        self._awaited.cancel()
        return await self.ends_within(_CANCEL_SECONDS)


class _Coroutine(_Running):
    """A call on the hooks' loop."""

    def __init__(
        self, loop: LoopThread, call: Callable[..., Awaitable[Any]], arguments: tuple[Any, ...]
    ) -> None:
        super().__init__()
        self._loop = loop
        self._call = call
        self._arguments = arguments
        self._work: Coroutine[Any, Any, Outcome[Any]] | None = None
        self._task: asyncio.Task[Outcome[Any]] | None = None
        self._cancelled = False
        # nothing of the session's own context is the hook's
        loop.started().call_soon_threadsafe(self._begin, context=Context())

    def _begin(self) -> None:
        if self._cancelled:
            self._end(Outcome(error=asyncio.CancelledError()))
            return
        self._work = _outcome(self._call, self._arguments)
        self._task = asyncio.ensure_future(self._work)
        self._task.add_done_callback(self._over)

    def _over(self, task: asyncio.Task[Outcome[Any]]) -> None:
        self._end(Outcome(error=asyncio.CancelledError()) if task.cancelled() else task.result())

    def where(self) -> str:
        return source_lines.of_coroutine(self._work)

    def blocking(self) -> str:
        line = source_lines.of_frame(self._loop.frame())
        return f"{line}, which blocks the event loop of all async hooks" if line else ""

    def cancel(self) -> None:
        def cancel() -> None:
            self._cancelled = True
            if self._task is not None:
                self._task.cancel()

        self._loop.call(cancel)

    async def stopped(self) -> bool:
        self.cancel()
        return await self.ends_within(_CANCEL_SECONDS)


def _tried(call: Callable[..., Result], arguments: tuple[Any, ...]) -> Outcome[Result]:
    try:
        return Outcome(call(*arguments))
    except BaseException as error:
        return Outcome(error=error)


async def _outcome(
    call: Callable[..., Awaitable[Result]], arguments: tuple[Any, ...]
) -> Outcome[Result]:
    try:
        return Outcome(await call(*arguments))
    except BaseException as error:
        return Outcome(error=error)


def call_now(call: Callable[..., Result], *arguments: Any) -> Result:
    """Call what a hook or a library gave, here and now, and return its value.

    Raises:
        RuntimeError: as `_value_of`.
    """
    return _value_of(_tried(call, arguments))


def _value_of(outcome: Outcome[Result]) -> Result:
    """The outcome's value, or its error where that can be raised anywhere.

    Raises:
        RuntimeError: in place of an error that would end a coroutine, an event loop or the state
            that pytest keeps of fixtures.
    """
    error = outcome.error
    if error is None:
        return outcome.value  # type: ignore[return-value]  # without an error it was returned
    own = isinstance(error, Exception) and not isinstance(error, StopIteration)
    # pytest's outcomes, as a skip, are no exceptions either
    if own or isinstance(error, KeyboardInterrupt) or type(error).__module__.startswith("_pytest."):
        raise error
    raise RuntimeError(f"a hook raised {error_text(error)}") from error


def _told(whose: str, error: BaseException) -> BaseException:
    """What is raised for a hook's error."""
    # an interrupt stays one; a judge that calls sys.exit() has only failed
    if isinstance(error, JudgeError | ConfigurationError | KeyboardInterrupt):
        return error
    if isinstance(error, Exception) and (blocker := blocker_in(error)) is not None:
        return blocked(blocker, "pytest-socket lets a test have them by enable_socket")
    where = source_lines.of_error(error)
    if not where and error.__cause__ is not None:
        # a coroutine's StopIteration is the interpreter's RuntimeError
        where = source_lines.of_error(error.__cause__)
    return JudgeError(
        f"{whose}: {error_text(error)}{f' ({where})' if where else ''}", kind=kind_of(error)
    )


def error_text(error: BaseException) -> str:
    """An error's class and words, on one line and without secrets."""
    try:
        words = " ".join(redact(str(error)).split())
    except Exception as failed:
        words = f"its message raises {type(failed).__name__}"
    words = shortened(words, _LONGEST_TOLD)
    return f"{type(error).__name__}: {words}" if words else type(error).__name__


def kind_of(error: BaseException) -> str:
    """What kind of trouble a client's error is: by its status, as most have one, or its name."""
    if isinstance(error, JudgeError):
        return error.kind
    response = getattr(error, "response", None)
    for holder, name in (
        (error, "status_code"),
        (error, "status"),
        (error, "code"),
        (response, "status_code"),
        (response, "status"),
    ):
        status = getattr(holder, name, None)
        if isinstance(status, int) and 400 <= status < 600:
            return _STATUSES.get(status, "server" if status >= 500 else "request")
    names = [kind.__name__ for kind in type(error).__mro__]
    if any("Timeout" in name for name in names):
        return "timeout"
    return "connection" if any("Connect" in name for name in names) else "judge"
