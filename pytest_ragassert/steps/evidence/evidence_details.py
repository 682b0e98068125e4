"""What the metric `evidence` reports about an answer's sentences, and where the answer is wrong."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from ...results import EvidenceLabel

Severity = Literal["low", "medium", "high"]


class _Part(BaseModel):
    # fields that a later release adds are ignored
    model_config = ConfigDict(extra="ignore")


class SentenceVerdict(_Part):
    """A sentence of the answer that makes claims, with its label.

    Attributes:
        sentence: 0-based index among the answer's sentences; None for claims that the judge gave
            without a sentence, which represent the whole answer.
        start: the offset in the answer at which it begins.
        end: the offset in the answer after its last character.
        text: `answer[start:end]`.
        label: incorrect if any claim is, otherwise uncertain if any is, otherwise correct.
        claims: the indices of its claims in `MetricResult.claims`.
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
        start: the offset in the answer at which it begins.
        end: the offset in the answer after its last character.
        text: `answer[start:end]`.
        label: the label of the sentence.
        severity: how much it matters if the claim is wrong, from the claim's text alone.
        sentence: as in `SentenceVerdict`.
        claim: the index in `MetricResult.claims` of the claim that represents the sentence: one
            with the worst label, and of these the first with the highest severity.
    """

    start: int
    end: int
    text: str
    label: EvidenceLabel
    severity: Severity
    sentence: int | None
    claim: int


class EvidenceDetails(_Part):
    """The details of a result of the metric `evidence`.

    `EvidenceDetails.model_validate(result.details)` reads them.

    Attributes:
        sentences: the sentences that make claims, in text order.
        spans: spans of the sentences that are not correct, in text order.
        labels: how many claims have each label.
        with_evidence: how many claims have a verified quote.
        uncertain_weight: the option of `assert_evidence`.
        require_evidence_for_correct: the option of `assert_evidence`.
    """

    sentences: list[SentenceVerdict] = Field(default_factory=list)
    spans: list[IssueSpan] = Field(default_factory=list)
    labels: dict[EvidenceLabel, int] = Field(default_factory=dict)
    with_evidence: int = 0
    uncertain_weight: float = 0.5
    require_evidence_for_correct: bool = False
