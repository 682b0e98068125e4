"""What an answer cost, as it is stored."""

from __future__ import annotations

from typing import Any

from ..judges.judge import Usage


def read_usage(counts: Any) -> Usage:
    """
    Raises:
        TypeError, ValueError: a count is missing, unknown or no count.
    """
    usage = Usage(**counts)
    if not all(type(count) is int and count >= 0 for count in counts.values()):
        raise ValueError("a count is no whole number from 0")
    return usage
