"""Reads JSON: a list of objects, an object with one such list, or a single object."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from typing import Any, BinaryIO

from ..case import CASE_NAMES
from ..interop import promptfoo
from ..interop.data_sets import queries_in
from ..interop.trace_rows import spans_of_row
from ..interop.vocabularies import ALIASES
from ..language.suggestions import shown_value
from ..storage.files.committed_text import json_value
from ..storage.files.encodings import encoding_of
from ..storage.files.plain_files import text_of
from .case_reader import FileRow
from .column_names import check_names
from .file_contents import check_json, read_whole
from .table_text import table_text


class JsonReader:
    format = "json"
    suffixes = (".json",)

    def accepts(self, head: bytes) -> bool:
        """Whether it begins as a list or an object does. Files with the suffix are read in any
        case, so that mistakes in them are reported.
        """
        return head.removeprefix(codecs.BOM_UTF8).lstrip()[:1] in (b"[", b"{")

    def read(self, file: BinaryIO) -> Iterator[FileRow]:
        check_json(file)
        raw = read_whole(file)
        value = json_value(text_of(raw) if encoding_of(raw[:4]) is None else table_text(raw))
        queries = queries_in(value)
        records = records_in(value) if queries is None else queries
        for number, content in enumerate(records, start=1):
            yield FileRow(number, f"case {number}", content, is_trace=queries is not None)


def records_in(value: Any) -> list[Any]:
    """The records in a JSON value.

    Raises:
        ValueError: an object has several lists of objects.
    """
    if isinstance(value, list):
        return value
    if not isinstance(value, dict) or spans_of_row(value) is not None:
        return [value]
    tests = promptfoo.tests_in(value)
    if tests is not None:
        return tests
    rows = _rows_of_table(value)
    if rows is not None:
        return rows
    if any(map(_is_column, (value.get(name) for name in _TEXTS))):
        raise ValueError(
            "it has the values by column, but cases must be a list of objects, as pandas' "
            'to_json(orient="records") writes them; load_cases also takes a DataFrame'
        )
    # a case also has lists of objects: its history, or documents as contexts
    lists = {
        name: items
        for name, items in value.items()
        if name not in CASE_NAMES
        and isinstance(items, list)
        and all(isinstance(item, dict) for item in items)
    }
    if len(lists) > 1 and not value.keys() & CASE_NAMES:
        names = ", ".join(map(shown_value, list(lists)[:10]))
        raise ValueError(f"the object has several lists: {names}; remove all but the list of cases")
    if len(lists) != 1 or value.keys() & (CASE_NAMES - _OF_A_SET):
        return [value]
    return next(iter(lists.values()))


def _rows_of_table(value: dict[str, Any]) -> list[Any] | None:
    """The records of a table as pandas' to_json(orient="split") writes it, without its index. An
    invalid row is replaced by the ValueError that says why. None if it is not such a table.
    """
    columns, rows = value.get("columns"), value.get("data")
    if not value.keys() <= {"columns", "index", "data"}:
        return None
    if not isinstance(columns, list) or not isinstance(rows, list):
        return None
    check_names(list(map(str, columns)))
    return [_record(columns, row) for row in rows]


def _record(columns: list[Any], row: Any) -> dict[str, Any] | ValueError:
    if not isinstance(row, list) or len(row) != len(columns):
        return ValueError(f"it is not a list with a value for each of the {len(columns)} columns")
    return dict(zip(map(str, columns), row, strict=True))


def _is_column(value: Any) -> bool:
    """Whether a value is a list of texts, or a dict of them by row, where a case has one text."""
    if isinstance(value, dict):
        value = list(value.values()) if all(map(str.isdecimal, value)) else []
    return isinstance(value, list) and bool(value) and all(isinstance(v, str) for v in value)


# Names of fields that take one text.
_TEXTS = [
    name
    for name in CASE_NAMES
    if ALIASES.get(name, name) in ("question", "answer", "ground_truth_answer")
]
# Names that a data set has besides its cases, and a case besides its texts.
_OF_A_SET = {"id", "metadata", "tags"}
