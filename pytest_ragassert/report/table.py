"""A failure's claim table: what failed, what the passages say instead, and where."""

from __future__ import annotations

from collections.abc import Sequence

from ..text.visible import visible
from ..verdict import Verdict
from .display import Screen, columns, compared
from .rows import Row

MOST_LINES = 15
_NARROWEST = 20  # columns that a text needs beside another
_LONGEST_REASON = 200  # characters of a judge's reason
_ORDER = (
    Verdict.CONTRADICTORY,
    Verdict.NO_EVIDENCE,
    Verdict.PARTIALLY_SUPPORTED,
    Verdict.FULLY_SUPPORTED,
)
_MARKS = {
    Verdict.CONTRADICTORY: "x",
    Verdict.NO_EVIDENCE: "?",
    Verdict.PARTIALLY_SUPPORTED: "~",
    Verdict.FULLY_SUPPORTED: "+",
}


def failure_lines(rows: Sequence[Row], screen: Screen, *, verbose: bool) -> list[str]:
    """The tables of a test's failed rows, a blank line between them."""
    lines: list[str] = []
    for row in rows:
        if lines:
            lines.append("")
        lines += result_lines(row, screen, verbose=verbose)
    return lines


def result_lines(row: Row, screen: Screen | None = None, *, verbose: bool = False) -> list[str]:
    """One result's table; at most `MOST_LINES` lines unless verbose."""
    screen = screen or Screen(width=100)
    head = [*_case_line(row, screen), *_score_lines(row, screen)]
    claims = _shown(row["claims"], verbose)
    if verbose:
        return head + [line for claim in claims for line in _claim_lines(claim, screen, most=99)]
    room = MOST_LINES - len(head)
    for most in (3, 2, 1):
        blocks = [_claim_lines(claim, screen, most) for claim in claims]
        if sum(map(len, blocks)) <= room:
            break
    return head + _fitting(blocks, room, screen)


def _case_line(row: Row, screen: Screen) -> list[str]:
    if row["case"] is None and row["question"] is None:
        return []
    name = f"case {visible(row['case'])}" if row["case"] is not None else "case"
    return [screen.cut(f"{name}  {visible(row['question'] or '')}".rstrip(), screen.width)]


def _score_lines(row: Row, screen: Screen) -> list[str]:
    """The score, and who judged; on one line where they fit."""
    source = f"judge {visible(row['judge'])}{', stored' if row['stored'] else ''}"
    if row["vacuous"]:
        left = f"{row['metric']} {visible(row['reason'])}"
    else:
        score = compared(row["score"], row["minimum"])
        left = f"{row['metric']} {score}   {visible(row['reason'])}".rstrip()
    if columns(left) + 4 + columns(source) <= screen.width:
        return [screen.safe(f"{left}    {source}")]
    return [screen.cut(left, screen.width), screen.cut(f"  {source}", screen.width)]


def _shown(claims: Sequence[Row], verbose: bool) -> list[Row]:
    """By verdict, worst first, then in text order. Supported ones are only counted."""
    order = _ORDER if verbose else _ORDER[:-1]
    return [claim for verdict in order for claim in claims if claim["verdict"] == verdict.value]


def _claim_lines(claim: Row, screen: Screen, most: int) -> list[str]:
    """Claim and evidence, each on at most `most` lines."""
    verdict = Verdict(claim["verdict"])
    words = _words(claim, verdict)
    room = screen.width - 4 - 2 - columns(words)
    beside = room >= _NARROWEST
    text, *more = screen.wrapped(visible(claim["text"]), room if beside else screen.width - 4, most)
    first = f"  {screen.glyph(_MARKS[verdict])} {text}"
    lines = [screen.ends(first, words) if beside else first]
    lines += [f"    {line}" for line in more]
    if not beside:
        lines.append(screen.cut(f"    {words}", screen.width))
    evidence = _evidence(claim)
    if evidence:
        place = _place(claim)
        room = screen.width - 6 - (columns(place) + 2 if place else 0)
        if room < _NARROWEST:
            place, room = "", screen.width - 6
        text, *more = screen.wrapped(evidence, room, most)
        lines.append(screen.ends(f"      {text}", place) if place else f"      {text}")
        lines += [f"        {line}" for line in more]
    return lines


def _words(claim: Row, verdict: Verdict) -> str:
    if claim["label_raw"] == Verdict.CONTRADICTORY.value and not claim["quote_verified"]:
        if verdict is Verdict.CONTRADICTORY:
            return "contradicted, unverified"
        return "judge says contradicted, no evidence"
    words = verdict.words
    if verdict is Verdict.NO_EVIDENCE and claim["against"]:
        words = f"not in the {claim['against']}"
    if verdict is Verdict.FULLY_SUPPORTED and not claim["quote_verified"]:
        words += ", unverified"
    return words + (", in conflict" if claim["conflict"] else "")


def _evidence(claim: Row) -> str:
    if claim["quote"] and claim["quote_verified"]:
        return f'{_passage(claim, claim["passage"])} "{visible(claim["quote"])}"'
    nearest = claim["nearest"]
    if nearest is not None:
        return f'nearest {_passage(claim, nearest["passage"])} "{nearest["quote"]}"'
    return claim["gate_reason"] or visible(claim["reason"] or "")[:_LONGEST_REASON]


def _passage(claim: Row, index: int) -> str:
    return f"[{claim['against']}]" if claim["against"] else f"[{index + 1}]"


def _place(claim: Row) -> str:
    if claim["span"] is None:
        return ""
    start, end = claim["span"]
    return f"{claim['source']} {start}-{end}"


def _fitting(blocks: list[list[str]], room: int, screen: Screen) -> list[str]:
    """As many whole blocks as fit; the last line says how many do not."""
    if sum(map(len, blocks)) <= room:
        return [line for block in blocks for line in block]
    lines: list[str] = []
    shown = 0
    for block in blocks:
        if len(lines) + len(block) > room - 1:
            break
        lines += block
        shown += 1
    return [*lines, f"  {screen.glyph('...')} {len(blocks) - shown} more claims (-v shows all)"]
