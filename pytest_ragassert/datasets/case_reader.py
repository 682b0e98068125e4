"""What a reader of a file format is, and the rows that it gives."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, BinaryIO, NamedTuple, Protocol


class FileRow(NamedTuple):
    """A record of a file.

    Attributes:
        number: from 1; a case without an id is called by it (`cases-3`).
        place: what messages call it: `line 3`, `case 3`.
        content: a dict of fields, or whatever else stands there; the ValueError that says why it
            can't be read, so that the mistakes of all rows are reported together.
        offset: the byte from which `read` gives this row first, so that a row need not be kept in
            memory to be read again; None: there is no such byte.
        is_table: the values of `content` are the texts of a table's cells, in which a list is
            written as a text too.
        is_yaml: its plain scalars are `yaml_scalars.Scalar`s, which a field reads as what it takes.
        is_peers: it was an object of another tool, whose further fields are no mistakes.
        is_trace: it was made of a trace's spans, or of a query and its documents, and has a case's
            own fields; others are metadata.
        tool: whose record it is, as `format=` calls it, where the rows before it tell that.
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
        format: what `load_cases(…, format=…)` calls it.
        suffixes: of the files that may be of this format, with their dot, the usual one first.
    """

    @property
    def format(self) -> str: ...

    @property
    def suffixes(self) -> Sequence[str]: ...

    def accepts(self, head: bytes) -> bool:
        """Whether a file is of this format; asked where several readers have its suffix, or none.

        Args:
            head: the first bytes of the file, `readers.HEAD_BYTES` at most.
        """
        ...

    def read(self, file: BinaryIO) -> Iterator[FileRow]:
        """The rows from where the file stands.

        Raises:
            ValueError: the file as a whole can't be read; says why, without the file's name.
        """
        ...
