"""What the metric `evidence` says of an answer's sentences, and where in the answer it is wrong."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from ...results import EvidenceLabel

Severity = Literal["low", "medium", "high"]


class _Part(BaseModel):
    # what a later release adds, an earlier one passes over
    model_config = ConfigDict(extra="ignore")


class SentenceVerdict(_Part):
    """A sentence of the answer that makes claims.

    Attributes:
        sentence: 0-based index among the answer's sentences; None for claims that the judge gave
            without a sentence, which stand for the whole answer.
        start, end: half-open offsets in the answer.
        text: the answer there.
        label: incorrect if any claim is, else uncertain if any is, else correct.
        claims: the places of its claims in `MetricResult.claims`.
    """

    sentence: int | None
    start: int
    end: int
    text: str
    label: EvidenceLabel
    claims: list[int]


class IssueSpan(_Part):
    """A part of the answer that is not supported: one for each sentence that is not correct.

    Attributes:
        start, end: half-open offsets in the answer.
        text: the answer there.
        label: what the sentence is.
        severity: how much it matters if the claim is wrong, from the claim's text alone.
        sentence: as in `SentenceVerdict`.
        claim: the place in `MetricResult.claims` of the claim that speaks for the sentence: one of
            the worst label, of these the first of the highest severity.
    """

    start: int
    end: int
    text: str
    label: EvidenceLabel
    severity: Severity
    sentence: int | None
    claim: int


class EvidenceDetails(_Part):
    """`MetricResult.details` of `evidence`: `EvidenceDetails.model_validate(result.details)`.

    Attributes:
        sentences: those that make claims, in text order.
        spans: those of the sentences that are not correct, in text order.
        labels: how many claims have each label.
        with_evidence: how many claims have a verified quote.
        uncertain_weight, require_evidence_for_correct: the options.
    """

    sentences: list[SentenceVerdict] = Field(default_factory=list)
    spans: list[IssueSpan] = Field(default_factory=list)
    labels: dict[EvidenceLabel, int] = Field(default_factory=dict)
    with_evidence: int = 0
    uncertain_weight: float = 0.5
    require_evidence_for_correct: bool = False
