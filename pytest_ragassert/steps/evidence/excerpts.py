"""Finds the parts of the passages that are most relevant to a claim, deterministically."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ...language.headings import headings_of
from ...language.token_estimate import estimated_tokens
from ...language.words.claim_match import ReadPassage, Statement, common_language, read_passage
from ...language.words.numbers import Number
from .evidence_check import Passage

WINDOWS = (2, 3)  # sentences; a passage of one sentence is a window too
TOP = 3  # stretches for a claim
NUMBER_BOOST = NAME_BOOST = 0.2  # for all of the claim's numbers, and for all of its names
LONGEST_WHOLE = 1_000  # estimated tokens of a passage that is not cut to a stretch
LONGEST_STRETCH = 600


@dataclass(frozen=True, slots=True)
class Stretch:
    """A stretch of a passage that is relevant to a claim.

    Attributes:
        passage: the passage's index in the user's list.
        start: the offset at which it begins; a short passage is a stretch as a whole.
        end: the offset after its last character.
        score: the score of its best window: Jaccard similarity plus boosts.
        shared: the claim's numbers and names that it contains.
    """

    passage: int
    start: int
    end: int
    score: float
    shared: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Window:
    place: int
    first: int
    last: int
    score: float
    shared: tuple[str, ...]


class Retriever:
    """Finds stretches of a case's passages.

    A window's score is the Jaccard similarity of its stemmed words with those of the claim, plus
    `NUMBER_BOOST` times the share of the claim's numbers that it contains and `NAME_BOOST` times
    that of its names. Ties go to the earlier passage, then to the earlier and smaller window.
    """

    def __init__(self, passages: Sequence[Passage]) -> None:
        self._passages = passages
        self._texts = [text for _, text in passages]
        self._whole = [estimated_tokens(text) <= LONGEST_WHOLE for text in self._texts]
        self._stems: dict[tuple[str, int, int], frozenset[str]] = {}

    def best(self, claim: str) -> list[Stretch]:
        """Return up to `TOP` stretches that share something with the claim, the best first."""
        code = common_language(claim, self._texts)
        statement = Statement(claim, code)
        readings = [read_passage(text, code) for text in self._texts]
        windows = [
            window
            for place, reading in enumerate(readings)
            for window in self._windows(statement, place, reading)
        ]
        windows.sort(key=lambda w: (-w.score, w.place, w.first, w.last))
        chosen: list[Stretch] = []
        for window in windows:
            reading = readings[window.place]
            if any(self._is_inside(window, reading, stretch) for stretch in chosen):
                continue
            stretch = self._stretch(window, reading)
            if stretch is None:
                continue
            chosen.append(stretch)
            if len(chosen) == TOP:
                break
        return chosen

    def _windows(self, statement: Statement, place: int, reading: ReadPassage) -> Iterator[_Window]:
        words = statement.found_by_sentence(reading)
        numbers = {n: reading.sentences_holding(n) for n in statement.numbers}
        held = set(words).union(*numbers.values())
        count = len(reading.sentences)
        for size in WINDOWS if count > 1 else (1,):
            firsts = {at for n in held for at in range(n - size + 1, n + 1)}
            for first in sorted(at for at in firsts if 0 <= at <= count - size):
                inside = range(first, first + size)
                shared = set[str]().union(*(words.get(n, ()) for n in inside))
                found = [n for n, places in numbers.items() if not places.isdisjoint(inside)]
                score = self._score(statement, shared, found, place, reading, inside)
                names = statement.words.names & shared
                terms = [n.text for n in found] + [w for w in statement.words.content if w in names]
                yield _Window(place, first, first + size - 1, score, tuple(dict.fromkeys(terms)))

    def _score(
        self,
        statement: Statement,
        shared: set[str],
        found: Sequence[Number],
        place: int,
        reading: ReadPassage,
        inside: range,
    ) -> float:
        stems = frozenset[str]().union(*(self._of(place, reading, n) for n in inside))
        together = len(statement.content) + len(stems) - len(shared & stems)
        score = len(shared) / max(together, len(shared), 1)
        if statement.numbers:
            score += NUMBER_BOOST * len(found) / len(statement.numbers)
        if statement.words.names:
            share = len(statement.words.names & shared) / len(statement.words.names)
            score += NAME_BOOST * share
        return round(score, 6)

    def _of(self, place: int, reading: ReadPassage, sentence: int) -> frozenset[str]:
        """Return a sentence's words as stems."""
        key = (reading.code, place, sentence)
        if key not in self._stems:
            vocabulary = reading.holdings.vocabulary
            parts = vocabulary.parts(reading.sentences[sentence].text)
            self._stems[key] = frozenset[str]().union(*map(vocabulary.stems, parts))
        return self._stems[key]

    def _is_inside(self, window: _Window, reading: ReadPassage, stretch: Stretch) -> bool:
        """Whether a part of the window is visible with the stretch."""
        if self._passages[window.place][0] != stretch.passage:
            return False
        start = reading.sentences[window.first].start
        return start < stretch.end and stretch.start < reading.sentences[window.last].end

    def _stretch(self, window: _Window, reading: ReadPassage) -> Stretch | None:
        """Return the passage if it is short, or the window with sentences around it; None if the
        window alone is too long to be looked at first.
        """
        index, text = self._passages[window.place]
        if self._whole[window.place]:
            return Stretch(index, 0, len(text), window.score, window.shared)
        sentences = reading.sentences
        first, last = window.first, window.last

        def size(one: int, other: int) -> int:
            return estimated_tokens(text[sentences[one].start : sentences[other].end])

        if size(first, last) > LONGEST_WHOLE:
            return None
        grown = True
        while grown:
            grown = False
            if first and size(first - 1, last) <= LONGEST_STRETCH:
                first, grown = first - 1, True
            if last + 1 < len(sentences) and size(first, last + 1) <= LONGEST_STRETCH:
                last, grown = last + 1, True
        heads = headings_of(text)
        while last > window.last and last + 1 < len(sentences) and heads[last + 1] == last:
            last -= 1  # its content is not visible
        start, end = sentences[first].start, sentences[last].end
        return Stretch(index, start, end, window.score, window.shared)
