"""Unpacks files that are compressed with gzip, within bounds."""

from __future__ import annotations

import gzip
import io
import os
import zlib
from pathlib import PurePath
from typing import TYPE_CHECKING, BinaryIO

from .file_contents import head_of, most_unpacked

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

_MAGIC = b"\x1f\x8b"
SUFFIX = ".gz"


def inner_name(path: str | os.PathLike[str]) -> PurePath:
    """A file's name without the suffix of the compression."""
    plain = PurePath(path)
    return plain.with_suffix("") if plain.suffix.lower() == SUFFIX else plain


def is_packed(file: BinaryIO) -> bool:
    """Whether a file at its beginning, where it stays, is compressed with gzip."""
    return head_of(file, len(_MAGIC)) == _MAGIC


def plain(file: BinaryIO) -> BinaryIO:
    """A file at its beginning; its contents if it is compressed."""
    return unpacked(file) if is_packed(file) else file


def unpacked(file: BinaryIO) -> BinaryIO:
    """The contents of a compressed file; reading raises ValueError if it is damaged or a bomb."""
    return io.BufferedReader(_Unpacked(file), 2**16)


def at_random(file: BinaryIO) -> BinaryIO:
    """A file that is read in any order; going back in a compressed one unpacks it again."""
    return file if _packed_size(file) is None else io.BytesIO(file.read())


def size_of(file: BinaryIO) -> int:
    """The size of a file in bytes, compressed or not; moves to its beginning."""
    size = _packed_size(file)
    if size is None:
        size = file.seek(0, os.SEEK_END)
    file.seek(0)
    return size


def _packed_size(file: BinaryIO) -> int | None:
    raw = getattr(file, "raw", None)
    return raw.packed_size if isinstance(raw, _Unpacked) else None


class _Unpacked(io.RawIOBase):
    def __init__(self, packed: BinaryIO) -> None:
        self.packed_size = packed.seek(0, os.SEEK_END)
        packed.seek(0)
        self._limit = most_unpacked(self.packed_size)
        self._file = gzip.GzipFile(fileobj=packed, mode="rb")

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        try:
            count = self._file.readinto(buffer)
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise ValueError(f"a damaged gzip file: {error}") from None
        if self._file.tell() > self._limit:
            raise ValueError(
                f"it unpacks to more than {self._limit // 2**20} MiB, which is too much for a file "
                "of its size; if that is intended, unpack it"
            )
        return count

    def seek(self, offset: int, whence: int = os.SEEK_SET, /) -> int:
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        return self._file.tell()
