"""Sends a request again after an error: how often, after which wait, and for how long."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TypeVar

from ...errors import JudgeError
from ...runtime.clock import Clock
from ...usage import Usage
from .send_permit import Failure, Sent, Spent, permit

Result = TypeVar("Result")

RETRIES = 4
RETRY_SECONDS = 120.0
_FIRST_WAIT = 0.5
_LONGEST_WAIT = 30.0


async def retried(
    send: Callable[[], Awaitable[Result]],
    failure: Callable[[Exception, int], Failure],
    cost: Callable[[Result], Usage],
) -> tuple[Result, Usage]:
    """Return the response and the cost of all requests that were needed for it.

    Args:
        send: sends one request.
        failure: describes a failure, given its error and the number of requests before it.
        cost: returns the cost of one request, given its response.

    Raises:
        JudgeError: there is no response, even after retries where those may help; its `usage` is
            the cost of the requests that were sent.
    """
    spent = Spent()
    try:
        return await _retried(send, failure, cost, spent), spent.usage
    except JudgeError as error:
        error.usage = spent.usage
        raise


async def _retried(
    send: Callable[[], Awaitable[Result]],
    failure: Callable[[Exception, int], Failure],
    cost: Callable[[Result], Usage],
    spent: Spent,
) -> Result:
    end = Clock.now() + RETRY_SECONDS
    requests = retry = 0
    while True:
        async with permit().attempt(requests, spent) as attempt:
            # waiting for a permit or for an endpoint does not reduce the time for retries
            end += attempt.waited
            requests += 1
            try:
                response = await send()
            except Exception as error:
                failed = failure(error, requests - 1)
                spent.add(_cost_of_failure(failed))
            else:
                used = cost(response)
                spent.add(used)
                await permit().used(used)
                await attempt.answered(partial(_again, send, failure, cost))
                return response
            wait = failed.wait
            last = wait is None or retry == RETRIES or Clock.now() + wait > end
            paused = await attempt.failed(failed, last=last)
        if not paused and (wait is None or last):
            raise failed.error
        # a probe during an outage does not count as a retry
        if attempt.probe:
            end += Clock.now() - attempt.sent
        elif retry < RETRIES:
            retry += 1
        if not paused and wait is not None:
            await asyncio.sleep(wait)


async def _again(
    send: Callable[[], Awaitable[Result]],
    failure: Callable[[Exception, int], Failure],
    cost: Callable[[Result], Usage],
) -> Sent:
    """Send a request again that was answered before."""
    try:
        response = await send()
    except Exception as error:
        failed = failure(error, 0)
        return Sent(failed if failed.is_outage else None, _cost_of_failure(failed))
    used = cost(response)
    await permit().used(used)
    return Sent(None, used)


def _cost_of_failure(failed: Failure) -> Usage:
    # nothing is sent while sockets are blocked
    return Usage(requests=0 if failed.error.blocked else 1)


def ordinary_wait(retry: int) -> float:
    """Return the seconds to wait before the next try: doubling, with jitter."""
    return float(min(_FIRST_WAIT * 2**retry, _LONGEST_WAIT) * random.uniform(0.75, 1.25))


def tries(retry: int) -> str:
    """Return how many requests failed, as the end of an error message."""
    return f" ({retry + 1} requests)" if retry else ""
