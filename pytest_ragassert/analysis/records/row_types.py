"""What a test measured, as JSON data with typed fields: it travels between processes, and reports
are written of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypedDict

from ...ground_truth import Claims, ContextIds
from ...results import EvidenceLabel

AnswerLabel = Literal["correct", "incorrect"]
Text = Literal["answer", "reference", "contexts", "cited"]
# The metric whose details list criteria; a project's own may have details of the same name.
CRITERIA = "criteria"
Came = Literal["asked", "stored", "committed"]


class AskedRow(TypedDict):
    """A judgement that a measurement used, or a text whose vector it used.

    Attributes:
        key: of the judgement or the text.
        question: tells which were asked for together; of a text its own key.
        step: of the question; None of a text.
        stored: answered before this run began. committed: by a committed verdict.
        carried: it was carried over from another judgement, in this run or before. source: the key
            of that one.
        requests: how many were sent for it and for those that were asked with it. again: of these,
            for a usable reply or a quote.
        prompt, cached, completion, again_tokens: tokens that the endpoint counted.
        embedding: it is a text to embed.
        answered: there is an answer; else only what was paid is known.
        served: the name under which the endpoint answered; None where it told none.
    """

    key: str
    question: str
    step: str | None
    model: str
    stored: bool
    requests: int
    prompt: int
    cached: int
    completion: int
    again: int
    again_tokens: int
    embedding: bool
    answered: bool
    committed: bool
    carried: bool
    source: str | None
    served: str | None


class MissedJudgement(TypedDict):
    """A judgement that a replay did not have.

    Attributes:
        key, step, judge, about, asked, passages: as its committed line would have them.
        text: `text_hash` of the text whose sentence it is; None of other steps.
        others: by cause the keys that it would have had under what may have changed.
        beside: how many judgements of the same question are known.
    """

    key: str
    step: str
    judge: str
    about: str
    asked: str
    passages: list[str]
    text: str | None
    others: dict[Any, list[str]]
    beside: int


class MissedRow(TypedDict):
    """What a replay lacked for a measurement, as `VerdictMissing.question` has it.

    Attributes:
        known: by step keys of the judgements that it had.
        alone: the judge is known from committed verdicts alone.
        answer, references, contexts: `text_hash` of each text of the case.
    """

    missing: list[MissedJudgement]
    known: dict[str, list[str]]
    alone: bool
    answer: str | None
    references: list[str]
    contexts: list[str]


class ErrorRow(TypedDict):
    """Why there is no score, as in `MeasuringError`."""

    type: str
    kind: str | None
    message: str
    fields: list[str]


class NearestSentence(TypedDict):
    """The passage's sentence nearest to a claim without evidence."""

    passage: int
    quote: str


class OverrideRow(TypedDict):
    """A claim that a person decided on, as `storage.overrides.Use`."""

    id: str
    claim: str
    applied: bool
    verdicts: list[str]


class SpanRow(TypedDict):
    """An issue span among the details of `evidence`; `claim` is a place in the result's claims."""

    start: int
    end: int
    text: str
    label: EvidenceLabel
    severity: Literal["low", "medium", "high"]
    sentence: int
    claim: int


class _Criterion(TypedDict):
    criterion: str
    met: str
    id: str


class CriterionRow(_Criterion, total=False):
    """A criterion among the details of `criteria`, as in `metrics.criteria.Check`; what says
    nothing is left out.

    Attributes:
        id: by which it can be looked up.
        met, judged: `YES`, `NO` or `UNCLEAR`.
    """

    reason: str
    quote: str
    span: tuple[int, int]
    note: str
    votes: dict[str, int]
    by_hand: str
    judged: str


class QuoteRow(TypedDict):
    """A quote as in `Quote`."""

    quote: str
    passage: int | None
    span: tuple[int, int] | None
    verified: bool


class ClaimRow(TypedDict):
    """A claim as in `ClaimVerdict`, verdicts by their names, and what reports add.

    Attributes:
        id: by which the claim can be looked up; None where nothing is kept for that.
        against: the text that the claim was held against, where it is not plain; `cited` are the
            contexts that `looked_at` names.
        nearest: the nearest sentence to a claim without evidence.
        came: where the judge's verdict comes from, as in `ClaimRecord`.
    """

    text: str
    verdict: str
    label_raw: str
    gate_reason: str | None
    reason: str | None
    evidence: list[QuoteRow]
    quote: str | None
    quote_verified: bool
    passage: int | None
    quote_span: tuple[int, int] | None
    sentence: int | None
    span: tuple[int, int] | None
    confidence: float | None
    source: Literal["answer", "reference"]
    weight: float | None
    conflict: bool
    carried: str | None
    by_hand: str | None
    judged: str | None
    votes: dict[str, int]
    label_final: EvidenceLabel | None
    selection_reason: str | None
    looked_at: list[int] | None
    coverage_ok: bool | None
    coverage_note: str | None
    raw_reply: dict[str, Any] | None
    id: str | None
    against: Text | None
    nearest: NearestSentence | None
    came: Came | None


def is_proven(claim: ClaimRow) -> bool:
    """Whether a quote that stands in its passage proves the verdict, whatever the others do."""
    return any(one["verified"] for one in claim["evidence"])


def cited_of(claim: ClaimRow, texts: Sequence[str | None]) -> list[str]:
    """Of the contexts those that the claim was held against, at their places; others are blank."""
    cited = None if claim["against"] != "cited" else claim["looked_at"] or []
    return [
        (text or "") if cited is None or place in cited else "" for place, text in enumerate(texts)
    ]


def is_against_contexts(claim: ClaimRow) -> bool:
    """Whether the claim was held against the contexts."""
    return claim["against"] in (None, "contexts", "cited")


class CaseRow(TypedDict):
    """What a measurement says of its case.

    Attributes:
        case: the case's id.
        previous_turn: how what the user said last before the question begins.
        truth: what people say of the answer, the case's `label`.
        answer: of labelled cases alone, to be read beside the label.
        inputs: a digest of each: question (with the turns before it), answer, contexts,
            references with claims, and context ids where the case says which are right.
        tags: the case's own.
    """

    case: str | None
    question: str | None
    previous_turn: str | None
    metadata: dict[str, Any]
    truth: AnswerLabel | None
    answer: str | None
    inputs: dict[str, str]
    tags: list[str]


class MeasuredRow(CaseRow):
    """One metric of one case in one test; fields as in `MetricResult` and in `ResultRecord`.

    Attributes:
        nodeid: the test's.
        score: None where it could not be measured, and `error` says why; or where only its
            `interval` is known, as of an assertion that is decided though verdicts are missing.
        missed: what a replay lacked for it.
        passages: of a failed result by the claims' source what they were held against, each text
            at its place in the user's list. passages_cut: some are cut.
        contexts: of a failed result that says something of each context, how they begin.
        asserted: a score below the minimum fails the test.
        splits: for each judgement of several votes whether they differ, by a key of its own.
        by_hands: the claims that a person decided on, for these passages or others.
        steps: of each kind of question that was asked, its version and fingerprint.
        judged: a judge was asked: not by phrases, embeddings or the right contexts alone.
        asked: what was asked; empty where it is read from a results file.
        identity: the same for the same measurement made twice.
        labels: those that pass, in place of a minimum.
        quarantine: why a failure is expected; None where none is.
        texts: the case's texts, by their name among the run's; None where they are not kept.
    """

    nodeid: str
    metric: str
    score: float | None
    interval: tuple[float, float] | None
    minimum: float | None
    passed: bool
    vacuous: bool
    reason: str
    label: str | None
    grade: str | None
    judge: str
    stored: bool
    requests: int
    votes: int
    judgements: int
    split: int
    by_model: dict[str, float]
    claims: list[ClaimRow]
    passages: dict[str, list[str]]
    passages_cut: bool
    details: dict[str, Any]
    contexts: list[str]
    error: ErrorRow | None
    missed: MissedRow | None
    asserted: bool
    splits: dict[str, bool]
    by_hands: list[OverrideRow]
    steps: dict[str, str]
    judged: bool
    asked: list[AskedRow]
    options: dict[str, Any]
    labels: list[str]
    identity: str
    quarantine: str | None
    texts: str | None


class TextsRow(TypedDict):
    """What a case was judged by, as in `CaseTexts`."""

    history: list[dict[str, str]]
    question: str | None
    answer: str | None
    retrieved_contexts: list[str | None] | None
    retrieved_context_ids: list[str | None] | None
    retrieved_context_sources: list[str | None] | None
    ground_truth_answer: str | None
    ground_truth_answers: list[str] | None
    ground_truth_contexts: list[str | None] | None
    ground_truth_context_ids: ContextIds | None
    ground_truth_claims: Claims | None
    criteria: list[str] | None


def criteria_in(row: MeasuredRow) -> list[CriterionRow]:
    """The criteria that a result says something of; none where it is of another metric."""
    return list(row["details"].get("criteria", ())) if row["metric"] == CRITERIA else []


def name_of_case(row: MeasuredRow) -> str:
    """The case's id; of a case without one its test."""
    return row["nodeid"] if row["case"] is None else row["case"]


def score_of(row: MeasuredRow) -> float:
    """The score of a row that has one.

    Raises:
        ValueError: it could not be measured.
    """
    if row["score"] is None:
        raise ValueError(f"{row['metric']} of case {row['case']} was not measured")
    return row["score"]
