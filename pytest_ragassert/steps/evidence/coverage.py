"""Coverage: whether a claim's quotes mention everything that it says. It limits the confidence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ...language.words.claim_match import Statement, common_language
from ...language.words.lexicon import SPEAKER
from ...language.words.numbers import agree
from ...language.words.reader import read_words
from ...language.words.vocabulary import Holdings

CLAMPED = 0.5  # the highest confidence if the quotes do not cover their claim
WORDS = 2 / 3  # of the claim's content words, by stem


class Coverage(NamedTuple):
    """Whether the quotes cover the claim, and what they lack."""

    ok: bool
    note: str | None


def coverage_of(
    claim: str, quotes: Sequence[str], passages: Sequence[str] = (), *, contradicts: bool = False
) -> Coverage:
    """Check that the quotes together have the claim's numbers, names and words, and its negation.

    They need all numbers and names, and two thirds of the content words.

    Args:
        quotes: the quotes of one claim, at least one.
        passages: the passages of the quotes, from which their language is easier to detect.
        contradicts: the quotes are meant to prove the opposite, so one of the four differs.
    """
    code = common_language(claim, passages or quotes)
    statement, of_quotes = Statement(claim, code), [read_words(quote, code) for quote in quotes]
    of_claim = statement.words
    lacking = []
    numbers = [
        number.text
        for number in statement.numbers
        if not any(agree(number, other) for words in of_quotes for other in words.numbers)
    ]
    if numbers:
        lacking.append(f"no {', '.join(dict.fromkeys(numbers))}")
    absent = of_claim.names.difference({SPEAKER}, *(words.available for words in of_quotes))
    if absent:
        names = (word for word in of_claim.content if word in absent)
        lacking.append(f"no name {', '.join(dict.fromkeys(names))}")
    if bool(of_claim.negations) != any(words.negations for words in of_quotes):
        lacking.append("no negation" if of_claim.negations else "a negation")
    found = frozenset[str]().union(*(statement.found_in(Holdings(q, code)) for q in quotes))
    asked = statement.content - {SPEAKER}
    if len(found & asked) < WORDS * len(asked):
        lacking.append(f"{len(found & asked)} of {len(asked)} content words")
    if not lacking:
        return Coverage(True, None)
    whose = "the quote has" if len(quotes) == 1 else "the quotes have"
    return Coverage(contradicts and len(lacking) == 1, f"{whose} {'; '.join(lacking)}")


def clamped(confidence: float | None, coverage: Coverage) -> float | None:
    """Return the confidence that quotes with this coverage allow."""
    return confidence if confidence is None or coverage.ok else min(confidence, CLAMPED)
