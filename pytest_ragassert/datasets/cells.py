"""Reads values from the cells of a table, in which lists and dicts are written as texts."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from ..interop.documents import text_of
from ..interop.shapes import KEPT_VALUE
from ..interop.written_values import json_in, literal_in
from ..language.escaping import shortened
from ..language.suggestions import shown_value

TEXT_LISTS = frozenset(
    {
        "retrieved_contexts",
        "retrieved_context_ids",
        "retrieved_context_sources",
        "ground_truth_contexts",
        "ground_truth_context_ids",
        "ground_truth_answers",
        "ground_truth_claims",
        "criteria",
        "tags",
    }
)
_IDS = frozenset({"retrieved_context_ids", "ground_truth_context_ids"})
# An integer in a column with missing values, as pandas writes it.
_WHOLE_FLOAT = re.compile(r"-?\d+\.0")
_JSON = frozenset({"history", "metadata", "generation_params", "minimums", "results"})
# A text that is not JSON.
_JSON_OR_TEXT = frozenset({"persona", "source_units"})
_NULLS = frozenset({"nan", "none", "null", "<na>"})
_MISSING = frozenset({"nan", "<na>"})  # only what is never an answer, as "None" may be
_BEGINS_TUPLE = re.compile(r"\(\s*['\"]")
# What programs print for an array, objects, or lists of lists; or with curly quotes.
_PRINTED_LIST = re.compile(
    r"\[\s*(?:[“”„«‘’]|\[\s*['\"“‘{]|(?:nan|<na>)\s*(?=[,\]])|[a-z_][\w.]{0,60}\().*\]"
    r"|\(\s*['\"].*\)|(?:np\.)?array\(.*\)",
    re.DOTALL | re.IGNORECASE,
)
_LONGEST_EXAMPLE = 60  # characters
# Separators that people write between ids.
_BETWEEN_IDS = re.compile(r"[,;|\n]")
_BEGINS_LIST = re.compile(r"\[\s*(?:['\"\]{]|None\b)")
_BEGINS_PYTHON = re.compile(r"\s*(?:\[\s*['\"{\]]|\{\s*['\"}])")  # a list of texts or dicts, a dict
_BEGINS_MESSAGES = re.compile(r"\s*\[\s*\{")
# A string that Python writes, or a quote that does not begin one.
_STRING = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|['"]""", re.DOTALL)


def value_of(field: str, cell: Any, separator: str | None, note: Callable[[str], None]) -> Any:
    """Read a field's value from a cell.

    Args:
        field: the field's own name.
        cell: a text; in a DataFrame, it may be a number.
        separator: what separates the texts of a list that is not written as one; None: the cell is
            one text.
        note: called with a message about anything unusual in the cell.

    Raises:
        ValueError: the field needs JSON, and the cell has none.
    """
    if not isinstance(cell, str):
        return [cell] if field in _IDS else cell
    if field == KEPT_VALUE:
        found = _written(cell)
        return found if isinstance(found, list | dict) else cell
    if cell.strip().lower() in (_NULLS if field in TEXT_LISTS else _MISSING):
        note(f"{field} is {cell.strip()!r}: taken for a missing value")
        return None
    if (field == "id" or field in _IDS) and _WHOLE_FLOAT.fullmatch(cell.strip()):
        cell = cell.strip().removesuffix(".0")
    if field in TEXT_LISTS:
        return _texts(field, cell, separator, note)
    if field in _JSON or field in _JSON_OR_TEXT:
        value = _written(cell)
        if value is not None:
            return value
        if field in _JSON:
            raise ValueError(f"field {field} is {shown_value(cell)}; a cell must have JSON here")
        return [cell] if field == "source_units" else cell
    if field == "question" and _BEGINS_MESSAGES.match(cell):
        # ragas writes conversations into tables in this way
        messages = _list(cell.strip())
        if messages and all(isinstance(one, dict) and "content" in one for one in messages):
            return messages
    return cell


def _written(cell: str) -> Any:
    """The value of a cell in JSON, or a list or dict in Python's notation; None: neither."""
    found = json_in(cell)
    if found is None and _BEGINS_PYTHON.match(cell) and _has_commas(cell):
        found = literal_in(cell.strip())
    return found


def _texts(field: str, cell: str, separator: str | None, note: Callable[[str], None]) -> Any:
    stripped = cell.strip()
    if field in _IDS and stripped.startswith(("[", "{")):
        return _ids(field, stripped)
    if stripped.startswith(("[", "(")):
        found = _list(stripped)
        if found is not None:
            return found
    if _BEGINS_LIST.match(stripped) or (separator is None and _PRINTED_LIST.fullmatch(stripped)):
        note(f"{field} looks like a list but is not one: {shown_value(cell)}; taken for one text")
        return [cell]
    if field == "tags":
        separator = separator or ","
    if separator is None:
        _note_one(field, stripped, note)
        return [cell]
    return [part.strip() for part in cell.split(separator) if part.strip()]


def _note_one(field: str, text: str, note: Callable[[str], None]) -> None:
    """Add a note if what is taken for one text may be several texts, or a document."""
    if field in _IDS:
        ids = [one.strip() for one in _BETWEEN_IDS.split(text)]
        if len(ids) > 1 and all(ids):
            several, one = (
                shortened(json.dumps(each, ensure_ascii=False), _LONGEST_EXAMPLE)
                for each in (ids, [text])
            )
            note(
                f"{field} is {shown_value(text)}: taken for one id; write {several} for "
                f"several, or {one} for one"
            )
    elif text.startswith("{") and isinstance(text_of(_written(text)), str):
        note(
            f"{field} looks like a document, which must be in a list, [{{…}}], in a cell: "
            f"{shown_value(text)}; taken for one text"
        )


def _ids(field: str, text: str) -> Any:
    """Read ids, or grades by id, in JSON or Python's notation.

    Raises:
        ValueError: it is neither.
    """
    found = json_in(text)
    if found is None and _has_commas(text):
        found = literal_in(text)
    if not isinstance(found, list | dict):
        raise ValueError(f"field {field} is {shown_value(text)}; a cell must have JSON here")
    return found


def _list(text: str) -> list[Any] | None:
    """A list of texts, documents and nulls, in JSON or Python's notation; None: not a list."""
    found = json_in(text)
    python = _BEGINS_LIST.match(text) or _BEGINS_TUPLE.match(text)
    if found is None and python and _has_commas(text):
        found = literal_in(text)
    if not isinstance(found, list | tuple):
        return None
    found = list(found)
    # "[1]" may be a text's footnote
    return found if all(isinstance(one, str | dict | None) for one in found) else None


def _has_commas(text: str) -> bool:
    """Whether there is something between the strings of a list. numpy prints arrays without commas,
    and Python would join their strings.
    """
    before = None
    for string in _STRING.finditer(text):
        if len(string[0]) == 1:
            return False
        if before is not None and text[before : string.start()].isspace():
            return False
        before = string.end()
    return True
