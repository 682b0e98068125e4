"""Turns whatever a metric or a case contains into plain JSON data."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from enum import Enum
from typing import Any

_DEEPEST = 20  # levels, so that a structure that contains itself ends somewhere
_LONGEST_REPR = 500  # characters
_LARGEST_BITS = 1024  # of an integer; not every reader takes longer ones


def plain(value: Any, levels: int = _DEEPEST) -> Any:
    """The value in JSON's types; other objects become their `repr`."""
    if isinstance(value, Enum):
        value = value.value
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return str(value)
    if isinstance(value, int) and value.bit_length() <= _LARGEST_BITS:
        return int(value)
    if isinstance(value, float) and math.isfinite(value):
        return float(value)
    if levels and isinstance(value, Mapping):
        return {_key(key): plain(held, levels - 1) for key, held in value.items()}
    if levels and isinstance(value, list | tuple):
        return [plain(held, levels - 1) for held in value]
    if levels and isinstance(value, set | frozenset):
        return _sorted(plain(held, levels - 1) for held in value)
    return _said(value)


def _key(key: Any) -> str:
    return str(key) if isinstance(key, str) else _said(key)


def _sorted(values: Iterable[Any]) -> list[Any]:
    # the order of a set differs between processes
    return sorted(values, key=repr)


def _said(value: Any) -> str:
    try:
        return repr(value)[:_LONGEST_REPR]
    except Exception:  # a foreign object's own code
        return f"<{type(value).__name__}>"
