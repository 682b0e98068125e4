"""Reads JSON as judges write it, strictly: a name with two different values has no value."""

from __future__ import annotations

import json
from typing import Any

# No step's reply nests deeper than four; a value that nests far deeper overflows the code that
# walks it.
_DEEPEST = 60


class NoJson(ValueError):
    """There is no JSON value here, or one nested too deeply to be an answer."""


def decoded(text: str) -> Any:
    """Return the JSON value of a text.

    Line breaks and other control characters may appear unescaped in texts. A name to which an
    object gives several values gets a tuple of them, which readers never accept as a value.

    Raises:
        NoJson: there is no such value.
    """
    value, end = decoded_at(text := text.strip(), 0)
    if end < len(text):
        raise NoJson
    return value


def decoded_at(text: str, at: int) -> tuple[Any, int]:
    """Return the JSON value that begins at `at`, and where it ends.

    Raises:
        NoJson: there is no such value.
    """
    try:
        value, end = _DECODER.raw_decode(text, at)
    except (ValueError, RecursionError):  # ValueError also for thousands of digits
        raise NoJson from None
    if _too_deep(value):
        raise NoJson
    return value, end


def same(one: Any, other: Any) -> bool:
    """Whether two JSON values are the same. 1 and true differ, 1 and 1.0 differ, and NaN equals
    NaN.
    """
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
