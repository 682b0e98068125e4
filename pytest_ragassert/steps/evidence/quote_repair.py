"""Corrects a quote that a judge copied almost verbatim, using the passage.

A quote of ten tokens may differ from the passage in one, a quote of twenty in two. The differences
must not include anything that decides a claim: a number, a name, a negation, or one of two
opposites. In scripts without capitals, every word that is more than a particle may be a name.
"""

from __future__ import annotations

import re
import unicodedata
from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ...language.detection import language_of
from ...language.folding import Folded, Span, fold, fold_once
from ...language.memo import TextCache
from ...language.words.languages import language_table
from .small_edits import Edit, are_small
from .token_boundaries import DENSE, between_tokens

_SHARE = 10  # one token in this many may differ
_MOST_TOKENS = 150  # tokens of a quote, which should be the shortest stretch that decides
_EDIT = 1_000  # cost of an edit, compared with a gain of 1 for an equal token
_MOST_STARTS, _MOST_ALIGNED = 2_000, 5  # places that are examined, and examined closely

_JOINTS = r"[-'.,:/_^·×]"
_TOKEN = re.compile(
    rf"[{DENSE}]"
    rf"|(?:(?<!\w)[-+±](?=\d))?[^\W_{DENSE}]+(?:{_JOINTS}[^\W_{DENSE}]+)*"
    r"|[^\w\s]"
)


@dataclass(frozen=True, slots=True)
class _Tokens:
    """The tokens of a folded text, and where each word is."""

    folded: Folded
    texts: list[str]
    starts: array[int]
    ends: array[int]
    places: dict[str, array[int]]

    @property
    def weight(self) -> int:
        return 200 + self.folded.weight + 80 * len(self.texts) + 200 * len(self.places)


def _says(token: str) -> bool:
    """Whether a mark is more than punctuation: the sign of a currency, an accent, a symbol."""
    return token in "%‰" or unicodedata.category(token)[0] in "SM"


def _tokens(folded: Folded) -> _Tokens:
    texts: list[str] = []
    starts, ends = array("q"), array("q")
    places: dict[str, array[int]] = {}
    for match in _TOKEN.finditer(folded.text):
        token = match[0]
        if not (token[-1].isalnum() or _says(token)):
            continue
        if token in places:
            places[token].append(len(texts))
        else:
            places[token] = array("q", (len(texts),))
        start, end = match.span()
        texts.append(token)
        starts.append(start)
        ends.append(end)
    return _Tokens(folded, texts, starts, ends, places)


_REMEMBERED = TextCache[_Tokens](
    lambda text: _tokens(fold(text)), lambda tokens: tokens.weight, limit=64_000_000
)


def corrected_quote(quote: str, passage: str, claim: str = "") -> Span | None:
    """Return half-open offsets of the stretch that a quote is meant to copy, or None if there is
    none.

    At least nine tenths of the tokens, of the quote and of the stretch, are equal and in the same
    order. The others are not numbers, negations, opposites or names, except inflected names, and no
    word replaces one that the claim has: what the claim is about is not a small edit. A token is a
    word, or a character in scripts without spaces.
    """
    wanted = _tokens(fold_once(quote))
    size = len(wanted.texts)
    if not _SHARE <= size <= _MOST_TOKENS or "..." in wanted.folded.text:
        return None
    whole = _REMEMBERED.of(passage)
    language = None
    for pairs in _alignments(wanted, whole):
        first, last = _stretch(pairs)
        span = _original(whole, first, last)
        if span is None:
            continue
        language = language or language_table(language_of(passage))
        found = whole.folded.text[whole.starts[first] : whole.ends[last]]
        edits = _edits(wanted, whole, pairs)
        about = _tokens(fold(claim)).texts
        if are_small(edits, (wanted.folded.text, found), about, language):
            return span
    return None


def _original(whole: _Tokens, first: int, last: int) -> Span | None:
    start = whole.folded.start(whole.starts[first])
    end = whole.folded.end(whole.ends[last])
    return between_tokens(whole.folded.source, start, end) if min(start, end) >= 0 else None


# -- where a quote may be -------------------------------------------------------------------------

# A token of the quote and the passage's token in its place; None if there is none.
_Pair = tuple[int | None, int | None]


def _alignments(wanted: _Tokens, whole: _Tokens) -> list[list[_Pair]]:
    """Yield alignments of the quote with stretches that have enough of its tokens, the best
    first.
    """
    size = len(wanted.texts)
    most = size // _SHARE
    found: list[tuple[int, int, list[_Pair]]] = []
    for start in _starts(wanted, whole, most):
        low = max(0, start - most)
        window = whole.texts[low : start + size + 2 * most]
        pairs = [
            (mine, None if theirs is None else theirs + low)
            for mine, theirs in _aligned(wanted.texts, window)
        ]
        equal = sum(_equal(wanted, whole, pair) for pair in pairs)
        theirs = sum(place is not None for _, place in pairs)
        if equal * _SHARE >= (_SHARE - 1) * max(size, theirs):
            found.append((-equal, low, pairs))
    return [pairs for _, _, pairs in sorted(found, key=lambda one: one[:2])]


def _starts(wanted: _Tokens, whole: _Tokens, most: int) -> list[int]:
    """Return where the quote's first token may be, the best places first, none close to another.

    At most `most` of its tokens may be missing, so one of any `most + 1` tokens is in its place.
    """
    known = [(len(whole.places[t]), at) for at, t in enumerate(wanted.texts) if t in whole.places]
    spare = most - (len(wanted.texts) - len(known))
    if spare < 0:
        return []
    starts = Counter[int]()
    for _, at in sorted(known)[: spare + 1]:
        starts.update(place - at for place in whole.places[wanted.texts[at]][:_MOST_STARTS])
    words, size = frozenset(wanted.texts), len(wanted.texts)
    needed = len(words) - most
    likely: list[tuple[int, int]] = []
    for start in starts:
        window = whole.texts[max(0, start - most) : start + size + most]
        held = len(words.intersection(window))
        if held >= needed:
            likely.append((-held, start))
    chosen: list[int] = []
    for _, start in sorted(likely):
        if all(abs(start - other) > most for other in chosen):
            chosen.append(start)
            if len(chosen) == _MOST_ALIGNED:
                break
    return chosen


def _aligned(wanted: Sequence[str], window: Sequence[str]) -> list[_Pair]:
    """Return the alignment of all tokens with a stretch of the window that has the fewest edits.

    Ties go to the most equal tokens, then to the one that replaces a token by another.
    """
    rows = [[0] * (len(window) + 1)]
    for number, token in enumerate(wanted, start=1):
        above = rows[-1]
        row = [number * _EDIT]
        for at, other in enumerate(window):
            kept = above[at] + (-1 if token == other else _EDIT)
            row.append(min(kept, above[at + 1] + _EDIT, row[at] + _EDIT))
        rows.append(row)
    at, number = min(range(len(window) + 1), key=lambda end: rows[-1][end]), len(wanted)
    pairs: list[_Pair] = []
    while number:
        cost = rows[number][at]
        kept = -1 if at and wanted[number - 1] == window[at - 1] else _EDIT
        if at and cost == rows[number - 1][at - 1] + kept:
            number, at = number - 1, at - 1
            pairs.append((number, at))
        elif cost == rows[number - 1][at] + _EDIT:
            number -= 1
            pairs.append((number, None))
        else:
            at -= 1
            pairs.append((None, at))
    return pairs[::-1]


def _equal(wanted: _Tokens, whole: _Tokens, pair: _Pair) -> bool:
    mine, theirs = pair
    return mine is not None and theirs is not None and wanted.texts[mine] == whole.texts[theirs]


def _stretch(pairs: Iterable[_Pair]) -> tuple[int, int]:
    """Return the passage's first and last token of an alignment."""
    places = [theirs for _, theirs in pairs if theirs is not None]
    return places[0], places[-1]


def _edits(wanted: _Tokens, whole: _Tokens, pairs: Sequence[_Pair]) -> list[Edit]:
    """Return the tokens that are not equal."""
    return [
        Edit(
            None if mine is None else wanted.texts[mine],
            None if theirs is None else whole.texts[theirs],
        )
        for mine, theirs in pairs
        if not _equal(wanted, whole, (mine, theirs))
    ]
