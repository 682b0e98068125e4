"""Formats an unsupported span of the answer as lines: its label, severity and evidence."""

from __future__ import annotations

from ..analysis.records.row_types import ClaimRow, MeasuredRow, SpanRow
from ..language.escaping import visible
from ..metrics.votes import split_words
from .claim_lines import NARROWEST, evidence_lines
from .terminal import Screen, Style, columns

_MARKS = {"incorrect": "x", "uncertain": "?"}
_STYLES: dict[str, Style] = {"incorrect": "red", "uncertain": "yellow"}


def issues(row: MeasuredRow) -> list[tuple[SpanRow, ClaimRow]]:
    """Each span with the claim that represents it: incorrect ones first, then in text order."""
    spans = sorted(row["details"].get("spans", ()), key=lambda span: span["label"] == "uncertain")
    return [(span, row["claims"][span["claim"]]) for span in spans]


def issue_lines(span: SpanRow, claim: ClaimRow, screen: Screen, most: int) -> list[str]:
    """Span, claim (if it says more), evidence and evidence check, each on at most `most` lines."""
    split = split_words(claim["votes"], claim["verdict"])
    words, style = f"{span['label']}, {span['severity']} {split}".rstrip(), _STYLES[span["label"]]
    room = screen.width - 6 - columns(words)
    beside = room >= NARROWEST
    text = visible(span["text"])
    first, *more = screen.wrapped(text, room if beside else screen.width - 4, most)
    first = f"  {screen.paint(screen.glyph(_MARKS[span['label']]), style)} {first}"
    lines = [screen.ends(first, screen.paint(words, style)) if beside else first]
    lines += [f"    {line}" for line in more]
    if not beside:
        lines.append(f"    {screen.paint(screen.cut(words, screen.width - 4), style)}")
    said = visible(claim["text"])
    if said.rstrip(".") != text.rstrip("."):
        lines += _below(f"claim: {said}", screen, most)
    # the span already shows the place
    lines += evidence_lines(claim, screen, most)
    gate = visible(claim["gate_reason"] or "")
    if gate and not any(gate in line for line in lines):
        lines += _below(f"evidence check: {gate}", screen, most)
    return lines


def _below(text: str, screen: Screen, most: int) -> list[str]:
    first, *more = screen.wrapped(text, screen.width - 6, most)
    return [f"      {first}", *(f"        {line}" for line in more)]
