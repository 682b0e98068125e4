"""The lines of `debug_claims.jsonl` and `error_cases.jsonl`, schema version 1. To read them:

from pytest_ragassert import DebugClaim

with open("debug_claims.jsonl") as lines:
    claims = [DebugClaim.model_validate_json(line) for line in lines]
"""

from __future__ import annotations

import json
from typing import Any, Literal

from pydantic import Field

from ...judgements import Verdict
from ...results import Quote
from ...storage.files.records import FileRecord, Record

Label = Literal["correct", "uncertain", "incorrect"]


class _Line(FileRecord):
    """Shared by both: `run`, the run's id, as in the results file."""

    schema_version: Literal[1] = 1
    run: str

    def to_text(self) -> str:
        """The line in ASCII, so that a lone surrogate in an answer is preserved."""
        return json.dumps(self.model_dump(mode="python"), ensure_ascii=True) + "\n"


class DebugClaim(_Line):
    """A claim, and how its label was determined: a line of `debug_claims.jsonl`.

    Attributes:
        nodeid: the test's node id.
        case: the case's id.
        metric, judge: as in `MetricResult`.
        place: the index of the claim in `MetricResult.claims`.
        truth: people's label of the whole answer, the case's `label`.
        label_raw: the verdict as the judge gave it.
        verdict: the verdict that counts, after the evidence check.
        label_final: the same verdict as correct, uncertain or incorrect.
        gate_reason: why the evidence check changed the verdict or the passage, if it did.
        selection_reason, looked_at: for `evidence`, why passages were checked, and which ones. For
            `citation_recall`, `looked_at` has those that the claim's sentence cites.
        evidence_found: whether there are quotes and all were found in their passages.
        coverage_ok, coverage_note: for `evidence`, whether the quotes cover the claim, and what
            they lack.
        evidence: all quotes; `quote`, `passage` and `quote_span` are those of the first one.
        span: half-open offsets of the claim's sentence in the answer or reference.
        raw_reply: for `evidence`, the judge's verdict as it was read.

    The other fields are as in `ClaimVerdict`.
    """

    nodeid: str
    case: str | None = None
    metric: str
    judge: str = ""
    place: int
    truth: Literal["correct", "incorrect"] | None = None
    text: str
    source: Literal["answer", "reference"] = "answer"
    sentence: int | None = None
    span: tuple[int, int] | None = None
    label_raw: Verdict
    verdict: Verdict
    label_final: Label
    gate_reason: str | None = None
    selection_reason: str | None = None
    looked_at: list[int] | None = None
    evidence_found: bool = False
    coverage_ok: bool | None = None
    coverage_note: str | None = None
    evidence: list[Quote] = Field(default_factory=list)
    quote: str | None = None
    passage: int | None = None
    quote_span: tuple[int, int] | None = None
    confidence: float | None = None
    conflict: bool = False
    carried: str | None = None
    by_hand: str | None = None
    judged: Verdict | None = None
    votes: dict[str, int] = Field(default_factory=dict)
    reason: str | None = None
    raw_reply: dict[str, Any] | None = None


class TopSpan(Record):
    """The part of the answer that shows most clearly that it is incorrect.

    Attributes:
        start, end: half-open offsets in the answer.
        text: the answer between them.
        label: the label of the sentence.
        severity: only for `evidence`.
    """

    start: int
    end: int
    text: str
    label: Label
    severity: Literal["low", "medium", "high"] | None = None


class ErrorCase(_Line):
    """A labelled answer that a metric is wrong about: a line of `error_cases.jsonl`.

    Attributes:
        kind: `false_positive`: the metric says that the answer is incorrect, people say that it is
            correct; `false_negative`: the reverse.
        previous_turn: the beginning of the user's last message before the question.
        truth: people's label, the case's `label`.
        said: what the metric says.
        reason: the metric's reason, as one line.
        top_span: None if no claim is uncertain or incorrect.
        top_claims: up to three claims, the worst first.
        label_counts: the number of correct, uncertain and incorrect claims.
    """

    nodeid: str
    case: str | None = None
    question: str | None = None
    previous_turn: str | None = None
    answer: str | None = None
    metric: str
    judge: str = ""
    kind: Literal["false_positive", "false_negative"]
    truth: Literal["correct", "incorrect"]
    said: Literal["correct", "incorrect"]
    score: float
    minimum: float | None = None
    reason: str = ""
    top_span: TopSpan | None = None
    top_claims: list[DebugClaim] = Field(default_factory=list)
    label_counts: dict[str, int] = Field(default_factory=dict)
