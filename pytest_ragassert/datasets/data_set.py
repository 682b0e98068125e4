"""A data set of a tool that is several files."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from .case_reader import FileRow


class DataSet(NamedTuple):
    """What several files are together.

    Attributes:
        format: as the `cases` command calls it.
        name: what cases without an id are called by.
        rows: its records.
        notes: what to warn of; there when all rows were read.
    """

    format: str
    name: str
    rows: Iterator[FileRow]
    notes: list[str]
