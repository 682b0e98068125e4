"""What the values of several metrics' options may be."""

from __future__ import annotations

import math
import numbers


def check_flag(name: str, value: object) -> None:
    """
    Raises:
        ValueError: neither True nor False.
    """
    if not isinstance(value, bool):
        raise ValueError(f"{name} is True or False, not {value!r}")


def is_count(value: object) -> bool:
    """Whether it is a whole number from 1."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1


def is_weight(value: object) -> bool:
    """Whether it is a finite number from 0."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        return False
    return math.isfinite(value) and float(value) >= 0
