"""Reads Excel workbooks (`.xlsx`, `.xlsm`): one sheet, with a header row, and a row for each case.

Needs the extra `excel`. The value of a formula is the one that Excel stored; no formula is run.
"""

from __future__ import annotations

import contextlib
import itertools
import warnings
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

from ..case import CASE_NAMES
from ..language.suggestions import shown_value
from .case_reader import FileRow
from .column_names import check_names
from .excel_parts import ExcelMistake, Part, checked_parts
from .file_contents import head_of
from .libraries import needed
from .unpacking import at_random, size_of

if TYPE_CHECKING:
    from .excel_sheet import Row

_ZIP, _TYPES = b"PK\x03\x04", b"[Content_Types].xml"
_MOST_TITLES = 5  # rows above the header
_NAMES = CASE_NAMES | {"claim"}  # columns of labelled claims too


class _Table(NamedTuple):
    """The rows of a sheet, beginning with its header."""

    sheet: str
    names: list[str]
    rows: Iterator[Row]


class ExcelReader:
    """Reads the sheet that has the cases, from its header on.

    Args:
        columns: additional column names that are mapped to fields.
    """

    format = "excel"
    suffixes = (".xlsx", ".xlsm")

    def __init__(self, columns: Iterable[str] = ()) -> None:
        self._columns = frozenset(columns)

    def accepts(self, head: bytes) -> bool:
        """Whether it is an archive with a part of a workbook."""
        return head.startswith(_ZIP) and (b"xl/" in head or _TYPES in head)

    def read(self, file: BinaryIO) -> Iterator[FileRow]:
        with needed("openpyxl", "excel"):
            import openpyxl

        def opened(*, values: bool) -> Any:
            with warnings.catch_warnings():
                # openpyxl warns about styles and the like
                warnings.simplefilter("ignore")
                book = openpyxl.load_workbook(file, read_only=True, data_only=values)
            return to_close.enter_context(contextlib.closing(book))

        size, file = size_of(file), at_random(file)
        _check_kind(file)
        with _report_damage(), contextlib.ExitStack() as to_close:
            parts = checked_parts(file, size)
            book = opened(values=True)
            has_formulas = any(part.has_formulas for part in parts.values())
            formulas = opened(values=False) if has_formulas else book
            table, more = _chosen((book, formulas), parts, self._columns)
            for number, row in enumerate(table.rows, start=1):
                place = f"sheet {shown_value(table.sheet)}, row {row.number}" if more else None
                content = row.mistake or _content(table.names, row.texts)
                yield FileRow(number, place or f"row {row.number}", content, is_table=True)


def _check_kind(file: BinaryIO) -> None:
    """Check that the file may be a workbook.

    Raises:
        ValueError: it is not an archive.
    """
    if head_of(file, len(_ZIP)) != _ZIP:
        raise ValueError("it is not an Excel workbook (.xlsx)")


@contextlib.contextmanager
def _report_damage() -> Iterator[None]:
    """Report any error that openpyxl raises for a workbook; it has no exception class of its own.

    Raises:
        ValueError: instead of openpyxl's error.
    """
    try:
        yield
    except ExcelMistake:
        raise
    except Exception as error:
        why = " ".join(str(error).split())[:200]
        raise ValueError(f"not a valid Excel workbook: {type(error).__name__}: {why}") from None


def _chosen(
    books: Sequence[Any], parts: dict[str, Part], columns: frozenset[str]
) -> tuple[_Table, bool]:
    """The sheet that has the cases, and whether there are other sheets that are not empty.

    Raises:
        ExcelMistake: no sheet has them, or several do.
    """
    from .excel_sheet import rows_of_sheet

    tables = []
    for sheet, formulas in zip(*(book.worksheets for book in books), strict=True):
        if sheet.sheet_state == "visible":
            table = _table(sheet.title, rows_of_sheet(sheet, formulas, parts), columns)
            tables += [] if table is None else [table]
    if not tables:
        raise ExcelMistake("it is empty; a sheet's first row must have the columns' names")
    known = _NAMES | columns
    with_fields = [table for table in tables if not known.isdisjoint(table.names)]
    chosen = with_fields or tables
    if len(chosen) > 1:
        listed = ", ".join(shown_value(table.sheet) for table in chosen[:10])
        raise ExcelMistake(
            f"it has several sheets that may have the cases: {listed}; hide all except one, "
            "because hidden sheets are ignored, or save each as a file"
        )
    return chosen[0], len(tables) > 1


def _table(sheet: str, rows: Iterator[Row], columns: frozenset[str]) -> _Table | None:
    """The table of a sheet, without titles above it; None: the sheet is empty."""
    begin = list(itertools.islice(rows, _MOST_TITLES + 1))
    if not begin:
        return None
    header = _header_in(begin, columns)
    first = begin[header]
    if first.mistake is not None:
        raise ExcelMistake(f"sheet {shown_value(sheet)}, row {first.number}: {first.mistake}")
    names = [(text or "").strip() for text in first.texts]
    try:
        check_names(names)
    except ValueError as error:
        raise ExcelMistake(str(error)) from None
    return _Table(sheet, names, itertools.chain(begin[header + 1 :], rows))


def _header_in(rows: Sequence[Row], columns: frozenset[str]) -> int:
    """The index of the header: the first row that names a column of `columns`, or in which most
    names are fields; or else the first row with several cells.
    """
    named = [{text.strip() for text in row.texts if text and text.strip()} for row in rows]
    for place, names in enumerate(named):
        fields = names & _NAMES
        if not columns.isdisjoint(names) or (fields and 2 * len(fields) >= len(names)):
            return place
    return next((place for place, names in enumerate(named) if len(names) > 1), 0)


def _content(
    names: Sequence[str], texts: Sequence[str | None]
) -> dict[str, str | None] | ValueError:
    """The cells by column; None for empty cells."""
    from .excel_sheet import column_letters

    content: dict[str, str | None] = {name: None for name in names if name}
    for place, text in enumerate(texts):
        if text is None or not text.strip():
            continue
        name = names[place] if place < len(names) else ""
        if name:
            content[name] = text
        elif place or not text.isdigit():
            return ValueError(
                f"column {column_letters(place + 1)} has the value {shown_value(text)} and no name"
            )
        # otherwise these are the row numbers of pandas' to_excel
    return content
