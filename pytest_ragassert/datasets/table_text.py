"""Decodes the text of a table that a spreadsheet or a program wrote."""

from __future__ import annotations

import codecs

from ..storage.files.plain_files import not_utf8_since
from .file_contents import encoding_of


def table_text(raw: bytes, *, is_whole: bool = True) -> str:
    """Decode UTF-8 or UTF-16, with or without a byte order mark.

    Args:
        is_whole: if False, it may end in the middle of a letter.

    Raises:
        ValueError: it has another encoding, or is damaged; the message says where, and what to do.
    """
    # some programs write a second byte order mark
    text = _decoded(raw, is_whole).lstrip("\ufeff")
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise ValueError(f"it is not text: it has a null character, first in line {line}")
    return text


def _decoded(raw: bytes, is_whole: bool) -> str:
    encoding = encoding_of(raw[:1024])
    if encoding == "utf-32":
        raise ValueError("it is UTF-32; save the file as UTF-8")
    if encoding is not None:
        try:
            return codecs.getincrementaldecoder(encoding)().decode(raw, is_whole)
        except UnicodeDecodeError as error:
            raise ValueError(f"it is damaged UTF-16 (at byte {error.start})") from None
    try:
        return codecs.getincrementaldecoder("utf-8")().decode(raw, is_whole)
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{not_utf8_since(error, 1)}, or give the file open: "
            'load_cases(open(FILE, encoding=ENCODING, newline=""))'
        ) from None
