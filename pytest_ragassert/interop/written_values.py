"""Lists and dicts that a table or a trace has as texts: as JSON, or as Python writes them."""

from __future__ import annotations

import ast
import json
import warnings
from typing import Any

_MOST_COMMAS = 500_000  # Python needs a hundred times a literal's memory to read it


def json_in(text: str) -> Any:
    """The value that a text is as JSON; None: it is none."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


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
