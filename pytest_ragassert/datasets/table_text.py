"""The text of a table that a spreadsheet or a program wrote."""

from __future__ import annotations

import codecs

from ..storage.files.plain_files import not_utf8_since

_UTF_32 = (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)
_LOOKED_AT = 200  # bytes that say whether every other one is null


def table_text(raw: bytes) -> str:
    """The text of UTF-8 or UTF-16, with or without a mark.

    Raises:
        ValueError: it is of another encoding, or damaged; says where, and what to do.
    """
    text = _decoded(raw)
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise ValueError(f"it is no text: it has a null character, first in line {line}")
    return text


def _decoded(raw: bytes) -> str:
    if raw.startswith(_UTF_32):
        raise ValueError("it is UTF-32; save the file as UTF-8")
    encoding = _utf_16(raw)
    if encoding is not None:
        try:
            return raw.decode(encoding).removeprefix("\ufeff")
        except UnicodeDecodeError as error:
            raise ValueError(f"it is damaged UTF-16 (at byte {error.start})") from None
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{not_utf8_since(error, 1)}, or give the file open: "
            'load_cases(open(FILE, encoding="cp1252", newline=""))'
        ) from None


def _utf_16(raw: bytes) -> str | None:
    """The encoding, where it is UTF-16: by its mark, else as the letters of names have a null."""
    if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    head = raw[:_LOOKED_AT]
    if len(head) < 2:
        return None
    for encoding, nulls, letters in (
        ("utf-16-le", head[1::2], head[::2]),
        ("utf-16-be", head[::2], head[1::2]),
    ):
        if not nulls.strip(b"\0") and letters.strip(b"\0"):
            return encoding
    return None
