"""Compares two questions by their words: what differs, and whether that changes the question."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain

from ..language.polite_frames import without_polite_frame
from ..language.question_kinds import are_opposed, question_language, read_question, shared_form
from ..language.words.languages import language_table
from ..language.words.lexicon import SPEAKER
from ..language.words.numbers import Number, agree
from ..language.words.reader import read_words, words_in_order

_TIMES = frozenset({"second", "minute", "hour", "day", "week", "month", "quarter", "year"})
_ONE_PLACE = 3  # words
_SHORTEST_PART = 4  # letters of a part of a compound


@dataclass(frozen=True, slots=True)
class Difference:
    """How two questions differ.

    Attributes:
        other_question: something shows that they are different questions: another number, name or
            day, a negation, another kind of question.
        kind_unknown: only one of them shows what it asks for, such as a price or a place.
        missing: the share of the words of both that the other question lacks, in [0, 1].
        is_reworded: they differ in more than one place.
        on_both_sides: each has words that the other lacks, as where one word replaces another.
    """

    other_question: bool = False
    kind_unknown: bool = False
    missing: float = 0.0
    is_reworded: bool = False
    on_both_sides: bool = False

    @property
    def is_none(self) -> bool:
        """Whether they ask the same with the same words, in any order."""
        return not self.other_question and not self.kind_unknown and not self.missing


def difference(one: str, other: str) -> Difference:
    """Return how two questions differ, by their words."""
    ours, theirs = question_language(one), question_language(other)
    if ours and theirs and ours != theirs:
        return Difference(missing=1.0, on_both_sides=True)
    code = ours or theirs or "en"
    first, second = _read(one, code), _read(other, code)
    if first.folded == second.folded:
        return Difference()
    mine, yours = _unmatched(first.content, second.content, code)
    whole = _weight(first.content) + _weight(second.content)
    lacks = _weight(mine) + _weight(yours)
    return Difference(
        other_question=_excludes(first, second, mine, yours, code),
        kind_unknown=(first.kind is None) is not (second.kind is None),
        missing=round(lacks / whole, 6) if whole else 1.0,
        is_reworded=_is_reworded(first.folded, second.folded),
        on_both_sides=bool(mine and yours),
    )


@dataclass(frozen=True, slots=True)
class _Question:
    """A question as read in one language; words are stems."""

    folded: tuple[str, ...]
    kind: str | None
    direction: tuple[str, str] | None
    content: frozenset[str]
    names: frozenset[str]
    numbers: tuple[Number, ...]
    series: frozenset[str]  # days, seasons, "before", "at least" ...
    marks: frozenset[str]  # "off", "without"
    is_negated: bool


@lru_cache(maxsize=8192)
def _read(text: str, code: str) -> _Question:
    language = language_table(code)
    text = without_polite_frame(text, code)
    asked = read_question(text, code)
    words = read_words(asked.rest, code)
    written = {word.lower() for word in words_in_order(asked.rest, code)}
    numbers = tuple(number for number in words.numbers if number.demanded)
    series = {language.series[word] for word in written & language.series.keys()}
    series |= {unit for word in written if (unit := language.units.get(word)) in _TIMES}
    found: Iterable[str] = words.content
    if language.fixed:
        # one character each: pairs of neighbours depend on the order of the words
        found = chain.from_iterable([word] if word.isascii() else word for word in found)
    stems = {shared_form(word, code) for word in found} - {"", SPEAKER}
    return _Question(
        folded=tuple(words_in_order(text, code)),
        kind=asked.kind,
        direction=asked.direction,
        content=frozenset(stems),
        names=frozenset() if language.nouns_are_capital else words.names,
        marks=asked.marks,
        numbers=numbers,
        series=frozenset(series),
        is_negated=words.negations % 2 == 1,
    )


def _excludes(one: _Question, other: _Question, mine: set[str], yours: set[str], code: str) -> bool:
    """Whether something shows that they are different questions."""
    if one.kind and other.kind and one.kind != other.kind:
        return True
    if one.is_negated != other.is_negated or one.series != other.series or one.marks != other.marks:
        return True
    if not (_all_agree(one.numbers, other.numbers) and _all_agree(other.numbers, one.numbers)):
        return True
    if one.direction and other.direction and one.direction != other.direction:
        return True
    lacking = mine | yours
    if lacking & (one.names | other.names) or any(map(_is_name, lacking)):
        return True
    return any(are_opposed(word, yours, code) for word in mine)


def _is_reworded(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether more differs than a few neighbouring words, which are inserted or replaced."""
    least = min(len(one), len(other))
    ahead = next((n for n in range(least) if one[n] != other[n]), least)
    left = least - ahead
    behind = next((n for n in range(left) if one[-1 - n] != other[-1 - n]), left)
    lengths = len(one) - ahead - behind, len(other) - ahead - behind
    return min(lengths) > 0 and max(lengths) > _ONE_PLACE


def _is_name(stem: str) -> bool:
    """Whether a stem with a digit, such as "AQ-40", names something."""
    return any(map(str.isdigit, stem))


def _all_agree(numbers: Iterable[Number], others: Iterable[Number]) -> bool:
    """Whether each number is among the others."""
    return all(any(agree(number, other) for other in others) for number in numbers)


def _unmatched(
    ours: frozenset[str], theirs: frozenset[str], code: str
) -> tuple[set[str], set[str]]:
    """Return the words of each that the other lacks; compounds match by their parts."""
    mine, yours = set(ours - theirs), set(theirs - ours)
    if language_table(code).compounds:
        mine, yours = _parts(mine, theirs), _parts(yours, ours)
        mine, yours = mine - theirs - yours, yours - ours - mine
    return mine, yours


def _parts(words: set[str], others: frozenset[str]) -> set[str]:
    """Return the words, and instead of a compound of one of the others the rest of it."""
    parts: set[str] = set()
    for word in words:
        for part in sorted(others, key=len, reverse=True):
            if len(part) >= _SHORTEST_PART and part in (word[: len(part)], word[-len(part) :]):
                rest = word.removeprefix(part) if word.startswith(part) else word.removesuffix(part)
                parts.update({rest.strip("s")} if len(rest) >= _SHORTEST_PART else ())
                break
        else:
            parts.add(word)
    return parts


def _weight(words: Iterable[str]) -> float:
    """Return the weight of words; longer ones are rarer and say more."""
    return math.fsum(math.sqrt(len(word)) for word in words)
