"""A failure's report: each failed metric of a case, what it found, and where the case broke."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from ..analysis.records.row_types import MeasuredRow
from ..language.escaping import is_blank, visible
from ..language.number_format import plural
from .attribution import attributed
from .finding_blocks import ALL_LINES, Block, blocks_of, head_of
from .terminal import Screen, columns

MOST_LINES = 15
_FEW = 3  # lines of a metric below which only its blocks' first lines are shown


def failure_lines(
    rows: Sequence[MeasuredRow],
    screen: Screen,
    *,
    verbose: bool,
    of_test: Sequence[MeasuredRow] = (),
) -> list[str]:
    """The failed rows of a test, those of a case together, a blank line between cases.

    Args:
        of_test: every row of the test, for telling where a case broke.
    """
    lines: list[str] = []
    for _, group in groupby(rows, key=_case_of):
        if lines:
            lines.append("")
        lines += _case_lines(list(group), of_test, screen, verbose=verbose)
    return lines


def result_lines(
    row: MeasuredRow, screen: Screen | None = None, *, verbose: bool = False
) -> list[str]:
    """One result's table; at most `MOST_LINES` lines unless verbose."""
    return _case_lines([row], (), screen or Screen(width=100), verbose=verbose)


def _case_lines(
    rows: list[MeasuredRow], of_test: Sequence[MeasuredRow], screen: Screen, *, verbose: bool
) -> list[str]:
    """The failed rows of a case; at most `MOST_LINES` lines unless verbose."""
    title = _case_line(rows[0], screen)
    last = _broken_lines(rows[0], of_test, screen, verbose=verbose)
    heads = _heads(rows, screen)
    blocks = [blocks_of(row, screen, verbose=verbose) for row in rows]
    if verbose:
        tables = [[line for b in each for line in b.lines(ALL_LINES)] for each in blocks]
        return [*title, *_joined(heads, tables), *last]
    room = MOST_LINES - len(title) - len(last)
    more: list[str] = []
    if sum(map(len, heads)) > room:
        heads, more = _first_of(heads, room, screen)
    tables = _fitting(blocks[: len(heads)], room - sum(map(len, heads)) - len(more), screen)
    return [*title, *_joined(heads, tables), *more, *last]


def _joined(heads: Sequence[list[str]], tables: Sequence[list[str]]) -> list[str]:
    return [line for head, table in zip(heads, tables, strict=True) for line in (*head, *table)]


def _case_of(row: MeasuredRow) -> tuple[str | None, ...]:
    """The same for rows of one case; those without id differ in question, or in what led to it."""
    return row["case"], row["question"], row["inputs"].get("question")


def _case_line(row: MeasuredRow, screen: Screen) -> list[str]:
    question = "" if is_blank(row["question"]) else visible(row["question"] or "")
    if row["case"] is None and not question:
        return []
    name = f"case {visible(row['case'])}" if row["case"] is not None else "case"
    title = f"{name}  {question}".rstrip()
    if row["previous_turn"] is not None:
        title += f'  (after "{visible(row["previous_turn"])}")'
    return [screen.cut(title, screen.width)]


def _heads(rows: Sequence[MeasuredRow], screen: Screen) -> list[list[str]]:
    """Each metric's score, and who judged; the latter once where it is the same for all."""
    judged = [row for row in rows if row.get("judged", True)]
    stored = ", stored" if all(row["stored"] for row in judged) else ""
    heads: list[list[str]] = []
    told = None
    for row in rows:
        source = f"judge {visible(row['judge'])}{stored}" if row in judged else None
        heads.append(_head(head_of(row, screen), None if source == told else source, screen))
        told = source
    return heads


def _head(left: str, source: str | None, screen: Screen) -> list[str]:
    """On one line where both fit."""
    if source is None:
        return [screen.cut(left, screen.width)]
    if columns(left) + 4 + columns(source) <= screen.width:
        return [screen.safe(f"{left}    {source}")]
    return [screen.cut(left, screen.width), screen.cut(f"  {source}", screen.width)]


def _first_of(
    heads: Sequence[list[str]], room: int, screen: Screen
) -> tuple[list[list[str]], list[str]]:
    """As many metrics as fit, and a line that says how many do not."""
    kept: list[list[str]] = []
    for head in heads:
        if sum(map(len, kept)) + len(head) > room - 1:
            break
        kept.append(head)
    left_out = len(heads) - len(kept)
    return kept, [f"{screen.glyph('...')} {plural(left_out, 'more metric')} (-v shows all)"]


def _fitting(tables: Sequence[list[Block]], room: int, screen: Screen) -> list[list[str]]:
    """Each metric's blocks in `room` lines together: shorter texts first, then fewer blocks."""
    for most in (3, 2, 1):
        whole = [[block.lines(most) for block in blocks] for blocks in tables]
        needed = [sum(map(len, blocks)) for blocks in whole]
        if sum(needed) <= room:
            return [[line for block in blocks for line in block] for blocks in whole]
    shares = _shares(needed, room)
    return [
        _first_blocks(blocks, lines, share, screen)
        for blocks, lines, share in zip(tables, whole, shares, strict=True)
    ]


def _shares(needed: Sequence[int], room: int) -> list[int]:
    """The room dealt out line by line to those that need more."""
    shares = [0] * len(needed)
    while room > 0 and any(has < needs for has, needs in zip(shares, needed, strict=True)):
        for at, needs in enumerate(needed):
            if room > 0 and shares[at] < needs:
                shares[at] += 1
                room -= 1
    return shares


def _first_blocks(
    blocks: Sequence[Block], lines: list[list[str]], room: int, screen: Screen
) -> list[str]:
    """As many whole blocks as fit; the last line says how many do not."""
    if room < _FEW:
        lines = [block[:1] for block in lines]
    if sum(map(len, lines)) <= room:
        return [line for block in lines for line in block]
    kept: list[str] = []
    count = 0
    for block in lines:
        if len(kept) + len(block) > room - 1:
            break
        kept += block
        count += 1
    left_out = {block.kind for block in blocks[count:]}
    kind = left_out.pop() if len(left_out) == 1 else "lines"
    more = plural(len(blocks) - count, f"more {kind.removesuffix('s')}")
    rest = f"  {screen.glyph('...')} {more} (-v shows all)"
    return [*kept, rest][:room]


def _broken_lines(
    row: MeasuredRow, of_test: Sequence[MeasuredRow], screen: Screen, *, verbose: bool
) -> list[str]:
    """Where the case broke, where enough was measured to tell; each claim of it if verbose."""
    found = attributed(row, of_test)
    if found is None or not found.words:
        return []
    lines = []
    if verbose:
        for what, claims in found.named:
            for claim in claims:
                first, *more = screen.wrapped(
                    f"{what}: {visible(claim)}", screen.width - 4, ALL_LINES
                )
                lines += [f"  {first}", *(f"    {line}" for line in more)]
    return [*lines, screen.cut(f"where it broke: {found.words}", screen.width)]
