"""What a file holds, whatever its name says: its kind, its encoding, and all of it in bounds."""

from __future__ import annotations

import codecs
import io
import re
from typing import BinaryIO

from ..case import CASE_NAMES

# Bytes of what is read as a whole, and of a line of what is read by lines.
LARGEST, LONGEST_LINE = 2**30, 2**28
# Of what a file may unpack to: as many times its size, or some MiB where it is small.
_TIMES, _MOST_UNPACKED = 100, 4 * 2**30
_LOOKED_AT = 2**12  # bytes
_BY_NULLS = {
    "x\0\0\0": "utf-32",
    "\0\0\0x": "utf-32",
    "x\0x\0": "utf-16-le",
    "\0x\0x": "utf-16-be",
}
_PICKLE = "is a pickle, which is never read, since it can run code"
_KINDS = (
    (b"\x1f\x8b", "is packed with gzip twice; unpack it once"),
    (b"PK\x03\x04", "is a ZIP archive, or an Excel workbook; give that a name that ends in .xlsx"),
    (
        b"\xd0\xcf\x11\xe0",
        "is an Excel workbook of old (.xls), or one with a password; save it as .xlsx, without a "
        "password",
    ),
    (b"PAR1", "is a Parquet file; give it a name that ends in .parquet"),
    (b"ARROW1", "is an Arrow file; give it a name that ends in .arrow"),
    (b"SQLite format 3\0", "is an SQLite database"),
    (b"%PDF-", "is a PDF file"),
    (b"\x89PNG", "is a picture"),
    (b"BZh91AY&SY", "is packed with bzip2; unpack it"),
    (b"\xfd7zXZ\0", "is packed with xz; unpack it"),
    (b"\x28\xb5\x2f\xfd", "is packed with Zstandard; unpack it"),
    *((begin, _PICKLE) for begin in (b"\x80\x02", b"\x80\x03", b"\x80\x04\x95", b"\x80\x05\x95")),
)
_LFS = b"version https://git-lfs"
# An archive whose first entry says what the others are.
_OPEN_DOCUMENT = re.compile(
    rb"PK\x03\x04.{26}mimetypeapplication/vnd\.oasis\.opendocument", re.DOTALL
)
_HTML = re.compile(rb"\s*<(?:!doctype\s+html|html)\b", re.IGNORECASE)
_JSON = re.compile(rb"\s*(?:\[\s*[\[{\"\]]|\{\s*[\"}])")
_CELLS = re.compile(r"[,;\t|]")


def read_whole(file: BinaryIO) -> bytes:
    """What is left of a file.

    Raises:
        ValueError: it is more than can be read as a whole.
    """
    whole = io.BytesIO()
    while chunk := file.read(2**20):
        whole.write(chunk)
        if whole.tell() > LARGEST:
            raise ValueError(
                f"it has more than {LARGEST // 2**20} MiB, and such a file is read as a whole; "
                "JSON lines (.jsonl) are read line by line"
            )
    return whole.getvalue()


def check_json(file: BinaryIO) -> None:
    """Check that a file, at its beginning, where it stays, may be JSON.

    Raises:
        ValueError: it is a table.
    """
    head = head_of(file)
    first = head.removeprefix(codecs.BOM_UTF8).lstrip().partition(b"\n")[0]
    cells = _CELLS.split(first.decode("utf-8", "replace"))
    if first[:1] not in (b"[", b"{") and any(cell.strip("\"' \r") in CASE_NAMES for cell in cells):
        raise ValueError(
            "it is a table, and its name that of a JSON file; give it a name that ends in .csv or "
            ".tsv"
        )


def check_table(file: BinaryIO) -> None:
    """Check that a file, at its beginning, where it stays, may be a table.

    Raises:
        ValueError: it is JSON.
    """
    if _JSON.match(head_of(file).removeprefix(codecs.BOM_UTF8)):
        raise ValueError(
            "it is JSON, and its name that of a table; give it a name that ends in .json or .jsonl"
        )


def head_of(file: BinaryIO, count: int = _LOOKED_AT) -> bytes:
    """The first bytes of a file, at its beginning, where it stays."""
    head = file.read(count)
    file.seek(0)
    return head


def most_unpacked(size: int, always: int = 64 * 2**20) -> int:
    """The bytes that a packed file of a size may unpack to, before it is taken for a bomb.

    Args:
        always: so many it may, however small it is.
    """
    return min(max(always, _TIMES * size), _MOST_UNPACKED)


def other_kind_of(head: bytes) -> str | None:
    """What a file is that nobody means, from its first bytes; None: perhaps one of cases."""
    if head and not head.strip(b"\0"):
        return "has nothing but null characters, as after a crash"
    if _HTML.match(head):
        return "is an HTML page, as a server sends in place of a file that needs a login"
    if _OPEN_DOCUMENT.match(head):
        return "is an OpenDocument file, as .ods; save it as .xlsx"
    if head.startswith(_LFS):
        return "is a pointer of Git LFS; `git lfs pull` fetches what it names"
    return None


def binary_kind_of(head: bytes) -> str | None:
    """What a file is, from its first bytes, as `is a picture`; None: perhaps a text."""
    return next((what for begin, what in _KINDS if head.startswith(begin)), None)


def is_text(head: bytes) -> bool:
    """Whether the first bytes of a file are UTF-8 without null characters."""
    try:
        return "\0" not in codecs.getincrementaldecoder("utf-8")().decode(head) and head != b""
    except UnicodeDecodeError:
        return False


def encoding_of(head: bytes) -> str | None:
    """The encoding of a text, from its first bytes, where it is UTF-16 or UTF-32: by its mark, or
    as its letters have nulls; None: it is another one.
    """
    if head.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        return "utf-32"
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    # the first letters are Latin, as names of columns and JSON's brackets are
    return _BY_NULLS.get("".join("\0" if byte == 0 else "x" for byte in head[:4]))
