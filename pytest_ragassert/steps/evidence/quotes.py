"""Finds a quote as a verbatim part of a passage.

A judge's verdict counts when the passage says what the judge claims it says. So this module
is lenient about typography (see `language.folding`) and about nothing else. A quote stands at token
boundaries: "50" is no part of "1500", "compliant" none of "non-compliant". It is long enough to be
evidence. What it leaves out behind "..." must not turn the passage into its opposite.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from itertools import chain, islice, pairwise

from ...language import folding
from ...language.folding import DASHES, IGNORED, JOINERS, Folded, Span, attaches, fold
from .quotation_marks import alike_but_for_marks

# Evidence is weighed in units: two for a word or number, one for a character of a script without
# spaces. So three words and six Han characters weigh the same, and mixtures come out in between.
_WORD_UNITS = 2
_ENOUGH = 6
_ENOUGH_FOR_PART = 4
_LONGEST_GAP = 500
_MOST_PARTS = 16
_MOST_TRIES = 2000

_UNSEEN = IGNORED + JOINERS
_TRIMMED = folding.WHITE_SPACE + _UNSEEN
_DASH = re.escape(DASHES)

_WORD, _DIGIT, _NUMERAL, _DENSE = "w", "d", "n", "s"
_HAN_NUMERALS = frozenset("\u3007零一二三四五六七八九十百千万萬亿億兆两")
_SCRIPT_SIGNS = frozenset("\u207a\u207b\u208a\u208b")  # the sign of a super- or subscript number
# Characters of scripts without spaces, for a class of a regular expression.
DENSE = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u19e0-\u19ff\ua9e0-\ua9ff\uaa60-\uaa7f"
    "\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3031-\u3035\u303b\u3041-\u30fa\u30fc-\u312f"
    "\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f"
    "\U0001b000-\U0001b16f\U00020000-\U0003ffff"
)
_DENSE_SCRIPT = re.compile(f"[{DENSE}]")
_BULLET_NUMBER = re.compile("[\u2460-\u24ff\u2776-\u2793]")
# Letters by category that no reader parts from what stands before or after them.
_TRAILING = frozenset("\u0e30\u0e32\u0e33\u0e45\u0eb0\u0eb2\u0eb3\uff9e\uff9f" + JOINERS)
_LEADING = frozenset(
    "\u0e40\u0e41\u0e42\u0e43\u0e44\u0ec0\u0ec1\u0ec2\u0ec3\u0ec4\u1039\u17d2" + JOINERS
)


def _kind(char: str) -> str:
    """Word, digit, Han numeral, other character of a script without spaces, or '' for the rest.

    Hangul puts spaces between words and hangs negation on their ends: its words are kept whole.
    """
    if char.isascii():
        return _WORD if char.isalpha() else _DIGIT if char.isdigit() else ""
    if char in _HAN_NUMERALS:
        return _NUMERAL
    if not char.isalnum():
        return _DIGIT if char in _SCRIPT_SIGNS else ""
    if unicodedata.category(char)[0] == "N":
        return "" if _BULLET_NUMBER.match(char) else _DIGIT
    return _DENSE if _DENSE_SCRIPT.match(char) else _WORD


_REACH = 64
_IGNORED_RUN = re.compile(f"[{IGNORED}]+")
_BREAK = rf"([{_DASH}{folding.SOFT_HYPHEN}])[\s{IGNORED}]*[{folding.LINE_BREAKS}][\s{IGNORED}]*"
_BREAK_BEFORE = re.compile(_BREAK + r"\Z")
_BREAK_AFTER = re.compile(_BREAK)
_GAP_WITH_BREAK = re.compile(rf"[\s{IGNORED}]*[{folding.LINE_BREAKS}][\s{IGNORED}]*")
_GROUP_BEFORE = re.compile(r"(?<!\d)\d{1,3}\s?\Z")
_GROUP_AFTER = re.compile(r"\s?\d{3}(?!\d)")
# The article before an apostrophe, as in "l'usine", is a word of its own; "n'" is a negation.
_ARTICLE = re.compile(rf"(?<!\w)(?:[cdjlmst]|qu)[{folding.SINGLE_QUOTES}]\Z", re.IGNORECASE)

_LETTER_JOINTS = frozenset(folding.HYPHENS + "_")
_APOSTROPHES = frozenset(folding.SINGLE_QUOTES)
_DIGIT_JOINTS = frozenset(".,:/^\u00b7\u00d7\u066b\u066c\uff0e\uff0c\uff1a\uff0f" + DASHES)
_UNCLEAR = frozenset(_TRIMMED + DASHES)
_SIGNS = frozenset("+\u00b1" + DASHES) - frozenset(folding.LONG_DASHES)
_POINTS = frozenset(".\u066b\uff0e")


def _at_boundary(text: str, at: int) -> bool:
    """Whether a quote may start or end at this offset of the passage, seen as printed."""
    if not 0 < at < len(text):
        return True
    left, right = text[at - 1], text[at]
    # The usual places, decided without a look at the surroundings.
    if left in " \n" and right.isalpha() and right < "\u0e00":
        if text[at - 2 : at - 1] not in _UNCLEAR:
            return True
    elif right in " .,;:!?\n" and (left.isalpha() or (left in ".,;:!?" and right in " \n")):
        return True
    return _parted(*_surroundings(text, at))


def _surroundings(text: str, at: int) -> tuple[str, str]:
    """What stands before and after, without invisible characters and hyphenation's line breaks."""
    before, after = text[max(at - _REACH, 0) : at], text[at : at + _REACH]
    if before[-1] in DASHES or before[-1] == folding.SOFT_HYPHEN:
        after = _GAP_WITH_BREAK.sub("", after, count=1) if _GAP_WITH_BREAK.match(after) else after
    before = _BREAK_BEFORE.sub(r"\1", before)
    if _BREAK_AFTER.match(after):
        after = _BREAK_AFTER.sub(r"\1", after, count=1)
    return _IGNORED_RUN.sub("", before), _IGNORED_RUN.sub("", after)


def _base_kind(text: str) -> str:
    """Kind of the last character, or of the one that carries the marks at the end."""
    for char in reversed(text):
        if not attaches(char):
            return _kind(char)
    return ""


def _parted(before: str, after: str) -> bool:
    if not before or not after:
        return True
    left, right = before[-1], after[0]
    if attaches(right) or right in _TRAILING or left in _LEADING or "🏻" <= right <= "🏿":
        return False
    one, two = _base_kind(before), _kind(right)
    if one and two:
        return not _one_token(one, two)
    if one:
        # "5 mg/kg" is not 5 mg; "and/or" may be parted before its second half.
        next_kind = _kind(after[1:2])
        joined = _joins(right, one, next_kind) or (right == "/" and next_kind)
        return not (joined or _grouped(before, after))
    if two and left in _APOSTROPHES and _ARTICLE.search(before):
        return True
    if two and _joins(left, _base_kind(before[:-1]), two):
        return False
    return not (_signed(before, after) or _grouped(before, after))


def _one_token(one: str, two: str) -> bool:
    if _DENSE in (one, two):
        return False
    return _NUMERAL not in (one, two) or _WORD not in (one, two)


def _joins(char: str, one: str, two: str) -> bool:
    """Whether the character makes one token of its two neighbours."""
    if one == two == _DIGIT and char in _DIGIT_JOINTS:
        return True
    return {one, two} <= {_WORD, _DIGIT} and (char in _LETTER_JOINTS or char in _APOSTROPHES)


def _grouped(before: str, after: str) -> bool:
    """Whether a number written with spaces, as in "10 000", goes on here."""
    if not (before[-1].isspace() ^ after[0].isspace()):
        return False
    return bool(_GROUP_BEFORE.search(before) and _GROUP_AFTER.match(after))


def _signed(before: str, after: str) -> bool:
    """Whether what stands before is the sign or the decimal point of the number that follows."""
    number = after[1:] if after[0] in _POINTS else after
    if _kind(number[:1]) != _DIGIT:
        return False
    left, outer = before[-1], before[-2:-1]
    if left in _SIGNS:
        return _base_kind(before[:-1]) not in (_WORD, _DIGIT)
    opens = not outer or outer.isspace() or unicodedata.category(outer) in ("Ps", "Sc")
    return left in _POINTS and (opens or outer in _SIGNS)


_ASCII_TOKEN = re.compile(r"[A-Za-z0-9]+(?:[-'`_.,:/][A-Za-z0-9]+)*")
_THREE_WORDS = re.compile(
    r"(?:[A-Za-z0-9\u00df-\u00f6\u00f8-\u00ff\u0410-\u044f]+,? ){2}[A-Za-z0-9]"
)
_TOKEN_JOINTS = _LETTER_JOINTS | _APOSTROPHES | _DIGIT_JOINTS
_NUMBER = re.compile(r"\d+(?:[.,:/'\u00b7\u066b]\d+)*")
_THOUSANDS = re.compile(r"(?<=\d)[,'](?=\d{3}(?!\d))")


def _units(text: str, enough: int) -> int:
    """The weight of a text in units; counting stops once it is enough."""
    if text.isascii():
        tokens = islice(_ASCII_TOKEN.finditer(text), enough)
        return _WORD_UNITS * sum(1 for _ in tokens)
    units, inside, joint = 0, False, False
    for char in text:
        kind = _kind(char)
        if kind in (_WORD, _DIGIT):
            units += 0 if inside else _WORD_UNITS
            inside, joint = True, False
        elif kind:
            units += 1
            inside = False
        elif char not in _UNSEEN and not attaches(char):
            inside = joint = inside and not joint and char in _TOKEN_JOINTS
        if units >= enough:
            break
    return units


def _numbers(text: str) -> set[str]:
    return {_THOUSANDS.sub("", number) for number in _NUMBER.findall(fold(text).text)}


def _core(text: str) -> str:
    """The text without its outer punctuation; all of it where it is nothing else."""
    start, end = 0, len(text)
    while start < end and not _kind(text[start]):
        start += 1
    while end > start and not (_kind(text[end - 1]) or attaches(text[end - 1])):
        end -= 1
    return text[start:end] or text.strip()


def _is_evidence(quote: str, passage: str, claim: str | None) -> bool:
    if _THREE_WORDS.match(quote) or _units(quote, _ENOUGH) >= _ENOUGH:
        return True
    if claim is not None and not _numbers(quote).isdisjoint(_numbers(claim)):
        return True
    return _core(fold(quote).text) == _core(fold(passage).text)


def _occurrences(text: str, wanted: str, low: int = 0, high: int | None = None) -> Iterator[int]:
    """Where the wanted text starts, overlapping occurrences included."""
    at = text.find(wanted, low, high)
    while at >= 0:
        yield at
        at = text.find(wanted, at + 1, high)


def between_tokens(text: str, start: int, end: int) -> Span | None:
    """The stretch, None where it begins or ends within a token."""
    return (start, end) if _at_boundary(text, start) and _at_boundary(text, end) else None


def is_too_short(quote: str, passage: str, claim: str) -> bool:
    """Whether the quote stands in the passage and is only too short to prove anything."""
    quote = quote.strip(_TRIMMED)
    if not _core(quote) or _is_evidence(quote, passage, claim):
        return False
    return next(_matches(fold(quote), fold(passage), 0, len(passage)), None) is not None


def _find_as_it_is(quote: str, passage: str) -> Span | None:
    for start in _occurrences(passage, quote):
        if span := between_tokens(passage, start, start + len(quote)):
            return span
    return None


def _span(passage: Folded, start: int, end: int) -> Span | None:
    """The original place of a folded stretch, where that is a place between tokens."""
    first, last = passage.start(start), passage.end(end)
    return between_tokens(passage.source, first, last) if min(first, last) >= 0 else None


def _forms(quote: Folded, passage: Folded) -> Iterator[tuple[Folded, Folded]]:
    """The forms to compare: as folded, then without the hyphens of words broken over two lines."""
    yield quote, passage
    if passage.may_break or quote.may_break:
        wanted, whole = quote.joined(), passage.joined()
        if wanted.breaks or whole.breaks:
            yield wanted, whole


def _matches(quote: Folded, passage: Folded, low: int, high: int) -> Iterator[Span]:
    """Places of the quote that start at original offsets from `low` to `high`."""
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
    """Where sentences end between two offsets. A full stop before a small letter or a digit is
    taken for an abbreviation's: a wrong end could hide a negation."""
    first = max(start - _EDGE, 0)
    found = _SENTENCE_END.finditer(text[first : end + _EDGE])
    ends = [first + m.end() for m in found if not (m[1] or "").islower()]
    return [at for at in ends if start <= at <= end]


def _may_skip(text: str, start: int, end: int) -> bool:
    """Whether leaving this out keeps the sense: no negation in a sentence that the quote shows."""
    if not negates(text[start:end]):
        return True
    ends = _sentence_ends(text, start, end)
    return bool(ends) and not (negates(text[start : ends[0]]) or negates(text[ends[-1] : end]))


class _Elided:
    """A quote in parts, to be found in their order within a bounded number of tries."""

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
        """Each stretch needs some length; a mark that the passage has itself divides none."""
        source, stretches = self._passage.source, places[:1]
        for (_, end), (start, stop) in pairwise(places):
            if _units(source[end:start], 1):
                stretches.append((start, stop))
            else:
                stretches[-1] = stretches[-1][0], stop
        weights = [_units(source[start:end], _ENOUGH_FOR_PART) for start, end in stretches]
        return len(stretches) == 1 or min(weights) >= _ENOUGH_FOR_PART


def _find_elided(quote: str, passage: Folded) -> Span | None:
    trimmed = (part.strip(_TRIMMED) for part in _ELISION.split(quote))
    parts = [part for part in trimmed if part]
    if not 0 < len(parts) <= _MOST_PARTS:
        return None
    return _Elided(parts, passage).find()


_OPENS, _CLOSES = "\"'\u201c\u201e\u00ab\u2018\u300c", "\"'\u201d\u201c\u00bb\u2019\u300d"
_MARKED = re.compile(f"[{_OPENS}](.+)[{_CLOSES}]", re.DOTALL)


def unmarked(quote: str) -> str | None:
    """The quote without the quotation marks around it; None where there are none."""
    found = _MARKED.fullmatch(quote.strip(_TRIMMED))
    return None if found is None else found[1]


def find_quote(quote: str, passage: str, *, claim: str | None = None) -> Span | None:
    """Half-open offsets of the quote in the passage as given, or None where it is no part of it.

    Typography is folded on both sides; digits, case and wording are not. The quote stands at token
    boundaries and has at least three tokens (or six characters of a script without spaces), unless
    it is the whole passage or holds a number of the `claim`. It may leave out up to 500 characters
    behind "...", but no negation of a sentence that it shows.
    """
    quote = quote.strip(_TRIMMED)
    if not quote or not _is_evidence(quote, passage, claim):
        return None
    if span := _find_as_it_is(quote, passage):
        return span
    wanted, whole = fold(quote), fold(passage)
    elided = "..." in wanted.text
    if elided and not whole.has_ellipsis:  # the mark cannot be the passage's own
        return _find_elided(quote, whole)
    span = next(_matches(wanted, whole, 0, len(passage)), None)
    return _find_elided(quote, whole) if elided and span is None else span


_PART_OF_NUMBER = re.compile(r"(?<=\d)[^\w\s]+(?=\d)|(?<!\w)[-+](?=\d)|(?<=\d)\s+(?=\d)")


def _bare(text: str) -> str:
    """The text without case, punctuation and spacing, save what is part of a number's value."""
    folded = fold(text).text.casefold()
    kept = {at for m in _PART_OF_NUMBER.finditer(folded) for at in range(*m.span())}
    return "".join(char for at, char in enumerate(folded) if at in kept or _says(char))


def _says(char: str) -> bool:
    return char.isalnum() or char in "%\u2030" or unicodedata.category(char)[0] in "MS"


def repeats_claim(quote: str, claim: str) -> bool:
    """Whether the quote only says the claim again: such a quote is no evidence against it."""
    return _bare(quote) == _bare(claim)
