"""Calls a method of a judge or an embedder from a hook, with a time limit and retries."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from ...errors import ConfigurationError, JudgeError
from ...usage import Usage
from ..calls.retries import RETRY_SECONDS, ordinary_wait, retried, tries
from ..calls.send_permit import PASSING, Failure, permit
from ..calls.user_calls import HookCalls, Overrun
from .openai.endpoint_errors import asked_wait


class CustomCalls:
    """Calls to one object from a hook.

    Args:
        whose: the method's owner, for messages.
        seconds: the time limit of a call.
    """

    def __init__(
        self, calls: HookCalls, whose: str, method: Callable[..., Any], seconds: float
    ) -> None:
        self._result = partial(calls.result, whose, method, seconds=seconds)

    async def result(self, *arguments: Any) -> tuple[Any, Usage]:
        """Call the method. Return its result and its cost, which is a number of calls.

        Raises:
            JudgeError: as in `HookCalls.result`, after retries where those may help.
            ConfigurationError: the method raised it.
        """

        async def call() -> Any:
            async with permit().going_out():
                pass  # the method itself decides when it sends something
            return await self._result(*arguments)

        return await retried(call, _failure, lambda _: Usage(requests=1))


def _failure(error: Exception, requests: int) -> Failure:
    if isinstance(error, ConfigurationError) or not isinstance(error, JudgeError):
        raise error
    if error.kind not in PASSING or error.ends_judging:
        return Failure(error)
    # it used all of its time; one that can't be stopped would run alongside the next call
    if isinstance(error, Overrun) and (requests or error.ended is not None):
        return Failure(error, after_pause=error.ended is None)
    if requests:
        error.args = (f"{error}{tries(requests)}",)
    wait = _asked_wait(error.__cause__)
    if wait is not None and wait > RETRY_SECONDS:
        return Failure(error)
    return Failure(error, ordinary_wait(requests) if wait is None else wait, wait is not None)


def _asked_wait(error: BaseException | None) -> float | None:
    """Return the seconds that a server asks to wait, if the client's error has its headers."""
    for holder in (getattr(error, "response", None), error):
        headers = getattr(holder, "headers", None)
        if isinstance(headers, Mapping):
            return asked_wait({str(name).lower(): str(value) for name, value in headers.items()})
    return None
