"""The evidence check: what a verdict counts as, given whether its quotes are in the passages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ...judgements import Verdict
from ...language.escaping import is_blank
from ...results import Quote
from .evidence_list import evidence_of
from .quote_repair import corrected_quote
from .quotes import find_quote, is_too_short, repeats_claim, unmarked

# A text that claims are checked against, with its 0-based index in the user's list.
Passage = tuple[int, str]


def passages_of(contexts: Sequence[str | None] | None) -> list[Passage]:
    """Return the contexts that are not blank, each with its index in the user's list."""
    texts = enumerate(contexts or ())
    return [(place, text) for place, text in texts if text is not None and not is_blank(text)]


class FoundQuote(NamedTuple):
    """A quote found in a passage: its index, the half-open offsets, and the passage's own words.

    Attributes:
        corrected: the judge's words differ from these by small edits.
    """

    passage: int
    span: tuple[int, int]
    quote: str
    corrected: bool = False


def find_evidence(
    quote: str | None,
    named: int | None,
    passages: Sequence[Passage],
    claim: str,
    *,
    proves: bool = True,
) -> FoundQuote | None:
    """Find the quote in the passage that was named, otherwise in the first one that has it.

    If none has it word for word, find a place that differs from it by small edits.

    Args:
        proves: it must be long enough to be evidence on the claim.
    """
    if quote is None:
        return None
    in_order = [one for one in passages if one[0] == named]
    in_order += [one for one in passages if one[0] != named]
    # marks that a judge puts around its quote do not belong to the passage
    for words in filter(None, (quote, unmarked(quote))):
        for index, text in in_order:
            span = find_quote(words, text, claim=claim, proves=proves)
            if span is not None:
                return FoundQuote(index, span, text[slice(*span)])
    for index, text in in_order:
        span = corrected_quote(quote, text, claim)
        if span is not None:
            return FoundQuote(index, span, text[slice(*span)], corrected=True)
    return None


class CheckedQuote(NamedTuple):
    """A quote of a verdict and its place in the passages.

    Attributes:
        said: the quote as the judge wrote it.
        id: the id of the passage that the judge named, from 1; None if it named none.
        named: the 0-based index of that passage; None if it does not exist.
        found: where the quote is; None if no passage contains it.
        flaw: why it proves nothing, as a predicate of the quote; None if it proves the verdict.
    """

    said: str
    id: int | None
    named: int | None
    found: FoundQuote | None
    flaw: str | None


def checked_quotes(
    verdict: dict[str, Any], claim: str, passages: Sequence[Passage]
) -> list[CheckedQuote]:
    """Check the quotes of a judge's verdict on a claim, in its order.

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
        checked.append(CheckedQuote(said, id, named, found, flaw))
    return checked


def lacks_proof(checked: Sequence[CheckedQuote]) -> str | None:
    """Return why the quotes of a verdict prove nothing, or None if one of them does."""
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
    """Return the fields of `ClaimVerdict` that the evidence decides.

    One quote that proves the verdict is enough. The verdict rests on the first such quote, which
    comes before the others. All quotes are kept; those that no passage contains, as the judge wrote
    them.

    Args:
        verdict: in its normal form; passages count from 1.
        gate: whether a contradiction without a verified quote becomes NO_EVIDENCE.
        require: whether full support without a verified quote does so too.
    """
    label = Verdict(verdict["verdict"])
    checked = checked_quotes(verdict, claim, passages)
    doubt = lacks_proof(checked)
    final, notes = label, _notes(checked) if doubt is None else []
    if doubt is not None and label is Verdict.CONTRADICTORY:
        final = Verdict.NO_EVIDENCE if gate else label
        notes.append(f"judge says contradicted, {doubt}")
    elif doubt is not None and label is Verdict.FULLY_SUPPORTED and require:
        final = Verdict.NO_EVIDENCE
        notes.append(f"judge says supported, {doubt}")
    quotes = _proven(checked) if doubt is None else _unproven(checked)
    return {
        "verdict": final,
        "label_raw": label,
        "gate_reason": "; ".join(notes) or None,
        "evidence": quotes,
        **(_first(quotes) if quotes else {}),
    }


def _first(quotes: Sequence[Quote]) -> dict[str, Any]:
    """Return the first quote as fields of `ClaimVerdict`, which would otherwise derive them one by
    one.
    """
    first = quotes[0]
    return {
        "quote": first.quote,
        "passage": first.passage,
        "quote_span": first.span,
        "quote_verified": all(one.verified for one in quotes),
    }


def _proven(checked: Sequence[CheckedQuote]) -> list[Quote]:
    """Return the quotes of a proven verdict: those that prove it and others found in a passage,
    both in the passages' own words and each place once, followed by those that no passage
    contains.
    """
    in_order = sorted(checked, key=lambda one: (one.found is None, one.flaw is not None))
    quotes: dict[object, Quote] = {}
    for quote in map(_quote, in_order):
        quotes.setdefault((quote.passage, quote.span or quote.quote), quote)
    return list(quotes.values())


def _quote(one: CheckedQuote) -> Quote:
    if one.found is None:
        return Quote(quote=one.said, passage=one.named)
    found = one.found
    return Quote(quote=found.quote, passage=found.passage, span=found.span, verified=True)


def _unproven(checked: Sequence[CheckedQuote]) -> list[Quote]:
    """Return the quotes of a verdict that none of them proves, as the judge wrote them."""
    return [Quote(quote=one.said, passage=one.named) for one in checked if one.named is not None]


def _notes(checked: Sequence[CheckedQuote]) -> list[str]:
    """Describe what was corrected in a proven verdict's evidence, or proves nothing."""
    notes = []
    for number, one in enumerate(checked, start=1):
        which = "the quote" if len(checked) == 1 else f"quote {number}"
        if one.found is None or one.flaw is not None:
            notes.append(f"{which} {one.flaw}")
            continue
        if one.id is not None and one.found.passage + 1 != one.id > 0:
            notes.append(f"{which} is in passage {one.found.passage + 1}, not {one.id}")
        if one.found.corrected:
            notes.append("quote corrected" if len(checked) == 1 else f"{which} corrected")
    return notes
