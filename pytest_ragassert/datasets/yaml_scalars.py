"""Plain scalars of YAML, as texts as they were written, or as the values that YAML 1.2 gives them.

A field that takes texts gets what was written: the answer `1.50` is not a number there, and `no` is
not a truth value. Only where any value is allowed, as in `metadata`, is `5` a number.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from ..language.suggestions import shown_value

_LONGEST_NUMBER = 300
_NULL = re.compile(r"~|null|Null|NULL|")
_TRUTH = re.compile(r"(true|True|TRUE)|false|False|FALSE")
_WHOLE = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_INFINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)")
_NO_NUMBER = re.compile(r"\.(?:nan|NaN|NAN)")
# Fields whose values may be numbers and truth values.
_ANY_VALUE = frozenset({"metadata", "generation_params", "minimums", "results", "source_units"})


class Scalar(str):
    """A scalar without quotes that is neither null nor clearly a text."""

    __slots__ = ()


def plain_scalar(text: str) -> str | None:
    """The value of an unquoted scalar: null and NaN become None, because both mean no value."""
    if _NULL.fullmatch(text) or _NO_NUMBER.fullmatch(text):
        return None
    # all others begin with a letter with which none of these begins
    return Scalar(text) if text[0] in "+-.0123456789tTfF" else text


def field_value(field: str, value: Any) -> Any:
    """The value of a field: with texts as they were written, or with the values of YAML.

    Raises:
        ValueError: a number has too many digits.
    """
    if field in _ANY_VALUE or (field == "persona" and isinstance(value, dict)):
        return _with(value, _value)
    return _with(value, str)


def _with(value: Any, read: Callable[[Scalar], Any]) -> Any:
    if isinstance(value, Scalar):
        return read(value)
    if isinstance(value, dict):
        return {str(name): _with(one, read) for name, one in value.items()}
    return [_with(one, read) for one in value] if isinstance(value, list) else value


def _value(scalar: Scalar) -> Any:
    text = str(scalar)
    truth = _TRUTH.fullmatch(text)
    if truth:
        return truth[1] is not None
    if _WHOLE.fullmatch(text):
        if len(text) > _LONGEST_NUMBER:
            raise ValueError(
                f"the number {shown_value(text)} has {len(text)} digits; put a text in quotes"
            )
        return int(text, {"0o": 8, "0x": 16}.get(text[:2], 10))
    if _FLOAT.fullmatch(text):
        return float(text)
    return float(text.replace(".", "")) if _INFINITE.fullmatch(text) else text
