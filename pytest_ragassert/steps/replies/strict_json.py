"""Reads JSON as judges write it, strictly: a name with two different values has none."""

from __future__ import annotations

import json
from typing import Any

# No step's reply nests deeper than four; what nests far deeper overflows whatever walks it.
_DEEPEST = 60


class NoJson(ValueError):
    """There is no JSON value here, or one too deep to be an answer."""


def decoded(text: str) -> Any:
    """The JSON value that a text is.

    Line breaks and other control characters may stand in texts as they are. A name that an object
    gives several values has a tuple of them, which no reader takes for a value.

    Raises:
        NoJson
    """
    value, end = decoded_at(text := text.strip(), 0)
    if end < len(text):
        raise NoJson
    return value


def decoded_at(text: str, at: int) -> tuple[Any, int]:
    """The JSON value that begins at `at`, and where it ends.

    Raises:
        NoJson
    """
    try:
        value, end = _DECODER.raw_decode(text, at)
    except (ValueError, RecursionError):  # ValueError also for thousands of digits
        raise NoJson from None
    if _too_deep(value):
        raise NoJson
    return value, end


def same(one: Any, other: Any) -> bool:
    """Whether two JSON values are the same, 1 and true, 1 and 1.0 apart, NaN like NaN."""
    return repr(one) == repr(other)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    read: dict[str, Any] = {}
    for name, value in pairs:
        if name not in read or same(read[name], value):
            read[name] = value
        else:
            read[name] = (read[name], value)
    return read


def _too_deep(value: Any) -> bool:
    layer = [value]
    for _ in range(_DEEPEST):
        layer = [
            inner
            for outer in layer
            if isinstance(outer, dict | list | tuple)
            for inner in (outer.values() if isinstance(outer, dict) else outer)
        ]
        if not layer:
            return False
    return True


_DECODER = json.JSONDecoder(object_pairs_hook=_object, strict=False)
