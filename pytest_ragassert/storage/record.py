"""What every stored text is: a JSON object that says its format."""

from __future__ import annotations

import json
import time
from typing import Any

from ..runtime.clock import Clock

# Of answers, their questions and vectors. Another one's texts are not read.
FORMAT = 2


def now() -> str:
    """UTC to the second: `2026-01-31T12:00:00Z`."""
    return time_in_words(Clock.since_1970())


def time_in_words(seconds: float) -> str:
    """A time in seconds since 1970, as `now` gives it."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def format_of(text: str) -> int | None:
    """The format that a stored text says it has; None where it is none of ours, or damaged."""
    try:
        record: Any = json.loads(text)
    except (ValueError, RecursionError):
        return None
    number = record.get("format") if isinstance(record, dict) else None
    return number if type(number) is int and "step" in record else None
