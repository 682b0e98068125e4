"""Matches claims with passages by their words.

For the offline judge, and for reports that show the passage sentence nearest to a claim. A passage
is read no further than a claim asks: first which words it holds at all, then its sentences, and in
full only the sentences that are relevant to a claim.
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
    """A sentence of a passage: its half-open offsets and its words, read when asked for."""

    def __init__(
        self, text: str, start: int, end: int, code: str, before: Sentence | None = None
    ) -> None:
        self.start, self.end = start, end
        self.text, self._code, self._before = text[start:end], code, before
        gap = text[before.end : start] if before else "\n"
        self._breaks = gap.count("\n") + gap.count("\r")

    @cached_property
    def antecedent(self) -> Sentence | None:
        """The sentence before where this one begins with a pronoun, else None."""
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
        """Whether the following sentence is of another row or list item, or stands far below."""
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
        """By their digits, as only those of the same agree: "3.10" and "3.1", "9:00" and "9"."""
        read: Words | None = self.__dict__.get("words")  # as `cached_property` keeps them
        numbers = defaultdict[str, list[Number]](list)
        for number in read.numbers if read else read_numbers(self.text, self._code):
            numbers[significant(number.value)].append(number)
        return numbers

    def holds(self, number: Number) -> bool:
        """Whether the number stands in the sentence."""
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
        """The places of the sentences that hold one of the parts, which stand between spaces."""
        # a question is cut off the text even where no space stands behind it
        if self._cut or self.code in _WITHOUT_SPACES:
            where = self._where
            # at once: another thread may read further parts meanwhile
            known = where.keys() & set(parts)
            return {place for part in known for place in where[part]} - self._asks
        places = set[int]().union(*map(self._places, self.holdings.parts.intersection(parts)))
        return places - self._asks

    def _places(self, part: str) -> list[int]:
        """The sentences that a part stands in or goes over."""
        places = self._known.get(part)
        if places is None:
            many = len(self._known) > _MANY_PARTS
            starts = self._starts_of.get(part, ()) if many else _occurrences(part, self.text)
            places = self._known[part] = []
            for start in starts:
                first = bisect_right(self._ends, start)
                # each once, however often the part stands in it
                first = max(first, places[-1] + 1) if places else first
                places += range(first, bisect_left(self._starts, start + len(part)))
        return places

    @cached_property
    def _starts_of(self) -> dict[str, list[int]]:
        """Where each part stands: one search for all, where many are asked for."""
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
        """In which sentences each part stands; a sentence may begin and end within one."""
        where = defaultdict[str, list[int]](list)
        for place, sentence in enumerate(self.sentences):
            for part in dict.fromkeys(sentence.text.split()):
                where[part].append(place)
        self.holdings.vocabulary.know(where)
        return dict(where)

    def sentences_holding(self, number: Number) -> set[int]:
        """The places of the sentences that hold the number."""
        if not self.holdings.may_hold(number):
            return set()
        whole, groups = self.holdings.vocabulary.with_number(number)
        places = self.sentences_with(chain.from_iterable(whole))
        if groups:
            places |= set.intersection(*map(self.sentences_with, groups))
        return {place for place in places if self.sentences[place].holds(number)}


def _occurrences(part: str, text: str) -> Iterator[int]:
    """Where a part stands between spaces."""
    start = text.find(part)
    while start >= 0:
        end = start + len(part)
        if (not start or text[start - 1].isspace()) and (end == len(text) or text[end].isspace()):
            yield start
        start = text.find(part, end)


@lru_cache(maxsize=512)
def read_passage(text: str, code: str = "en") -> ReadPassage:
    """The passage; remembered, as many claims are matched with it."""
    return ReadPassage(text, code)


def weight(word: str) -> float:
    """How much a word counts: longer words are rarer and say more."""
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
        """Those of the words asked for that stand in a text, in German also inside compounds."""
        if holdings not in self._found:
            found = set(holdings.among(self.asked))
            if len(found) < len(self.asked) and language_table(self.code).compounds:
                found.update(w for w in self.asked - found if _compounds(w, holdings.stems))
            self._found[holdings] = frozenset(found)
        return self._found[holdings]

    def found_by_sentence(self, passage: ReadPassage) -> dict[int, set[str]]:
        """The content words that stand in each sentence, by its place; others are left out."""
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
        """Which part of the content words stands there; 0 where there are none."""
        return len(self.found_in(holdings) & self.content) / max(1, len(self.content))

    def support(self, found: frozenset[str]) -> float:
        """Which part of all that is asked for was found, by weight, where every number was.

        Numbers only add to what words say: at least half of those must be found. A whole date says
        enough by itself.
        """
        numbers = len(self.numbers) * _NUMBER_WEIGHT
        # exact sums: sets have another order in each process
        words = math.fsum(self._weights.values())
        share = math.fsum(map(self._weights.__getitem__, found))
        if words and share < words / 2 and len(self.numbers) < _DATE:
            return share / words
        return (share + numbers) / (words + numbers) if words + numbers else 0.0


_DATE = 3  # numbers: day, month and year
_NUMBER_WEIGHT = 1.0  # its words' weights are from 1.4 to 4
SHORTEST_PART = 5  # letters of a word within a compound


def _compounds(word: str, stems: frozenset[str]) -> list[list[str]]:
    """Groups of stems, one of each of which make up or hold the word; none where they don't.

    A word may begin or end another, or be made of two others.
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
    """Neighbouring sentences of one passage: its place, and half-open offsets."""

    place: int
    start: int
    end: int


def best_windows(
    statement: Statement, passages: Sequence[ReadPassage], enough: float, most: int = 1
) -> list[Window]:
    """The sentence with most of a statement, or up to three where no single one has `enough`.

    Words count by weight and by how few of the passages hold them; a number counts as the
    heaviest word does. Only passages with at least half of what the best one has are searched.
    Smaller windows win, then earlier ones; there is none where no passage has anything of the
    statement. While they lack something of what is `enough`, windows with most of that follow,
    from any passage.

    Args:
        enough: which part of all that the passages have of the statement.
        most: how many windows.
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
    """The smallest window that is worth enough, else the one that is worth most, with its items."""
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
    """Whether they are of several rows or list items, each of which speaks of its own."""
    return any(one.is_apart_from(other) for one, other in pairwise(sentences))


def _sum(items: Iterable[_Item], worth: _Worth) -> float:
    return math.fsum(worth[item] for item in items)


def _held(statement: Statement, passage: ReadPassage) -> list[set[_Item]]:
    """The words and numbers of a statement in each sentence."""
    found = statement.found_by_sentence(passage)
    held = [set[_Item](found.get(place, ())) for place in range(len(passage.sentences))]
    for number in statement.numbers:
        for place in passage.sentences_holding(number):
            held[place].add(number)
    return held


def nearest_sentence(
    claim: str, passages: Sequence[tuple[int, str]]
) -> tuple[int, int, int] | None:
    """The passage sentence that shares most words and numbers with the claim.

    Passages are (index, text); the answer is (index, start, end), the first of equals, or None
    where no sentence shares anything.
    """
    code = common_language(claim, [text for _, text in passages])
    read = [read_passage(text, code) for _, text in passages]
    for window in best_windows(Statement(claim, code), read, enough=0.0):
        return passages[window.place][0], window.start, window.end
    return None


LOOKED_AT = 20  # passages, for their common language


def common_language(claim: str, passages: Sequence[str]) -> str:
    """The language to read both in: the claim's, unless all passages are in other ones."""
    own = detected_language(claim)
    if own and any(detected_language(text) == own for text in passages):
        return own
    theirs = [code for text in passages[:LOOKED_AT] if (code := detected_language(text))]
    return max(theirs, key=theirs.count) if theirs else own or "en"
