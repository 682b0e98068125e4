"""Reads Parquet files, in batches of rows; needs the extra `parquet`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, BinaryIO

from .case_reader import FileRow
from .file_contents import head_of
from .libraries import needed
from .unpacking import at_random, size_of

_ROWS = 1024
_COUNTED_ROWS = 16384


class ParquetReader:
    format = "parquet"
    suffixes = (".parquet", ".pq")

    def accepts(self, head: bytes) -> bool:
        return head.startswith(b"PAR1")

    def read(self, file: BinaryIO) -> Iterator[FileRow]:
        with needed("pyarrow", "parquet"):
            import pyarrow.parquet as pq

            from .arrow_rows import Budget, file_rows, report_damage

        with report_damage("Parquet"):
            size, file = size_of(file), at_random(file)
            _check_marks(file)
            whole = pq.ParquetFile(file)
            _check_texts(file, whole.metadata, size)
            batches = (
                batch
                # a batch from two groups may have two dictionaries, which pyarrow can't join
                for group in range(whole.num_row_groups)
                for batch in whole.iter_batches(_ROWS, row_groups=[group], use_threads=False)
            )
            yield from file_rows(whole.schema_arrow, batches, Budget(size))


def _check_marks(file: BinaryIO) -> None:
    """Check that the file is not encrypted.

    Raises:
        ValueError: it is.
    """
    if head_of(file, 4) == b"PARE":
        raise ValueError("it is encrypted Parquet; write it without encryption")


def _check_texts(file: BinaryIO, metadata: Any, size: int) -> None:
    """Check how much the columns unpack to, before rows are made from them.

    A text that is stored once in a dictionary may be in all rows. Such texts are counted by reading
    the dictionaries and the indices into them, not the texts.

    Raises:
        ValueError: it is too much for a file of that size.
    """
    import pyarrow.parquet as pq

    from .arrow_rows import Budget, expanded

    packed = Budget(size)
    packed.spend_rows(max(metadata.num_rows, 0))
    for number in range(metadata.num_row_groups):
        # not the sum over columns: asking a damaged file for a column's size ends the process
        packed.spend(max(metadata.row_group(number).total_byte_size, 0))
    columns = [metadata.schema.column(place) for place in range(metadata.num_columns)]
    texts = [one.path for one in columns if one.physical_type == "BYTE_ARRAY"]
    if not texts:
        return
    told = pq.ParquetFile(file, read_dictionary=texts)
    budget = Budget(size)
    for number in range(metadata.num_row_groups):
        for batch in told.iter_batches(
            _COUNTED_ROWS, row_groups=[number], columns=texts, use_threads=False
        ):
            budget.spend(sum(map(expanded, batch.columns)))
