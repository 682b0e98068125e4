"""Measures texts: how much they say, and how many words they have."""

from __future__ import annotations

import re

# The sizes that passages should have, and the largest that they may have.
SMALL, LARGE, LARGEST = 300, 1_500, 2_000
FEWEST_WORDS = 8
# Han, kana and Hangul: one character says about as much as two Latin letters.
_WIDE = re.compile(
    "[\u1100-\u11ff\u2e80-\ua4cf\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff]"
)
# Two characters of a script without spaces count as a word.
_WORD = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\ua4cf]{2}"
    "|[^\\W\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\ua4cf]+"
)


def size_of(text: str) -> int:
    """The number of characters, of which Chinese, Japanese and Korean ones count as two."""
    return len(text) if text.isascii() else len(text) + len(_WIDE.findall(text))


def word_count(text: str) -> int:
    """The number of words; in scripts without spaces, of pairs of characters."""
    return len(_WORD.findall(text))
