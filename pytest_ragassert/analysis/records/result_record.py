"""The part of a results file with the results, and the cases' texts."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import ConfigDict, Field

from ...ground_truth import Claims, ContextIds
from ...results import ClaimVerdict
from ...storage.files.records import Record


class NearestRecord(Record):
    """The passage's sentence that is nearest to a claim without evidence.

    Attributes:
        passage: 0-based index into the contexts.
    """

    passage: int
    quote: str


class ClaimRecord(ClaimVerdict):
    """A claim as in `MetricResult`.

    Attributes:
        nearest: the nearest sentence for an unproven claim of a failed result; otherwise None.
        came: the origin of the judge's verdict: asked in this run, stored before, or committed;
            with several votes or models, the first of these that applies to any. None: unknown.
    """

    model_config = ConfigDict(extra="ignore")

    nearest: NearestRecord | None = None
    came: Literal["asked", "stored", "committed"] | None = None


class MeasuringError(Record):
    """Why there is no score.

    Attributes:
        type: the exception's name: JudgeError, VerdictMissing, MissingFieldError.
        kind: for a judge error, one of `JudgeError.KINDS`.
        fields: the fields that the case lacks or that are blank.
    """

    type: str
    message: str
    kind: str | None = None
    fields: list[str] = Field(default_factory=list)


class ResultRecord(Record):
    """The result of one metric for one case in one test; other fields are as in `MetricResult`.

    Attributes:
        nodeid: the test's node id.
        case: the case's id.
        previous_turn: the beginning of the user's last message before the question.
        score: None if it could not be measured, or if only its interval is known.
        interval: the lowest and the highest possible score of an assertion that is decided although
            a replay lacks verdicts.
        asserted: whether a score below the minimum fails the test.
        details: the metric's own figures, as JSON data.
        metadata: the case's metadata, as JSON data.
        tags: the case's tags.
        truth: people's label of the answer, the case's `label`.
        identity: equal for two copies of the same measurement.
        inputs: a digest of each input: question (with earlier turns), answer, contexts, references
            with claims, and context ids if the case says which are relevant.
        steps: the version and fingerprint of each step that was asked.
        options: the metric's options, as JSON data.
        labels: the labels that pass, instead of a minimum.
        texts: the digest of the case's texts in the file's `cases`.
        quarantine: why a failure is expected; None if it is not.
    """

    nodeid: str
    case: str | None = None
    question: str | None = None
    previous_turn: str | None = None
    metric: str
    score: float | None = None
    interval: tuple[float, float] | None = None
    minimum: float | None = None
    passed: bool = False
    asserted: bool = False
    vacuous: bool = False
    grade: str | None = None
    label: str | None = None
    by_model: dict[str, float] = Field(default_factory=dict)
    reason: str = ""
    details: dict[str, Any] = Field(default_factory=dict)
    claims: list[ClaimRecord] = Field(default_factory=list)
    judge: str = ""
    requests: int = 0
    stored: bool = False
    votes: int = 1
    judgements: int = 0
    split: int = 0
    metadata: dict[str, Any] = Field(default_factory=dict)
    tags: list[str] = Field(default_factory=list)
    truth: Literal["correct", "incorrect"] | None = None
    identity: str = ""
    inputs: dict[str, str] = Field(default_factory=dict)
    steps: dict[str, str] = Field(default_factory=dict)
    options: dict[str, Any] = Field(default_factory=dict)
    labels: list[str] = Field(default_factory=list)
    texts: str | None = None
    quarantine: str | None = None
    error: MeasuringError | None = None


class CaseTexts(Record):
    """The texts of a case that were judged, so that another judge can be asked about them."""

    history: list[dict[str, str]] = Field(default_factory=list)
    question: str | None = None
    answer: str | None = None
    retrieved_contexts: list[str | None] | None = None
    retrieved_context_ids: list[str | None] | None = None
    retrieved_context_sources: list[str | None] | None = None
    ground_truth_answer: str | None = None
    ground_truth_answers: list[str] | None = None
    ground_truth_contexts: list[str | None] | None = None
    ground_truth_context_ids: ContextIds | None = None
    ground_truth_claims: Claims | None = None
    criteria: list[str] | None = None
