"""The formats of cases and labelled claims, and how the format of a file is found."""

from __future__ import annotations

from collections.abc import Sequence
from typing import BinaryIO

from ..interop.tools import TOOLS
from ..language.number_format import listed
from ..language.suggestions import did_you_mean
from .arrow_reader import ArrowReader
from .case_reader import CaseReader
from .excel_reader import ExcelReader
from .file_contents import binary_kind_of, head_of, is_text, other_kind_of
from .json_lines_reader import JsonLinesReader
from .json_reader import JsonReader
from .parquet_reader import ParquetReader
from .table_reader import TableReader
from .yaml_reader import YamlReader

# If several have a file's suffix, the first that accepts the file reads it; if none does, the last.
READERS: tuple[CaseReader, ...] = (
    JsonLinesReader(),
    JsonReader(),
    TableReader("csv", (".csv",), ","),
    TableReader("tsv", (".tsv", ".tab"), "\t"),
    YamlReader(),
    ParquetReader(),
    ArrowReader("arrow", (".arrow", ".ipc")),
    ArrowReader("feather", (".feather",)),
    ExcelReader(),
)
_BINARY = frozenset({"parquet", "arrow", "feather", "excel"})
HEAD_BYTES = 2**20


def readers_of(suffix: str) -> list[CaseReader]:
    """The readers of a suffix (with its dot), in the order in which they are asked."""
    return [one for one in READERS if suffix.lower() in one.suffixes]


def reader_of(file: BinaryIO, readers: Sequence[CaseReader]) -> CaseReader:
    """The reader of a file.

    Args:
        file: it must be at its beginning, and stays there.
        readers: the readers of its suffix, at least one.
    """
    if len(readers) > 1:
        head = head_of(file, HEAD_BYTES)
        readers = [one for one in readers if one.accepts(head)][:1] or readers
    return readers[-1]


def reader_by_content(file: BinaryIO) -> CaseReader | None:
    """The reader of a file whose name does not show the format; None if the format is unknown.

    Args:
        file: it must be at its beginning, and stays there.
    """
    head = head_of(file, HEAD_BYTES)
    return next((one for one in READERS if one.accepts(head)), None)


def check_kind(file: BinaryIO, reader: CaseReader | None) -> None:
    """Check that a file's kind is one that its reader can read.

    Args:
        file: it must be at its beginning, and stays there.
        reader: None: none was found.

    Raises:
        ValueError: it has another kind; the message says which.
    """
    head = head_of(file)
    kind = other_kind_of(head)
    if kind is None and (reader is None or not reader.accepts(head)):
        kind = binary_kind_of(head)
        if kind is None and reader is not None and reader.format in _BINARY and is_text(head):
            other = reader_by_content(file)
            kind = "is a text; " + (
                'if it is a table, add format="csv"'
                if other is None
                else f"give it a name that ends in {other.suffixes[0]}, or add "
                f'format="{other.format}"'
            )
    if kind is not None:
        raise ValueError(f"it {kind}")


def reader_called(format: str) -> CaseReader:
    """The reader of a format.

    Raises:
        ValueError: there is none; the message lists the formats.
    """
    known = {one.format: one for one in READERS}
    if format not in known:
        meant = did_you_mean(format, [*known, *TOOLS])
        raise ValueError(
            f"format: {format!r:.60} is not a format of cases{meant}; known are "
            f"{', '.join(known)}, and the tools {', '.join(TOOLS)}"
        )
    return known[format]


def known_suffixes() -> list[str]:
    """Every suffix once, with its dot."""
    return list(dict.fromkeys(suffix for one in READERS for suffix in one.suffixes))


def suffix_mistake() -> str:
    """The message about a file whose format is unknown."""
    return (
        f"cases are read from {listed(known_suffixes(), 'and')} files, optionally compressed "
        "with gzip (.gz); format= gives the format of a file with another name"
    )
