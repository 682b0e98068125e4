"""Reads tables as text, CSV and TSV: a header row, then a row for each case."""

from __future__ import annotations

import csv
import itertools
import re
from collections.abc import Iterator, Sequence
from typing import BinaryIO

from ..case import CASE_NAMES
from ..language.number_format import plural
from ..language.suggestions import shown_value
from .case_reader import FileRow
from .column_names import ROW_NUMBERS, check_names
from .file_contents import check_table, read_whole
from .table_text import table_text

_DELIMITERS = (",", ";", "\t", "|")
_LONGEST_CELL = 2**30  # characters; contexts may exceed the standard library's own limit
_SAMPLE = 2**16  # characters from which a table's delimiter is found
_SAMPLE_ROWS = 50
_INDEX = "context.span_id"  # of Phoenix' spans
# The first line of some of Excel's exports.
_EXCEL_SAYS = re.compile(r'"?sep=([^\w"\r\n])"?(?:\r\n|\r|\n|$)', re.IGNORECASE)
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_QUOTED_BEHIND_SPACE = re.compile(r'\s+"')


class TableReader:
    """Reads a table with any delimiter; if two fit equally well, it is the usual one.

    Args:
        delimiter: the format's usual delimiter.
    """

    def __init__(self, format: str, suffixes: Sequence[str], delimiter: str) -> None:
        self.format, self.suffixes = format, suffixes
        self._delimiter = delimiter

    def accepts(self, head: bytes) -> bool:
        """Whether the first row names a field of cases."""
        try:
            text = table_text(head, is_whole=False)
            delimiter = _found_delimiter(text, self._delimiter)
            names = next(_Records(text, delimiter), (0, []))[1]
        except (ValueError, csv.Error):
            return False
        return any(name.strip() in CASE_NAMES for name in names)

    def read(self, file: BinaryIO) -> Iterator[FileRow]:
        check_table(file)
        text = table_text(read_whole(file))
        said = _EXCEL_SAYS.match(text)
        delimiter = said[1] if said else _found_delimiter(text, self._delimiter)
        records = _Records(text, delimiter)
        if said:
            next(records)
        try:
            names = [name.strip() for name in next(records, (0, []))[1]]
        except csv.Error as error:
            raise ValueError(f"its first row can't be read: {error}") from None
        if not names:
            raise ValueError("it is empty; its first row must have the columns' names")
        check_names(names[1:] if _has_index(names) else names)
        for number in itertools.count(1):
            try:
                line, cells = next(records)
            except StopIteration:
                if number == 1 and not CASE_NAMES.intersection(names):
                    listed = ", ".join(map(shown_value, names[:10]))
                    raise ValueError(
                        f"its only row, {listed}, names no field; the first row must have the "
                        "columns' names, and each further row is a case"
                    ) from None
                return
            except _BrokenRow as error:
                if error.is_last:
                    raise ValueError(
                        f"line {error.line}: {error}, so the rest of the file would be one cell"
                    ) from None
                yield FileRow(number, f"line {error.line}", ValueError(str(error)))
                continue
            yield FileRow(number, f"line {line}", _content(names, cells), is_table=True)


class _BrokenRow(csv.Error):
    def __init__(self, line: int, error: csv.Error) -> None:
        self.line = line
        self.is_last = "unexpected end of data" in str(error)
        super().__init__(_message(error))


class _Records(Iterator[tuple[int, list[str]]]):
    """Yields each row that is not blank, with the line on which it begins.

    Raises:
        _BrokenRow: a row's quotes are wrong; the rows after it can be read.
    """

    def __init__(self, text: str, delimiter: str) -> None:
        lines = (found.group() for found in _LINE.finditer(text))
        self._rows = csv.reader(lines, delimiter=delimiter, strict=True)

    def __next__(self) -> tuple[int, list[str]]:
        while True:
            line = self._rows.line_num + 1
            # the csv module has one limit for the whole process
            before = csv.field_size_limit(_LONGEST_CELL)
            try:
                cells = next(self._rows)
            except csv.Error as error:
                raise _BrokenRow(line, error) from None
            finally:
                csv.field_size_limit(before)
            if cells and cells[0].startswith("\ufeff"):
                cells[0] = _without_mark(cells[0])
            if any(map(str.strip, cells)):
                return line, cells


def _without_mark(cell: str) -> str:
    """A row's first cell without a byte order mark, as in joined files, and without its quotes."""
    cell = cell.lstrip("\ufeff")
    return cell[1:-1].replace('""', '"') if re.fullmatch('".*"', cell, re.DOTALL) else cell


def _message(error: csv.Error) -> str:
    if "unexpected end of data" in str(error):
        return "a quote opens here and never closes"
    if "expected after" in str(error):
        return 'its quotes are wrong: a quote within a quoted cell is written twice ("")'
    return f"not a row of a table: {error}"


def _found_delimiter(text: str, usual: str) -> str:
    """The delimiter with which most rows are as wide as the first, with at least two columns."""
    sample = text[:_SAMPLE]
    if len(text) > _SAMPLE:
        sample = sample.rpartition("\n")[0] or sample
    found, best = usual, (0.0, 1)
    for delimiter in dict.fromkeys((usual, *_DELIMITERS)):
        widths = []
        try:
            for _, cells in itertools.islice(_Records(sample, delimiter), _SAMPLE_ROWS):
                widths.append(len(cells))
        except csv.Error:
            # the reader reports the place; the last row of a sample may be cut
            pass
        if widths and widths[0] > 1:
            rank = (widths.count(widths[0]) / len(widths), widths[0])
            if rank > best:
                found, best = delimiter, rank
    return found


def _has_index(names: Sequence[str]) -> bool:
    """Whether the first column is an index that pandas wrote beside a column of the same name."""
    return names[0] == _INDEX and _INDEX in names[1:]


def _content(names: Sequence[str], cells: Sequence[str]) -> dict[str, str | None] | ValueError:
    """The cells by column; None for empty cells."""
    extra = [cell for cell in cells[len(names) :] if cell.strip()]
    if extra or len(cells) < len(names):
        return ValueError(_wrong_width(names, cells))
    if len(names) > 1 and cells[0].strip() == names[0] and [*map(str.strip, cells)] == [*names]:
        return ValueError("it repeats the columns' names, as in joined files")
    content: dict[str, str | None] = {}
    for place, (name, cell) in enumerate(zip(names, cells, strict=False)):
        if not cell.strip():
            if name:
                content[name] = None
        elif name and not (place == 0 and name == ROW_NUMBERS):
            content[name] = cell
        elif place or not cell.strip().isdigit():
            return ValueError(f"column {place + 1} has the value {shown_value(cell)} and no name")
        # otherwise these are the row numbers of pandas' to_csv
    return content


def _wrong_width(names: Sequence[str], cells: Sequence[str]) -> str:
    if any(map(_QUOTED_BEHIND_SPACE.match, cells)):
        why = "put quotes directly after the delimiter, without a space"
    elif len(names) == 1:
        why = f"the first row, {shown_value(names[0])}, has the columns' names"
    else:
        why = 'put quotes ("…") around a value that has the delimiter, a line break or a quote'
    return f"it has {plural(len(cells), 'value')} for {plural(len(names), 'column')}; {why}"
