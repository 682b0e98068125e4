"""Detects the encoding of a text file, and decodes it."""

from __future__ import annotations

import codecs

from .plain_files import not_utf8_since

_BY_NULLS = {
    "x\0\0\0": "utf-32",
    "\0\0\0x": "utf-32",
    "x\0x\0": "utf-16-le",
    "\0x\0x": "utf-16-be",
}


def encoding_of(head: bytes) -> str | None:
    """The encoding of a UTF-16 or UTF-32 text, from the byte order mark or the null bytes in its
    first bytes; None: it is another one.
    """
    if head.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        return "utf-32"
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    # the first letters are Latin, as in names of columns and JSON's brackets
    return _BY_NULLS.get("".join("\0" if byte == 0 else "x" for byte in head[:4]))


def decoded(raw: bytes, *, is_whole: bool = True, otherwise: str = "") -> str:
    """Decode UTF-8 or UTF-16, with or without a byte order mark.

    Args:
        is_whole: if False, it may end in the middle of a letter.
        otherwise: what else people can do with a file that is not UTF-8, as the end of a sentence.

    Raises:
        ValueError: it has another encoding, or is damaged; the message says where, and what to do.
    """
    encoding = encoding_of(raw[:1024])
    if encoding == "utf-32":
        raise ValueError("it is UTF-32; save the file as UTF-8")
    try:
        text = codecs.getincrementaldecoder(encoding or "utf-8")().decode(raw, is_whole)
    except UnicodeDecodeError as error:
        if encoding is not None:
            raise ValueError(f"it is damaged UTF-16 (at byte {error.start})") from None
        raise ValueError(f"{not_utf8_since(error, 1)}{otherwise}") from None
    # some programs write a second byte order mark
    return text.lstrip("\ufeff")
