"""Results as rows of plain data, which travel between processes, and their one-line message."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from ..case import EvalCase
from ..results import ClaimVerdict, MetricResult
from ..steps.canonical import canonical_json
from ..text.visible import is_blank, visible
from ..verdict import Verdict
from .display import below

# Plain builtins only, so that it can cross to xdist's controller.
Row = dict[str, Any]


def headline(result: MetricResult, case: str) -> str:
    """The exception's one line."""
    if result.vacuous:
        return (
            f"case {case}: {result.metric}: {result.reason} "
            '(no_claims="pass" or ragassert_no_claims allows that)'
        )
    score = below(result.score, result.minimum or 0.0)
    return f"case {case}: {result.metric} {score} ({visible(result.reason)})"


def row_of(result: MetricResult, case: EvalCase | None = None) -> Row:
    """A result as plain data; with its case, claims without evidence get the nearest sentence."""
    passages = _passages(case, result)
    return {
        "metric": result.metric,
        "score": result.score,
        "minimum": result.minimum,
        "passed": bool(result.passed),
        "vacuous": result.vacuous,
        "reason": result.reason,
        "label": result.label,
        "grade": result.grade,
        "judge": result.judge,
        "stored": result.stored,
        "requests": result.requests,
        "by_model": dict(result.by_model),
        "claims": [_claim_row(claim, result, passages) for claim in result.claims],
        "error": None,
        **case_fields(case),
    }


def to_text(rows: Sequence[Row]) -> str:
    """ASCII, so that no encoder on the way stumbles over a lone surrogate."""
    return canonical_json(list(rows))


def from_text(text: str) -> list[Row]:
    rows: list[Row] = json.loads(text)
    return rows


def case_fields(case: EvalCase | None) -> Row:
    """What a row says of its case."""
    return {
        "case": None if case is None else case.id,
        "question": None if case is None else case.question,
    }


def _passages(case: EvalCase | None, result: MetricResult) -> dict[str, list[tuple[int, str]]]:
    """What claims of each source were held against, for looking up the nearest sentence."""
    if case is None or result.passed:
        return {}
    if result.metric.startswith("factual_"):
        references = case.references
        best = result.details.get("reference", 0)
        return {
            "answer": [(0, references[best])] if references else [],
            "reference": [(0, case.answer or "")],
        }
    contexts = enumerate(case.retrieved_contexts or [])
    return {"answer": [(index, text) for index, text in contexts if text and not is_blank(text)]}


def _claim_row(
    claim: ClaimVerdict, result: MetricResult, passages: dict[str, list[tuple[int, str]]]
) -> Row:
    row = claim.model_dump(mode="python")
    row["verdict"], row["label_raw"] = claim.verdict.value, claim.label_raw.value
    row["against"] = None
    if result.metric.startswith("factual_"):
        row["against"] = "reference" if claim.source == "answer" else "answer"
    row["nearest"] = None
    if claim.verdict is not Verdict.FULLY_SUPPORTED and not claim.quote_verified:
        row["nearest"] = _nearest(claim.text, passages.get(claim.source, []))
    return row


def _nearest(claim: str, passages: list[tuple[int, str]]) -> Row | None:
    from ..words.passages import nearest_sentence

    found = nearest_sentence(claim, passages)
    if found is None:
        return None
    index, start, end = found
    return {"passage": index, "quote": visible(dict(passages)[index][start:end])}
