"""Measures how similar two texts are, from 0 to 1, by their words or by the vectors of an embedder.

Both depend only on the two texts: nothing is counted over a corpus, so a document that changes does
not change how similar two other texts are.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import combinations

from ..judging.embedders.cosine import cosine
from ..metrics.metric import Ask
from .content_words import content_words

# Further digits differ between processors and versions of Python.
DIGITS = 6
_BELOW_1 = 1 - 1e-6
# Questions that have nothing to do with one another. Their mean cosine is an embedder's zero: about
# 0.8 for the E5 models, about 0.1 for OpenAI's.
UNRELATED = (
    "How many passengers may the morning ferry carry?",
    "Which vitamin do carrots contain?",
    "Who wrote the symphony that the orchestra plays tonight?",
    "How do I reset the password of my router?",
    "Welche Farbe hat der Briefkasten vor dem Rathaus?",
    "Wie lange muss der Teig im Kühlschrank ruhen?",
    "Сколько лет длилась война между двумя королевствами?",
    "Где хранится паспорт насосной станции?",
    "这种药一天可以吃几次？",
    "月球离地球有多远？",
)


def similarity_by_words(one: str, other: str) -> float:
    """Return how similar the content words of two texts are, in [0, 1].

    It is the cosine of two vectors with a component for each word: 1 + ln(its count), times the
    square root of its length, because longer words are rarer. Equal texts have 1, and a text
    without content words has 0 with every text.
    """
    ours, theirs = weighted(content_words(one)), weighted(content_words(other))
    common = sorted(ours.keys() & theirs.keys())
    product = math.fsum(ours[word] * theirs[word] for word in common)
    return share(product, length(ours) * length(theirs))


def weighted(counts: Mapping[str, int]) -> dict[str, float]:
    """Return the weight of each word in a text, by its count and its length in letters."""
    return {word: weight(word, count) for word, count in counts.items()}


def weight(word: str, count: int) -> float:
    """Return the weight of a word in a text that contains it this often, at least once."""
    return (1 + math.log(count)) * math.sqrt(len(word))


def length(weights: Mapping[str, float]) -> float:
    """Return the Euclidean length of a vector of words."""
    return math.sqrt(math.fsum(each * each for each in weights.values()))


def share(part: float, whole: float) -> float:
    """Return a part of a whole, rounded and in [0, 1]; 0 of nothing."""
    if not whole:
        return 0.0
    value = round(part / whole, DIGITS)
    return min(1.0, max(0.0, value))


async def unrelated_cosine(ask: Ask) -> float:
    """Return the mean cosine of unrelated questions with the configured embedder.

    Raises:
        ConfigurationError, JudgeError, VerdictMissing: as `Ask.embed`.
    """
    vectors = await ask.embed(UNRELATED)
    cosines = [cosine(one, other) for one, other in combinations(vectors, 2)]
    return min(round(math.fsum(cosines) / len(cosines), DIGITS), _BELOW_1)


def above_unrelated(cosine: float, unrelated: float) -> float:
    """Return a cosine as a similarity in [0, 1]: 0 for unrelated texts, 1 for equal ones.

    Args:
        unrelated: the mean cosine of unrelated questions with the same embedder, below 1.
    """
    return share(cosine - unrelated, 1 - unrelated)
