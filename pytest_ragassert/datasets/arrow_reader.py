"""Arrow's own files and streams, also called Feather; needs the extra `parquet`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, BinaryIO

from .case_reader import FileRow
from .libraries import needed
from .unpacking import at_random, size_of

if TYPE_CHECKING:
    from .arrow_rows import Budget

_MAGIC = b"ARROW1\0\0"  # what follows it is a stream
_FEATHER_1 = b"FEA1"
_STREAM = b"\xff\xff\xff\xff"


class ArrowReader:
    def __init__(self, format: str, suffixes: Sequence[str]) -> None:
        self.format, self.suffixes = format, suffixes

    def accepts(self, head: bytes) -> bool:
        return head.startswith((_MAGIC[:6], _FEATHER_1, _STREAM))

    def read(self, file: BinaryIO) -> Iterator[FileRow]:
        with needed("pyarrow", "parquet"):
            import pyarrow as pa

            from .arrow_messages import check_messages
            from .arrow_rows import Budget, damage_told, file_rows

        with damage_told("Arrow"):
            size, file = size_of(file), at_random(file)
            begin = _begin_of_stream(file)
            check_messages(file, Budget(size))
            file.seek(begin)
            with pa.ipc.open_stream(file) as stream:
                views = Budget(size)
                batches = (_validated(batch, views) for batch in stream)
                yield from file_rows(stream.schema, batches, Budget(size))


def _begin_of_stream(file: BinaryIO) -> int:
    """
    Raises:
        ValueError: it is Feather's first version.
    """
    head = file.read(len(_MAGIC))
    if head.startswith(_FEATHER_1):
        raise ValueError(
            "it is Feather's first version, which is no Arrow file; write it anew, as with "
            "pandas' to_feather"
        )
    begin = len(_MAGIC) if head.startswith(_MAGIC[:6]) else 0
    file.seek(begin)
    return begin


def _validated(batch: Any, views: Budget) -> Any:
    """The batch, none of whose numbers points out of it."""
    from .arrow_rows import viewed

    batch.validate()
    views.spend(sum(map(viewed, batch.columns)))
    batch.validate(full=True)
    return batch
