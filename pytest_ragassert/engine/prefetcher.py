"""Runs prefetches on the event loop, with enough cases at once to fill the allowed requests."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from functools import partial

from ..errors import JudgeError
from ..judging.scheduling.asker import Asker
from ..judging.scheduling.in_flight import prefetching
from .jobs import Job, Measured
from .prefetch_plan import Prefetch
from .runner import measure_on_loop

# A case that waits for its reply to be stored or read has no request in flight.
_AT_ONCE = 2  # cases for each request that may be in flight
# Errors that the next question would most likely meet too.
_OF_THE_WAY = (
    "configuration",
    "credentials",
    "model",
    "quota",
    "rate limit",
    "server",
    "timeout",
    "connection",
    "budget",
    "blocked",
)


class Prefetcher:
    """Measures coming cases on the loop's thread.

    Args:
        supply: returns what to prefetch next; None: nothing, or nothing yet.
        job_of: returns the job of a prefetch; None if its case is not complete.
        ended: called after each prefetch that has run.
        failed: called if the judge can't be reached.
    """

    def __init__(
        self,
        asker: Asker,
        supply: Callable[[], Prefetch | None],
        job_of: Callable[[Prefetch], Awaitable[Job | None]],
        ended: Callable[[Prefetch], None],
        failed: Callable[[], None],
    ) -> None:
        self._asker = asker
        self._supply = supply
        self._job_of = job_of
        self._ended = ended
        self._failed = failed
        self._most = _AT_ONCE * asker.settings.concurrency
        self._running: dict[Prefetch, asyncio.Task[None]] = {}

    def more(self) -> None:
        """Start as many prefetches as may run."""
        while len(self._running) < self._most and self._asker.ended() is None:
            prefetch = self._supply()
            if prefetch is None:
                return
            task = asyncio.ensure_future(self._prefetch(prefetch))
            self._running[prefetch] = task
            task.add_done_callback(partial(self._over, prefetch))

    def drop(self, prefetches: Iterable[Prefetch]) -> None:
        """Stop these prefetches; requests that were already sent are still answered and stored."""
        dropped = set(prefetches)
        for one in dropped & self._running.keys():
            self._running[one].cancel()
        self._asker.in_flight.drop(dropped)

    def _over(self, prefetch: Prefetch, task: asyncio.Task[None]) -> None:
        del self._running[prefetch]
        if not task.cancelled():
            # the test will meet the same error itself
            task.exception()
        self._ended(prefetch)
        self.more()

    async def _prefetch(self, prefetch: Prefetch) -> None:
        with prefetching(prefetch):
            job = await self._job_of(prefetch)
            measured = None if job is None else await measure_on_loop(job, self._asker)
        if measured is not None and _is_outage(measured):
            self._failed()


def _is_outage(measured: Measured) -> bool:
    return isinstance(measured.error, JudgeError) and measured.error.kind in _OF_THE_WAY
