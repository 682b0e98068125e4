"""Finds the text that is most similar to another one, by the words they share."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache
from itertools import pairwise

# Two texts are similar if they share half of the words that either of them has.
LEAST = 0.5
# Maximum candidates that are compared with a text, which limits the time if all words are common.
_MOST_CANDIDATES = 500
_REMEMBERED = 20_000

# Runs of letters and digits, separately for scripts without spaces.
_DENSE = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u312f\u3190-\ua4cf\uf900-\ufaff"
    "\U00020000-\U0003ffff"
)
_WORD = re.compile(rf"[{_DENSE}]+|[^\W_{_DENSE}]+")
_FIRST_DENSE = re.compile(f"[{_DENSE}]")


class ClosestTexts:
    """Finds for each of some texts the most similar one of many others.

    Similarity is Jaccard's: shared words / words of either. Two texts can only be similar by
    `LEAST` if they share one of the first one's rarest words (as in prefix filtering: Chaudhuri,
    Ganti and Kaushik 2006), so only texts with those words are compared, at most the first 500.

    Attributes:
        found: the most similar text by text, the first in order if there are several; texts without
            a similar one are absent.
    """

    def __init__(self, many: Iterable[str], texts: Collection[str]) -> None:
        words = {text: words_of(text) for text in texts}
        asked = frozenset().union(*words.values())
        self._many = sorted(many)
        self._places: dict[str, list[int]] = {word: [] for word in asked}
        for place, text in enumerate(self._many):
            for word in words_of(text) & asked:
                self._places[word].append(place)
        self._words = lru_cache(maxsize=_REMEMBERED)(lambda place: words_of(self._many[place]))
        likest = {text: self._likest(words[text]) for text in sorted(texts)}
        self.found: Mapping[str, str] = {
            text: other for text, other in likest.items() if other is not None
        }

    def _likest(self, words: frozenset[str]) -> str | None:
        best, found = 0.0, None
        for place in self._candidates(words):
            others = self._words(place)
            shared = len(words & others)
            likeness = shared / (len(words) + len(others) - shared)
            if likeness >= LEAST and likeness > best:
                best, found = likeness, place
        return None if found is None else self._many[found]

    def _candidates(self, words: frozenset[str]) -> list[int]:
        """Return the indices of texts that may be similar to one with these words, in order."""
        rarest = sorted(words, key=lambda word: (len(self._places[word]), word))
        deciding = rarest[: len(words) - math.ceil(LEAST * len(words)) + 1]
        candidates: set[int] = set()
        for word in deciding:
            room = _MOST_CANDIDATES - len(candidates)
            candidates.update(self._places[word][:room])
        return sorted(candidates)


def words_of(text: str) -> frozenset[str]:
    """Return a text's words without case; in scripts without spaces, pairs of neighbouring
    characters.
    """
    words: set[str] = set()
    for word in _WORD.findall(text.casefold()):
        if _FIRST_DENSE.match(word) and len(word) > 1:
            words.update(one + other for one, other in pairwise(word))
        else:
            words.add(word)
    return frozenset(words)
