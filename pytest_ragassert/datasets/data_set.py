"""A data set of a tool that consists of several files."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from .case_reader import FileRow


class DataSet(NamedTuple):
    """Several files read as one data set.

    Attributes:
        format: the format's name in the output of the command `cases`.
        name: the name of cases without an id.
        rows: its records.
        notes: warnings; complete when all rows have been read.
    """

    format: str
    name: str
    rows: Iterator[FileRow]
    notes: list[str]
