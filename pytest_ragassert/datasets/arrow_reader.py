"""Reads Arrow files and streams, also called Feather; needs the extra `parquet`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, BinaryIO

from .case_reader import FileRow
from .file_contents import head_of
from .libraries import needed
from .unpacking import at_random, size_of

if TYPE_CHECKING:
    from .arrow_rows import Budget

_MAGIC = b"ARROW1"
_FEATHER_1 = b"FEA1"
_STREAM = b"\xff\xff\xff\xff"


class ArrowReader:
    def __init__(self, format: str, suffixes: Sequence[str]) -> None:
        self.format, self.suffixes = format, suffixes

    def accepts(self, head: bytes) -> bool:
        return head.startswith((_MAGIC, _FEATHER_1, _STREAM))

    def read(self, file: BinaryIO) -> Iterator[FileRow]:
        with needed("pyarrow", "parquet"):
            import pyarrow as pa

            from .arrow_messages import check_blocks, check_messages
            from .arrow_rows import Budget, file_rows, report_damage

        with report_damage("Arrow"):
            size, file = size_of(file), at_random(file)
            is_stream = not _has_footer(file)
            if is_stream:
                check_messages(file, Budget(size))
                file.seek(0)
                reader = pa.ipc.open_stream(file)
            else:
                reader = pa.ipc.open_file(file)
                check_blocks(file, Budget(size))
            with reader:
                read = reader if is_stream else _batches(reader)
                views = Budget(size)
                yield from file_rows(
                    reader.schema, (_validated(batch, views) for batch in read), Budget(size)
                )


def _has_footer(file: BinaryIO) -> bool:
    """Whether it is an Arrow file, which lists its batches at its end, rather than a stream.

    Raises:
        ValueError: it is the first version of Feather.
    """
    head = head_of(file, len(_MAGIC))
    if head.startswith(_FEATHER_1):
        raise ValueError(
            "it is the first version of Feather, not an Arrow file; write it again, for example "
            "with pandas' to_feather"
        )
    return head == _MAGIC


def _batches(file: Any) -> Iterator[Any]:
    return map(file.get_batch, range(file.num_record_batches))


def _validated(batch: Any, views: Budget) -> Any:
    """Check that no offset in the batch points outside of it; return the batch."""
    from .arrow_rows import viewed

    batch.validate()
    views.spend(sum(map(viewed, batch.columns)))
    batch.validate(full=True)
    return batch
