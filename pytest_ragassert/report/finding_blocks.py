"""What each metric found, as blocks of lines: claims, contexts, questions, criteria, parts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

from ..analysis.records.row_types import MeasuredRow, score_of
from ..judgements import RUBRIC, Verdict
from ..language.number_format import compared
from ..language.sanitize import visible
from .claim_lines import LONGEST_REASON, NARROWEST, claim_lines, counted, shown
from .span_lines import issue_lines, issues
from .terminal import Screen, columns
from .vote_lines import scores_words, split_words

ALL_LINES = 99  # that a text may take where all is shown
# Lines of a block whose texts take at most so many lines each.
Lines = Callable[[int], list[str]]


class Block(NamedTuple):
    """Lines that stand or fall together; `kind` says in the plural what is left out with them."""

    kind: str
    lines: Lines


def head_of(row: MeasuredRow, screen: Screen) -> str:
    """The metric with its score or label, and what is to be said in the same line."""
    return f"{_scored(row)}   {_said(row, screen)}".rstrip()


def blocks_of(row: MeasuredRow, screen: Screen, *, verbose: bool) -> list[Block]:
    """The metric's own figures, then the claims that matter."""
    own = _OWN.get(row["metric"])
    blocks = own(row, screen) if own is not None and row["details"] else []
    claims = shown(row["claims"], verbose=verbose)
    if row["metric"] == "evidence" and not verbose:
        claims = []  # its spans say what is to be said of them
    quotes = _quotes(row)
    if quotes and row["metric"] != "evidence":
        blocks.append(_line(quotes, screen))
    return blocks + [Block("claims", partial(claim_lines, claim, screen)) for claim in claims]


def _scored(row: MeasuredRow) -> str:
    if row["vacuous"]:
        return f"{row['metric']} {visible(row['reason'])}"
    if row["minimum"] is None and row["label"]:
        return f"{row['metric']} {visible(row['label'])}"
    return f"{row['metric']} {compared(score_of(row), row['minimum'])}"


def _said(row: MeasuredRow, screen: Screen) -> str:
    details, reason = row["details"], visible(row["reason"])
    if row["vacuous"]:
        return ""
    match row["metric"]:
        case "factual_accuracy" if row["grade"]:
            return f"grade {visible(row['grade'])}"
        case "answer_correctness" if "f1" in details:
            return counted(row["claims"])
        case "ragas_score" if "parts" in details:
            left_out = ", ".join(map(visible, details.get("left_out", ())))
            return f"left out: {left_out}" if left_out else ""
        case "answer_relevancy" if details.get("method") == "questions":
            return f"{reason}, embeddings by {visible(str(details.get('embedder')))}"
        case "context_precision" if details.get("relevance_from") == "ground_truth_contexts":
            return f"{reason}, by ground_truth_contexts"
    if _by_words(row):
        return _own_words(row) if _fits(row, screen) else ""
    return reason


def _quotes(row: MeasuredRow) -> str:
    """`quotes: 2 verified, 1 unverified`, of the claims that the judge has evidence on; empty where
    all are verified."""
    quoted = [c for c in row["claims"] if c["label_raw"] != Verdict.NO_EVIDENCE.value]
    unverified = sum(not claim["quote_verified"] for claim in quoted)
    if not unverified:
        return ""
    return f"quotes: {len(quoted) - unverified} verified, {unverified} unverified"


def _by_words(row: MeasuredRow) -> bool:
    """Whether the reason is a sentence of the judge's, as long as it likes."""
    if row["metric"] == "answer_relevancy":
        return bool(row["details"].get("method") == "direct")
    return bool(row["metric"] == "answer_class")


def _own_words(row: MeasuredRow) -> str:
    """The judge's words, without the label where that stands before them."""
    words: str = row["reason"]
    if row["metric"] == "answer_class" and row["minimum"] is None:
        words = words.removeprefix(row["label"] or "").removeprefix(": ")
    return visible(words)


def _fits(row: MeasuredRow, screen: Screen) -> bool:
    """Whether the judge's words have room beside the score; else they stand below it."""
    return columns(screen.safe(f"{_scored(row)}   {_own_words(row)}")) <= screen.width


def _contexts(row: MeasuredRow, screen: Screen) -> list[Block]:
    beginnings = row["contexts"]
    blocks = []
    for said in row["details"].get("contexts", ()):
        place = said["context"]
        begins = f'"{beginnings[place]}"' if place < len(beginnings) else ""
        blocks.append(Block("contexts", partial(_context_lines, said, begins, screen)))
    return blocks


def _context_lines(said: Mapping[str, Any], begins: str, screen: Screen, most: int) -> list[str]:
    """A line; where there is room, the judge's reason has it, and the context the next."""
    mark, label = ("+", "relevant") if said["relevant"] else (".", "not relevant")
    words = f"{label} {split_words(said.get('votes', {}), label)}".rstrip()
    left = f"  {screen.glyph(mark)} [{said['context'] + 1}] {words:<12}"
    reason = visible(said["reason"] or "")[:LONGEST_REASON]
    room = screen.width - columns(left) - 3
    if room < NARROWEST or not (reason or begins):
        return [screen.cut(left, screen.width).rstrip()]
    if not reason:
        return [f"{left}   {screen.cut(begins, room)}"]
    if most > 1 or not begins:
        text, *more = screen.wrapped(reason, room, max(1, most - 1))
        lines = [f"{left}   {text}", *(f"{' ' * columns(left)}   {line}" for line in more)]
        return lines + ([f"      {screen.cut(begins, screen.width - 6)}"] if begins else [])
    text = screen.cut(begins, max(room // 2, room - columns(screen.safe(reason)) - 2))
    return [f"{left}   {text}  {screen.cut(reason, room - columns(text) - 2)}"]


def _questions(row: MeasuredRow, screen: Screen) -> list[Block]:
    """The questions that the answer answers, the nearest to the one asked last; or the reason."""
    if row["details"].get("method") == "direct":
        votes = scores_words(row["details"].get("votes", ()))
        return [*_words_below(row, screen), *([_line(votes, screen)] if votes else [])]
    asked = sorted(row["details"].get("questions", ()), key=lambda one: float(one["similarity"]))
    return [
        Block("questions", partial(_beside, f"  {one['similarity']:.2f}", one["question"], screen))
        for one in asked
    ]


def _words_below(row: MeasuredRow, screen: Screen) -> list[Block]:
    if _fits(row, screen):
        return []
    return [Block("lines", partial(_beside, "", _own_words(row), screen))]


def _class(row: MeasuredRow, screen: Screen) -> list[Block]:
    by_phrases = row["details"].get("decided_by") == "phrases"
    who = "decided by phrases, without a judge" if by_phrases else "decided by the judge"
    split = split_words(row["details"].get("votes", {}), row["label"] or "")
    who += f", votes {split}" if split else ""
    return [*_words_below(row, screen), _line(who, screen)]


def _criteria(row: MeasuredRow, screen: Screen) -> list[Block]:
    widest = max(map(len, RUBRIC))
    blocks = []
    for name, weight in RUBRIC.items():
        part = row["details"].get(name)
        if part is not None:
            left = f"  {name:<{widest}} {part['score']:>5.4g} x {weight:g}"
            said = filter(None, (scores_words(part.get("votes", ())), part["reason"]))
            blocks.append(Block("lines", partial(_beside, left, "; ".join(said), screen)))
    return blocks


def _correctness(row: MeasuredRow, screen: Screen) -> list[Block]:
    details = row["details"]
    if "f1" not in details:
        return []
    factual, semantic = details["weights"]
    near = details["similarity"]
    similarity = "not needed" if near is None else f"{near:.2f} x {semantic:g}"
    return [_line(f"F1 {details['f1']:.2f} x {factual:g}, similarity {similarity}", screen)]


def _similarity(row: MeasuredRow, screen: Screen) -> list[Block]:
    best = row["details"].get("reference")
    which = "the reference" if best is None else f"reference {best + 1}, the nearest"
    return [_line(f"cosine {score_of(row):.2f} of the answer and {which}", screen)]


def _bert(row: MeasuredRow, screen: Screen) -> list[Block]:
    figures = [(name, row["details"].get(name)) for name in ("precision", "recall", "f1")]
    said = ", ".join(f"{name} {value:.2f}" for name, value in figures if value is not None)
    return [_line(said, screen)] if said else []


def _parts(row: MeasuredRow, screen: Screen) -> list[Block]:
    parts, weights = row["details"].get("parts", {}), row["details"].get("weights", {})
    widest = max(map(len, parts), default=0)
    return [
        _line(f"{visible(name):<{widest}} {parts[name]:.2f} x {weights.get(name, 0):g}", screen)
        for name in sorted(parts)
    ]


def _issues(row: MeasuredRow, screen: Screen) -> list[Block]:
    return [
        Block("spans", partial(issue_lines, span, claim, screen)) for span, claim in issues(row)
    ]


def _line(text: str, screen: Screen) -> Block:
    return Block("lines", lambda most: [screen.cut(f"  {text}", screen.width)])


def _beside(left: str, text: str, screen: Screen, most: int) -> list[str]:
    """A text beside what stands at the left, on at most `most` lines below each other."""
    indent = columns(left) + 2
    if screen.width - indent < NARROWEST:
        left, indent = "", 4
    words = visible(text)[: LONGEST_REASON if most < ALL_LINES else None]
    if not words:
        return [left] if left else []
    first, *more = screen.wrapped(words, screen.width - indent, most)
    return [f"{left:<{indent}}{first}", *(f"{' ' * indent}{line}" for line in more)]


_OWN: dict[str, Callable[[MeasuredRow, Screen], list[Block]]] = {
    "context_relevance": _contexts,
    "context_precision": _contexts,
    "answer_relevancy": _questions,
    "factual_accuracy": _criteria,
    "answer_correctness": _correctness,
    "semantic_similarity": _similarity,
    "bert_score": _bert,
    "ragas_score": _parts,
    "evidence": _issues,
    "answer_class": _class,
}
