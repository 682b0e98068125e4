"""When a request may go out: a limit of requests in flight, and no more after the end of judging.

Until the first answer is known a process sends one request only, so that bad credentials cost one
request each process, whatever the number of tests.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from ..errors import JudgeError
from ..judges.judge import Truncated
from ..store.run_folder import RunFolder

Result = TypeVar("Result")


class Dispatch:
    """Lives on the loop's thread."""

    def __init__(self, run: RunFolder, limit: int) -> None:
        self._run = run
        self._slots = asyncio.Semaphore(limit)
        self._first = asyncio.Lock()
        self._answered = False

    async def send(self, request: Callable[[], Awaitable[Result]]) -> Result:
        """The request's result, when its turn has come.

        Raises:
            JudgeError: the request failed, or judging has ended in this run.
        """
        if not self._answered:
            async with self._first:
                if not self._answered:
                    # a cancelled first request leaves open whether judging works
                    try:
                        result = await self._sent(request)
                    except (JudgeError, Truncated):
                        self._answered = True
                        raise
                    self._answered = True
                    return result
        async with self._slots:
            return await self._sent(request)

    async def _sent(self, request: Callable[[], Awaitable[Result]]) -> Result:
        ended = self._run.judging_ended()
        if ended is not None:
            raise ended
        try:
            return await request()
        except JudgeError as error:
            if error.ends_judging:
                self._run.end_judging(error)
            raise
