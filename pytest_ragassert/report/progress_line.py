"""Formats the progress line on a terminal."""

from __future__ import annotations

from collections import deque

from .remaining_requests import Outlook

_WINDOW_SECONDS = 15.0  # number of seconds over which the pace is measured
_LEAST_SECONDS = 1.0  # number of seconds of pace needed before a time is shown


class ProgressLine:
    """Tracks the pace over the last seconds."""

    def __init__(self) -> None:
        self._paces: deque[tuple[float, int]] = deque()

    def text(self, now: float, asked: int, in_flight: int, outlook: Outlook) -> str:
        """The text of the line.

        Args:
            now: the time of a monotonic clock, in seconds.
            asked: the number of judgements asked for, including prefetched ones.
            in_flight: the number of requests without a reply yet.
        """
        done = asked + outlook.stored
        # a stored judgement counts as to be asked until its test runs
        left = max(0, round(outlook.used + outlook.coming - done))
        seconds = self._seconds(now, done, left)
        if not outlook.used and not outlook.coming:
            total = ""
        else:
            total = f"/{asked + left}{'' if outlook.all_seen else '+'}"
        line = f"ragassert: {asked}{total} asked, {outlook.stored} stored, {in_flight} in flight"
        if seconds is not None and left:
            line += f", {'about' if outlook.all_seen else 'at least'} {_told(seconds)} left"
        return line

    def _seconds(self, now: float, done: int, left: int) -> float | None:
        """The remaining seconds at the current pace; None if the pace is unknown."""
        self._paces.append((now, done))
        while now - self._paces[0][0] > _WINDOW_SECONDS:
            self._paces.popleft()
        since, at_first = self._paces[0]
        if now - since < _LEAST_SECONDS or done <= at_first:
            return None
        return left * (now - since) / (done - at_first)


def _told(seconds: float) -> str:
    if seconds < 100:
        return f"{max(1, round(seconds))} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 100 else f"{round(minutes / 60)} h"
