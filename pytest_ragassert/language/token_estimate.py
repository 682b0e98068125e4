"""How many tokens a text is, estimated without a tokenizer, and cutting texts to a budget.

The estimate: four characters of an alphabet, or one character of a script without spaces, a token.
It lies above what common tokenizers count for plain prose, so that a request within the budget is
within the model's limit too.
"""

from __future__ import annotations

import re

from .sentences import split_sentences

_DENSE = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\ua4cf\uac00-\ud7ff\uf900-\ufaff]"
)
_BEYOND_LATIN = re.compile("[\u0250-\U0010ffff]")
_OVERHEAD = 8  # the JSON around each text


def estimated_tokens(text: str) -> int:
    """Estimated tokens of a text in a request, at least 1."""
    return _tokens(*_counts(text))


def _counts(text: str) -> tuple[int, int, int]:
    """Characters of scripts without spaces, of alphabets other than Latin, and all others."""
    if text.isascii():
        return 0, 0, len(text)
    dense = len(_DENSE.findall(text))
    beyond = len(_BEYOND_LATIN.findall(text))
    return dense, beyond - dense, len(text) - beyond


def _tokens(dense: int, wide: int, latin: int) -> int:
    # alphabets other than Latin take about two characters a token
    return _OVERHEAD + dense + wide // 2 + latin // 4


def pieces_within(text: str, budget: int) -> list[str]:
    """The text whole, or cut at sentence ends (within a sentence only where it alone is too long).

    Nothing is lost: the pieces joined are the text.
    """
    if estimated_tokens(text) <= budget:
        return [text]
    pieces: list[str] = []
    start = end = dense = wide = latin = 0
    for cut in _possible_cuts(text, budget):
        more = _counts(text[end:cut])
        taken = dense + more[0], wide + more[1], latin + more[2]
        if end > start and _tokens(*taken) > budget:
            pieces.append(text[start:end])
            start, taken = end, more
        end, (dense, wide, latin) = cut, taken
    return [*pieces, text[start:]]


def _possible_cuts(text: str, budget: int) -> list[int]:
    """Where the text may be cut, so that no stretch between two cuts exceeds the budget."""
    # a character is at most one token
    step = max(1, budget - _OVERHEAD)
    cuts: list[int] = []
    last = 0
    for _, end in [*split_sentences(text), (len(text), len(text))]:
        if estimated_tokens(text[last:end]) > budget:
            cuts.extend(range(last + step, end, step))
        cuts.append(end)
        last = end
    return cuts
