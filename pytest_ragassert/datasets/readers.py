"""The formats that cases and labelled claims are read from, and which of them a file has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import BinaryIO

from .case_reader import CaseReader
from .json_lines_reader import JsonLinesReader
from .json_reader import JsonReader

# Of several with one suffix the first that accepts a file reads it, else the last.
READERS: tuple[CaseReader, ...] = (JsonLinesReader(), JsonReader())
HEAD_BYTES = 2**20


def readers_of(suffix: str) -> list[CaseReader]:
    """Those of a suffix, which has its dot, in the order in which they are asked."""
    return [one for one in READERS if suffix in one.suffixes]


def reader_of(file: BinaryIO, readers: Sequence[CaseReader]) -> CaseReader:
    """The reader of a file.

    Args:
        file: at its beginning, where it stays.
        readers: those of its suffix, one or more.
    """
    if len(readers) > 1:
        head = file.read(HEAD_BYTES)
        file.seek(0)
        readers = [one for one in readers if one.accepts(head)][:1] or readers
    return readers[-1]


def known_suffixes() -> list[str]:
    """Every suffix once, with its dot."""
    return list(dict.fromkeys(suffix for one in READERS for suffix in one.suffixes))
