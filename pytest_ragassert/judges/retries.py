"""Requests that are sent again: how often, after which wait, and for how long."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from typing import TypeVar

from ..current import Clock
from ..errors import JudgeError
from .permit import permit

Result = TypeVar("Result")

RETRIES = 4
RETRY_SECONDS = 120.0
_FIRST_WAIT = 0.5
_LONGEST_WAIT = 30.0


async def retried(
    send: Callable[[], Awaitable[Result]],
    failure: Callable[[Exception, int], tuple[JudgeError, float | None]],
) -> tuple[Result, int]:
    """The response, and how many requests it took.

    Args:
        send: sends one request.
        failure: makes of its error, and of the number of retries before it, what to tell and how
            many seconds to wait before another try; None: not again.

    Raises:
        JudgeError: it can't be had, after the retries that may help.
    """
    end = Clock.now() + RETRY_SECONDS
    for retry in range(RETRIES + 1):
        # waiting for its turn takes nothing from the time for retries
        end += await permit().permitted()
        try:
            return await send(), retry + 1
        except Exception as error:
            told, wait = failure(error, retry)
        if wait is None or retry == RETRIES or Clock.now() + wait > end:
            raise told
        await asyncio.sleep(wait)
    raise AssertionError("the last retry returns or raises")


def ordinary_wait(retry: int) -> float:
    """Seconds before the next try: doubling, with jitter."""
    return float(min(_FIRST_WAIT * 2**retry, _LONGEST_WAIT) * random.uniform(0.75, 1.25))


def tries(retry: int) -> str:
    """How many requests failed, to be told behind an error."""
    return f" ({retry + 1} requests)" if retry else ""
