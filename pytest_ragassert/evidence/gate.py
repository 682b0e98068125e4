"""The evidence gate: a contradiction counts only with a quote that stands in the passage."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..text.visible import is_blank
from ..verdict import Verdict
from .quotes import find_quote, repeats_claim

# A text that claims are held against, with its 0-based index in the user's list.
Passage = tuple[int, str]


def passages_of(contexts: Sequence[str | None] | None) -> list[Passage]:
    """The contexts that say something, each with its place in the user's list."""
    texts = enumerate(contexts or ())
    return [(place, text) for place, text in texts if text is not None and not is_blank(text)]


@dataclass(frozen=True)
class Evidence:
    """Where a quote stands: the passage's index, the half-open offsets, the passage's own words."""

    passage: int
    span: tuple[int, int]
    quote: str


def find_evidence(
    quote: str | None, named: int | None, passages: Sequence[Passage], claim: str
) -> Evidence | None:
    """The quote's place: in the passage that was named, else in the first other that has it."""
    if quote is None:
        return None
    for index, text in sorted(passages, key=lambda passage: passage[0] != named):
        span = find_quote(quote, text, claim=claim)
        if span is not None:
            return Evidence(index, span, text[slice(*span)])
    return None


def gated(
    verdict: dict[str, Any], claim: str, passages: Sequence[Passage], *, gate: bool
) -> dict[str, Any]:
    """A judge's verdict as the fields of `ClaimVerdict` that evidence decides.

    Args:
        verdict: in its normal form; `passage` counts from 1.
        gate: whether a contradiction without verified quote becomes NO_EVIDENCE.
    """
    label = Verdict(verdict["verdict"])
    quote = verdict["quote"]
    known = {index for index, _ in passages}
    named = verdict["passage"] - 1 if verdict["passage"] is not None else None
    named = named if named in known else None
    evidence = find_evidence(quote, named, passages, claim)
    notes = []
    if evidence is not None and named is not None and evidence.passage != named:
        notes.append(f"the quote stands in passage {evidence.passage + 1}, not {named + 1}")
    final = label
    if label is Verdict.CONTRADICTORY:
        doubt = None
        if evidence is None:
            doubt = "no quote" if quote is None else "the quote is not in the passage"
        elif repeats_claim(evidence.quote, claim):
            doubt, evidence = "the quote merely repeats the claim", None
        if doubt is not None:
            final = Verdict.NO_EVIDENCE if gate else label
            notes.append(f"judge says contradicted, {doubt}")
    return {
        "verdict": final,
        "label_raw": label,
        "gate_reason": "; ".join(notes) or None,
        "quote": evidence.quote if evidence else (quote if named is not None else None),
        "quote_verified": evidence is not None,
        "passage": evidence.passage if evidence else (named if quote is not None else None),
        "quote_span": evidence.span if evidence else None,
    }
