"""Formats a claim as lines: its verdict, and what the passages say instead and where."""

from __future__ import annotations

from collections.abc import Sequence

from ..analysis.records.row_types import ClaimRow, is_proven
from ..judgements import BY_MERIT, Verdict
from ..language.escaping import visible
from ..metrics.votes import split_words
from ..results import verdicts_in_words
from .terminal import Screen, Style, columns

NARROWEST = 20  # minimum columns for a text next to another
_MOST_CITED = 3  # maximum number of passages named
LONGEST_REASON = 200  # maximum number of characters of a judge's reason
_ORDER = BY_MERIT[::-1]
MARKS = {
    Verdict.CONTRADICTORY: "x",
    Verdict.NO_EVIDENCE: "?",
    Verdict.PARTIALLY_SUPPORTED: "~",
    Verdict.FULLY_SUPPORTED: "+",
}
_STYLES: dict[Verdict, Style] = {
    Verdict.CONTRADICTORY: "red",
    Verdict.NO_EVIDENCE: "yellow",
    Verdict.PARTIALLY_SUPPORTED: "yellow",
    Verdict.FULLY_SUPPORTED: "green",
}


def style_of(verdict: str) -> Style:
    """The colour of a verdict."""
    return _STYLES[Verdict(verdict)]


def shown(claims: Sequence[ClaimRow], *, verbose: bool) -> list[ClaimRow]:
    """Claims in the order of display: by verdict, worst first, then in text order; without
    supported ones, which are only counted.
    """
    order = _ORDER if verbose else _ORDER[:-1]
    return [claim for verdict in order for claim in claims if claim["verdict"] == verdict.value]


def counted(claims: Sequence[ClaimRow]) -> str:
    """`3 claims: 1 contradicted, 2 supported`"""
    return verdicts_in_words([Verdict(claim["verdict"]) for claim in claims])


def claim_lines(claim: ClaimRow, screen: Screen, most: int) -> list[str]:
    """Claim and evidence, each on at most `most` lines."""
    verdict = Verdict(claim["verdict"])
    words, style = verdict_words(claim), _STYLES[verdict]
    lines = heading_lines(MARKS[verdict], style, claim["text"], words, screen, most)
    return lines + evidence_lines(claim, screen, most)


def heading_lines(
    mark: str, style: Style, text: str, words: str, screen: Screen, most: int
) -> list[str]:
    """The judged text, on at most `most` lines, with a mark before it and the label after it."""
    room = screen.width - 4 - 2 - columns(words)
    beside = room >= NARROWEST
    first, *more = screen.wrapped(visible(text), room if beside else screen.width - 4, most)
    first = f"  {screen.paint(screen.glyph(mark), style)} {first}"
    lines = [screen.ends(first, screen.paint(words, style)) if beside else first]
    lines += [f"    {line}" for line in more]
    if not beside:
        lines.append(f"    {screen.paint(screen.cut(words, screen.width - 4), style)}")
    return lines


def evidence_lines(claim: ClaimRow, screen: Screen, most: int) -> list[str]:
    """The evidence of a claim, each item on at most `most` lines; the first with its place."""
    lines: list[str] = []
    place = _place(claim)
    for evidence in evidence_words(claim, most):
        lines += said_lines(evidence, place, screen, most)
        place = ""
    return lines


def said_lines(text: str, place: str, screen: Screen, most: int) -> list[str]:
    """A remark on the judged text, on at most `most` lines.

    Args:
        place: the place of the text, shown at the end of the first line if there is room.
    """
    room = screen.width - 6 - (columns(place) + 2 if place else 0)
    if room < NARROWEST:
        place, room = "", screen.width - 6
    first, *more = screen.wrapped(text, room, most)
    first = f"      {screen.paint(first, 'dim')}"
    lines = [screen.ends(first, screen.paint(place, "dim")) if place else first]
    return lines + [f"        {screen.paint(line, 'dim')}" for line in more]


def verdict_words(claim: ClaimRow) -> str:
    """The label that counts, and how it came about."""
    verdict = Verdict(claim["verdict"])
    words = f"{_label(claim, verdict)} {split_words(claim['votes'], verdict.value)}".rstrip()
    if claim["weight"] is not None:
        words += f", weight {claim['weight']:g}"
    return words if claim["carried"] is None else f"{words}, carried over"


def _label(claim: ClaimRow, verdict: Verdict) -> str:
    if claim["by_hand"] is not None:
        return f"{verdict.words}, overridden"
    if claim["label_raw"] == Verdict.CONTRADICTORY.value and not is_proven(claim):
        if verdict is Verdict.CONTRADICTORY:
            return "contradicted, unverified"
        return "judge says contradicted, no evidence"
    if verdict is Verdict.NO_EVIDENCE and claim["label_raw"] == Verdict.FULLY_SUPPORTED.value:
        return "judge says supported, no evidence"
    words = verdict.words
    if verdict is Verdict.NO_EVIDENCE and claim["against"]:
        words = missing_words(claim)
    if verdict is Verdict.FULLY_SUPPORTED and not is_proven(claim):
        words += ", unverified"
    return words + (", in conflict" if claim["conflict"] else "")


def missing_words(claim: ClaimRow) -> str:
    """The words for a claim without evidence: where nothing about it was found."""
    if claim["against"] != "cited":
        return f"not in the {claim['against']}"
    cited = [f"[{place + 1}]" for place in claim["looked_at"] or ()]
    if len(cited) > _MOST_CITED:
        return f"not in the {len(cited)} cited"
    if cited:
        return f"not in {''.join(cited)}"
    return visible(claim["gate_reason"] or "cites no passage")


def evidence_words(claim: ClaimRow, most: int) -> list[str]:
    """The quotes; if none is verified, the nearest text or an unverified quote.

    Args:
        most: the maximum number of quotes.
    """
    if claim["by_hand"] is not None:
        return [f"override: {visible(claim['by_hand'])[:LONGEST_REASON]}"]
    told = []
    if claim["label_raw"] != Verdict.NO_EVIDENCE.value:
        told += _quotes(claim, most)
    if is_proven(claim):
        return told
    nearest = claim["nearest"]
    if nearest is not None:
        return [*told, f'nearest {_passage(claim, nearest["passage"])} "{nearest["quote"]}"']
    said = visible(claim["gate_reason"] or (claim["reason"] or "")[:LONGEST_REASON])
    return [*told, said] if said else told


def _quotes(claim: ClaimRow, most: int) -> list[str]:
    """`[2] "the words"`; one of several: `[2] (1 of 3) "the words"`; unverified ones are marked."""
    quotes = claim["evidence"]
    shown = []
    for number, one in enumerate(quotes[:most], start=1):
        count = f"({number} of {len(quotes)})" if len(quotes) > most else ""
        place = f"{_passage(claim, one['passage'])} {count}".strip()
        words = f'{place} "{visible(one["quote"])}"'.lstrip()
        shown.append(words if one["verified"] else f"unverified {words}")
    return shown


def _passage(claim: ClaimRow, index: int | None) -> str:
    """The text's name if it has one, such as the case's answer or reference, or its place."""
    if claim["against"] in _TEXTS:
        return f"[{claim['against']}]"
    return "" if index is None else f"[{index + 1}]"


_TEXTS = ("answer", "reference")


def _place(claim: ClaimRow) -> str:
    if claim["span"] is None:
        return ""
    start, end = claim["span"]
    return f"{claim['source']} {start}-{end}"
