"""Reads the rows of a sheet, with cells as texts."""

from __future__ import annotations

import datetime
import warnings
from collections.abc import Iterator, Sequence
from itertools import islice, zip_longest
from typing import Any, NamedTuple

from openpyxl.utils import get_column_letter as column_letters

from ..language.suggestions import shown_value
from .excel_parts import ExcelMistake, Merged, Part

__all__ = ["Row", "column_letters", "rows_of_sheet"]

_MOST_ROWS = 2**20  # Excel's limit
_AT_A_TIME = 256  # rows
_MIDNIGHT = datetime.time()
_WHOLE = 10**15  # above this, floats do not represent all integers


class Row(NamedTuple):
    """A row that is not empty.

    Attributes:
        number: the row's number in the sheet.
        texts: the texts of its cells; None: an empty cell.
        mistake: why it can't be a row of a table.
    """

    number: int
    texts: list[str | None]
    mistake: ValueError | None


def rows_of_sheet(sheet: Any, formulas: Any, parts: dict[str, Part]) -> Iterator[Row]:
    """Read the rows of a sheet.

    Args:
        sheet: the sheet with the values of formulas.
        formulas: the same sheet with the formulas themselves.
        parts: the archive's parts, by name.

    Raises:
        ExcelMistake: there are more rows than a sheet can have.
    """
    # the only place where openpyxl has the path of a sheet in read-only mode
    part = parts.get(sheet._worksheet_path.lstrip("/"), Part())
    for one in (sheet, formulas):
        # the size stated in the file may be wrong
        one.reset_dimensions()
    with_formulas = formulas.iter_rows() if part.has_formulas else ()
    merged = _MergedCells(part.merged)
    both = _quiet(zip_longest(sheet.iter_rows(), with_formulas))
    for number, (cells, sources) in enumerate(both, start=1):
        if number > _MOST_ROWS:
            raise ExcelMistake(f"it has a row {number}, but a sheet has at most {_MOST_ROWS}")
        if not cells:
            continue
        row = _row(number, cells, sources or ())
        if row.mistake is not None or any(text and text.strip() for text in row.texts):
            merged.fill(row)
            yield row


def _quiet(rows: Iterator[Any]) -> Iterator[Any]:
    """The rows, without openpyxl's warnings about styles and the like."""
    some: list[Any] | None = None
    while some is None or some:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            some = list(islice(rows, _AT_A_TIME))
        yield from some


def _row(number: int, cells: Sequence[Any], sources: Sequence[Any]) -> Row:
    texts: list[str | None] = []
    mistake = None
    for place, (cell, source) in enumerate(zip_longest(cells, sources), start=1):
        try:
            texts.append(_text(cell, source))
        except ValueError as error:
            texts.append(None)
            mistake = mistake or ValueError(f"cell {column_letters(place)}{number} {error}")
    return Row(number, texts, mistake)


def _text(cell: Any, source: Any) -> str | None:
    """The cell as text: a number as Excel shows it in a cell without a format.

    Raises:
        ValueError: it has an error, or a formula whose value is not in the file.
    """
    value = None if cell is None else cell.value
    if value is None:
        if source is not None and source.data_type == "f" and cell.data_type == "n":
            raise ValueError(
                f"has the formula {shown_value(_formula(source.value))} without its value, which "
                "no program has stored; open the workbook in Excel or LibreOffice and save it"
            )
        return None
    if cell.data_type == "e":
        raise ValueError(f"has the error {value}; correct the cell, or leave it empty")
    if isinstance(value, str):
        return value.replace("_x000D_", "\r")
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, float) and value.is_integer() and abs(value) < _WHOLE:
        return str(int(value))
    if isinstance(value, datetime.datetime) and value.time() == _MIDNIGHT:
        return value.date().isoformat()
    written = getattr(value, "isoformat", None)
    return str(written() if callable(written) else value)


def _formula(value: Any) -> str:
    return str(getattr(value, "text", value))


class _MergedCells:
    """Gives all rows of merged cells the text of the first cell."""

    def __init__(self, merged: Sequence[Merged]) -> None:
        self._begin: dict[int, list[Merged]] = {}
        for one in merged:
            self._begin.setdefault(one.first, []).append(one)
        self._texts: dict[int, tuple[int, str | None]] = {}

    def fill(self, row: Row) -> None:
        """Add the texts of cells that are merged with a cell above."""
        number, texts = row.number, row.texts
        for column, (last, text) in list(self._texts.items()):
            if number > last:
                del self._texts[column]
            elif text is not None:
                texts += [None] * (column - len(texts))
                texts[column - 1] = texts[column - 1] or text
        for one in self._begin.get(number, ()):
            if one.column <= len(texts):
                self._texts[one.column] = (one.last, texts[one.column - 1])
