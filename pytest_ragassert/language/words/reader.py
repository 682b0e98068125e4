"""Reads a sentence completely: content words, numbers, names and what is negated."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache

from .language import Language
from .languages import language_table
from .lexicon import lexicon
from .numbers import Number, number_at, numbers_in
from .tokenizer import Token, Tokens, tidied


@dataclass(frozen=True, slots=True)
class Words:
    """A text as read; words are stems, and pairs of characters in scripts without spaces."""

    content: tuple[str, ...]  # in order, without the units of numbers
    light: frozenset[str]  # words that say how much, when or how surely
    # everything among which a claim's words may be found, including units
    available: frozenset[str]
    numbers: tuple[Number, ...]
    names: frozenset[str]  # content that is certainly a name, and `SPEAKER`
    negated: frozenset[str]  # content with a negation before it
    plain: frozenset[str]  # content without
    negations: int  # number of negators


@lru_cache(maxsize=4096)
def read_words(text: str, code: str = "en") -> Words:
    """Read the words of one sentence or a few, in a language given by its ISO 639-1 code."""
    return _Reader(prepared(text, code), language_table(code)).words()


def read_numbers(text: str, code: str = "en") -> tuple[Number, ...]:
    """Return only the numbers, without `before` and `hedged`."""
    language = language_table(code)
    return tuple(numbers_in(Tokens(prepared(text, code), language), language))


def words_in_order(text: str, code: str) -> list[str]:
    """Return all words and numbers in lower case, with characters of scripts without spaces one by
    one.
    """
    words: list[str] = []
    for token in Tokens(prepared(text, code), language_table(code)).all:
        if token.kind in _UNCASED:
            words += token.text
        elif token.kind != "mark":
            words.append(token.text.lower() + token.tail)
    return words


def prepared(text: str, code: str) -> str:
    text = tidied(text)
    if code == "ru":
        return _SPOONS.sub(r"\1л", text)  # an abbreviation of two words is a unit of one
    if code == "en":
        return _HALVES.sub(r"\g<0>m", text.replace("per cent", "percent"))
    return text


# "8a-6p", "5:30p": each is "am" or "pm"; "5p" alone are five pence
_HALVES = re.compile(
    r"\b\d{1,2}(?::\d\d)?[ap]\b(?=\s?-\s?\d{1,2}(?::\d\d)?[ap]m?\b)"
    r"|(?<=\d[ap]-)\d{1,2}(?::\d\d)?[ap]\b|(?<=\d[ap] - )\d{1,2}(?::\d\d)?[ap]\b"
    r"|\b\d{1,2}:\d\d[ap]\b"
)
_SPOONS = re.compile(r"\b(ст|ч)\.\s?л\b")


_FIRST_WORD = re.compile(r"\W*(\w+)")


def begins_with_pronoun(text: str, code: str) -> bool:
    """Whether a sentence begins with a pronoun for the subject of the previous one."""
    pronouns = language_table(code).pronouns
    if not pronouns or not (first := _FIRST_WORD.match(text)):
        return False
    word = first[1].lower()
    if language_table(code).fixed:
        return word.startswith(tuple(pronouns))
    return word in pronouns


def pairs(text: str) -> list[str]:
    """Return neighbouring characters of a stretch without spaces, or the only one."""
    return [text[i : i + 2] for i in range(len(text) - 1)] or [text]


_UNCASED = frozenset({"dense", "numeral"})
_ANSWERS = frozenset({"no", "нет"})


class _Reader:
    """One pass over a text's tokens."""

    def __init__(self, text: str, language: Language) -> None:
        self.language = language
        self.lexicon = lexicon(language.code)
        self.tokens = Tokens(text, language)
        # if so, capitals do not identify names; a script without capitals has no such sign
        self.shouts = text.isupper() and all(t.kind not in _UNCASED for t in self.tokens.all)
        self.content: list[str] = []
        self.numbers: list[Number] = []
        self.light, self.extra, self.names = set[str](), set[str](), set[str]()
        self.negated, self.plain, self.negations = set[str](), set[str](), 0
        self.scope = ""  # of a negation: "word", the next one; "rest", all to the next mark
        self.clause = 0  # where the content since the last mark begins
        self.starts = True  # the next word begins a sentence
        self.previous = ""  # the previous word, lower case

    def words(self) -> Words:
        index = 0
        while index < len(self.tokens):
            index = self._take(index)
        self._end_clause()
        names, negated, plain = map(frozenset, (self.names, self.negated, self.plain))
        available = frozenset(self.light).union(self.content, self.extra)
        content, light, numbers = tuple(self.content), frozenset(self.light), tuple(self.numbers)
        return Words(content, light, available, numbers, names, negated, plain, self.negations)

    def _take(self, index: int) -> int:
        token = self.tokens[index]
        if token.kind == "mark":
            self.starts = self.starts or token.text in ".!?:\n"
            self._end_clause()
            self.previous = token.text
            return index + 1
        end = self._number(index)
        if end == index:
            self._dense(token.text) if token.kind in ("dense", "numeral") else self._word(index)
            end += 1
        self.starts = False
        self.previous = self.tokens.lower(end - 1)
        return end

    def _end_clause(self) -> None:
        if self.scope == "word" and len(self.content) > self.clause:
            # what a final "nicht" negates is before it: "fährt sonntags nicht"
            self.negated.add(self.content[-1])
            self.plain.discard(self.content[-1])
        self.scope, self.clause = "", len(self.content)

    def _number(self, index: int) -> int:
        """Read the numbers that begin here, and return where they end."""
        reading = number_at(self.tokens, index, self.previous, self.language)
        if reading is None:
            return index
        hedged = self.previous in self.language.hedges
        before = self.content[-1] if self.content else ""
        self.numbers += (replace(n, before=before, hedged=hedged) for n in reading.numbers)
        self.extra.update(reading.extra)
        return reading.end

    def _word(self, index: int) -> None:
        written = self.tokens[index].text
        role, stem, _ = self.lexicon.entry(written.lower())
        if role == "negator":
            self._negator(index)
        elif role == "fixed":
            self._dense(written)
        elif role in ("stop", "light") and len(written) > 1 and self._is_acronym(written):
            self._name(self.language.stem(written.lower()))
        elif role == "light":
            self.light.add(stem)
        elif role == "speaker":
            self._name(stem)
        elif role == "content":
            self._content(stem)
            if self._is_name(index, written):
                self.names.add(stem)

    def _name(self, stem: str) -> None:
        self._content(stem)
        self.names.add(stem)

    def _dense(self, text: str) -> None:
        for pair in pairs(text):
            self._content(pair)
        if len(text) > 1:
            # half of a word in which the characters are in another order: 轮渡 for 渡轮
            self.light.update(text)

    def _negator(self, index: int) -> None:
        word, following = self.tokens.lower(index), self.tokens.lower(index + 1)
        interjected = following in (",", "，") or (
            word in _ANSWERS and following in self.language.after_no
        )
        numbered = (
            following == "." and (near := self.tokens.at(index + 2)) and near.kind == "digits"
        )
        if not interjected and not numbered and following not in self.language.not_negating:
            self.negations += 1
            self.scope = self.scope or "word"

    def _content(self, stem: str) -> None:
        self.content.append(stem)
        if self.scope:
            self.negated.add(stem)
            self.scope = "rest" if self.scope == "rest" or self._carries(stem) else ""
        else:
            self.plain.add(stem)

    def _carries(self, stem: str) -> bool:
        return stem in self.language.carrier_stems

    def _is_acronym(self, written: str) -> bool:
        return len(written) > 1 and written.isupper() and not self.shouts

    def _is_name(self, index: int, written: str) -> bool:
        if not written[0].isupper() or self.shouts:
            return False
        if written.isupper():
            return True
        beside = self._capital(index + 1)
        if self.language.nouns_are_capital:
            return beside or (not self.starts and self._capital(index - 1))
        return not self.starts or beside

    def _capital(self, index: int) -> bool:
        token: Token | None = self.tokens.at(index)
        if token is None or token.kind != "word" or not token.text[0].isupper():
            return False
        role, _, counts = self.lexicon.entry(token.text.lower())
        return role == "content" and not counts
