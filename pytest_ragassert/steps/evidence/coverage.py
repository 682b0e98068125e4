"""Does a verified quote speak of all that its claim says? How sure one may be hangs on it."""

from __future__ import annotations

from typing import NamedTuple

from ...language.words.claim_match import common_language
from ...language.words.lexicon import SPEAKER
from ...language.words.numbers import agree
from ...language.words.reader import read_words

CLAMPED = 0.5  # the highest confidence where a quote does not cover its claim


class Coverage(NamedTuple):
    """Whether the quote covers the claim, and what it lacks."""

    ok: bool
    note: str | None


def coverage_of(
    claim: str, quote: str, passage: str = "", *, contradicts: bool = False
) -> Coverage:
    """Whether the quote has the claim's numbers and names, and negates as it does.

    Args:
        passage: which the quote is of, and which tells its language better.
        contradicts: the quote is to prove the opposite, so that one of the three differs.
    """
    code = common_language(claim, [passage or quote])
    of_claim, of_quote = read_words(claim, code), read_words(quote, code)
    lacking = []
    numbers = [
        number.text
        for number in of_claim.numbers
        if number.demanded and not any(agree(number, other) for other in of_quote.numbers)
    ]
    if numbers:
        lacking.append(f"no {', '.join(dict.fromkeys(numbers))}")
    absent = of_claim.names - of_quote.available - {SPEAKER}
    if absent:
        names = (word for word in of_claim.content if word in absent)
        lacking.append(f"no name {', '.join(dict.fromkeys(names))}")
    if bool(of_claim.negations) != bool(of_quote.negations):
        lacking.append("no negation" if of_claim.negations else "a negation")
    if not lacking:
        return Coverage(True, None)
    note = f"the quote has {'; '.join(lacking)}"
    return Coverage(contradicts and len(lacking) == 1, note)


def clamped(confidence: float | None, coverage: Coverage) -> float | None:
    """The confidence that a quote of this coverage allows."""
    return confidence if confidence is None or coverage.ok else min(confidence, CLAMPED)
