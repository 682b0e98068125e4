"""The interface of readers of file formats, and of the rows that they return."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, BinaryIO, NamedTuple, Protocol


class FileRow(NamedTuple):
    """A record of a file.

    Attributes:
        number: from 1; part of the name of a case without an id (`cases-3`).
        place: the record's place in messages: `line 3`, `case 3`.
        content: a dict of fields, or any other value in its place; or the ValueError that says why
            it can't be read, so that the mistakes of all rows are reported together.
        offset: the byte from which `read` returns this row first, so that a row need not be kept in
            memory to be read again; None: there is no such byte.
        is_table: whether the values of `content` are texts of a table's cells, in which a list is
            also written as a text.
        is_yaml: whether its plain scalars are `yaml_scalars.Scalar`s, whose type depends on the
            field.
        is_peers: whether it was an object of another tool, whose other fields are not mistakes.
        is_trace: whether it was made from a trace's spans, or from a query and its documents, and
            has the field names of a case; other names go into metadata.
        tool: the tool that wrote the record, as in `format=`, if earlier rows show it.
    """

    number: int
    place: str
    content: Any
    offset: int | None = None
    is_table: bool = False
    is_yaml: bool = False
    is_peers: bool = False
    is_trace: bool = False
    tool: str | None = None


class CaseReader(Protocol):
    """Reads one format; `readers.READERS` lists all.

    Attributes:
        format: the format's name in `load_cases(…, format=…)`.
        suffixes: the suffixes of files that may have this format, with the dot, the usual one
            first.
    """

    @property
    def format(self) -> str: ...

    @property
    def suffixes(self) -> Sequence[str]: ...

    def accepts(self, head: bytes) -> bool:
        """Whether a file has this format; asked if several readers have its suffix, or none.

        Args:
            head: the first bytes of the file, at most `readers.HEAD_BYTES`.
        """
        ...

    def read(self, file: BinaryIO) -> Iterator[FileRow]:
        """Read the rows from the current position of the file.

        Raises:
            ValueError: the file as a whole can't be read; the message says why, without its name.
        """
        ...
