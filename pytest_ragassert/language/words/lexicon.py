"""A lexicon of each language: a word's role and stem, looked up once and remembered."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal, NamedTuple

from .language import Language
from .languages import language_table

Role = Literal["content", "stop", "light", "negator", "speaker", "fixed"]

# No stem has capitals.
SPEAKER = "I"  # represents the first person
NEGATION = "NOT"  # represents every negator
_SYLLABLE = re.compile("[\uac00-\ud7a3]")  # one may be a noun
_MOST = 200_000  # words remembered for a language


class LexiconEntry(NamedTuple):
    """A word's role and stem, and whether a number may begin with it."""

    role: Role
    stem: str
    may_count: bool


class Lexicon:
    """The words of one language that have occurred so far, lower case, as written."""

    def __init__(self, language: Language) -> None:
        self._language = language
        self._entries: dict[str, LexiconEntry] = {}
        self._counting = {*language.small, *language.scales, *language.months, "百分之"}
        self._counting.update(language.times)

    def entry(self, written: str) -> LexiconEntry:
        found = self._entries.get(written)
        if found is None:
            if len(self._entries) >= _MOST:
                self._entries.clear()
            found = self._entries[written] = self._looked_up(written)
        return found

    def _looked_up(self, written: str) -> LexiconEntry:
        language, word = self._language, bare(written)
        role: Role = "content"
        if word in language.negators or written.endswith("n't"):
            role = "negator"
        elif word in language.first_person:
            role = "speaker"
        elif word in language.light:
            role = "light"
        elif word in language.stop_words or (len(word) < 2 and not _SYLLABLE.match(word)):
            role = "stop"
        elif word in language.fixed:
            role = "fixed"
        return LexiconEntry(role, self._stem(word, role), word in self._counting)

    def _stem(self, word: str, role: Role) -> str:
        if role == "speaker":
            return SPEAKER
        if role == "negator":
            return NEGATION
        return word if role == "light" else self._language.stem(word)


@lru_cache(maxsize=32)
def lexicon(code: str) -> Lexicon:
    return Lexicon(language_table(code))


def bare(word: str) -> str:
    """Return a word without the ending of a possessive or contraction, and without other
    apostrophes.
    """
    if "'" not in word:
        return word
    head, _, ending = word.rpartition("'")
    if ending in ("s", "re", "ll", "ve", "d", "m", "t"):
        return head.replace("'", "")
    return word.replace("'", "")
