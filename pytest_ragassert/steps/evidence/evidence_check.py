"""The evidence check: what a verdict may count as, by the quote found in the passage."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from ...judgements import Verdict
from ...language.escaping import is_blank
from ...language.words.claim_match import common_language
from ...language.words.lexicon import SPEAKER
from ...language.words.numbers import agree
from ...language.words.reader import read_words
from .quote_repair import corrected_quote
from .quotes import find_quote, is_too_short, repeats_claim, unmarked

# A text that claims are checked against, with its 0-based index in the user's list.
Passage = tuple[int, str]


def passages_of(contexts: Sequence[str | None] | None) -> list[Passage]:
    """The contexts that say something, each with its place in the user's list."""
    texts = enumerate(contexts or ())
    return [(place, text) for place, text in texts if text is not None and not is_blank(text)]


@dataclass(frozen=True)
class FoundQuote:
    """A quote found in a passage: its index, the half-open offsets, the passage's own words.

    Attributes:
        corrected: the judge's words differ from these by small edits.
    """

    passage: int
    span: tuple[int, int]
    quote: str
    corrected: bool = False


def find_evidence(
    quote: str | None, named: int | None, passages: Sequence[Passage], claim: str
) -> FoundQuote | None:
    """The quote's place: in the passage that was named, else in the first other that has it.

    Where none has it word for word, the place of what differs from it by small edits.
    """
    if quote is None:
        return None
    in_order = sorted(passages, key=lambda passage: passage[0] != named)
    # marks that a judge puts around its quote are none of the passage's
    for words in filter(None, (quote, unmarked(quote))):
        for index, text in in_order:
            span = find_quote(words, text, claim=claim)
            if span is not None:
                return FoundQuote(index, span, text[slice(*span)])
    for index, text in in_order:
        span = corrected_quote(quote, text, claim)
        if span is not None:
            return FoundQuote(index, span, text[slice(*span)], corrected=True)
    return None


def lacks_proof(
    verdict: dict[str, Any],
    claim: str,
    evidence: FoundQuote | None,
    passages: Sequence[Passage],
) -> str | None:
    """Why a verdict's quote proves nothing, None where it does.

    Args:
        evidence: of the quote, as `find_evidence` gives it.
    """
    quote = verdict["quote"]
    if evidence is None and quote is None:
        return "no quote"
    if evidence is None:
        short = any(is_too_short(quote, text, claim) for _, text in passages)
        return "the quote is too short to prove it" if short else "the quote is not in the passage"
    if verdict["verdict"] == Verdict.CONTRADICTORY and repeats_claim(evidence.quote, claim):
        return "the quote merely repeats the claim"
    return None


def gated(
    verdict: dict[str, Any],
    claim: str,
    passages: Sequence[Passage],
    *,
    gate: bool,
    require: bool = False,
) -> dict[str, Any]:
    """A judge's verdict as the fields of `ClaimVerdict` that evidence decides.

    Args:
        verdict: in its normal form; `passage` counts from 1.
        gate: whether a contradiction without verified quote becomes NO_EVIDENCE.
        require: whether full support without verified quote does so too.
    """
    label = Verdict(verdict["verdict"])
    quote = verdict["quote"]
    known = {index for index, _ in passages}
    named = verdict["passage"] - 1 if verdict["passage"] is not None else None
    named = named if named in known else None
    evidence = find_evidence(quote, named, passages, claim)
    doubt = lacks_proof(verdict, claim, evidence, passages)
    if doubt is not None:
        evidence = None
    notes = _notes(evidence, named)
    final = label
    if doubt is not None and label is Verdict.CONTRADICTORY:
        final = Verdict.NO_EVIDENCE if gate else label
        notes.append(f"judge says contradicted, {doubt}")
    elif doubt is not None and label is Verdict.FULLY_SUPPORTED and require:
        final = Verdict.NO_EVIDENCE
        notes.append(f"judge says supported, {doubt}")
    return {
        "verdict": final,
        "label_raw": label,
        "gate_reason": "; ".join(notes) or None,
        "quote": evidence.quote if evidence else (quote if named is not None else None),
        "quote_verified": evidence is not None,
        "passage": evidence.passage if evidence else (named if quote is not None else None),
        "quote_span": evidence.span if evidence else None,
    }


def _notes(evidence: FoundQuote | None, named: int | None) -> list[str]:
    """What of the judge's evidence was put right."""
    notes = []
    if evidence is not None and named is not None and evidence.passage != named:
        notes.append(f"the quote stands in passage {evidence.passage + 1}, not {named + 1}")
    if evidence is not None and evidence.corrected:
        notes.append("quote corrected")
    return notes


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
