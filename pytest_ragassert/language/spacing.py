"""Which spaces separate words or numbers, and which are only typography.

Between two letters and between two digits a space makes two words or two numbers of one. Beside
punctuation or a sign, and between a digit and a letter, writers use it or not: `z. B.` and `z.B.`,
`50 €` and `50€`, `§ 5` and `§5`, `20 kg` and `20kg`. An exception is a space between two numbers
with a mark or sign: `10, 5` is two numbers and `10,5` is one. In a date, `24. 12. 2024`, and on
both sides of a dash, `10 - 12`, it is typography.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

_LETTER = r"[^\W\d_]"
# A date in figures, a dash between two numbers, or any other space that is not between two letters.
_CANDIDATE = re.compile(
    rf"(?<![\d.,])\d{{1,2}}\. ?\d{{1,2}}\. ?\d{{4}}(?!\d)|(?<=\d) - (?=\d)"
    rf"|(?<!{_LETTER}) | (?!{_LETTER})"
)
_SIGNS_OF_NUMBERS = "+-"
_FARTHEST = 4  # characters from a space to the numbers that it may separate


def free_spaces(text: str) -> Iterator[int]:
    """Yield the offsets of the spaces in a folded text that are only typography."""
    for found in _CANDIDATE.finditer(text):
        start, end = found.span()
        if end - start > 1:
            yield from (at for at in range(start, end) if text[at] == " ")
        elif 0 < start < len(text) - 1 and not _separates(text, start):
            yield start


def _separates(text: str, at: int) -> bool:
    before, after = _kind_before(text, at), _kind(text[at + 1])
    if before and after:
        return before == after
    # "- 5" may be a dash before 5
    if after == "N" and text[at - 1] in _SIGNS_OF_NUMBERS:
        return True
    # "10, 5" is not "10,5", "10 . 5" is not "10.5", and "5$ 10" is not "5 $10"
    return _is_number(reversed(text[max(0, at - _FARTHEST) : at])) and _is_number(
        iter(text[at + 1 : at + 1 + _FARTHEST])
    )


def _is_number(chars: Iterator[str]) -> bool:
    """Whether the first character that is neither a space nor a sign is a digit."""
    return next((kind for char in chars if (kind := _kind(char))), "") == "N"


def _kind_before(text: str, at: int) -> str:
    """Return the kind of the character before the offset, or of the one that its marks belong
    to.
    """
    while at > 0 and unicodedata.category(text[at - 1])[0] == "M":
        at -= 1
    return _kind(text[at - 1 : at])


def _kind(char: str) -> str:
    """Return L for a letter or a mark, N for a digit or another number, otherwise ''."""
    kind = unicodedata.category(char)[0] if char else ""
    return {"L": "L", "M": "L", "N": "N"}.get(kind, "")
