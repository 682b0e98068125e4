"""Results made by hand, as metrics give them, and their rows as reports get them."""

from __future__ import annotations

import itertools
from datetime import datetime, timezone
from typing import Any, Literal, cast

from pytest_ragassert import ClaimVerdict, EvalCase, MetricResult, Verdict
from pytest_ragassert.analysis.records.figures import usage_figures, vote_figures
from pytest_ragassert.analysis.records.result_rows import Sent, from_text, row_of, to_text
from pytest_ragassert.analysis.records.row_types import ErrorRow, MeasuredRow
from pytest_ragassert.analysis.run_record import RunRecord
from pytest_ragassert.report.failure_report import failure_lines
from pytest_ragassert.report.terminal import Screen

_NUMBERS = itertools.count()
CONTEXTS = [
    "Dogs are not allowed on board.",
    "The ferry runs every 40 minutes. The crossing costs 9 euros.",
]
PRICE = "The crossing costs 9 euros."
BICYCLES = "Bicycles need reservations."
Source = Literal["answer", "reference"]


def case(**fields: Any) -> EvalCase:
    given: dict[str, Any] = {
        "id": "price",
        "question": "What does the crossing cost?",
        "answer": "It costs 5 euros.",
        "ground_truth_answer": f"{PRICE} {BICYCLES}",
        "retrieved_contexts": CONTEXTS,
    }
    return EvalCase(**{**given, **fields})


def claim(
    text: str, verdict: str = "NO_EVIDENCE", source: Source = "answer", **fields: Any
) -> ClaimVerdict:
    given = Verdict(verdict)
    if "quote" in fields:
        fields["quote_verified"] = True
    return ClaimVerdict(text=text, verdict=given, label_raw=given, source=source, **fields)


def result(
    metric: str, score: float = 0.5, minimum: float | None = 0.7, **fields: Any
) -> MetricResult:
    given: dict[str, Any] = {"passed": False, "judge": "judge-a"}
    return MetricResult(metric=metric, score=score, minimum=minimum, **{**given, **fields})


def row(made: MetricResult, of: EvalCase | None = None, **more: Any) -> MeasuredRow:
    """The row as the report's process reads it."""
    each = {"nodeid": "test", "identity": str(next(_NUMBERS)), "asserted": True}
    whole = cast(MeasuredRow, {**row_of(made, of or case()), **each, **more})
    (read,) = from_text(to_text(Sent([whole], [], {}))).rows
    return read


def failed(metric: str, kind: str = "MissingFieldError", *fields: str) -> MeasuredRow:
    """The row of a metric that could not be measured."""
    error: ErrorRow = {
        "type": kind,
        "kind": None,
        "message": "why",
        "fields": list(fields),
    }
    return {
        **row(result(metric)),
        "score": None,
        "claims": [],
        "error": error,
    }


def judged(*relevant: bool, reason: str | None = "it is about dogs") -> dict[str, Any]:
    contexts = [
        {"context": place, "relevant": one, "reason": reason} for place, one in enumerate(relevant)
    ]
    return {"contexts": contexts, "ranked": True, "relevance_from": "judge"}


def table(
    *rows: MeasuredRow, width: int = 80, verbose: bool = False, encoding: str = "utf-8"
) -> list[str]:
    return failure_lines(rows, Screen(width, encoding), verbose=verbose)


def recorded(*rows: MeasuredRow) -> RunRecord:
    """A run that measured these."""
    now = datetime.now(timezone.utc)
    return RunRecord(
        id="run",
        started=now,
        ended=now,
        exit_status=0,
        tool_version="1",
        pytest_version="9",
        judge="judge-a",
        results=rows,
        usage=usage_figures(rows),
        votes=vote_figures(rows),
    )
