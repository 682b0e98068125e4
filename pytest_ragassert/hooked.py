"""Objects that a hook gave, as judge or embedder: checked, and called whether sync or async."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable
from typing import Any

from .blocked import blocked, blocker_in
from .errors import ConfigurationError, JudgeError
from .redaction import redact


def checked_id(given: Any, kind: str, name: str, call: str) -> str:
    """The object's id.

    Args:
        kind: `judge` or `embedder`, as in the hook's name.
        name: what it was asked for as.
        call: the method that it must have, with its arguments.

    Raises:
        ConfigurationError: it lacks id or method.
    """
    id = getattr(given, "id", None)
    if not isinstance(id, str) or not callable(getattr(given, call.partition("(")[0], None)):
        raise ConfigurationError(
            f"{kind} {name!r}: pytest_ragassert_make_{kind} must return an object with "
            f"`id: str` and `{call}`, not {redact(repr(given)):.80}"
        )
    return id


async def result_of(whose: str, call: Callable[..., Any], *arguments: Any) -> Any:
    """What a method gives; the loop goes on while one that is sync works.

    Raises:
        JudgeError: it raised; `whose` it was stands before what it said.
        ConfigurationError: its own.
    """
    try:
        if inspect.iscoroutinefunction(call):
            return await call(*arguments)
        result = await asyncio.to_thread(call, *arguments)
        return await result if inspect.isawaitable(result) else result
    except (JudgeError, ConfigurationError):
        raise
    # what calls sys.exit() for a missing key is no more than a judge that can't answer
    except (Exception, SystemExit) as error:
        if (blocker := blocker_in(error)) is not None:
            raise blocked(
                blocker, "pytest-socket lets a test have them by enable_socket"
            ) from error
        told = f"{whose}: {type(error).__name__}: {error}"
        raise JudgeError(told, kind=_kind_of(error)) from error


def _kind_of(error: BaseException) -> str:
    """What kind of trouble a client's error is: by its status, as most have one, or its name."""
    status = getattr(error, "status_code", None)
    if isinstance(status, int):
        known = {401: "credentials", 403: "credentials", 404: "model", 429: "rate limit"}
        return known.get(status, "server" if status >= 500 else "request")
    names = [kind.__name__ for kind in type(error).__mro__]
    if any("Timeout" in name for name in names):
        return "timeout"
    return "connection" if any("Connect" in name for name in names) else "judge"
