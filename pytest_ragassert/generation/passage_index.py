"""Finds the passages that are similar to a passage, and those that may answer a question."""

from __future__ import annotations

import asyncio
import heapq
import math
from array import array
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property, partial
from itertools import zip_longest
from operator import mul
from typing import NamedTuple

from ..judging.embedders.cosine import different_dimensions
from ..metrics.metric import Ask
from .content_words import content_words
from .similarity import DIGITS, above_unrelated, length, share, unrelated_cosine, weight, weighted

# Okapi BM25 with the usual parameters: Robertson and Zaragoza, "The Probabilistic Relevance
# Framework: BM25 and Beyond" (2009), sections 3.4 and 3.5; the inverse document frequency is
# Lucene's, which is never negative.
_SATURATION, _LENGTH = 1.2, 0.75  # k1 and b
_BATCH = 500  # passages that are embedded together


class Neighbour(NamedTuple):
    """A passage that is similar to another one."""

    id: str
    similarity: float  # in [0, 1]


class PassageIndex:
    """The passages of a corpus, by their words and, if there is an embedder, by their vectors.

    Equal corpora give equal results on all machines: the order of the passages does not matter, and
    of equally good passages the one with the smaller id comes first. The words are read at the
    first search, and the vectors at the first search with an embedder.

    Args:
        texts: the text of each passage, by its id. Add the headings above a passage to its text if
            they should count.
    """

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._ids = sorted(texts)
        self._texts = [texts[each] for each in self._ids]
        self._places = {each: place for place, each in enumerate(self._ids)}
        self._vectors: list[array[float]] = []
        self._unrelated = 0.0
        self._embedding = asyncio.Lock()

    async def neighbours(
        self, ask: Ask, anchor: str, *, most: int, among: Collection[str] | None = None
    ) -> list[Neighbour]:
        """Return the passages that are most similar to a passage, the most similar first.

        They are compared by vectors if there is an embedder, otherwise by words. Passages without
        any similarity are left out. How similar two passages are depends on them alone.

        Args:
            anchor: the id of the passage; it is not among its neighbours.
            most: the maximum number of neighbours.
            among: the ids of the passages that may be neighbours. Default: all others.

        Raises:
            JudgeError, VerdictMissing: as `Ask.embed`.
        """
        place = self._places[anchor]
        if ask.embedder is not None:
            await self._embed(ask)
        find = self._like_by_vectors if ask.embedder is not None else self._like_by_words
        scores = await ask.computed(partial(find, place))
        allowed = None if among is None else {self._places[each] for each in among}
        found = {
            other: score
            for other, score in scores.items()
            if score > 0 and other != place and (allowed is None or other in allowed)
        }
        return [Neighbour(self._ids[other], found[other]) for other in _best(found, most)]

    async def answering(self, ask: Ask, question: str, *, most: int) -> list[str]:
        """Return the ids of the passages that most likely answer a question, the likeliest first.

        By words, these are the best by BM25, each with at least one content word of the question.
        With an embedder, the best by vectors are added, so that there are up to twice as many.

        Args:
            most: the maximum number of passages by words, and by vectors.

        Raises:
            JudgeError, VerdictMissing: as `Ask.embed`.
        """
        by_words = await ask.computed(partial(self._best_by_words, question, most))
        by_vectors: Sequence[int] = ()
        if ask.embedder is not None:
            await self._embed(ask)
            (vector,) = await ask.embed([question])
            by_vectors = await ask.computed(partial(self._best_by_vectors, vector, most))
        ranked = (place for pair in zip_longest(by_words, by_vectors) for place in pair)
        return [self._ids[place] for place in dict.fromkeys(ranked) if place is not None]

    @cached_property
    def _words(self) -> _Words:
        return _Words(self._texts)

    def _like_by_words(self, place: int) -> dict[int, float]:
        anchor = weighted(content_words(self._texts[place]))
        whole = length(anchor)
        lengths = self._words.lengths
        products = self._words.products(anchor)
        return {other: share(each, whole * lengths[other]) for other, each in products.items()}

    def _best_by_words(self, question: str, most: int) -> list[int]:
        return _best(self._words.bm25(content_words(question)), most)

    # -- by vectors ------------------------------------------------------------------------------

    async def _embed(self, ask: Ask) -> None:
        """Embed all passages, once. A vector takes four bytes for each dimension."""
        async with self._embedding:
            if len(self._vectors) < len(self._texts):
                self._unrelated = await unrelated_cosine(ask)
            while texts := self._texts[len(self._vectors) :][:_BATCH]:
                self._vectors += map(_unit, await ask.embed(texts))

    def _cosines(self, vector: array[float]) -> dict[int, float]:
        return {place: _product(vector, each) for place, each in enumerate(self._vectors)}

    def _like_by_vectors(self, place: int) -> dict[int, float]:
        cosines = self._cosines(self._vectors[place])
        return {other: above_unrelated(each, self._unrelated) for other, each in cosines.items()}

    def _best_by_vectors(self, vector: Sequence[float], most: int) -> list[int]:
        return _best(self._cosines(_unit(vector)), most)


class _Words:
    """The content words of texts, by word: in which texts it is, and how often."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._places: dict[str, array[int]] = {}
        self._counts: dict[str, array[int]] = {}
        self._sizes = array("L")  # words of each text
        self.lengths = array("d")  # of each text's vector of words
        for place, text in enumerate(texts):
            counts = content_words(text)
            self._sizes.append(sum(counts.values()))
            self.lengths.append(length(weighted(counts)))
            for word, count in counts.items():
                self._places.setdefault(word, array("L")).append(place)
                self._counts.setdefault(word, array("L")).append(count)

    def products(self, weights: Mapping[str, float]) -> dict[int, float]:
        """Return the product of a vector of words and that of each text that shares a word."""
        products: dict[int, float] = {}
        # in a fixed order, because the sum of floats depends on it
        for word in sorted(weights.keys() & self._places.keys()):
            counts = self._counts[word]
            values = {count: weights[word] * weight(word, count) for count in set(counts)}
            for place, count in zip(self._places[word], counts, strict=True):
                products[place] = products.get(place, 0.0) + values[count]
        return products

    def bm25(self, words: Iterable[str]) -> dict[int, float]:
        """Return the BM25 score of each text that has one of these words."""
        scores: dict[int, float] = {}
        average = sum(self._sizes) / max(1, len(self._sizes))
        for word in sorted(self._places.keys() & words):
            places = self._places[word]
            rarity = math.log(1 + (len(self._sizes) - len(places) + 0.5) / (len(places) + 0.5))
            for place, count in zip(places, self._counts[word], strict=True):
                size = 1 - _LENGTH + _LENGTH * self._sizes[place] / average
                value = rarity * count * (_SATURATION + 1) / (count + _SATURATION * size)
                scores[place] = scores.get(place, 0.0) + value
        return {place: round(score, DIGITS) for place, score in scores.items()}


def _best(scores: Mapping[int, float], most: int) -> list[int]:
    """Return the places with the highest scores, of equal ones the first."""
    return heapq.nsmallest(most, scores, key=lambda place: (-scores[place], place))


def _unit(vector: Sequence[float]) -> array[float]:
    """Return a vector scaled to length 1, in single precision; a zero vector stays zero."""
    whole = math.hypot(*vector) or 1.0
    return array("f", (number / whole for number in vector))


def _product(one: array[float], other: array[float]) -> float:
    """Return the cosine of two vectors of length 1.

    Raises:
        ConfigurationError: their dimensions differ.
    """
    if len(one) != len(other):
        raise different_dimensions(len(one), len(other))
    product: float = sum(map(mul, one, other))
    return round(product, DIGITS)
