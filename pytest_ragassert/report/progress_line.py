"""The line on a terminal that says how far a run is."""

from __future__ import annotations

from collections import deque

from .remaining_requests import Outlook

_WINDOW_SECONDS = 15.0  # by whose pace the time left is told
_LEAST_SECONDS = 1.0  # of pace, before a time is told


class ProgressLine:
    """Keeps the pace of the last seconds."""

    def __init__(self) -> None:
        self._paces: deque[tuple[float, int]] = deque()

    def text(self, now: float, asked: int, in_flight: int, outlook: Outlook) -> str:
        """What is known, in words.

        Args:
            now: seconds, by a clock that is never set.
            asked: judgements that were asked for, ahead too.
            in_flight: requests that are not answered yet.
        """
        done = asked + outlook.stored
        # what is stored is found when its test comes: until then it counts as to be asked
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
        """The seconds that are left at the pace so far; None: none is known yet."""
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
