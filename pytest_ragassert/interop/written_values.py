"""Values as tables and traces have them: lists and dicts as texts, in JSON or as Python writes
them, and an empty text or NaN for what is not there.
"""

from __future__ import annotations

import ast
import json
import math
import warnings
from collections.abc import Mapping
from typing import Any

from ..language.escaping import is_blank

_MOST_COMMAS = 500_000  # Python needs a hundred times a literal's memory to read it


def json_in(text: str, otherwise: Any = None) -> Any:
    """The value that a text is as JSON; `otherwise` where it is none."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return otherwise


def literal_in(text: str) -> Any:
    """The value of a literal, as pandas' `to_csv` writes lists; None: it is none, or too large.

    Nothing is run.
    """
    if text.count(",") > _MOST_COMMAS:
        return None
    try:
        with warnings.catch_warnings():
            # of escapes that mean nothing
            warnings.simplefilter("ignore")
            return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None


def parsed(value: Any) -> Any:
    """The list or dict that a text is; any other value as it is."""
    if not isinstance(value, str) or value.lstrip()[:1] not in ("[", "{"):
        return value
    found = json_in(value)
    if found is None:
        found = literal_in(value.strip())
    return found if isinstance(found, list | dict) else value


def dict_in(value: Any) -> Mapping[str, Any]:
    """The dict that a value is, or is as a text; an empty one where it is none."""
    value = parsed(value)
    return value if isinstance(value, Mapping) else {}


def list_in(value: Any) -> list[Any]:
    """The list that a value is, or is as a text; an empty one where it is none."""
    value = parsed(value)
    return value if isinstance(value, list) else []


def value_or_none(value: Any) -> Any:
    """A value; None where it is an empty text, or NaN as in a table."""
    return None if value == "" or value != value else value


def has_value(value: Any) -> bool:
    """Whether a value is neither null, nor NaN, nor a blank text."""
    if isinstance(value, str):
        return not is_blank(value)
    return value is not None and not (isinstance(value, float) and math.isnan(value))
