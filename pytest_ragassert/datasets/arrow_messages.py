"""Computes how much Arrow messages unpack to, from the metadata of their buffers.

pyarrow unpacks a message as a whole, however large it is.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from typing import Any, BinaryIO

import pyarrow as pa

from .arrow_rows import Budget

# Fields of File.fbs and Message.fbs, by their number in the table.
_DICTIONARIES, _RECORD_BATCHES = 2, 3  # in a file's footer
_HEADER_TYPE, _HEADER = 1, 2
_DICTIONARY_BATCH = 2  # a type of header
_DATA = 1  # the record batch of a dictionary batch
_LENGTH, _BUFFERS, _COMPRESSION = 0, 2, 3  # in a record batch
_BLOCK = 24  # bytes: the offset of a message, the size of its metadata, and that of its body
_END = 10  # bytes after a footer: its size, and the mark


def check_messages(file: BinaryIO, budget: Budget) -> None:
    """Spend from the budget what each message of a stream unpacks to.

    Raises:
        ValueError: it is too much.
    """
    for message in pa.ipc.MessageReader.open_stream(file):
        if message.type in ("record batch", "dictionary"):
            _spend(_Metadata(message.metadata.to_pybytes()), message.body, budget)


def check_blocks(file: BinaryIO, budget: Budget) -> None:
    """Spend from the budget what each message of a file with a verified footer unpacks to.

    Raises:
        ValueError: it is too much, or the footer does not match the messages.
    """
    size = file.seek(-_END, os.SEEK_END)
    length = int.from_bytes(file.read(4), "little")
    file.seek(size - length)
    footer = _Metadata(file.read(length))
    opened = pa.PythonFile(file, "r")
    # a message that the footer names several times is read as often
    left = size
    for begin, metadata_size in _blocks(footer):
        file.seek(begin)
        is_marked = file.read(4) == b"\xff\xff\xff\xff"
        file.seek(begin)
        message = pa.ipc.read_message(opened)
        metadata = message.metadata.to_pybytes()
        left -= metadata_size + len(message.body or b"")
        # pyarrow looks for the body after the size that the footer has
        if metadata_size != len(metadata) + (8 if is_marked else 4) or left < 0:
            raise ValueError("a damaged Arrow file: its footer does not match its messages")
        _spend(_Metadata(metadata), message.body, budget)


def _blocks(footer: _Metadata) -> Iterator[tuple[int, int]]:
    for field in (_DICTIONARIES, _RECORD_BATCHES):
        blocks = footer.pointed(footer.root(), field)
        if blocks is None:
            continue
        for number in range(footer.number("I", blocks)):
            block = blocks + 4 + _BLOCK * number
            yield footer.number("q", block), footer.number("i", block + 8)


class _Metadata:
    """A flatbuffer that pyarrow has verified."""

    def __init__(self, raw: bytes) -> None:
        self._raw = raw

    def number(self, format: str, place: int) -> int:
        number: int
        (number,) = struct.unpack_from(f"<{format}", self._raw, place)
        return number

    def root(self) -> int:
        return self.number("I", 0)

    def field(self, table: int, field: int) -> int | None:
        """The position of a table's field; None: the table has no such field."""
        offsets = table - self.number("i", table)
        entry = 4 + 2 * field
        if entry >= self.number("H", offsets):
            return None
        offset = self.number("H", offsets + entry)
        return table + offset if offset else None

    def pointed(self, table: int, field: int) -> int | None:
        """The position of the table or vector that a field points to."""
        place = self.field(table, field)
        return None if place is None else place + self.number("I", place)


def _spend(metadata: _Metadata, body: Any, budget: Budget) -> None:
    root = metadata.root()
    kind = metadata.field(root, _HEADER_TYPE)
    batch = metadata.pointed(root, _HEADER)
    if kind is not None and metadata.number("B", kind) == _DICTIONARY_BATCH and batch is not None:
        batch = metadata.pointed(batch, _DATA)
    if batch is None:
        return
    length = metadata.field(batch, _LENGTH)
    budget.spend_rows(0 if length is None else max(metadata.number("q", length), 0))
    buffers = metadata.pointed(batch, _BUFFERS)
    if buffers is None or metadata.field(batch, _COMPRESSION) is None:
        return
    for number in range(metadata.number("I", buffers)):
        offset = metadata.number("q", buffers + 4 + 16 * number)
        # a compressed buffer begins with its size, or -1 if it is stored uncompressed
        begin = body[offset : offset + 8].to_pybytes() if offset >= 0 else b""
        budget.spend(max(struct.unpack("<q", begin)[0], 0) if len(begin) == 8 else 0)
