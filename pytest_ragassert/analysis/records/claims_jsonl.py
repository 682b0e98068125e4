"""Makes the artifact lines: a run's claims, and labelled answers that metrics are wrong about."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from .artifact_lines import DebugClaim, ErrorCase, TopSpan
from .evidence_figures import label_counts, label_of, spans_of
from .ground_truth import INCORRECT_ANSWER, is_wrong_about, said_of
from .row_types import MeasuredRow, is_proven

_TOP = 3
_WORST_FIRST = ("CONTRADICTORY", "NO_EVIDENCE", "PARTIALLY_SUPPORTED", "FULLY_SUPPORTED")
_SEVERITIES = ("high", "medium", "low", None)


def debug_claims(rows: Sequence[MeasuredRow], run: str) -> Iterator[DebugClaim]:
    """Every claim, in the order of the results file."""
    return (claim for row in rows for claim in _claims(row, run))


def error_cases(rows: Sequence[MeasuredRow], run: str) -> Iterator[ErrorCase]:
    """The answers on which people's labels and a metric differ, in the order of the results."""
    return (_error_case(row, run) for row in rows if is_wrong_about(row))


def _claims(row: MeasuredRow, run: str) -> list[DebugClaim]:
    return [
        DebugClaim.model_validate(
            {
                **claim,
                **_whose(row, run),
                "place": place,
                "label_final": label_of(claim),
                "evidence_found": is_proven(claim),
            }
        )
        for place, claim in enumerate(row["claims"])
    ]


def _whose(row: MeasuredRow, run: str) -> dict[str, Any]:
    named = {name: row[name] for name in ("nodeid", "case", "metric", "judge", "truth")}
    return {**named, "run": run}


def _error_case(row: MeasuredRow, run: str) -> ErrorCase:
    said = said_of(row)
    claims = sorted(_claims(row, run), key=lambda one: _WORST_FIRST.index(one.verdict.value))
    return ErrorCase.model_validate(
        {
            **{name: row[name] for name in ("question", "previous_turn", "answer")},
            **{name: row[name] for name in ("score", "minimum", "reason")},
            **_whose(row, run),
            "kind": "false_positive" if said == INCORRECT_ANSWER else "false_negative",
            "said": said,
            "top_span": _top_span(row, claims),
            "top_claims": claims[:_TOP],
            "label_counts": label_counts(row["claims"]) if row["claims"] else {},
        }
    )


def _top_span(row: MeasuredRow, worst_first: Sequence[DebugClaim]) -> TopSpan | None:
    """The worst issue span; for metrics other than `evidence`, the worst claim's sentence."""
    spans = [TopSpan.model_validate(span) for span in spans_of(row)]
    if spans:
        return min(spans, key=lambda s: (s.label != "incorrect", _SEVERITIES.index(s.severity)))
    for claim in worst_first:
        if claim.label_final != "correct" and claim.source == "answer" and claim.span is not None:
            start, end = claim.span
            text = (row["answer"] or "")[start:end]
            return TopSpan(start=start, end=end, text=text, label=claim.label_final)
    return None
