"""Reads values as tables and traces have them: lists and dicts as texts, in JSON or in Python's
notation, and an empty text or NaN for a missing value.
"""

from __future__ import annotations

import ast
import json
import math
import warnings
from collections.abc import Mapping
from typing import Any

from ..language.escaping import is_blank

_MOST_COMMAS = 500_000  # to read a literal, Python needs a hundred times its memory


def json_in(text: str, otherwise: Any = None) -> Any:
    """Decode a text as JSON; `otherwise` if it is not JSON."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return otherwise


def literal_in(text: str) -> Any:
    """The value of a literal, as pandas' `to_csv` writes lists; None: not a literal, or too large.

    No code is run.
    """
    if text.count(",") > _MOST_COMMAS:
        return None
    try:
        with warnings.catch_warnings():
            # warnings about invalid escapes
            warnings.simplefilter("ignore")
            return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None


def parsed(value: Any) -> Any:
    """The list or dict in a text; any other value unchanged."""
    if not isinstance(value, str) or value.lstrip()[:1] not in ("[", "{"):
        return value
    found = json_in(value)
    if found is None:
        found = literal_in(value.strip())
    return found if isinstance(found, list | dict) else value


def dict_in(value: Any) -> Mapping[str, Any]:
    """A dict, or the dict in a text; an empty dict for any other value."""
    value = parsed(value)
    return value if isinstance(value, Mapping) else {}


def list_in(value: Any) -> list[Any]:
    """A list, or the list in a text; an empty list for any other value."""
    value = parsed(value)
    return value if isinstance(value, list) else []


def value_or_none(value: Any) -> Any:
    """The value; None for an empty text, or for NaN as in a table."""
    return None if value == "" or value != value else value


def has_value(value: Any) -> bool:
    """Whether a value is neither null, nor NaN, nor a blank text."""
    if isinstance(value, str):
        return not is_blank(value)
    return value is not None and not (isinstance(value, float) and math.isnan(value))
