"""Decodes the text of a table that a spreadsheet or a program wrote."""

from __future__ import annotations

from ..storage.files.encodings import decoded

_OTHERWISE = ', or give the file open: load_cases(open(FILE, encoding=ENCODING, newline=""))'


def table_text(raw: bytes, *, is_whole: bool = True) -> str:
    """Decode UTF-8 or UTF-16, with or without a byte order mark.

    Args:
        is_whole: if False, it may end in the middle of a letter.

    Raises:
        ValueError: it has another encoding, or is damaged; the message says where, and what to do.
    """
    text = decoded(raw, is_whole=is_whole, otherwise=_OTHERWISE)
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise ValueError(f"it is not text: it has a null character, first in line {line}")
    return text
