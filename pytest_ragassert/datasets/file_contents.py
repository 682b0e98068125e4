"""Finds out what a file contains, whatever its name: its kind and encoding; reads it in bounds."""

from __future__ import annotations

import codecs
import io
import re
from typing import BinaryIO

from ..case import CASE_NAMES

# The limit in bytes for files that are read as a whole, and for a line of others.
LARGEST, LONGEST_LINE = 2**30, 2**28
# A file may unpack to this many times its size; a small file to some MiB in any case.
_TIMES, _MOST_UNPACKED = 100, 4 * 2**30
_LOOKED_AT = 2**12  # bytes
_PICKLE = "is a pickle, which is never read, because it can run code"
_KINDS = (
    (b"\x1f\x8b", "is compressed with gzip twice; unpack it once"),
    (b"PK\x03\x04", "is a ZIP archive, or an Excel workbook; rename a workbook to end in .xlsx"),
    (
        b"\xd0\xcf\x11\xe0",
        "is an Excel workbook in the old format (.xls), or one with a password; save it as .xlsx, "
        "without a password",
    ),
    (b"PAR1", "is a Parquet file; give it a name that ends in .parquet"),
    (b"ARROW1", "is an Arrow file; give it a name that ends in .arrow"),
    (b"SQLite format 3\0", "is an SQLite database"),
    (b"%PDF-", "is a PDF file"),
    (b"\x89PNG", "is a picture"),
    (b"BZh91AY&SY", "is compressed with bzip2; unpack it"),
    (b"\xfd7zXZ\0", "is compressed with xz; unpack it"),
    (b"\x28\xb5\x2f\xfd", "is compressed with Zstandard; unpack it"),
    *((begin, _PICKLE) for begin in (b"\x80\x02", b"\x80\x03", b"\x80\x04\x95", b"\x80\x05\x95")),
)
_LFS = b"version https://git-lfs"
# An archive whose first entry states the kind of its contents.
_OPEN_DOCUMENT = re.compile(
    rb"PK\x03\x04.{26}mimetypeapplication/vnd\.oasis\.opendocument", re.DOTALL
)
_HTML = re.compile(rb"\s*<(?:!doctype\s+html|html)\b", re.IGNORECASE)
_JSON = re.compile(rb"\s*(?:\[\s*[\[{\"\]]|\{\s*[\"}])")
_CELLS = re.compile(r"[,;\t|]")


def read_whole(file: BinaryIO) -> bytes:
    """Read the rest of a file.

    Raises:
        ValueError: it is too large to be read as a whole.
    """
    whole = io.BytesIO()
    while chunk := file.read(2**20):
        whole.write(chunk)
        if whole.tell() > LARGEST:
            raise ValueError(
                f"it has more than {LARGEST // 2**20} MiB, but is read as a whole; "
                "JSON Lines files (.jsonl) are read line by line"
            )
    return whole.getvalue()


def check_json(file: BinaryIO) -> None:
    """Check that a file may be JSON; it must be at its beginning, and stays there.

    Raises:
        ValueError: it is a table.
    """
    head = head_of(file)
    first = head.removeprefix(codecs.BOM_UTF8).lstrip().partition(b"\n")[0]
    cells = _CELLS.split(first.decode("utf-8", "replace"))
    if first[:1] not in (b"[", b"{") and any(cell.strip("\"' \r") in CASE_NAMES for cell in cells):
        raise ValueError(
            "it is a table, but its name is that of a JSON file; give it a name that ends in .csv "
            "or .tsv"
        )


def check_table(file: BinaryIO) -> None:
    """Check that a file may be a table; it must be at its beginning, and stays there.

    Raises:
        ValueError: it is JSON.
    """
    if _JSON.match(head_of(file).removeprefix(codecs.BOM_UTF8)):
        raise ValueError(
            "it is JSON, but its name is that of a table; give it a name that ends in .json or "
            ".jsonl"
        )


def head_of(file: BinaryIO, count: int = _LOOKED_AT) -> bytes:
    """The first bytes of a file, which must be at its beginning, and stays there."""
    head = file.read(count)
    file.seek(0)
    return head


def most_unpacked(size: int, always: int = 64 * 2**20) -> int:
    """The limit of what a compressed file of a size may unpack to, above which it counts as a bomb.

    Args:
        always: the limit for small files.
    """
    return min(max(always, _TIMES * size), _MOST_UNPACKED)


def other_kind_of(head: bytes) -> str | None:
    """The kind of a file that can't have cases, from its first bytes; None: it may have some."""
    if head and not head.strip(b"\0"):
        return "has nothing except null characters, as after a crash"
    if _HTML.match(head):
        return "is an HTML page, such as a server sends instead of a file that needs a login"
    if _OPEN_DOCUMENT.match(head):
        return "is an OpenDocument file, such as .ods; save it as .xlsx"
    if head.startswith(_LFS):
        return "is a Git LFS pointer; `git lfs pull` fetches the file"
    return None


def binary_kind_of(head: bytes) -> str | None:
    """The kind of a file, from its first bytes, such as `is a picture`; None: it may be text."""
    return next((what for begin, what in _KINDS if head.startswith(begin)), None)


def is_text(head: bytes) -> bool:
    """Whether the first bytes of a file are UTF-8 without null characters."""
    try:
        return "\0" not in codecs.getincrementaldecoder("utf-8")().decode(head) and head != b""
    except UnicodeDecodeError:
        return False
