"""The lines of `debug_claims.jsonl` and `error_cases.jsonl`: schema version 1, to be read back.

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
    """What both have: `run`, the run's id, as in the results file."""

    schema_version: Literal[1] = 1
    run: str

    def to_text(self) -> str:
        """One line of ASCII, so that a lone surrogate in an answer stays what it is."""
        return json.dumps(self.model_dump(mode="python"), ensure_ascii=True) + "\n"


class DebugClaim(_Line):
    """A claim of one metric of one case in one test, and how its label came about.

    Attributes:
        nodeid: the test's.
        case: the case's id.
        metric, judge: as in `MetricResult`.
        place: of the claim in `MetricResult.claims`.
        truth: what people say of the whole answer, the case's `label`.
        label_raw: the verdict as the judge gave it.
        verdict: the one that counts, after the gate.
        label_final: the same in the gate's words.
        gate_reason: why the gate changed the label or the passage, where it did.
        selection_reason, looked_at: of `evidence`: which passages were looked at, and why these;
            `looked_at` also of `citation_recall`: those that the claim's sentence cites.
        evidence_found: there are quotes, and all stand in their passages.
        coverage_ok, coverage_note: of `evidence`: whether the quotes have what the claim has.
        evidence: the quotes; quote, passage, quote_span: those of the first.
        span: half-open offsets of the claim's sentence in the answer or reference.
        raw_reply: of `evidence`: the judge's verdict as it was read.

    Others as in `ClaimVerdict`.
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
    """The stretch of the answer that speaks most for its being incorrect.

    Attributes:
        start, end: half-open offsets in the answer; text: the answer there.
        label: of the sentence.
        severity: of `evidence` alone.
    """

    start: int
    end: int
    text: str
    label: Label
    severity: Literal["low", "medium", "high"] | None = None


class ErrorCase(_Line):
    """A labelled answer that a metric is wrong about.

    Attributes:
        kind: `false_positive`: called incorrect, and people call it correct; `false_negative`: the
            reverse.
        previous_turn: how what the user said last before the question begins.
        truth: what people say, the case's `label`.
        said: what the metric says.
        reason: the metric's line for people.
        top_span: None where no claim is uncertain or incorrect.
        top_claims: up to three, the worst first.
        label_counts: how many claims are correct, uncertain and incorrect.
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
