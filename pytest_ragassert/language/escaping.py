"""Untrusted text made harmless for terminals: control characters escaped; blank texts too."""

from __future__ import annotations

import re
import unicodedata

# C0 and C1 controls, line and paragraph separators, bidirectional controls, lone surrogates.
_ACTING = re.compile(
    "[\x00-\x1f\x7f-\x9f\u2028\u2029\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)
_SPACE = re.compile(r"\s+")


def visible(text: str) -> str:
    """The text on one line; space runs are one space, what would act is shown as an escape."""
    return escaped(_SPACE.sub(" ", text).strip())


def visible_part(text: str) -> str:
    """The same of a part of a text, with the space at its ends."""
    return escaped(_SPACE.sub(" ", text))


def escaped(text: str) -> str:
    """The text, spaces and all; what would act is shown as an escape."""
    return _ACTING.sub(_escape, text)


def shortened(text: str, most: int) -> str:
    """The text, of a longer one its beginning: `most` characters at most."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


# Letters, symbols and marks that show nothing: fillers, the blank Braille pattern, joiners.
_UNSEEN = frozenset("\u115f\u1160\u3164\uffa0\u2800\u034f\u180b\u180c\u180d\ufe0e\ufe0f")


def is_blank(text: str | None) -> bool:
    """Nothing in it but space and characters that show nothing."""
    if text and text[0].isascii() and text[0].isalnum():
        return False  # most texts, at once
    return text is None or all(
        char.isspace() or char in _UNSEEN or unicodedata.category(char) in ("Cf", "Cc")
        for char in text
    )


def _escape(match: re.Match[str]) -> str:
    code = ord(match.group())
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


SURROGATE = re.compile("[\ud800-\udfff]")


def without_surrogates(text: str) -> str:
    """The text, of the same length, as every encoding takes it."""
    return SURROGATE.sub("\ufffd", text)
