"""The words that make a number an hour: "o'clock", "pm", "Uhr abends"."""

from __future__ import annotations

import re

AM = r"a\.?\s?m\b\.?"
PM = r"p\.?\s?m\b\.?"
HALVES = ("am", "pm", "evening", "night", "noon", "midnight")
_NEVER = "(?!)"


def clock(
    hour: str = _NEVER,
    am: str = AM,
    pm: str = PM,
    evening: str = _NEVER,
    night: str = _NEVER,
    noon: str = _NEVER,
    midnight: str = _NEVER,
) -> re.Pattern[str]:
    """What may stand right behind an hour to make it one, and which half of the day it names.

    Args:
        hour: "o'clock" and its like; its group `minute` are minutes.
        am: the first half of the day, of which twelve is midnight.
        pm: the second half.
        evening: the second half, of which twelve is midnight.
        night: the evening's hours from six on, else the early ones.
        noon: the hours around twelve.
        midnight: twelve at night.
    """
    parts = "|".join(
        f"(?P<{name}>{pattern})"
        for name, pattern in zip(HALVES, (am, pm, evening, night, noon, midnight), strict=True)
    )
    pattern = rf"(?P<hour>{hour}|h(?P<h_minute>[0-5]\d)\b)?(?:,?[\s-]?(?:{parts}))?"
    return re.compile(pattern, re.IGNORECASE)
