"""Estimates how many tokens a text has, without a tokenizer.

The estimate is one token for four characters of an alphabet, or for one character of a script
without spaces. This is more than common tokenizers count for plain prose, so a request within the
budget is within the model's limit too.
"""

from __future__ import annotations

import re

_DENSE = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\ua4cf\uac00-\ud7ff\uf900-\ufaff]"
)
_BEYOND_LATIN = re.compile("[\u0250-\U0010ffff]")
OVERHEAD = 8  # the JSON around each text


def estimated_tokens(text: str) -> int:
    """Return the estimated tokens of a text in a request, at least 1."""
    return tokens_of(*count_characters(text))


def count_characters(text: str) -> tuple[int, int, int]:
    """Count characters of scripts without spaces, of alphabets other than Latin, and all others."""
    if text.isascii():
        return 0, 0, len(text)
    dense = len(_DENSE.findall(text))
    beyond = len(_BEYOND_LATIN.findall(text))
    return dense, beyond - dense, len(text) - beyond


def tokens_of(dense: int, wide: int, latin: int) -> int:
    """Return the estimated tokens of a text with these numbers of characters."""
    # alphabets other than Latin take about two characters per token
    return OVERHEAD + dense + wide // 2 + latin // 4
