"""Finds a quote as a verbatim part of a passage.

A judge's verdict counts if the passage says what the judge claims it says. So this module is
lenient about typography (see `language.folding`) and about nothing else. A quote is delimited by
token boundaries: "50" is not a part of "1500", and "compliant" is not a part of "non-compliant". It
is long enough to be evidence. What it leaves out with "..." must not reverse the passage's meaning.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from itertools import chain, pairwise

from ...language import folding
from ...language.folding import Folded, Span, fold
from ...language.layout import is_row, list_mark_end
from .quotation_marks import alike_but_for_marks
from .token_boundaries import TRIMMED, between_tokens, core, weight

# In units of `token_boundaries`.
_ENOUGH = 6
_ENOUGH_FOR_PART = 4
_LONGEST_GAP = 500
_MOST_PARTS = 16
_MOST_TRIES = 2000

_THREE_WORDS = re.compile(
    r"(?:[A-Za-z0-9\u00df-\u00f6\u00f8-\u00ff\u0410-\u044f]+,? ){2}[A-Za-z0-9]"
)
_NUMBER = re.compile(r"\d+(?:[.,:/'\u00b7\u066b]\d+)*")
_THOUSANDS = re.compile(r"(?<=\d)[,'](?=\d{3}(?!\d))")


def _numbers(text: str) -> set[str]:
    return {_THOUSANDS.sub("", number) for number in _NUMBER.findall(fold(text).text)}


def _is_evidence(quote: str, passage: str, claim: str | None) -> bool:
    if _THREE_WORDS.match(quote) or weight(quote, _ENOUGH) >= _ENOUGH:
        return True
    if claim is not None and not _numbers(quote).isdisjoint(_numbers(claim)):
        return True
    own = core(fold(quote).text)
    first = own.partition(" ")[0]
    return own == core(fold(passage).text) or (
        weight(quote, _ENOUGH_FOR_PART) >= _ENOUGH_FOR_PART
        and any(
            own == core(fold(line).text)
            for line in passage.splitlines()
            if first in line and _is_whole(line)
        )
    )


def _is_whole(line: str) -> bool:
    """Whether a line is complete in itself, like a row of a table or an item of a list."""
    return is_row(line) or list_mark_end(line, 0, len(line)) > 0


def _occurrences(text: str, wanted: str, low: int = 0, high: int | None = None) -> Iterator[int]:
    """Yield where the wanted text starts, including overlapping occurrences."""
    at = text.find(wanted, low, high)
    while at >= 0:
        yield at
        at = text.find(wanted, at + 1, high)


def is_too_short(quote: str, passage: str, claim: str) -> bool:
    """Whether the quote is in the passage and is only too short to prove anything."""
    quote = quote.strip(TRIMMED)
    if not core(quote) or _is_evidence(quote, passage, claim):
        return False
    return next(_matches(fold(quote), fold(passage), 0, len(passage)), None) is not None


def _find_as_it_is(quote: str, passage: str) -> Span | None:
    for start in _occurrences(passage, quote):
        if span := between_tokens(passage, start, start + len(quote)):
            return span
    return None


def _span(passage: Folded, start: int, end: int) -> Span | None:
    """Return the original offsets of a folded stretch if it begins and ends at token boundaries."""
    first, last = passage.start(start), passage.end(end)
    return between_tokens(passage.source, first, last) if min(first, last) >= 0 else None


def _forms(quote: Folded, passage: Folded) -> Iterator[tuple[Folded, Folded]]:
    """Return the forms to compare: as folded, with words rejoined that break over two lines, and
    both again without the spaces that are only typography.
    """
    yield from _whole_words(quote, passage)
    closed = quote.closed(), passage.closed()
    if closed != (quote, passage):
        yield from _whole_words(*closed)


def _whole_words(quote: Folded, passage: Folded) -> Iterator[tuple[Folded, Folded]]:
    yield quote, passage
    if passage.may_break or quote.may_break:
        wanted, whole = quote.joined(), passage.joined()
        if wanted.breaks or whole.breaks:
            yield wanted, whole


def _matches(quote: Folded, passage: Folded, low: int, high: int) -> Iterator[Span]:
    """Yield places of the quote that start at original offsets from `low` to `high`."""
    for wanted, whole in _forms(quote, passage):
        size = len(wanted.text)
        first, stop = whole.after(low), whole.after(high + 1) + size - 1
        exact = _occurrences(whole.text, wanted.text, first, stop)
        for start in chain(exact, alike_but_for_marks(whole.text, wanted.text, first, stop)):
            span = _span(whole, start, start + size)
            if span and whole.agrees(start, wanted):
                yield span


_ELISION = re.compile(r"[\[(]\s*(?:\.{3}|\u2026)[.\u2026]*\s*[\])]|(?:\.{3}|\u2026)[.\u2026]*")
_NEGATION = re.compile(
    r"(?<!\w)(?:not|no|none|never|nobody|nothing|nowhere|neither|nor|cannot|without|unless|except"
    r"|hardly|barely|scarcely|rarely|seldom"
    r"|nicht|nichts|kein\w*|nie|niemals|niemand|ohne|weder|kaum|selten"
    r"|не|нет|без|ни|никогда|никто|ничего|нельзя|едва|вряд|редко"
    r"|ne|pas|jamais|sans|rien|aucune?|rarement|ni|nunca|sin|tampoco|non)(?!\w)"
    r"|n't(?!\w)|(?<!\w)n'(?=\w)"
    r"|[不没沒無无未非否别別勿]|ない|なかっ|ません|않|못|없|아니",
    re.IGNORECASE,
)
_OPENING = "\"'\u201c\u201e\u201d\u00ab\u00bb\u2018(\\[\\s"
_CLOSING = "\"'\u201c\u201d\u00bb\u00ab\u2019)\\]"
_SENTENCE_END = re.compile(
    rf"(?:(?<![.!?\u2026])[.!?\u2026]+[{_CLOSING}]*(?=\s[{_OPENING}]*([^{_OPENING}\d]))"
    rf"|[\u3002\uff01\uff1f\u0964\u061f]+[{_CLOSING}\u300d\u300f]*)"
)
_EDGE = 8


def negates(text: str) -> bool:
    """Whether a word of the text negates."""
    return _NEGATION.search(folding.fold_once(text).text) is not None


def _sentence_ends(text: str, start: int, end: int) -> list[int]:
    """Return where sentences end between two offsets. A full stop before a lower-case letter or a
    digit is taken for an abbreviation's, because a wrong end could hide a negation.
    """
    first = max(start - _EDGE, 0)
    found = _SENTENCE_END.finditer(text[first : end + _EDGE])
    ends = [first + m.end() for m in found if not (m[1] or "").islower()]
    return [at for at in ends if start <= at <= end]


def _may_skip(text: str, start: int, end: int) -> bool:
    """Whether leaving this out preserves the meaning: a sentence that the quote shows loses no
    negation.
    """
    if not negates(text[start:end]):
        return True
    ends = _sentence_ends(text, start, end)
    return bool(ends) and not (negates(text[start : ends[0]]) or negates(text[ends[-1] : end]))


class _Elided:
    """A quote in parts, which must be found in order within a limited number of tries."""

    def __init__(self, parts: list[str], passage: Folded) -> None:
        self._parts = [fold(part) for part in parts]
        self._passage = passage
        self._tries = _MOST_TRIES

    def find(self) -> Span | None:
        places = self._follow(0, 0)
        if places is None or not self._long_enough(places):
            return None
        return places[0][0], places[-1][1]

    def _follow(self, part: int, low: int) -> list[Span] | None:
        source = self._passage.source
        high = min(low + _LONGEST_GAP, len(source)) if part else len(source)
        for place in _matches(self._parts[part], self._passage, low, high):
            self._tries -= 1
            if self._tries < 0:
                return None
            if part and not _may_skip(source, low, place[0]):
                continue
            if part + 1 == len(self._parts):
                return [place]
            rest = self._follow(part + 1, place[1])
            if rest is not None:
                return [place, *rest]
        return None

    def _long_enough(self, places: list[Span]) -> bool:
        """Whether each part is long enough. A mark that the passage itself has does not divide the
        quote.
        """
        source, stretches = self._passage.source, places[:1]
        for (_, end), (start, stop) in pairwise(places):
            if weight(source[end:start], 1):
                stretches.append((start, stop))
            else:
                stretches[-1] = stretches[-1][0], stop
        weights = [weight(source[start:end], _ENOUGH_FOR_PART) for start, end in stretches]
        return len(stretches) == 1 or min(weights) >= _ENOUGH_FOR_PART


def _find_elided(quote: str, passage: Folded) -> Span | None:
    trimmed = (part.strip(TRIMMED) for part in _ELISION.split(quote))
    parts = [part for part in trimmed if part]
    if not 0 < len(parts) <= _MOST_PARTS:
        return None
    return _Elided(parts, passage).find()


_OPENS, _CLOSES = "\"'\u201c\u201e\u00ab\u2018\u300c", "\"'\u201d\u201c\u00bb\u2019\u300d"
_MARKED = re.compile(f"[{_OPENS}](.+)[{_CLOSES}]", re.DOTALL)


def unmarked(quote: str) -> str | None:
    """Return the quote without the quotation marks around it, or None if there are none."""
    found = _MARKED.fullmatch(quote.strip(TRIMMED))
    return None if found is None else found[1]


def find_quote(
    quote: str, passage: str, *, claim: str | None = None, proves: bool = True
) -> Span | None:
    """Return half-open offsets of the quote in the passage as given, or None if it is not in it.

    Typography is folded on both sides; digits, case and wording are not. The quote is delimited by
    token boundaries and has at least three tokens (or six characters in scripts without spaces),
    unless it is the whole passage, is a whole row or list item of two tokens, or contains a number
    of the `claim`. With "..." it may leave out up to 500 characters, but no negation of a sentence
    that it shows.

    Args:
        proves: False: it may have any length.
    """
    quote = quote.strip(TRIMMED)
    if not quote:
        return None
    if not proves or _is_evidence(quote, passage, claim):
        return _find(quote, passage)
    if not core(quote) or "..." in fold(quote).text:
        return None
    # the passage may divide into words what the quote writes together: "20 kg", "20kg"
    span = _find(quote, passage)
    return span if span and _is_evidence(passage[slice(*span)], passage, claim) else None


def _find(quote: str, passage: str) -> Span | None:
    if span := _find_as_it_is(quote, passage):
        return span
    wanted, whole = fold(quote), fold(passage)
    elided = "..." in wanted.text
    if elided and not whole.has_ellipsis:  # the mark cannot belong to the passage
        return _find_elided(quote, whole)
    span = next(_matches(wanted, whole, 0, len(passage)), None)
    return _find_elided(quote, whole) if elided and span is None else span


_PART_OF_NUMBER = re.compile(r"(?<=\d)[^\w\s]+(?=\d)|(?<!\w)[-+](?=\d)|(?<=\d)\s+(?=\d)")


def _bare(text: str) -> str:
    """Return the text without case, punctuation and spacing, except what is part of a number's
    value.
    """
    folded = fold(text).text.casefold()
    kept = {at for m in _PART_OF_NUMBER.finditer(folded) for at in range(*m.span())}
    return "".join(char for at, char in enumerate(folded) if at in kept or _says(char))


def _says(char: str) -> bool:
    return char.isalnum() or char in "%\u2030" or unicodedata.category(char)[0] in "MS"


def repeats_claim(quote: str, claim: str) -> bool:
    """Whether the quote only repeats the claim: such a quote is no evidence against it."""
    return _bare(quote) == _bare(claim)
