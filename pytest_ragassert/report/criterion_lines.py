"""Formats a criterion as lines: whether it is met, why, and the deciding words of the answer."""

from __future__ import annotations

from collections.abc import Iterator

from ..analysis.records.row_types import CriterionRow, MeasuredRow, criteria_in
from ..judgements import MET_BY_FAULT, Met
from ..language.escaping import visible
from ..metrics.votes import split_words
from .claim_lines import LONGEST_REASON, heading_lines, said_lines
from .terminal import Screen, Style

_MARKS = {Met.NO: "x", Met.UNCLEAR: "?", Met.YES: "+"}
_STYLES: dict[Met, Style] = {Met.NO: "red", Met.UNCLEAR: "yellow", Met.YES: "green"}


def criteria_shown(row: MeasuredRow) -> list[CriterionRow]:
    """The criteria of a result, unmet ones first."""
    listed = criteria_in(row)
    return [one for met in MET_BY_FAULT for one in listed if one["met"] == met.value]


def spans_against(row: MeasuredRow) -> list[tuple[int, int]]:
    """The spans of the answer that violate a criterion."""
    return [
        said["span"] for said in criteria_in(row) if said["met"] == Met.NO.value and "span" in said
    ]


def criterion_lines(said: CriterionRow, screen: Screen, *, whole: bool, most: int) -> list[str]:
    """A criterion and the judge's remarks, each on at most `most` lines.

    Args:
        whole: also show the remarks on a criterion that is met.
    """
    met = Met(said["met"])
    words, style = criterion_words(said), _STYLES[met]
    lines = heading_lines(_MARKS[met], style, said["criterion"], words, screen, most)
    if met is Met.YES and not whole:
        return lines
    for text, place in criterion_evidence(said):
        lines += said_lines(text, place, screen, most)
    return lines


def criterion_words(said: CriterionRow) -> str:
    """`not met`, and how that came about: `not met 2:1`, `met, overridden`."""
    met = Met(said["met"])
    if said.get("by_hand"):
        return f"{met.words}, overridden"
    return f"{met.words} {split_words(said.get('votes', {}), met.value)}".rstrip()


def criterion_evidence(said: CriterionRow) -> Iterator[tuple[str, str]]:
    """The quoted words of the answer with their place, the judge's reason, and problems of a
    quote.
    """
    if said.get("by_hand"):
        yield f"override: {visible(said['by_hand'])[:LONGEST_REASON]}", ""
        return
    if said.get("quote"):
        start, end = said["span"]
        yield f'"{visible(said["quote"])}"', f"answer {start}-{end}"
    for words in (said.get("reason"), said.get("note")):
        if words:
            yield visible(words)[:LONGEST_REASON], ""
