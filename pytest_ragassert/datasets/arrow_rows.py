"""Reads rows from Arrow's record batches, within bounds.

A text that is in many rows is stored once, so a small file may have more rows and texts than fit in
memory. They are counted before they are created.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable, Iterator
from typing import Any, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as types

from ..language.suggestions import shown_value
from ..storage.files.plain_files import not_utf8
from .arrow_types import converter, read_as
from .case_reader import FileRow
from .column_names import check_names
from .file_contents import most_unpacked

Batch: TypeAlias = Any  # pyarrow has no types

_ALWAYS = 512 * 2**20  # bytes that a file may unpack to, however small it is
_ROWS = 1024  # rows that are in memory at a time, besides the batch itself
_ROW = 1024  # bytes that a row takes at least, as a case
_VIEWS = ("string_view", "binary_view")
_OF_PANDAS = re.compile(r"__index_level_\d+__")


class Budget:
    """Counts the bytes that a file unpacks to.

    Args:
        size: the size of the file.
    """

    def __init__(self, size: int) -> None:
        self._limit = most_unpacked(size, _ALWAYS)
        self._spent = 0

    def spend_rows(self, count: int) -> None:
        """Spend what rows take besides their values, as `spend` does."""
        self.spend(_ROW * count)

    def spend(self, count: int) -> None:
        """Spend a number of bytes.

        Raises:
            ValueError: the sum is too much for a file of that size.
        """
        self._spent += count
        if self._spent > self._limit:
            raise ValueError(
                f"it unpacks to more than {self._limit // 2**20} MiB, which is too much for a file "
                "of its size; if that is intended, split it into several files"
            )


@contextlib.contextmanager
def report_damage(kind: str) -> Iterator[None]:
    """Report errors that pyarrow raises while it reads a file of this kind.

    Raises:
        ValueError: instead of pyarrow's error.
    """
    try:
        yield
    except (pa.ArrowException, OSError, ArithmeticError, MemoryError, RecursionError) as error:
        needs = "it asks for more memory than there is"
        why = needs if isinstance(error, MemoryError) else " ".join(str(error).split())[:200]
        raise ValueError(f"not a valid {kind} file: {why}") from None


def file_rows(schema: Any, batches: Iterable[Batch], budget: Budget) -> Iterator[FileRow]:
    """Read the rows of a file.

    Raises:
        ValueError: a column can't be read, or there are too many rows or texts.
    """
    check_names(schema.names)
    read_types = []
    for field in schema:
        try:
            read_types.append(read_as(field.type))
        except ValueError as error:
            raise ValueError(f"the column {shown_value(field.name)}: {error}") from None
    converters = [
        (name, convert)
        for name, type in zip(schema.names, read_types, strict=True)
        if (convert := converter(type)) is not None
    ]
    number = 0
    for batch in batches:
        for begin in range(0, batch.num_rows, _ROWS):
            part = batch.slice(begin, _ROWS)
            budget.spend_rows(part.num_rows)
            budget.spend(sum(map(expanded, part.columns)))
            columns = [
                column if column.type == type else column.cast(type, safe=False)
                for column, type in zip(part.columns, read_types, strict=True)
            ]
            for row in _records(pa.RecordBatch.from_arrays(columns, names=schema.names)):
                number += 1
                yield FileRow(number, f"row {number}", _content(row, converters))


def expanded(array: Any) -> int:
    """The size of an array's values in bytes, counting repeated values each time."""
    type = array.type
    if types.is_dictionary(type):
        return expanded_dictionary(array)
    if isinstance(type, pa.BaseExtensionType):
        return expanded(array.storage)
    if types.is_struct(type):
        return sum(map(expanded, array.flatten()))
    if types.is_map(type):
        begin, end = array.offsets[0].as_py(), array.offsets[-1].as_py()
        pairs = (array.keys, array.items)
        return sum(expanded(one.slice(begin, end - begin)) for one in pairs)
    if types.is_nested(type):
        return expanded(array.flatten())
    if str(type) in _VIEWS:
        sizes = _sizes_of_views(array)[array.offset : array.offset + len(array)]
        return sum(size for size in sizes if size > 0)
    size: int = array.nbytes
    return size


def viewed(array: Any) -> int:
    """The size in bytes of what an array's views show; many views may show the same bytes.

    Validating an array reads all of them; this uses no offset that may be wrong.
    """
    type = array.type
    if str(type) in _VIEWS:
        return sum(size for size in _sizes_of_views(array) if size > 0)
    if isinstance(type, pa.BaseExtensionType):
        return viewed(array.storage)
    if types.is_dictionary(type):
        return viewed(array.dictionary)
    if types.is_struct(type):
        return sum(viewed(array.field(place)) for place in range(type.num_fields))
    if types.is_map(type):
        return viewed(array.keys) + viewed(array.items)
    return viewed(array.values) if types.is_nested(type) else 0


def expanded_dictionary(array: Any) -> int:
    values = array.dictionary
    if types.is_string(values.type) or types.is_large_string(values.type):
        values = values.cast(pa.large_binary())
    if types.is_binary(values.type) or types.is_large_binary(values.type):
        lengths = pc.binary_length(values).take(array.indices)
        return int(pc.sum(lengths).as_py() or 0)
    if str(values.type) in _VIEWS:
        sizes = (max(size, 0) for size in _sizes_of_views(values))
        lengths = pa.array(sizes, pa.int64()).take(array.indices)
        return int(pc.sum(lengths).as_py() or 0)
    return len(array) * 16


def _sizes_of_views(array: Any) -> memoryview:
    # a view has 16 bytes; the first four are the size of its text
    return memoryview(array.buffers()[1]).cast("i")[::4]


def _records(batch: Batch) -> Iterator[dict[str, Any] | ValueError]:
    """The rows of a batch; for a row that can't be read, the error."""
    try:
        yield from batch.to_pylist()
    except UnicodeDecodeError:
        for place in range(batch.num_rows):
            row: dict[str, Any] = {}
            try:
                for name, column in zip(batch.schema.names, batch.columns, strict=True):
                    row[name] = column[place].as_py()
            except UnicodeDecodeError as error:
                yield ValueError(f"the column {shown_value(name)}: {not_utf8(error)}")
            else:
                yield row


def _content(
    row: dict[str, Any] | ValueError, converters: Iterable[Any]
) -> dict[str, Any] | ValueError:
    if isinstance(row, ValueError):
        return row
    for name, convert in converters:
        if row[name] is not None:
            try:
                row[name] = convert(row[name])
            except ValueError as error:
                return ValueError(f"the column {shown_value(name)}: {error}")
    return {name: value for name, value in row.items() if not _OF_PANDAS.fullmatch(name)}
