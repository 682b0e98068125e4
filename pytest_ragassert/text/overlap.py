"""Texts held against each other by their words: the sentences of passages against a claim.

For the offline judge, and for reports that show the passage sentence nearest to a claim.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

from .sentences import split_sentences
from .words import Number, Words, read_words, stem

RELATED_SHARE = 0.5  # of a claim's content words, so that a sentence bears on it at all
MATCHING_SHARE = 0.75  # so that one number or negation in it can be at odds with the claim
_WINDOW = 3  # sentences
# Words that exclude each other: one side's stand against the other side's.
_OPPOSITES = """begin start open launch found/end finish close expire stop,rise increase grow gain/
fall decrease decline drop shrink,accept allow permit/reject forbid prohibit refuse deny ban,
include/exclude,win/lose,buy/sell,enter/exit leave,arrive/depart,minimum/maximum,first/last,
north/south,east/west,upper/lower,import/export,succeed/fail,male/female,early/late"""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a passage: its half-open offsets and its words."""

    start: int
    end: int
    words: Words


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage read: its sentences, and what stands anywhere in it."""

    text: str
    sentences: tuple[Sentence, ...]
    available: frozenset[str]
    numbers: dict[str, tuple[Number, ...]]  # by value

    def holds(self, number: Number) -> bool:
        return any(agree(number, other) for other in self.numbers.get(number.value, ()))


class Claim:
    """A claim's words, and what it asks of a passage."""

    def __init__(self, text: str) -> None:
        self.words = read_words(text)
        self.content = frozenset(self.words.content)
        self.asked = self.content | self.words.light
        self.numbers = tuple(number for number in self.words.numbers if number.demanded)

    def share(self, words: Words) -> float:
        """Which part of the claim's content words a sentence has; 0 where the claim has none."""
        return len(self.content & words.available) / len(self.content) if self.content else 0.0

    def found_in(self, words: Words) -> frozenset[str | Number]:
        """The content words and numbers of the claim that a sentence has."""
        numbers = (number for number in self.numbers if holds(words, number))
        return frozenset[str | Number]((*(self.content & words.available), *numbers))


@dataclass(frozen=True, slots=True)
class Match:
    """A sentence that bears on a claim.

    Attributes:
        place: the passage's place among those asked about.
        share: which part of the claim's content words it has.
        kind: whether it "agrees", "lacks" a number of the claim without contradicting it,
            "differs" so that it can't support it, or "opposes" it: one of both is false.
        difference: what differs, for people.
    """

    place: int
    sentence: Sentence
    share: float
    kind: str = "agrees"
    difference: str = ""


@dataclass(frozen=True, slots=True)
class Window:
    """Neighbouring sentences of one passage: its place, and half-open offsets."""

    place: int
    start: int
    end: int


@lru_cache(maxsize=256)
def read_passage(text: str) -> Passage:
    """The passage's sentences and words; remembered, as many claims are held against it."""
    sentences = tuple(
        Sentence(start, end, read_words(text[start:end])) for start, end in split_sentences(text)
    )
    numbers: dict[str, list[Number]] = {}
    for sentence in sentences:
        for number in sentence.words.numbers:
            numbers.setdefault(number.value, []).append(number)
    available = frozenset[str]().union(*(sentence.words.available for sentence in sentences))
    return Passage(text, sentences, available, {v: tuple(found) for v, found in numbers.items()})


def agree(one: Number, other: Number) -> bool:
    """Whether both may be the same quantity: equal values, and no two different units."""
    if one.value != other.value or (one.kind == "month") != (other.kind == "month"):
        return False
    return one.unit == other.unit or not one.unit or not other.unit


def holds(words: Words, number: Number) -> bool:
    """Whether the number stands in a sentence."""
    return any(agree(number, other) for other in words.numbers)


def best_window(claim: Claim, passages: Sequence[Passage], enough: float) -> Window | None:
    """The sentence with most of the claim, or up to three where no single one has `enough`.

    Smaller windows win, then earlier ones; None where no passage has anything of the claim.
    """
    best, best_key = None, (0, 0)
    needed = enough * (len(claim.content) + len(claim.numbers))
    found = [[claim.found_in(s.words) for s in passage.sentences] for passage in passages]
    for size in range(1, _WINDOW + 1):
        for place, passage in enumerate(passages):
            for first in range(len(passage.sentences) - size + 1):
                score = len(frozenset().union(*found[place][first : first + size]))
                if (score, -size) > best_key:
                    last = passage.sentences[first + size - 1]
                    best = Window(place, passage.sentences[first].start, last.end)
                    best_key = (score, -size)
        if best_key[0] >= needed:
            break
    return best


def nearest_sentence(
    claim: str, passages: Sequence[tuple[int, str]]
) -> tuple[int, int, int] | None:
    """The passage sentence that shares most content words and numbers with the claim.

    Passages are (index, text); the answer is (index, start, end), the first of equals, or None
    where no sentence shares anything.
    """
    window = best_window(Claim(claim), [read_passage(text) for _, text in passages], enough=0.0)
    return (passages[window.place][0], window.start, window.end) if window else None


def matches(claim: Claim, passages: Sequence[Passage]) -> Iterator[Match]:
    """The sentences that bear on the claim, in order."""
    for place, passage in enumerate(passages):
        for sentence in passage.sentences:
            part = claim.share(sentence.words)
            if part >= RELATED_SHARE:
                yield _compared(claim, Match(place, sentence, part), passages)


def _compared(claim: Claim, match: Match, passages: Sequence[Passage]) -> Match:
    words = match.sentence.words
    missing = [number for number in claim.numbers if not holds(words, number)]
    matching = match.share >= MATCHING_SHARE and _same_subject(claim, words)
    if difference := _negation(claim, words):
        shared, text = difference
        # a long sentence negates a word in many ways that leave the claim alone
        like = len(claim.content & words.available) >= MATCHING_SHARE * len(set(words.content))
        kind = "opposes" if matching and like and shared and not missing else "differs"
        return Match(match.place, match.sentence, match.share, kind, text)
    if missing:
        text = _other_number(claim, missing, words, passages) if matching else ""
        kind = "opposes" if text else "lacks"
        return Match(match.place, match.sentence, match.share, kind, text)
    if text := _other_name(claim.words, words):
        return Match(match.place, match.sentence, 1.0, "opposes", text)
    if text := _opposite(claim, words):
        return Match(match.place, match.sentence, match.share, "differs", text)
    return match


def _same_subject(claim: Claim, words: Words) -> bool:
    """All names and the first content word are there, and more than one word is shared.

    One word is enough only where both sides have no other: "it weighs" says not what does.
    """
    return (
        claim.words.names <= words.available
        and claim.words.content[0] in words.available
        and (len(claim.content & words.available) > 1 or claim.content == set(words.content))
    )


def _negation(claim: Claim, words: Words) -> tuple[bool, str] | None:
    """Whether what only one side negates is a word they share, and that in words."""
    ours, theirs = claim.words, words
    if word := _first(ours.content, (theirs.negated - theirs.plain) & (ours.plain - ours.negated)):
        return True, f"the passage negates {word!r}"
    if word := _first(ours.content, (ours.negated - ours.plain) & (theirs.plain - theirs.negated)):
        return True, f"only the claim negates {word!r}"
    if ours.negates and not theirs.negates:
        return False, "only the claim negates"
    return None


def _first(order: Sequence[str], among: frozenset[str]) -> str | None:
    return next((word for word in order if word in among), None)


def _other_number(
    claim: Claim, missing: Sequence[Number], words: Words, passages: Sequence[Passage]
) -> str:
    """What the sentence has in place of the claim's number; "" where that is not certain."""
    if len(missing) > 1 and not all(map(_calendar, missing)):
        return ""
    pairs = [(number, _counterpart(number, claim, words)) for number in missing]
    for number, other in pairs:
        if other is None or _said_of_subject(number, claim, passages):
            return ""
    number, other = pairs[0]
    return f"the passage has {other.text} for {number.text}" if other else ""


def _calendar(number: Number) -> bool:
    return number.kind in ("year", "month") or (not number.unit and len(number.value) <= 2)


def _counterpart(number: Number, claim: Claim, words: Words) -> Number | None:
    free = [
        other
        for other in words.numbers
        if _comparable(number, other) and not any(agree(other, ours) for ours in claim.numbers)
    ]
    return free[0] if len(free) == 1 and not _rounded(number.value, free[0].value) else None


def _comparable(one: Number, other: Number) -> bool:
    """Whether both measure the same thing, so that differing values are at odds."""
    if one.kind != other.kind or one.hedged or other.hedged:
        return False
    if one.unit or other.unit or one.after or other.after:
        return (one.unit or one.after) == (other.unit or other.after)
    return one.kind == "month" or one.before == other.before


def _rounded(one: str, other: str) -> bool:
    """Whether one is a round thousand near the other: "2 million" and 2,004,000."""
    try:
        first, second = Decimal(one), Decimal(other)
    except ArithmeticError:
        return False
    largest = max(abs(first), abs(second))
    return largest >= 1000 and abs(first - second) <= largest / 50 and "000" in one + other


def _said_of_subject(number: Number, claim: Claim, passages: Sequence[Passage]) -> bool:
    """Whether some sentence has the claim's own number and may be about the same thing."""
    for passage in passages:
        for sentence in passage.sentences if passage.holds(number) else ():
            content = sentence.words.content
            if holds(sentence.words, number) and (not content or content[0] in claim.content):
                return True
    return False


def _other_name(claim: Words, words: Words) -> str:
    """The name that stands in a sentence, alike in all else, where the claim has another."""
    ours, theirs = list(claim.content), list(words.content)
    kept = 0
    for end in (0, -1):
        while ours and theirs and ours[end] == theirs[end]:
            ours.pop(end), theirs.pop(end)
            kept += 1
    if kept < 2 or not ours or not theirs:
        return ""
    if not claim.names.issuperset(ours) or not words.names.issuperset(theirs):
        return ""
    if any(a.startswith(b) or b.startswith(a) for a in ours for b in theirs):
        return ""  # an initial, a short form
    if len(ours) != len(theirs):
        return ""  # "US" and "United States" are one name
    return f"the passage has {' '.join(theirs)} for {' '.join(ours)}"


@lru_cache(maxsize=1)
def _opposite_stems() -> dict[str, frozenset[str]]:
    opposites: dict[str, frozenset[str]] = {}
    for row in _OPPOSITES.split(","):
        one, other = (frozenset(map(stem, side.split())) for side in row.split("/"))
        opposites |= dict.fromkeys(one, other) | dict.fromkeys(other, one)
    return opposites


def _opposite(claim: Claim, words: Words) -> str:
    table = _opposite_stems()
    for word in claim.words.content:
        if word in table and word not in words.available:
            for other in words.content:
                if other in table[word] and other not in claim.content:
                    return f"the passage has {other!r} for {word!r}"
    return ""
