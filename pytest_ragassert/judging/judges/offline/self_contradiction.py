"""Finds the claims of one answer that contradict each other, without comparing all pairs.

Only a claim that shares most of its words, or all except a name, can contradict another. Such
claims are looked up by their rarest words, and then the rule for passages decides on them alone.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import chain

from ....language.citations import without_doubtful_citations
from ....language.detection import detected_language
from ....language.words.claim_match import (
    LOOKED_AT,
    SHORTEST_PART,
    ReadPassage,
    Statement,
    common_language,
)
from ....language.words.languages import language_table
from ....language.words.numbers import Number
from .claim_verdicts import found_as_it_is, statements_in
from .restating import spaced
from .sentence_match import enough_for_opposing, may_be_missing, said_of_subject


class ClaimsOfAnswer:
    """An answer's claims, each of which can be compared with all others."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._texts = texts
        self._spaced = [spaced(text) for text in texts]
        self._languages = [detected_language(text) for text in texts]
        self._counts = Counter(self._languages)
        self._read: dict[str, _Index] = {}

    def contradicted(self, place: int) -> bool:
        """Whether the other claims contradict the one at this index."""
        code = self._code(place)
        if code not in self._read:
            self._read[code] = _Index([ReadPassage(text, code) for text in self._texts], code)
        index = self._read[code]
        others = [*self._texts[:place], *self._texts[place + 1 :]]
        text = without_doubtful_citations(self._texts[place], others)
        near = index.may_decide(text, place)
        if not near:
            return False
        near |= self._comparable(place)
        same = spaced(text)
        near.update(n for n, other in enumerate(self._spaced) if same in other)
        passages = [index.passages[n] for n in sorted(near - {place})]
        return found_as_it_is(text, passages, code).verdict == "CONTRADICTORY"

    def _code(self, place: int) -> str:
        """Return the language in which to read the claim and the others, as in
        `common_language`.
        """
        own = self._languages[place]
        if own and self._counts[own] > 1:
            return own
        first = [text for n, text in enumerate(self._texts[: LOOKED_AT + 1]) if n != place]
        return common_language(self._texts[place], first)

    def _comparable(self, place: int) -> set[int]:
        """Return a claim in the same language with which the rest count as comparable; otherwise
        all.
        """
        own = (self._languages[place], None)
        for n, code in enumerate(self._languages):
            if n != place and code in own:
                return {n}
        return set(range(len(self._texts)))


class _Index:
    """The claims read in one language, by the words and parts that they contain."""

    def __init__(self, passages: Sequence[ReadPassage], code: str) -> None:
        self.passages, self._code = passages, code
        self._compounds = bool(language_table(code).compounds)
        self._by_stem = defaultdict[str, set[int]](set)
        self._by_edge = defaultdict[str, set[int]](set)  # how a longer stem begins or ends
        self._by_part = defaultdict[str, set[int]](set)
        for place, passage in enumerate(passages):
            for part in passage.holdings.parts:
                self._by_part[part].add(place)
            for stem in passage.holdings.stems:
                self._by_stem[stem].add(place)
                for length in range(SHORTEST_PART, len(stem)) if self._compounds else ():
                    self._by_edge[stem[:length]].add(place)
                    self._by_edge[stem[-length:]].add(place)
        self._vocabularies = {passage.holdings.vocabulary for passage in passages}

    def may_decide(self, text: str, place: int) -> set[int]:
        """Return the other claims that decide whether it is contradicted; none if it certainly is
        not.
        """
        deciding = set[int]()
        for statement in statements_in(text, self._code):
            near = self._may_oppose(statement) - {place}
            if near:
                deciding |= near
                for number in statement.numbers:
                    said = self._with_number(number)
                    deciding.update(self._first_said(number, statement, said, place))
        return deciding

    def _may_oppose(self, statement: Statement) -> set[int]:
        """Return those with enough words that they may oppose the statement, or agree as much."""
        order = statement.words.content
        if not order:
            return set()
        holding = {word: self._holding(word) for word in order}
        count = len(holding)
        enough = enough_for_opposing(statement.code)
        spare = next(n for n in range(count, -1, -1) if (count - n) / count >= enough)
        # a claim that lacks no more than the spare words has one of any group larger than that
        found = set[int]().union(*sorted(holding.values(), key=len)[: spare + 1])
        numbers = [(number, self._with_number(number)) for number in statement.numbers]
        if not may_be_missing(statement.numbers):
            found = {
                n
                for n in found
                if may_be_missing([number for number, said in numbers if n not in said])
            }
        if statement.words.names and count > 2:
            # everything except a name is alike, so two words at the ends are, and all numbers are
            # there
            first, second, *_ = order
            *_, last_but_one, last = order
            pairs = ((first, second), (first, last), (last_but_one, last))
            alike = set[int]().union(*(holding[one] & holding[other] for one, other in pairs))
            found |= alike.intersection(*(said for _, said in numbers))
        return found

    def _holding(self, word: str) -> set[int]:
        """Return those that may contain the word, in a compound or on its own."""
        found = self._by_stem.get(word, set())
        if not self._compounds or len(word) < SHORTEST_PART:
            return found
        heads = (self._by_stem.get(word[:n], ()) for n in range(SHORTEST_PART - 1, len(word)))
        return found.union(self._by_edge.get(word, ()), *heads)

    def _with_number(self, number: Number) -> set[int]:
        """Return those that may contain the number."""
        found = set[int]()
        for vocabulary in self._vocabularies:
            whole, groups = vocabulary.with_number(number)
            # at once: another thread may read further parts meanwhile
            for part in list(chain.from_iterable([*whole, *groups[:1]])):
                found |= self._by_part.get(part, set())
        return found

    def _first_said(
        self, number: Number, statement: Statement, said: set[int], place: int
    ) -> Iterator[int]:
        """Return the first with the number that may have the same subject. One is enough."""
        for n in sorted(said - {place}):
            if said_of_subject(number, statement, [self.passages[n]]):
                yield n
                return
