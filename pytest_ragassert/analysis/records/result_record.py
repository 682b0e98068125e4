"""In a results file: one metric of one case in one test, and the case's texts."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import ConfigDict, Field

from ...ground_truth import Claims, ContextIds
from ...results import ClaimVerdict
from ...storage.files.records import Record


class NearestRecord(Record):
    """The passage's sentence nearest to a claim without evidence.

    Attributes:
        passage: 0-based index into the contexts.
    """

    passage: int
    quote: str


class ClaimRecord(ClaimVerdict):
    """A claim as in `MetricResult`.

    Attributes:
        nearest: of a failed result's claim that nothing proves; None elsewhere.
        came: where the verdict comes from that the judge gave, or that was carried over: the judge
            was asked in this run; or it was stored before; or it is a committed one. Of several
            votes or models the first of these that is true of any; None: not known.
    """

    model_config = ConfigDict(extra="ignore")

    nearest: NearestRecord | None = None
    came: Literal["asked", "stored", "committed"] | None = None


class MeasuringError(Record):
    """Why there is no score.

    Attributes:
        type: the exception's name: JudgeError, VerdictMissing, MissingFieldError.
        kind: of a judge error, one of `JudgeError.KINDS`.
        fields: those that the case lacks or that are blank.
    """

    type: str
    message: str
    kind: str | None = None
    fields: list[str] = Field(default_factory=list)


class ResultRecord(Record):
    """One metric of one case in one test; fields as in `MetricResult`.

    Attributes:
        nodeid: the test's.
        case: the case's id.
        previous_turn: how what the user said last before the question begins.
        score: None where it could not be measured, or where only its interval is known.
        interval: of an assertion that is decided though a replay lacks verdicts: the lowest and the
            highest score that there may be.
        asserted: a score below the minimum fails the test.
        details: the metric's own figures as JSON data.
        metadata: the case's own, as JSON data. tags: likewise.
        truth: what people say of the answer, the case's `label`.
        identity: the same for the same measurement made twice.
        inputs: a digest of each: question (with the turns before it), answer, contexts,
            references with claims, and context ids where the case says which are right.
        steps: of each kind of question that was asked, its version and fingerprint.
        options: the metric's, as JSON data.
        labels: those that pass, in place of a minimum.
        texts: the case's texts, by their name in the file's `cases`.
        quarantine: why a failure is expected; None where none is.
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
    """What a case was judged by, so that another judge can be asked about the same."""

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
