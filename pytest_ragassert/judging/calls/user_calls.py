"""Calls objects from hooks, sync or async, in such a way that none of them can stop the run.

Each sync call has its own thread. Coroutines share one event loop, which is not the session's.
Whatever blocks there, the session's loop continues, time limits hold and an interrupt ends the run.
All these threads are daemons, so none of them keeps the process alive.
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

_LONGEST_TOLD = 300  # maximum characters of an error's text
# Seconds within which cancelled calls have to end, for one call or for all of them.
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
        ended: done when the call returns, if it could not be stopped; None if it was stopped.
    """

    def __init__(self, message: str, ended: asyncio.Future[Any] | None) -> None:
        super().__init__(message, kind="timeout")
        self.ended = ended


@dataclass(frozen=True)
class Outcome(Generic[Result]):
    """The outcome of a call. An error is kept as data, because futures do not accept every error.

    Attributes:
        error: None if the call returned.
    """

    value: Result | None = None
    error: BaseException | None = None


def checked_id(named: Any, kind: str, name: str, call: str) -> str:
    """Check that the object has an id and the required method, and return the id.

    Args:
        kind: `judge` or `embedder`, as in the hook's name.
        name: the name under which it was requested.
        call: the method that it must have, with its arguments.

    Raises:
        ConfigurationError: the id or the method is missing.
    """
    id = getattr(named, "id", None)
    if not isinstance(id, str) or not callable(getattr(named, call.partition("(")[0], None)):
        raise ConfigurationError(
            f"{kind} {name!r}: pytest_ragassert_make_{kind} must return an object with "
            f"`id: str` and `{call}`, not {redact(repr(named)):.80}"
        )
    return id


class HookCalls:
    """The calls to the hooks' objects in one session."""

    def __init__(self) -> None:
        self._loop = LoopThread("ragassert-hooks")

    async def result(
        self, whose: str, call: Callable[..., Any], *arguments: Any, seconds: float
    ) -> Any:
        """Call a method and return its result. Called from the session's loop.

        Args:
            whose: the method's owner, for messages.
            seconds: the time limit.

        Raises:
            JudgeError: it raised an exception; the message says what and on which line.
            Overrun: it did not return in time.
            ConfigurationError: it raised this error itself.
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
        """Await an awaitable from a hook on the session's loop and return its result."""
        running = _Coroutine(self._loop, lambda: work, ())
        try:
            await running.ends_within(None)
        except asyncio.CancelledError:
            running.cancel()
            raise
        outcome: Outcome[Result] = running.ended.result()
        return _value_of(outcome)

    def wait_for(self, work: Awaitable[Result]) -> Result:
        """Do the same in a thread without a loop, which blocks."""
        return _value_of(result_or_cancel(self._loop.submit(_outcome(lambda: work, ()))))

    def close(self) -> None:
        self._loop.stop(seconds=_END_SECONDS)

    def _begun(self, call: Callable[..., Any], arguments: tuple[Any, ...]) -> _Running:
        if inspect.iscoroutinefunction(call):
            return _Coroutine(self._loop, call, arguments)
        return _Thread(self._loop, call, arguments)


class _Running(ABC):
    """A call in progress. It is created on the session's loop."""

    def __init__(self) -> None:
        self._own = asyncio.get_running_loop()
        self.ended: asyncio.Future[Outcome[Any]] = self._own.create_future()

    async def ends_within(self, seconds: float | None) -> bool:
        await asyncio.wait([self.ended], timeout=seconds)
        return self.ended.done()

    def where(self) -> str:
        """Return the line that the call is executing, or an empty string if it is unknown."""
        return ""

    @abstractmethod
    async def stopped(self) -> bool:
        """Stop the call if possible, and return whether it ended."""

    def blocking(self) -> str:
        """Return the line of whatever prevents this call from being stopped."""
        return ""

    def _end(self, outcome: Outcome[Any]) -> None:
        """Record the end of the call. May be called on any thread."""

        def end() -> None:
            if not self.ended.done():
                self.ended.set_result(outcome)

        # nothing waits any more if the session's loop is closed
        with contextlib.suppress(RuntimeError):
            self._own.call_soon_threadsafe(end)


class _Thread(_Running):
    """A sync call.

    Args:
        loop: the loop on which an awaitable result is awaited.
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
        # hooks see nothing of the session's own context
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
    """Call a function of a hook or library on this thread and return its value.

    Raises:
        RuntimeError: as in `_value_of`.
    """
    return _value_of(_tried(call, arguments))


def _value_of(outcome: Outcome[Result]) -> Result:
    """Return the outcome's value, or raise its error if that can be raised anywhere.

    Raises:
        RuntimeError: instead of an error that would end a coroutine or an event loop, or disturb
            pytest's state of fixtures.
    """
    error = outcome.error
    if error is None:
        return outcome.value  # type: ignore[return-value]  # without an error it was returned
    own = isinstance(error, Exception) and not isinstance(error, StopIteration)
    # pytest's outcomes, such as a skip, are not exceptions either
    if own or isinstance(error, KeyboardInterrupt) or type(error).__module__.startswith("_pytest."):
        raise error
    raise RuntimeError(f"a hook raised {error_text(error)}") from error


def _told(whose: str, error: BaseException) -> BaseException:
    """Return the exception to raise for a hook's error."""
    # an interrupt remains an interrupt; a judge that calls sys.exit() has merely failed
    if isinstance(error, JudgeError | ConfigurationError | KeyboardInterrupt):
        return error
    if isinstance(error, Exception) and (blocker := blocker_in(error)) is not None:
        return blocked(blocker, "pytest-socket allows them in a test with enable_socket")
    where = source_lines.of_error(error)
    if not where and error.__cause__ is not None:
        # a coroutine's StopIteration becomes a RuntimeError in the interpreter
        where = source_lines.of_error(error.__cause__)
    return JudgeError(
        f"{whose}: {error_text(error)}{f' ({where})' if where else ''}", kind=kind_of(error)
    )


def error_text(error: BaseException) -> str:
    """Return an error's class and message, on one line and without secrets."""
    try:
        words = " ".join(redact(str(error)).split())
    except Exception as failed:
        words = f"its message raises {type(failed).__name__}"
    words = shortened(words, _LONGEST_TOLD)
    return f"{type(error).__name__}: {words}" if words else type(error).__name__


def kind_of(error: BaseException) -> str:
    """Return the kind of a client's error: from its status, which most have, or from its name."""
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
