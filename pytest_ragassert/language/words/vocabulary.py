"""Reads fast which words and numbers a text may contain, ignoring order and negation.

Most of what a judge reads is relevant to no claim. A text is therefore only cut at its spaces. What
each part contains is read once and indexed in reverse, by the parts that contain a word. Looking up
a word then compares two small sets, so a passage costs little more than `str.split`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property, lru_cache

from .language import Language
from .languages import language_table
from .lexicon import bare, lexicon
from .notation import significant
from .numbers import Number, numbers_in
from .reader import pairs
from .times import hours_of
from .tokenizer import Token, Tokens, tidied

_MOST = 200_000  # parts remembered for a language
_LONGEST_SPELLED = 100  # digits of a number that spans several parts in words
_NONE: frozenset[str] = frozenset()
_Parts = set[str]  # as the vocabulary grows, they do


class Vocabulary:
    """The parts read so far in one language, by the stems and digits that they contain."""

    def __init__(self, language: Language) -> None:
        self._language, self._lexicon = language, lexicon(language.code)
        self._known: dict[str, frozenset[str]] = {}  # part to its stems
        self.with_stem: dict[str, set[str]] = {}
        self.with_digits: dict[str, set[str]] = {}
        self.with_spelled: dict[str, set[str]] = {}  # the same for numbers in words
        self._numbers: dict[str, tuple[list[_Parts], list[_Parts]]] = {}

    def parts(self, text: str) -> frozenset[str]:
        """Return the text's parts, all of which are known from now on."""
        parts = frozenset(text.split())
        self.know(parts)
        return parts

    def know(self, parts: Iterable[str]) -> None:
        """Read those of the parts that are new."""
        for part in frozenset(parts).difference(self._known):
            self._read(part)

    def stems(self, part: str) -> frozenset[str]:
        return self._known[part]

    def with_number(self, number: Number) -> tuple[list[_Parts], list[_Parts]]:
        """Return parts one of which is wherever the number is, and parts that all are.

        All notations of a number share its significant digits. In words and in groups of three
        digits ("12 500", the second kind), it spans several parts.
        """
        wanted = significant(number.value)
        found = self._numbers.get(number.value)  # a time's value never has another kind
        if found is None:
            lengths = {*range(1, min(len(wanted), _LONGEST_SPELLED) + 1), len(wanted)}
            begun = (self.with_spelled.setdefault(wanted[:n], set()) for n in sorted(lengths))
            written = hours_of(number.value) if number.kind == "time" else ()
            clock = (self.with_digits.setdefault(significant(text), set()) for text in written)
            whole = [self.with_digits.setdefault(wanted, set()), *begun, *clock]
            groups = [
                self.with_digits.setdefault(significant(group), set())
                for group in dict.fromkeys(_groups(number.value))
            ]
            found = self._numbers[number.value] = whole, groups
        return found

    @property
    def is_full(self) -> bool:
        return len(self._known) + len(self._numbers) > _MOST

    def _read(self, part: str) -> None:
        tokens = Tokens(tidied(part), self._language)
        self._known[part] = frozenset(stem for token in tokens.all for stem in self._stems(token))
        for stem in self._known[part]:
            self.with_stem.setdefault(stem, set()).add(part)
        for token in tokens.all:
            # whether it is a time, a date or a version depends on what is beside it
            if token.kind in ("digits", "time", "date", "version"):
                digits = "".join(char for char in token.text if char.isdecimal())
                self.with_digits.setdefault(significant(digits), set()).add(part)
        for number in numbers_in(tokens, self._language):
            self.with_digits.setdefault(significant(number.value), set()).add(part)
            if not any(char.isdigit() for char in number.text):
                self.with_spelled.setdefault(significant(number.value), set()).add(part)
        for token in tokens.all:
            if hour := self._language.hours.get(token.text.lower()):
                self.with_digits.setdefault(hour, set()).add(part)
        if any(bare(token.text.lower()) in self._language.scales for token in tokens.all):
            self.with_spelled.setdefault("1", set()).add(part)  # "a million"

    def _stems(self, token: Token) -> Iterator[str]:
        if token.kind in ("dense", "numeral"):
            yield from token.text
            yield from pairs(token.text)
        elif token.kind == "word":
            role, stem, _ = self._lexicon.entry(token.text.lower())
            if role == "fixed":
                yield from token.text
                yield from pairs(token.text)
            elif role != "stop":
                yield stem
            if role in ("stop", "light") and len(token.text) > 1 and token.text.isupper():
                yield self._language.stem(token.text.lower())
        elif token.tail:
            yield self._language.stem(token.tail)


@lru_cache(maxsize=16)
def _kept(code: str) -> list[Vocabulary]:
    return [Vocabulary(language_table(code))]


def vocabulary(code: str) -> Vocabulary:
    """Return the language's vocabulary, or a new one if the last has grown too large.

    Texts keep the one with which they were read.
    """
    kept = _kept(code)
    if kept[0].is_full:
        kept[0] = Vocabulary(language_table(code))
    return kept[0]


class Holdings:
    """What a text may contain."""

    def __init__(self, text: str, code: str) -> None:
        self.vocabulary = vocabulary(code)
        self.parts = self.vocabulary.parts(text)

    def among(self, stems: Iterable[str]) -> list[str]:
        """Return those of the stems that are there."""
        with_stem, apart = self.vocabulary.with_stem, self.parts.isdisjoint
        return [stem for stem in stems if stem in with_stem and not apart(with_stem[stem])]

    def may_hold(self, number: Number) -> bool:
        """Return False if the number certainly is not there."""
        whole, groups = self.vocabulary.with_number(number)
        return not all(map(self.parts.isdisjoint, whole)) or (
            bool(groups) and not any(map(self.parts.isdisjoint, groups))
        )

    @cached_property
    def stems(self) -> frozenset[str]:
        """All stems, for when each has to be examined."""
        return _NONE.union(*map(self.vocabulary.stems, self.parts))


def _groups(value: str) -> list[str]:
    """Return the digits of a number from 1,000 in groups, as written before a scale: 12500 is 12
    500.
    """
    whole, _, fraction = value.lstrip("-").partition(".")
    if not whole.isdigit() or len(whole) < 4:
        return []
    first = len(whole) % 3 or 3
    groups = [whole[:first], *(whole[i : i + 3] for i in range(first, len(whole), 3))]
    if fraction:
        return [*groups[:-1], f"{groups[-1]}.{fraction}"]
    while not groups[-1].strip("0"):
        groups.pop()  # "12 500 million"
    return groups if len(groups) > 1 else []
