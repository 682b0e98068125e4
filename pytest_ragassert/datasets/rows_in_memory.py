"""Reads rows in memory: DataFrames, data sets and iterables.

DataFrames are recognised by their methods; their libraries are never imported here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ..case import CASE_NAMES, EvalCase
from ..interop.data_sets import items_of
from ..interop.objects import is_peers, record_of
from ..language.suggestions import shown_value
from .case_reader import FileRow
from .column_names import ROW_NUMBERS, repeated


def rows_of(source: Any) -> Iterator[FileRow]:
    """The rows of a DataFrame (pandas, polars), a table (pyarrow), a `datasets.Dataset`, or an
    iterable of cases, dicts and objects.

    Raises:
        TypeError: the source has another type, or an item can't be a case.
        ValueError: two columns have the same name.
    """
    frame = _frame_rows(source)
    if frame is not None:
        # `read_csv` leaves lists as the texts of their cells
        for number, row in enumerate(frame, start=1):
            if isinstance(row.get(ROW_NUMBERS), int):
                del row[ROW_NUMBERS]
            yield FileRow(number, f"row {number}", row, is_table=True)
        return
    items = items_of(source)
    source = source if items is None else items
    if isinstance(source, Mapping) and not isinstance(source, EvalCase):
        raise TypeError(_no_rows(source))
    if isinstance(source, EvalCase | bytes) or not isinstance(source, Iterable):
        raise TypeError(f"{source!r:.60} is neither a file nor a list of cases")
    for number, item in enumerate(source, start=1):
        content = item if isinstance(item, EvalCase) else _record(item)
        place = f"case {number} of {source_name(source)}"
        yield FileRow(number, place, content, is_peers=items is not None or is_peers(item))


def source_name(source: Any) -> str:
    """The name of rows in memory in messages: `the list`, `the DataFrame`."""
    is_table = hasattr(source, "columns") or hasattr(source, "column_names")
    return f"the {type(source).__name__}" if is_table else "the list"


def _record(item: Any) -> dict[str, Any]:
    record = record_of(item)
    if record is None:
        raise TypeError(f"a case must be an EvalCase or a dict, not {type(item).__name__}")
    return _plain_row(record)


def _no_rows(source: Mapping[Any, Any]) -> str:
    if type(source).__name__ in ("DatasetDict", "IterableDatasetDict"):
        splits = ", ".join(map(shown_value, source))
        return f"it is a {type(source).__name__}; give one of its data sets: {splits}"
    return "it is a single dict, but cases must be a list of dicts: [{…}]"


def _frame_rows(source: Any) -> Iterator[dict[str, Any]] | None:
    """The rows of a DataFrame; None if it is not one."""
    if callable(getattr(source, "itertuples", None)) and hasattr(source, "columns"):
        levels = getattr(getattr(source, "index", None), "names", ())
        named = [name for name in levels if name in CASE_NAMES and name not in source.columns]
        source = source.reset_index(level=named) if named else source
        names = [str(name) for name in source.columns]
        twice = sorted(repeated(names))
        if twice:
            raise ValueError(f"two columns are called {', '.join(map(shown_value, twice))}")
        rows = source.itertuples(index=False, name=None)
        return (_plain_row(dict(zip(names, row, strict=True))) for row in rows)
    if callable(getattr(source, "iter_rows", None)) and hasattr(source, "columns"):
        return map(_plain_row, source.iter_rows(named=True))
    if callable(getattr(source, "collect", None)) and hasattr(source, "collect_schema"):
        raise TypeError("it is a LazyFrame; give what its collect() returns")
    if callable(getattr(source, "to_pylist", None)) and hasattr(source, "column_names"):
        return map(_plain_row, source.to_pylist())
    return None


def _plain_row(row: Mapping[Any, Any]) -> dict[str, Any]:
    return {str(name): _plain(value) for name, value in row.items()}


def _plain(value: Any) -> Any:
    """The value as Python's own type, if a library uses its own."""
    if value is None or isinstance(value, str | int | float | list | dict):
        return value
    if type(value).__name__ in ("NAType", "NaTType"):
        return None
    for method in ("tolist", "to_list", "item"):
        convert = getattr(value, method, None)
        if callable(convert) and (hasattr(value, "dtype") or method == "to_list"):
            return convert()
    written = getattr(value, "isoformat", None)
    # a date can't be written as JSON
    return written() if callable(written) else value
