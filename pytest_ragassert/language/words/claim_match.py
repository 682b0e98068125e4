"""Matches claims with passages by their words.

This is for the offline judge, and for reports that show the passage sentence nearest to a claim. A
passage is read no further than a claim requires: first which words it contains at all, then its
sentences, and completely only the sentences that are relevant to a claim.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain, pairwise

from ..detection import detected_language
from ..layout import list_mark_end
from ..sentences import is_question, split_sentences
from .languages import language_table
from .notation import significant
from .numbers import Number, agree
from .reader import Words, begins_with_pronoun, read_numbers, read_words
from .vocabulary import Holdings

_WINDOW = 3  # sentences
_MOST_BREAKS = 4  # line breaks between sentences that may be quoted together
_MANY_PARTS = 100
_PART = re.compile(r"\S+")
_WITHOUT_SPACES = frozenset({"ja", "zh"})


class Sentence:
    """A sentence of a passage: its half-open offsets and its words, which are read when needed."""

    def __init__(
        self, text: str, start: int, end: int, code: str, before: Sentence | None = None
    ) -> None:
        self.start, self.end = start, end
        self.text, self._code, self._before = text[start:end], code, before
        gap = text[before.end : start] if before else "\n"
        self._breaks = gap.count("\n") + gap.count("\r")

    @cached_property
    def antecedent(self) -> Sentence | None:
        """The previous sentence if this one begins with a pronoun, otherwise None."""
        before = self._before if begins_with_pronoun(self.text, self._code) else None
        return before if before and not before.is_apart_from(self) else None

    @cached_property
    def is_row(self) -> bool:
        """Whether it is a row of a table."""
        return "|" in self.text

    @cached_property
    def _is_item(self) -> bool:
        end = len(self.text)
        return self._breaks > 0 and list_mark_end(self.text, 0, end) > 0

    def is_apart_from(self, following: Sentence) -> bool:
        """Whether the following sentence belongs to another row or list item, or is far below."""
        if not following._breaks:  # a row is a line
            return False
        far = following._breaks > _MOST_BREAKS
        return far or self.is_row or following.is_row or following._is_item

    @property
    def is_question(self) -> bool:
        return is_question(self.text)

    @cached_property
    def words(self) -> Words:
        return read_words(self.text, self._code)

    @cached_property
    def _numbers(self) -> dict[str, list[Number]]:
        """By their digits, because only numbers with the same digits agree: "3.10" and "3.1",
        "9:00" and "9".
        """
        read: Words | None = self.__dict__.get("words")  # as `cached_property` stores them
        numbers = defaultdict[str, list[Number]](list)
        for number in read.numbers if read else read_numbers(self.text, self._code):
            numbers[significant(number.value)].append(number)
        return numbers

    def holds(self, number: Number) -> bool:
        """Whether the number is in the sentence."""
        alike = self._numbers.get(significant(number.value), ())
        return any(agree(number, other) for other in alike)


class ReadPassage:
    """A passage read in one language."""

    def __init__(self, text: str, code: str) -> None:
        self.text, self.code = text, code
        # a question states nothing
        self._asks = frozenset[int]()
        stated = text
        self._cut = "?" in text or "？" in text  # its parts are those of its sentences
        if self._cut:
            asked = {n for n, sentence in enumerate(self.sentences) if sentence.is_question}
            self._asks = frozenset(asked)
            stated = " ".join(s.text for n, s in enumerate(self.sentences) if n not in asked)
        self.holdings = Holdings(stated, code)
        self._known: dict[str, list[int]] = {}

    @cached_property
    def sentences(self) -> tuple[Sentence, ...]:
        sentences: list[Sentence] = []
        for start, end in split_sentences(self.text):
            before = sentences[-1] if sentences else None
            sentences.append(Sentence(self.text, start, end, self.code, before))
        return tuple(sentences)

    def sentences_with(self, parts: Iterable[str]) -> set[int]:
        """Return the indices of the sentences that contain one of the parts, which are between
        spaces.
        """
        # a question is cut off from the text even if no space follows it
        if self._cut or self.code in _WITHOUT_SPACES:
            where = self._where
            # at once: another thread may read further parts in the meantime
            known = where.keys() & set(parts)
            return {place for part in known for place in where[part]} - self._asks
        places = set[int]().union(*map(self._places, self.holdings.parts.intersection(parts)))
        return places - self._asks

    def _places(self, part: str) -> list[int]:
        """Return the sentences that contain a part or that it spans."""
        places = self._known.get(part)
        if places is None:
            many = len(self._known) > _MANY_PARTS
            starts = self._starts_of.get(part, ()) if many else _occurrences(part, self.text)
            places = self._known[part] = []
            for start in starts:
                first = bisect_right(self._ends, start)
                # each once, however often it contains the part
                first = max(first, places[-1] + 1) if places else first
                places += range(first, bisect_left(self._starts, start + len(part)))
        return places

    @cached_property
    def _starts_of(self) -> dict[str, list[int]]:
        """Return where each part is, with one search for all if there are many."""
        starts = defaultdict[str, list[int]](list)
        for part in _PART.finditer(self.text):
            starts[part[0]].append(part.start())
        return dict(starts)

    @cached_property
    def _starts(self) -> list[int]:
        return [sentence.start for sentence in self.sentences]

    @cached_property
    def _ends(self) -> list[int]:
        return [sentence.end for sentence in self.sentences]

    @cached_property
    def _where(self) -> dict[str, list[int]]:
        """Return in which sentences each part is; a sentence may begin and end within a part."""
        where = defaultdict[str, list[int]](list)
        for place, sentence in enumerate(self.sentences):
            for part in dict.fromkeys(sentence.text.split()):
                where[part].append(place)
        self.holdings.vocabulary.know(where)
        return dict(where)

    def sentences_holding(self, number: Number) -> set[int]:
        """Return the indices of the sentences that contain the number."""
        if not self.holdings.may_hold(number):
            return set()
        whole, groups = self.holdings.vocabulary.with_number(number)
        places = self.sentences_with(chain.from_iterable(whole))
        if groups:
            places |= set.intersection(*map(self.sentences_with, groups))
        return {place for place in places if self.sentences[place].holds(number)}


def _occurrences(part: str, text: str) -> Iterator[int]:
    """Yield where a part is, delimited by spaces."""
    start = text.find(part)
    while start >= 0:
        end = start + len(part)
        if (not start or text[start - 1].isspace()) and (end == len(text) or text[end].isspace()):
            yield start
        start = text.find(part, end)


@lru_cache(maxsize=512)
def read_passage(text: str, code: str = "en") -> ReadPassage:
    """Return the passage, which is remembered because many claims are matched with it."""
    return ReadPassage(text, code)


def weight(word: str) -> float:
    """Return the weight of a word: longer words are rarer and say more."""
    return math.sqrt(len(word))


class Statement:
    """What one clause of a claim asks of passages: its words by weight, and its numbers."""

    def __init__(self, text: str, code: str = "en") -> None:
        self.text, self.code = text, code
        self.words = read_words(text, code)
        self.content = frozenset(self.words.content)
        self.asked = self.content | self.words.light
        self._found: dict[Holdings, frozenset[str]] = {}
        self._by_sentence: dict[ReadPassage, dict[int, set[str]]] = {}
        self._weights = {word: weight(word) for word in self.asked}
        self.numbers = tuple(number for number in self.words.numbers if number.demanded)

    def found_in(self, holdings: Holdings) -> frozenset[str]:
        """Return which of these words are in a text, in German also inside compounds."""
        if holdings not in self._found:
            found = set(holdings.among(self.asked))
            if len(found) < len(self.asked) and language_table(self.code).compounds:
                found.update(w for w in self.asked - found if _compounds(w, holdings.stems))
            self._found[holdings] = frozenset(found)
        return self._found[holdings]

    def found_by_sentence(self, passage: ReadPassage) -> dict[int, set[str]]:
        """Return the content words in each sentence, by its index; sentences without any are left
        out.
        """
        if passage not in self._by_sentence:
            found: dict[int, set[str]] = {}
            with_stem = passage.holdings.vocabulary.with_stem
            for word in self.found_in(passage.holdings) & self.content:
                stems = [[word]] if word in with_stem else []
                if not stems or not passage.sentences_with(with_stem[word]):
                    stems = _compounds(word, passage.holdings.stems)
                places = [
                    passage.sentences_with(chain.from_iterable(with_stem[stem] for stem in group))
                    for group in stems
                ]
                for place in set.intersection(*places) if places else ():
                    found.setdefault(place, set()).add(word)
            self._by_sentence[passage] = found
        return self._by_sentence[passage]

    def share(self, holdings: Holdings) -> float:
        """Return the share of the content words that are there; 0 if there are none."""
        return len(self.found_in(holdings) & self.content) / max(1, len(self.content))

    def support(self, found: frozenset[str]) -> float:
        """Return the share of everything that was found, by weight, if every number was found.

        Numbers only add to what words say: at least half of the words must be found. A whole date
        is enough by itself.
        """
        numbers = len(self.numbers) * _NUMBER_WEIGHT
        # exact sums: sets have another order in each process
        words = math.fsum(self._weights.values())
        share = math.fsum(map(self._weights.__getitem__, found))
        if words and share < words / 2 and len(self.numbers) < _DATE:
            return share / words
        return (share + numbers) / (words + numbers) if words + numbers else 0.0


_DATE = 3  # numbers: day, month and year
_NUMBER_WEIGHT = 1.0  # the weights of its words are from 1.4 to 4
SHORTEST_PART = 5  # letters of a word within a compound


def _compounds(word: str, stems: frozenset[str]) -> list[list[str]]:
    """Return groups of stems, one from each of which make up or contain the word; possibly none.

    A word may begin or end another, or be composed of two others.
    """
    if len(word) < SHORTEST_PART:
        return []
    if holding := [other for other in stems if other.startswith(word) or other.endswith(word)]:
        return [holding]
    parts = [other for other in stems if len(other) >= SHORTEST_PART - 1 and other in word]
    heads = [other for other in parts if word.startswith(other)]
    tails = [other for other in parts if word.endswith(other)]
    return [heads, tails] if heads and tails else []


@dataclass(frozen=True, slots=True)
class Window:
    """Neighbouring sentences of one passage: its index, and half-open offsets."""

    place: int
    start: int
    end: int


def best_windows(
    statement: Statement, passages: Sequence[ReadPassage], enough: float, most: int = 1
) -> list[Window]:
    """Return the sentence with most of a statement, or up to three if no single one has `enough`.

    Words count by weight and by how few of the passages contain them; a number counts as much as
    the heaviest word. Only passages with at least half of what the best one has are searched.
    Smaller windows win, then earlier ones. There is none if no passage has anything of the
    statement. While they lack something of `enough`, windows with most of it follow, from any
    passage.

    Args:
        enough: the required share of everything that the passages have of the statement.
        most: the maximum number of windows.
    """
    found = [statement.found_in(p.holdings) & statement.content for p in passages]
    counts = Counter(word for words in found for word in words)
    rarity = {w: weight(w) * math.log(1 + len(passages) / max(1, counts[w])) for w in counts}
    heaviest = max(rarity.values(), default=1.0)
    worth = _Worth(rarity.items())
    worth.update(dict.fromkeys(statement.numbers, heaviest))
    values = [
        math.fsum(rarity[word] for word in words)
        + heaviest * sum(passages[place].holdings.may_hold(n) for n in statement.numbers)
        for place, words in enumerate(found)
    ]
    floor = max(values, default=0.0) / 2
    held = {
        place: _held(statement, passages[place])
        for place, value in enumerate(values)
        if value and value >= floor
    }
    needed = enough * math.fsum(worth.values())
    chosen = _largest(held, passages, worth, needed)
    if chosen is None:
        return []
    windows, has = [chosen[0]], chosen[1]
    if most > 1 and _sum(has, worth) < needed:
        held = {p: _held(statement, passages[p]) for p, value in enumerate(values) if value}
    while len(windows) < most and _sum(has, worth) < needed:
        lacking = {place: [items - has for items in each] for place, each in held.items()}
        chosen = _largest(lacking, passages, worth, needed - _sum(has, worth))
        if chosen is None:
            break
        windows.append(chosen[0])
        has |= chosen[1]
    return windows


_Item = str | Number
_Worth = dict[_Item, float]


def _largest(
    held: dict[int, list[set[_Item]]], passages: Sequence[ReadPassage], worth: _Worth, needed: float
) -> tuple[Window, set[_Item]] | None:
    """Return the smallest window that is worth enough, or the one that is worth most, with its
    items.
    """
    best: tuple[Window, set[_Item]] | None = None
    best_key = (0.0, 0)
    for size in range(1, _WINDOW + 1):
        for place, items in held.items():
            sentences = passages[place].sentences
            for first in range(len(items) - size + 1):
                # a window that begins or ends with nothing of it has no more than a smaller one
                if not items[first] or not items[first + size - 1]:
                    continue
                together = set[_Item]().union(*items[first : first + size])
                key = (round(_sum(together, worth), 9), -size)
                if key > best_key and not _apart(sentences[first : first + size]):
                    end = sentences[first + size - 1].end
                    best_key = key
                    best = Window(place, sentences[first].start, end), together
        if best_key[0] >= needed:
            break
    return best


def _apart(sentences: Sequence[Sentence]) -> bool:
    """Whether they belong to several rows or list items, each with its own subject."""
    return any(one.is_apart_from(other) for one, other in pairwise(sentences))


def _sum(items: Iterable[_Item], worth: _Worth) -> float:
    return math.fsum(worth[item] for item in items)


def _held(statement: Statement, passage: ReadPassage) -> list[set[_Item]]:
    """Return the words and numbers of a statement in each sentence."""
    found = statement.found_by_sentence(passage)
    held = [set[_Item](found.get(place, ())) for place in range(len(passage.sentences))]
    for number in statement.numbers:
        for place in passage.sentences_holding(number):
            held[place].add(number)
    return held


def nearest_sentence(
    claim: str, passages: Sequence[tuple[int, str]]
) -> tuple[int, int, int] | None:
    """Return the passage sentence that shares most words and numbers with the claim.

    Passages are (index, text). The result is (index, start, end), the first of equals, or None if
    no sentence shares anything.
    """
    code = common_language(claim, [text for _, text in passages])
    read = [read_passage(text, code) for _, text in passages]
    for window in best_windows(Statement(claim, code), read, enough=0.0):
        return passages[window.place][0], window.start, window.end
    return None


LOOKED_AT = 20  # passages, for their common language


def common_language(claim: str, passages: Sequence[str]) -> str:
    """Return the language in which to read both: the claim's, unless all passages are in other
    ones.
    """
    own = detected_language(claim)
    if own and any(detected_language(text) == own for text in passages):
        return own
    theirs = [code for text in passages[:LOOKED_AT] if (code := detected_language(text))]
    return max(theirs, key=theirs.count) if theirs else own or "en"
