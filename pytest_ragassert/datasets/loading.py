"""Loads cases from a file, a folder of files, an open file, or rows in memory."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO, Literal, NamedTuple

from ..case import EvalCase
from ..errors import warn_caller
from ..interop.tools import BEIR, LLAMA_INDEX, TOOLS
from ..language.escaping import escaped_lines, is_blank
from ..language.suggestions import shown_value
from ..runtime.printable import printable
from ..storage.files.plain_files import cant_be_read, not_utf8_since, open_plain
from .beir import beir_at
from .case_reader import FileRow
from .columns import Columns, WayOut, way_out
from .data_set import DataSet
from .distinct_cases import distinct
from .excel_reader import ExcelReader
from .folders import case_files, check_exists, other_data
from .mistakes import Mistakes
from .nested_rows import with_common_tool
from .odd_values import OddValues
from .open_files import binary_of, is_open_file, name_of
from .promptfoo_rows import tests_of
from .rag_dataset import rag_dataset_in
from .readers import (
    check_kind,
    reader_by_content,
    reader_called,
    reader_of,
    readers_of,
    suffix_mistake,
)
from .rows_in_memory import rows_of, source_name
from .trace_rows import with_traces
from .unpacking import inner_name, plain

_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
OnError = Literal["raise", "skip"]
# Selects the cases to keep, as they are read.
Choose = Callable[[Iterable[EvalCase]], list[EvalCase]]


def load_cases(
    source: Any,
    *,
    format: str | None = None,
    fields: Mapping[str, str] | None = None,
    on_error: OnError = "raise",
) -> list[EvalCase]:
    """Load cases from a file, a folder of files, an open file, or rows in memory.

    Formats of files, each optionally compressed with gzip (`.gz`):

    - `.jsonl`: one JSON object on each line; blank lines are ignored.
    - `.json`: a list of objects, an object with one such list, a single object, or JSON Lines.
    - `.csv`, `.tsv`: a header row, then a row for each case, in UTF-8 or UTF-16. Commas,
      semicolons, tabs or vertical bars separate the cells. A list in a cell is a JSON array;
      otherwise the cell is one text.
    - `.yaml`, `.yml`: a list of mappings, a mapping with one such list, or a single mapping, in one
      document or several.
    - `.parquet`, `.arrow`, `.feather`, with the extra `parquet`; `.xlsx`, with the extra `excel`.

    A file with another name is read if its content shows the format. Other columns of ragas' files
    become `persona` and `metadata`. A case without an `id` is named after its file and position
    (`cases-3`). In a folder, files are read in the order of their names; hidden files,
    editors' backups and files without cases are ignored, and a warning names other data files.

    Rows that are spans of traces, as Phoenix, Langfuse, LangSmith, MLflow and TruLens export them,
    become one case for each trace, after the cases of other rows.

    Null and empty values count as missing, except an empty list of retrieved contexts. If a source
    has no cases, there is a warning.

    Args:
        source: a path; an open file; a pandas or polars DataFrame; a `datasets.Dataset`; or an
            iterable of dicts and cases.
        format: the format, if name and content do not show it: `jsonl`, `json`, `csv`, `tsv`,
            `yaml`, `parquet`, `arrow`, `feather`, `excel`; or the tool that wrote the records, such
            as `ragas` or `deepeval` (`docs/how-to/other-tools.md` lists them). Then unknown
            columns go into metadata, and records of another tool are an error.
        fields: the field for each column that has another name, such as
            `{"prompt": "question", "topic": "metadata"}`. With `metadata`, the column goes into the
            metadata under its own name.
        on_error: `"raise"`, or `"skip"` to leave out cases with mistakes, with a warning. A file
            that can't be read as a whole is an error in either case.

    Returns:
        The cases, in the order of the source.

    Raises:
        FileNotFoundError: the path does not exist.
        TypeError: the source, or an item of it, has the wrong type.
        ValueError: cases can't be read, or have the same id. The message names all of them, each
            with file, line, field and value, and what the field takes.
    """
    __tracebackhide__ = True
    try:
        read = read_cases(source, format=format, fields=fields, on_error=on_error)
    except FileNotFoundError:
        if isinstance(source, str | os.PathLike):
            check_exists(Path(source))
        raise
    if not read.cases and not read.notes:
        called = source if isinstance(source, str | os.PathLike) else "the source"
        read.notes.append(f"{_shown(str(called))} has no cases")
    for note in read.notes:
        warn_caller(note)
    return read.cases


class ReadCases(NamedTuple):
    """The cases of a source, and how it was read.

    Attributes:
        formats: the format of each file, by the file's name in messages.
        columns: the field of each column that had a value, by column.
        notes: the warnings.
    """

    cases: list[EvalCase]
    formats: dict[str, str]
    columns: dict[str, str]
    notes: list[str]


def read_cases(
    source: Any,
    *,
    format: str | None = None,
    fields: Mapping[str, str] | None = None,
    on_error: OnError = "raise",
    choose: Choose = list,
    way_out: WayOut = way_out,
) -> ReadCases:
    """Read cases as `load_cases` does, and report how; without warnings.

    Args:
        choose: gets each case as it is read, and returns those to keep. All cases are checked.
        way_out: returns advice for errors about a column with an unknown name.
    """
    __tracebackhide__ = True
    if on_error not in ("raise", "skip"):
        raise ValueError(f"on_error must be 'raise' or 'skip', not {on_error!r:.60}")
    try:
        loading = _Loading(format, fields, Mistakes(way_out, skip=on_error == "skip"))
        cases = choose(loading.cases(source))
    except ValueError as error:
        raise ValueError(_shown(str(error))) from None
    except MemoryError:
        where = _shown(f"{source}: ") if isinstance(source, str | os.PathLike) else ""
        raise ValueError(f"{where}it needs more memory than there is; give a part of it") from None
    notes = list(map(_shown, loading.notes))
    return ReadCases(cases, loading.formats, loading.columns.fields, notes)


def cases_from(
    items: Iterable[Any],
    *,
    fields: Mapping[str, str] | None = None,
    format: str | None = None,
    choose: Choose = list,
    warn: Callable[[str], None] = warn_caller,
) -> list[EvalCase]:
    """Read cases from rows in memory, in their order; cases without an id remain so.

    Args:
        choose: as in `read_cases`.
        warn: called with a message about anything unusual in a row.

    Raises:
        TypeError, ValueError: as in `load_cases`.
    """
    __tracebackhide__ = True
    loading = _Loading(format, fields, Mistakes(way_out))
    loading.check_no_file(items)

    def read() -> Iterator[EvalCase]:
        yield from (case for _, _, case in loading.of_rows(items, None) if case is not None)
        loading.check(source_name(items))

    cases = choose(distinct(read()))
    for note in loading.notes:
        warn(_shown(note))
    return cases


def _shown(text: str) -> str:
    """Make a message safe to print: names of files may be untrusted too."""
    return printable(escaped_lines(text))


class _Loading:
    """The state of one call: its formats and fields, and the mistakes found so far."""

    def __init__(
        self, format: str | None, fields: Mapping[str, str] | None, mistakes: Mistakes
    ) -> None:
        self._tool = format if format in TOOLS else None
        self._reader = None if format is None or self._tool else reader_called(format)
        self.columns = Columns(fields)
        self.formats: dict[str, str] = {}
        self.notes: list[str] = []
        self._odd = OddValues()
        self._mistakes = mistakes

    def cases(self, source: Any) -> Iterator[EvalCase]:
        """Yield each case as it is read; at the end, raise or note the mistakes."""
        if isinstance(source, str) and _ADDRESS.match(source):
            raise ValueError(
                f"{source}: URLs are not read; download the file, and give its path",
            )
        if isinstance(source, str | os.PathLike):
            return self._of_paths(Path(source))
        if is_open_file(source):
            name = name_of(source)
            stem = "case" if name is None else inner_name(name).stem
            called = name or "the open file"
            return self._distinct(called, self._of_file(called, stem, binary_of(source), None))
        self.check_no_file(source)
        return self._distinct(source_name(source), self.of_rows(source, "case"))

    def check_no_file(self, source: Any) -> None:
        """Check that rows in memory have no format of files.

        Raises:
            ValueError: they do.
        """
        if self._reader is not None:
            raise ValueError(f"format: {type(source).__name__} is not a file, and has no format")

    def _of_paths(self, place: Path) -> Iterator[EvalCase]:
        data_set = beir_at(place) if self._tool in (None, BEIR) else None
        if data_set is not None:
            return self._distinct(str(place), self._of_data_set(place, data_set))
        if place.is_dir():
            files = case_files(place)
            if self._tool in (None, LLAMA_INDEX):
                data_set = rag_dataset_in(place, files)
            if data_set is not None:
                return self._distinct(str(place), self._of_data_set(place, data_set))
            others = other_data(place)
            self.notes += [] if others is None else [others]
        else:
            files = [place]
        stems = Counter(inner_name(file).stem for file in files)

        def read() -> Iterator[tuple[str, str | None, EvalCase | None]]:
            for file in files:
                inner = inner_name(file)
                name = inner.stem if stems[inner.stem] == 1 else file.name
                yield from self._of_path(file, name)

        return self._distinct(str(place), read())

    def _distinct(
        self, source: str, read: Iterable[tuple[str, str | None, EvalCase | None]]
    ) -> Iterator[EvalCase]:
        places: dict[str, str] = {}
        for where, id, case in read:
            first = where if id is None or is_blank(id) else places.setdefault(id, where)
            if first != where:
                twice = f"two cases have the id {shown_value(id)}"
                both = f"{twice}, this one and that of {first}; ids tell cases apart in reports"
                self._mistakes.add(where, ValueError(both))
            elif case is not None:
                yield case
        self.check(source)

    def check(self, source: str) -> None:
        """Raise the mistakes, or note them.

        Raises:
            ValueError: there are mistakes.
        """
        missing = self.columns.not_found()
        if missing is not None:
            self._mistakes.add_whole(source, ValueError(missing))
        skipped = self._mistakes.check(source)
        self.notes += [] if skipped is None else [skipped]
        self.notes += self._odd.warnings(source)

    def of_rows(
        self, source: Any, name: str | None
    ) -> Iterator[tuple[str, str | None, EvalCase | None]]:
        """Read the cases of rows in memory.

        Args:
            name: the name of cases without an id, before their number; None: they remain without.
        """
        for row in self._understood(rows_of(source), "", None, name):
            if isinstance(row.content, EvalCase):
                yield row.place, row.content.id, row.content
            else:
                yield from self._case_of(row, row.place, name)
            if self._mistakes.are_enough:
                return

    def _of_path(self, file: Path, name: str) -> Iterator[tuple[str, str | None, EvalCase | None]]:
        try:
            # opened first: if the file does not exist, its suffix does not matter
            with open_plain(file) as opened:
                yield from self._of_file(str(file), name, opened, file.parent)
        except FileNotFoundError:
            raise
        except OSError as error:
            self._mistakes.add_whole(str(file), ValueError(f"it {cant_be_read(error)}"))

    def _of_data_set(
        self, place: Path, data_set: DataSet
    ) -> Iterator[tuple[str, str | None, EvalCase | None]]:
        self.formats[str(place)] = data_set.format
        # each row belongs to the data set, whose tool is given or found
        self._tool = None
        try:
            for row in data_set.rows:
                yield from self._case_of(row, f"{place}, {row.place}", data_set.name)
        except OSError as error:
            self._mistakes.add_whole(str(place), ValueError(f"it {cant_be_read(error)}"))
        except ValueError as error:
            self._mistakes.add_whole(str(place), error)
        self.notes += [f"{place}: {note}" for note in data_set.notes]

    def _of_file(
        self, called: str, name: str, file: BinaryIO, folder: Path | None
    ) -> Iterator[tuple[str, str | None, EvalCase | None]]:
        """The place, the id and the case of each row; the case is None if it has a mistake.

        Args:
            folder: the file's folder, if it has one.
        """
        try:
            for row in self._understood(self._rows(called, file), f"{called}, ", folder, name):
                yield from self._case_of(row, f"{called}, {row.place}", name)
                if self._mistakes.are_enough:
                    return
        except ValueError as error:
            self._mistakes.add_whole(called, error)

    def _understood(
        self, rows: Iterator[FileRow], called: str, folder: Path | None, name: str | None
    ) -> Iterator[FileRow]:
        """The rows, with rows of traces and of promptfoo's tests turned into cases.

        Args:
            called: what precedes a row's place in messages.
        """

        def note(place: str, text: str) -> None:
            self._odd.note(f"{called}{place}", text)

        whole = with_traces(rows, self._tool, self.columns.mapped, note)
        told = with_common_tool(whole, self._tool, self.columns.mapped, note)
        return tests_of(told, folder, self._tool, name)

    def _rows(self, called: str, file: BinaryIO) -> Iterator[FileRow]:
        file = plain(file)
        reader = self._reader
        if reader is None:
            readers = readers_of(inner_name(called).suffix)
            reader = reader_of(file, readers) if readers else reader_by_content(file)
        check_kind(file, reader)
        if reader is None:
            raise ValueError(suffix_mistake())
        self.formats[called] = reader.format
        if isinstance(reader, ExcelReader):
            # they help to find the sheet and its header
            reader = ExcelReader(self.columns.of_fields())
        for row in reader.read(file):
            if isinstance(row.content, UnicodeDecodeError):
                # most other lines of such a file have the same mistake
                raise ValueError(not_utf8_since(row.content, row.number))
            yield row

    def _case_of(
        self, row: FileRow, where: str, name: str | None
    ) -> Iterator[tuple[str, str | None, EvalCase | None]]:
        record, case = row.content, None
        id = None
        try:
            if isinstance(record, ValueError):
                raise record
            if not isinstance(record, Mapping):
                kind = "null" if record is None else type(record).__name__
                raise ValueError(f"a case must be a JSON object, not {kind}")
            fields = self.columns.fields_of(
                record,
                is_table=row.is_table,
                is_yaml=row.is_yaml,
                keeps_unknown=row.is_peers or row.is_trace or self._tool is not None,
                tool=None if row.is_trace else self._tool or row.tool,
                note=lambda text: self._odd.note(where, text),
            )
            if name is not None:
                fields.setdefault("id", f"{name}-{row.number}")
            id = fields.get("id")
            case = EvalCase(**fields)
            id = case.id
        except ValueError as error:
            self._mistakes.add(where, error)
        yield where, id if isinstance(id, str) else None, case
