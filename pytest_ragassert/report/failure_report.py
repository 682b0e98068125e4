"""Formats a failure: each failed metric of a case, its findings, and where the case broke."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from ..analysis.records.result_rows import is_told_in
from ..analysis.records.row_types import MeasuredRow
from ..language.escaping import is_blank, visible
from ..language.number_format import plural
from .attribution import attributed, where_it_broke
from .case_lines import CaseLines, Size, Texts, case_lines_of
from .finding_blocks import ALL_LINES, Block, asks_judge, blocks_of, head_of, score_line
from .terminal import Screen, columns

MOST_LINES = 15
_MOST_CASES = 4  # of one test
_FEW = 3  # with less lines for a metric, only the first lines of its blocks are shown


def failure_lines(
    rows: Sequence[MeasuredRow],
    screen: Screen,
    *,
    verbose: bool,
    of_test: Sequence[MeasuredRow] = (),
    texts: Texts | None = None,
    told: str | None = None,
    most: int = MOST_LINES,
) -> list[str]:
    """The lines for the failed rows of a test, grouped by case, with a blank line between cases.

    Unless verbose, only the first cases are shown, with the number of others.

    Args:
        of_test: every row of the test, for attribution.
        texts: the texts of the cases, by their digests in the rows.
        told: the judge that an earlier failure named, as from `judge_of`.
        most: maximum number of lines of a case unless verbose.
    """
    lines: list[str] = []
    cases = [list(group) for _, group in groupby(rows, key=_case_of)]
    # a line instead of a single case would say less
    shown = len(cases) if verbose or len(cases) <= _MOST_CASES + 1 else _MOST_CASES
    for failed in cases[:shown]:
        if lines:
            lines.append("")
        about = case_lines_of(failed, of_test, texts or {})
        whole = _Case(failed, of_test, about, told, screen)
        lines += whole.all_lines() if verbose else whole.lines(most)
    if shown < len(cases):
        more = f"{len(cases) - shown} more cases failed in this test (-v shows all)"
        lines += ["", screen.cut(f"{screen.glyph('...')} {more}", screen.width)]
    return lines


def raised_first(rows: Sequence[MeasuredRow], text: str) -> list[MeasuredRow]:
    """The failed rows of a test, those of cases in its error first.

    Args:
        text: pytest's text of the failure.
    """
    cases = [list(group) for _, group in groupby(rows, key=_case_of)]
    cases.sort(key=lambda own: not any(is_told_in(text, row) for row in own))
    return [row for own in cases for row in own]


def result_lines(
    row: MeasuredRow, screen: Screen | None = None, *, verbose: bool = False
) -> list[str]:
    """The table of one result; at most `MOST_LINES` lines unless verbose."""
    row = {**row, "judged": asks_judge(row)}
    whole = _Case([row], (), None, None, screen or Screen(width=100))
    return whole.all_lines(broken=False) if verbose else whole.lines(MOST_LINES, broken=False)


class _Case:
    """The report of a case.

    Args:
        told: the judge that was already named.
    """

    def __init__(
        self,
        rows: list[MeasuredRow],
        of_test: Sequence[MeasuredRow],
        about: CaseLines | None,
        told: str | None,
        screen: Screen,
    ) -> None:
        self._rows, self._of_test, self._about, self._screen = rows, of_test, about, screen
        self._told = told

    def all_lines(self, *, broken: bool = True) -> list[str]:
        about = [] if self._about is None else self._about.all_lines(self._screen)
        blocks = self._blocks(verbose=True)
        tables = [[line for b in each for line in b.lines(ALL_LINES)] for each in blocks]
        last = self._broken(verbose=True) if broken else []
        heads = _heads(self._rows, self._told, self._screen, ALL_LINES)
        title = _case_line(self._rows[0], self._screen, 3)
        return [*title, *_joined(heads, about, tables), *last]

    def lines(self, most: int, *, broken: bool = True) -> list[str]:
        """If there is too little room, passages and the answer are omitted first, then claims, and
        last the evidence against a metric's first contradicted claim.
        """
        last = self._broken(verbose=False) if broken else []
        title = _case_line(self._rows[0], self._screen, 1)
        room = most - len(title) - len(last)
        heads, more = _heads(self._rows, self._told, self._screen, 1), list[str]()
        blocks = self._blocks(verbose=False)
        least = next(filter(None, _leasts(blocks)), 0)
        if sum(map(len, heads)) > room - least:
            heads, more = _first_of(heads, room - least, self._screen)
        room -= sum(map(len, heads)) + len(more)
        blocks = blocks[: len(heads)]
        about = self._beside(blocks, room)
        tables = _fitting(blocks, room - len(about), self._screen)
        return [*title, *_joined(heads, about, tables), *more, *last]

    def _blocks(self, *, verbose: bool) -> list[list[Block]]:
        sources = () if self._about is None else self._about.sources
        return [
            blocks_of(row, self._screen, verbose=verbose, sources=sources) for row in self._rows
        ]

    def _beside(self, blocks: Sequence[Sequence[Block]], room: int) -> list[str]:
        """Answer and passages, as far as they fit in addition to the claims; if there are very many
        claims, some are omitted to leave a line for each.
        """
        if self._about is None:
            return []
        shown = [self._about.lines(size, self._screen) for size in self._about.sizes()]
        for most in (3, 2, 1):
            needed = sum(len(block.lines(most)) for each in blocks for block in each)
            for lines in shown:
                if needed + len(lines) <= room:
                    return lines
        each_least = zip(blocks, _leasts(blocks), strict=True)
        least = sum(max(1, least) + (len(each) > 1) for each, least in each_least)
        for size in (Size(1, 0, 1), Size(1, 0, 0)):
            lines = self._about.lines(size, self._screen)
            if room - len(lines) >= max(least, len(blocks) + _FEW - 1):
                return lines
        return []

    def _broken(self, *, verbose: bool) -> list[str]:
        """Where the case broke, if that is known; with each claim if verbose."""
        contexts = None if self._about is None else self._about.contexts
        words = where_it_broke(self._rows, self._of_test, contexts)
        if not words:
            return []
        screen, lines = self._screen, list[str]()
        found = attributed(self._rows[0], self._of_test) if verbose else None
        for what, claims in found.named if found is not None else ():
            for claim in claims:
                first, *more = screen.wrapped(
                    f"{what}: {visible(claim)}", screen.width - 4, ALL_LINES
                )
                lines += [f"  {first}", *(f"    {line}" for line in more)]
        lines += _wrapped(f"where it broke: {words}", screen, 3)
        return [screen.paint(line, "bold") for line in lines]


def judge_of(rows: Sequence[MeasuredRow]) -> str | None:
    """The judge of a case's failed rows, as in their first lines."""
    judged = [row for row in rows if row.get("judged", True)]
    stored = ", stored" if all(row["stored"] for row in judged) else ""
    return f"judge {visible(judged[-1]['judge'])}{stored}" if judged else None


def _joined(heads: Sequence[list[str]], about: list[str], tables: Sequence[list[str]]) -> list[str]:
    """Each metric's score with its findings; the case's texts below the first score."""
    lines: list[str] = []
    for head, table in zip(heads, tables, strict=True):
        lines += [*head, *about, *table]
        about = []
    return lines


def _case_of(row: MeasuredRow) -> tuple[str | None, ...]:
    """A value that is equal for rows of one case; cases without id differ in question or
    history.
    """
    return row["case"], row["question"], row["inputs"].get("question")


def _case_line(row: MeasuredRow, screen: Screen, most: int) -> list[str]:
    question = "" if is_blank(row["question"]) else visible(row["question"] or "")
    if row["case"] is None and not question:
        return []
    name = f"case {visible(row['case'])}" if row["case"] is not None else "case"
    title = f"{name}  {question}".rstrip()
    if row["previous_turn"] is not None:
        title += f'  (after "{visible(row["previous_turn"])}")'
    return [screen.paint(line, "bold") for line in _wrapped(title, screen, most)]


def _heads(
    rows: Sequence[MeasuredRow], told: str | None, screen: Screen, most: int
) -> list[list[str]]:
    """Each metric's score and its judge, which is shown once if all have the same.

    Args:
        told: the judge that was already named. most: maximum number of lines for a score with its
            remark.
    """
    judged = [row for row in rows if row.get("judged", True)]
    stored = ", stored" if all(row["stored"] for row in judged) else ""
    heads: list[list[str]] = []
    for row in rows:
        source = f"judge {visible(row['judge'])}{stored}" if row in judged else None
        heads.append(_head(row, None if source == told else source, screen, most))
        told = source
    return heads


def _head(row: MeasuredRow, source: str | None, screen: Screen, most: int) -> list[str]:
    """Both on one line if they fit."""
    left = head_of(row, screen)
    beside = source is not None and columns(left) + 4 + columns(source) <= screen.width
    line, *more = [screen.safe(left)] if beside else _wrapped(left, screen, most)
    scored = screen.safe(score_line(row))
    if line.startswith(scored):
        line = screen.paint(scored, "red") + line[len(scored) :]
    if source is None:
        return [line, *more]
    if beside:
        return [f"{line}    {screen.paint(screen.safe(source), 'dim')}"]
    return [line, *more, f"  {screen.paint(screen.cut(source, screen.width - 2), 'dim')}"]


def _wrapped(text: str, screen: Screen, most: int) -> list[str]:
    """The text on at most `most` lines, indented after the first."""
    if most == 1 or columns(screen.safe(text)) <= screen.width:
        return [screen.cut(text, screen.width)]
    first, *more = screen.wrapped(text, screen.width - 2, most)
    return [first, *(f"  {line}" for line in more)]


def _first_of(
    heads: Sequence[list[str]], room: int, screen: Screen
) -> tuple[list[list[str]], list[str]]:
    """As many metrics as fit, and a line with the number of others."""
    kept: list[list[str]] = []
    for head in heads:
        if sum(map(len, kept)) + len(head) > room - 1:
            break
        kept.append(head)
    left_out = len(heads) - len(kept)
    return kept, [f"{screen.glyph('...')} {plural(left_out, 'more metric')} (-v shows all)"]


def _fitting(tables: Sequence[list[Block]], room: int, screen: Screen) -> list[list[str]]:
    """The blocks of all metrics in `room` lines: first shorten texts, then omit blocks."""
    for most in (3, 2, 1):
        whole = [[block.lines(most) for block in blocks] for blocks in tables]
        needed = [sum(map(len, blocks)) for blocks in whole]
        if sum(needed) <= room:
            return [[line for block in blocks for line in block] for blocks in whole]
    shares = _shares(needed, _leasts(tables), room)
    return [
        _first_blocks(blocks, lines, share, screen)
        for blocks, lines, share in zip(tables, whole, shares, strict=True)
    ]


def _leasts(tables: Sequence[Sequence[Block]]) -> list[int]:
    """The number of lines of each metric's most important block; 0: there is none, or another
    metric shows the same.
    """
    found: list[list[str]] = []
    for blocks in tables:
        lines = next((block.lines(1) for block in blocks if block.first), [])
        found.append([] if lines in found else lines)
    return list(map(len, found))


def _shares(needed: Sequence[int], least: Sequence[int], room: int) -> list[int]:
    """Distribute the room beyond each one's minimum, line by line, to those that need more."""
    shares = [0] * len(needed)
    for at, lines in enumerate(least):
        if lines <= room:
            shares[at] = lines
            room -= lines
    while room > 0 and any(has < needs for has, needs in zip(shares, needed, strict=True)):
        for at, needs in enumerate(needed):
            if room > 0 and shares[at] < needs:
                shares[at] += 1
                room -= 1
    return shares


def _first_blocks(
    blocks: Sequence[Block], lines: list[list[str]], room: int, screen: Screen
) -> list[str]:
    """As many whole blocks as fit; the last line has the number of others."""
    if sum(map(len, lines)) <= room:
        return [line for block in lines for line in block]
    first = next((at for at, block in enumerate(blocks) if block.first), None)
    if first is not None and len(lines[first]) <= room:
        order = sorted(range(len(blocks)), key=lambda at: at != first)
        blocks, lines = [blocks[at] for at in order], [lines[at] for at in order]
        if room - len(lines[0]) < _FEW:
            lines[1:] = [block[:1] for block in lines[1:]]
        if len(lines[0]) == room:
            return lines[0]  # the metric's own line already shows the number of claims
    elif room < _FEW:
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
    if columns(rest) > screen.width:
        rest = screen.cut(rest.replace("-v shows all", "-v"), screen.width)
    return [*kept, rest][:room]
