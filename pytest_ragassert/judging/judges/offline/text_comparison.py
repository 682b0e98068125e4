"""Compares two texts: the claims of one with the other, and how many of its words the other has."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from ....language.detection import detected_language, language_of
from ....language.escaping import shortened
from ....language.phrases.not_knowing import looks_unknowing
from ....language.phrases.table import says_nothing
from ....language.sentences import sentence_texts
from ....language.words.claim_match import Statement, common_language, read_passage, weight
from ....language.words.languages import NAMES
from ....language.words.lexicon import SPEAKER
from ....language.words.numbers import Number
from .claim_verdicts import ClaimFinding, found_on
from .questions import is_yes_or_no

LONGEST_REASON = 159  # maximum characters


def checked_against(claim: str, *texts: str) -> ClaimFinding:
    """Return the finding of the texts on a claim."""
    code = common_language(claim, texts)
    return found_on(claim, [read_passage(text, code) for text in texts], code)


def is_dont_know(answer: str) -> bool:
    """Whether no sentence of the answer says anything. "Yes" and "No" say something."""
    if is_yes_or_no(answer):
        return False
    code = language_of(answer)
    return looks_unknowing(answer) or all(
        says_nothing(sentence, code) for sentence in sentence_texts(answer)
    )


@dataclass(frozen=True)
class Shared:
    """How many of a text's content words another text has.

    Attributes:
        found: those that the other text has.
        asked: all of them.
    """

    found: frozenset[str]
    asked: frozenset[str]

    @cached_property
    def share(self) -> float:
        """The share of the words; 0 if there are none."""
        return len(self.found) / max(1, len(self.asked))

    @cached_property
    def by_weight(self) -> float:
        """The same by the words' weight."""
        asked = sum(map(weight, self.asked))
        return sum(map(weight, self.found)) / asked if asked else 0.0

    def __str__(self) -> str:
        return f"{len(self.found)} of {len(self.asked)} content word{'s' * (len(self.asked) != 1)}"


def shared(text: str, other: str, known: str = "") -> Shared:
    """Return which content words of a text another one has, ignoring words that are `known`."""
    code = common_language(text, [other])
    statement = Statement(text, code)
    asked = statement.content - {SPEAKER}
    if known:
        asked -= statement.found_in(read_passage(known, code).holdings)
    return Shared(asked & statement.found_in(read_passage(other, code).holdings), asked)


def facts_in(text: str, other: str, known: str) -> dict[str, bool]:
    """Return a text's numbers and names that are not `known`, with whether another text has
    them.
    """
    code = common_language(text, [other])
    statement = Statement(text, code)
    theirs, before = read_passage(other, code), read_passage(known, code)
    facts = {
        number.text: bool(theirs.sentences_holding(number))
        for number in statement.numbers
        if not before.sentences_holding(number)
    }
    names = statement.words.names - {SPEAKER} - statement.found_in(before.holdings)
    found = statement.found_in(theirs.holdings)
    return facts | {name: name in found for name in statement.words.content if name in names}


def has_number(text: str, known: str = "") -> bool:
    """Whether it has a number, a date or a month, other than those of a `known` text."""
    before = {number.value for number in numbers_of(known)}
    return any(
        (number.demanded or number.kind == "month") and number.value not in before
        for number in numbers_of(text)
    )


def numbers_of(text: str) -> Iterator[Number]:
    """Return the numbers of its sentences, in order."""
    code = language_of(text)
    for sentence in sentence_texts(text):
        yield from Statement(sentence, code).words.numbers


def languages_apart(text: str, other: str) -> str:
    """Return in words that two texts are in different languages, or "" if that is uncertain."""
    one, two = detected_language(text), detected_language(other)
    if one is None or two is None or one == two:
        return ""
    return f"{NAMES[one]} can't be compared with {NAMES[two]} by words"


def counted(claims: int) -> str:
    return f"{claims} claim{'s' * (claims != 1)}"


def one_reason(*parts: str) -> str:
    """Join the parts that are not empty to one reason of limited length."""
    return shortened("; ".join(filter(None, parts)), LONGEST_REASON)


def quoted(text: str) -> str:
    """Return the beginning of a text, for a reason."""
    return f'"{shortened(" ".join(text.split()), 60)}"'
