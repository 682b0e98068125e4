"""The evidence check: what a verdict may count as, by its quotes found in the passages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ...judgements import Verdict
from ...language.escaping import is_blank
from ...results import Quote
from .evidence_list import evidence_of
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


@dataclass(frozen=True)
class CheckedQuote:
    """A quote of a verdict, looked for in the passages.

    Attributes:
        said: as the judge wrote it.
        named: the 0-based index of the passage that it named; None where there is no such one.
        found: where it stands; None where it stands nowhere.
        flaw: why it proves nothing, as what the quote does; None where it proves the verdict.
    """

    said: str
    named: int | None
    found: FoundQuote | None
    flaw: str | None


def checked_quotes(
    verdict: dict[str, Any], claim: str, passages: Sequence[Passage]
) -> list[CheckedQuote]:
    """The quotes of a judge's verdict on a claim, in its order.

    Args:
        verdict: in its normal form; passages count from 1.
    """
    known = {index for index, _ in passages}
    contradicts = verdict["verdict"] == Verdict.CONTRADICTORY
    checked = []
    for entry in evidence_of(verdict):
        said, id = entry["quote"], entry["passage"]
        named = id - 1 if id is not None and id - 1 in known else None
        found = find_evidence(said, named, passages, claim)
        flaw = None
        if found is None:
            short = any(is_too_short(said, text, claim) for _, text in passages)
            flaw = "is too short to prove it" if short else "is not in the passage"
        elif contradicts and repeats_claim(found.quote, claim):
            flaw = "merely repeats the claim"
        checked.append(CheckedQuote(said, named, found, flaw))
    return checked


def lacks_proof(checked: Sequence[CheckedQuote]) -> str | None:
    """Why the quotes of a verdict prove nothing, None where one of them does."""
    if not checked:
        return "no quote"
    if any(one.flaw is None for one in checked):
        return None
    if len(checked) == 1:
        return f"the quote {checked[0].flaw}"
    return ", ".join(f"quote {number} {one.flaw}" for number, one in enumerate(checked, start=1))


def gated(
    verdict: dict[str, Any],
    claim: str,
    passages: Sequence[Passage],
    *,
    gate: bool,
    require: bool = False,
) -> dict[str, Any]:
    """A judge's verdict as the fields of `ClaimVerdict` that evidence decides.

    The first quote that proves the verdict is the one it rests on. Of a proven verdict only quotes
    that stand in their passages are kept, so that what is shown as evidence is evidence. Of one
    that is not proven all are kept as the judge wrote them, to be seen.

    Args:
        verdict: in its normal form; passages count from 1.
        gate: whether a contradiction without verified quote becomes NO_EVIDENCE.
        require: whether full support without verified quote does so too.
    """
    label = Verdict(verdict["verdict"])
    checked = checked_quotes(verdict, claim, passages)
    doubt = lacks_proof(checked)
    final, notes = label, _notes(checked)
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
        "evidence": _kept(checked) if doubt is None else _unverified(checked),
        "quote_verified": doubt is None,
    }


def _kept(checked: Sequence[CheckedQuote]) -> list[Quote]:
    """The quotes that were found, each place once, in the passages' own words."""
    found = (one.found for one in checked if one.found is not None and one.flaw is None)
    return [
        Quote(quote=one.quote, passage=one.passage, span=one.span, verified=True)
        for one in {(one.passage, one.span): one for one in found}.values()
    ]


def _unverified(checked: Sequence[CheckedQuote]) -> list[Quote]:
    return [Quote(quote=one.said, passage=one.named) for one in checked if one.named is not None]


def _notes(checked: Sequence[CheckedQuote]) -> list[str]:
    """What of the judge's evidence was put right, or left out of a proven verdict's."""
    if lacks_proof(checked) is not None:
        return []
    notes = []
    for number, one in enumerate(checked, start=1):
        which = "the quote" if len(checked) == 1 else f"quote {number}"
        if one.found is None or one.flaw is not None:
            notes.append(f"{which} {one.flaw}, left out")
            continue
        if one.named is not None and one.found.passage != one.named:
            notes.append(f"{which} stands in passage {one.found.passage + 1}, not {one.named + 1}")
        if one.found.corrected:
            notes.append("quote corrected" if len(checked) == 1 else f"{which} corrected")
    return notes
