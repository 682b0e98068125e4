"""What an answer cost, as it is stored."""

from __future__ import annotations

from typing import Any

from ..judges.judge import Usage

_MOST = 2**53  # what a float takes; costs are worked out with it


def read_usage(counts: Any) -> Usage:
    """
    Raises:
        TypeError, ValueError: a count is missing, unknown or no count.
    """
    usage = Usage(**counts)
    if not all(type(count) is int and 0 <= count <= _MOST for count in counts.values()):
        raise ValueError("a count is no whole number from 0")
    return usage
