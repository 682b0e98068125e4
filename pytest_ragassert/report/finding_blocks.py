"""Formats the findings of each metric as blocks of lines: claims, contexts, questions, criteria,
parts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from ..analysis.records.result_rows import score_words
from ..analysis.records.row_types import ClaimRow, CriterionRow, MeasuredRow, is_proven
from ..judgements import Met, Verdict
from ..language.escaping import escaped, visible
from ..metrics.findings import (
    Beside,
    ClaimCounts,
    EachContext,
    EachCriterion,
    EachSpan,
    Finding,
    Headline,
    JudgesWords,
    Line,
)
from ..metrics.registry import OWN
from ..metrics.votes import split_words
from .claim_lines import LONGEST_REASON, NARROWEST, claim_lines, counted, shown
from .criterion_lines import criteria_shown, criterion_lines
from .span_lines import issue_lines, issues
from .terminal import Screen, Style, columns

ALL_LINES = 99  # maximum number of lines of a text if everything is shown
# Returns the lines of a block whose texts take at most the given number of lines each.
Lines = Callable[[int], list[str]]


class Block(NamedTuple):
    """Lines that are shown or omitted together; `kind` names, in the plural, what they are.

    Attributes:
        first: whether it shows what a text says instead of the answer, and so has priority.
    """

    kind: str
    lines: Lines
    first: bool = False


def head_of(row: MeasuredRow, screen: Screen) -> str:
    """The metric with its score or label, and a remark in the same line."""
    said = _headline(row)
    if isinstance(said, JudgesWords):
        said = said.text if _fits(row, said, screen) else ""
    elif isinstance(said, ClaimCounts):
        said = counted(row["claims"])
    return f"{score_line(row)}   {visible(said)}".rstrip()


def case_fields(row: MeasuredRow) -> tuple[str, ...]:
    """The texts of a case that the metric measures, by field."""
    metric = _METRICS.get(row["metric"])
    if metric is None:
        return ("answer", "retrieved_contexts")
    judged = [_FIELDS[text] for side in metric.sides for text in side]
    return (*metric.requires, *judged)


def asks_judge(row: MeasuredRow) -> bool:
    """Whether the metric may ask a judge."""
    metric = _METRICS.get(row["metric"])
    return metric is None or metric.asks_judge


def lists_contexts(row: MeasuredRow) -> bool:
    """Whether its blocks list the retrieved contexts."""
    return any(isinstance(finding, EachContext) for finding in findings_of(row))


def blocks_of(
    row: MeasuredRow, screen: Screen, *, verbose: bool, sources: Sequence[str | None] = ()
) -> list[Block]:
    """The metric's own figures, then the relevant claims.

    Args:
        sources: the source of each context, if it is known.
    """
    metric, blocks = _METRICS.get(row["metric"]), []
    findings = findings_of(row)
    words = _headline(row)
    if isinstance(words, JudgesWords) and row["details"] and not _fits(row, words, screen):
        findings = [Beside("", words.text), *findings]
    for finding in findings:
        blocks += _blocks(finding, row, screen, sources)
    claims = shown(row["claims"], verbose=verbose)
    by_spans = metric is not None and metric.counts == "spans"
    if by_spans and not verbose and row["interval"] is None:
        claims = []  # its spans already show the claims
    quotes = _quotes(row)
    if quotes and not by_spans:
        lines = _blocks(Line(quotes), row, screen, ())
        blocks += [one._replace(kind="quotes") for one in lines]
    return blocks + [
        Block("claims", partial(claim_lines, claim, screen), _says_otherwise(claim))
        for claim in claims
    ]


def _says_otherwise(claim: ClaimRow) -> bool:
    return claim["verdict"] == Verdict.CONTRADICTORY.value and is_proven(claim)


_METRICS = {metric.name: metric for metric in OWN}
# Names of the texts that metrics compare.
_FIELDS = {
    "answer": "answer",
    "reference": "ground_truth_answer",
    "contexts": "retrieved_contexts",
    "cited": "retrieved_contexts",
}


def findings_of(row: MeasuredRow) -> list[Finding]:
    """The metric's lines below its score; empty for an unknown metric."""
    metric = _METRICS.get(row["metric"])
    if metric is None or not row["details"]:
        return []
    if row["interval"] is not None:
        # the metric is unknown, and has no figures
        each: dict[str, Finding] = {"contexts": EachContext(), "criteria": EachCriterion()}
        return [finding for name, finding in each.items() if name in row["details"]]
    return metric.findings(row)


def _headline(row: MeasuredRow) -> Headline:
    metric = _METRICS.get(row["metric"])
    if row["vacuous"]:
        return ""
    if row["interval"] is not None:
        # what is known, in words that fit any metric
        return row["reason"]
    return row["reason"] if metric is None else metric.headline(row)


def score_line(row: MeasuredRow) -> str:
    """The metric with its score or label."""
    metric = visible(row["metric"])
    if row["vacuous"]:
        return f"{metric} {visible(row['reason'])}"
    if row["minimum"] is None and row["label"]:
        return f"{metric} {visible(row['label'])}"
    return f"{metric} {score_words(row)}"


def _fits(row: MeasuredRow, words: JudgesWords, screen: Screen) -> bool:
    """Whether the judge's words fit next to the score; if not, they go below it."""
    return columns(screen.safe(f"{score_line(row)}   {visible(words.text)}")) <= screen.width


def _blocks(
    finding: Finding, row: MeasuredRow, screen: Screen, sources: Sequence[str | None]
) -> list[Block]:
    match finding:
        case Line(text):
            line = screen.cut(f"  {escaped(text)}", screen.width)
            return [Block("lines", lambda most: [line])]
        case Beside(left, text, kind):
            left = f"  {escaped(left)}" if left else ""
            return [Block(kind, partial(_beside, left, text, screen))]
        case EachContext():
            return _contexts(row, screen, sources)
        case EachCriterion():
            return [
                Block(
                    "criteria",
                    partial(_criterion, said, screen),
                    first=said["met"] == Met.NO.value,
                )
                for said in criteria_shown(row)
            ]
        case EachSpan():
            return [
                Block("spans", partial(issue_lines, span, claim, screen), _says_otherwise(claim))
                for span, claim in issues(row)
            ]


def _quotes(row: MeasuredRow) -> str:
    """`verdicts: 2 with verified quotes, 1 without`, for claims with evidence; empty if all have
    verified quotes.
    """
    quoted = [c for c in row["claims"] if c["label_raw"] != Verdict.NO_EVIDENCE.value]
    unverified = len(quoted) - sum(map(is_proven, quoted))
    if not unverified:
        return ""
    return f"verdicts: {len(quoted) - unverified} with verified quotes, {unverified} without"


def _contexts(row: MeasuredRow, screen: Screen, sources: Sequence[str | None]) -> list[Block]:
    beginnings = row["contexts"]
    blocks = []
    for said in row["details"].get("contexts", ()):
        place = said["context"]
        begins = f'"{beginnings[place]}"' if place < len(beginnings) else ""
        if place < len(sources) and sources[place]:
            begins = f"{visible(sources[place] or '')}  {begins}".rstrip()
        blocks.append(Block("contexts", partial(_context_lines, said, begins, screen)))
    return blocks


def _criterion(said: CriterionRow, screen: Screen, most: int) -> list[str]:
    return criterion_lines(said, screen, whole=most >= ALL_LINES, most=most)


def _context_lines(said: Mapping[str, Any], begins: str, screen: Screen, most: int) -> list[str]:
    """The lines of a context; the remaining room goes to the judge's reason first, then to the
    context.
    """
    mark, label = ("+", "relevant") if said["relevant"] else (".", "not relevant")
    style: Style = "green" if said["relevant"] else "yellow"
    words = f"{label} {split_words(said.get('votes', {}), label)}".rstrip()
    left = f"  {screen.glyph(mark)} [{said['context'] + 1}] {words:<12}"
    reason = visible(said["reason"] or "")[:LONGEST_REASON]
    room = screen.width - columns(left) - 3
    if room < NARROWEST or not (reason or begins):
        return [f"  {screen.paint(screen.cut(left[2:].rstrip(), screen.width - 2), style)}"]
    left = f"  {screen.paint(left[2:], style)}"
    if not reason:
        return [f"{left}   {screen.cut(begins, room)}"]
    if most > 1 or not begins:
        text, *more = screen.wrapped(reason, room, max(1, most - 1))
        lines = [f"{left}   {text}", *(f"{' ' * columns(left)}   {line}" for line in more)]
        return lines + ([f"      {screen.cut(begins, screen.width - 6)}"] if begins else [])
    text = screen.cut(begins, max(room // 2, room - columns(screen.safe(reason)) - 2))
    return [f"{left}   {text}  {screen.cut(reason, room - columns(text) - 2)}"]


def _beside(left: str, text: str, screen: Screen, most: int) -> list[str]:
    """A text on at most `most` lines, to the right of a label."""
    indent = columns(left) + 2
    if screen.width - indent < NARROWEST:
        left, indent = "", 4
    words = visible(text)[: LONGEST_REASON if most < ALL_LINES else None]
    if not words:
        return [left] if left else []
    first, *more = screen.wrapped(words, screen.width - indent, most)
    return [f"{left:<{indent}}{first}", *(f"{' ' * indent}{line}" for line in more)]
