"""The measurements of a test as typed JSON data, which processes exchange and reports are written
from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypedDict

from ...ground_truth import Claims, ContextIds
from ...results import EvidenceLabel

AnswerLabel = Literal["correct", "incorrect"]
Text = Literal["answer", "reference", "contexts", "cited"]
# The metric whose details list criteria; a project's metric may have details of the same name.
CRITERIA = "criteria"
Came = Literal["asked", "stored", "committed"]


class AskedRow(TypedDict):
    """A judgement, or a text's vector, that a measurement used.

    Attributes:
        key: the key of the judgement or the text.
        question: equal for judgements that were asked for together; the key itself for a text.
        step: the question's step; None for a text.
        stored: whether it was answered before this run began.
        committed: whether a committed verdict answered it.
        carried: whether it was carried over from another judgement, in this run or before.
        source: the key of that judgement.
        requests: requests sent for it and for those that were asked with it.
        again: those of the requests that were repeated to get a usable reply or a quote.
        prompt, cached, completion, again_tokens: tokens that the endpoint counted.
        embedding: whether this is a text to embed.
        answered: whether there is an answer; if not, only the cost is known.
        served: the model's name in the endpoint's answer; None if it gave none.
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
    """A judgement that a replay lacks.

    Attributes:
        key, step, judge, about, asked, passages: as they would be in its committed line.
        text: `text_hash` of the text to which the sentence belongs; None for other steps.
        others: by cause, the keys that it would have if that had not changed.
        beside: the number of known judgements of the same question.
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
    """What a replay lacks for a measurement, as in `VerdictMissing.question`.

    Attributes:
        known: by step, the keys of the judgements that it has.
        alone: whether the judge is known only from committed verdicts.
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
    """The passage's sentence that is nearest to a claim without evidence."""

    passage: int
    quote: str


class OverrideRow(TypedDict):
    """A claim with a human override, as in `storage.overrides.Use`."""

    id: str
    claim: str
    applied: bool
    verdicts: list[str]


class SpanRow(TypedDict):
    """An issue span in the details of `evidence`; `claim` is an index into the result's claims."""

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
    """A criterion in the details of `criteria`, as in `metrics.criteria.Check`, less empty values.

    Attributes:
        id: the id by which commands find it.
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
    """A claim as in `ClaimVerdict`, with verdicts by name, and what reports add.

    Attributes:
        id: the id by which commands find the claim; None if nothing is kept for that.
        against: the text that the claim was checked against, if it is not obvious; `cited` means
            the contexts that `looked_at` names.
        nearest: the sentence nearest to a claim without evidence.
        came: the origin of the judge's verdict, as in `ClaimRecord`.
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
    """Whether a verified quote proves the verdict, regardless of the other quotes."""
    return any(one["verified"] for one in claim["evidence"])


def cited_of(claim: ClaimRow, texts: Sequence[str | None]) -> list[str]:
    """The contexts that the claim was checked against, at their indices; the others are blank."""
    cited = None if claim["against"] != "cited" else claim["looked_at"] or []
    return [
        (text or "") if cited is None or place in cited else "" for place, text in enumerate(texts)
    ]


def is_against_contexts(claim: ClaimRow) -> bool:
    """Whether the claim was checked against the contexts."""
    return claim["against"] in (None, "contexts", "cited")


class CaseRow(TypedDict):
    """What a measurement records of its case.

    Attributes:
        case: the case's id.
        previous_turn: the beginning of the user's last message before the question.
        truth: people's label of the answer, the case's `label`.
        answer: only for labelled cases, to be shown beside the label.
        inputs: a digest of each input: question (with earlier turns), answer, contexts, references
            with claims, and context ids if the case says which are relevant.
        tags: the case's tags.
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
    """The result of one metric for one case in one test, as in `MetricResult` and `ResultRecord`.

    Attributes:
        nodeid: the test's node id.
        score: None if it could not be measured (see `error`), or if only its `interval` is known
            because the assertion is decided although verdicts are missing.
        missed: what a replay lacks for it.
        passages: for a failed result, by the claims' source, the texts that the claims were checked
            against, each at its index in the user's list.
        passages_cut: whether some of them are cut.
        contexts: for a failed result that judges each context, the contexts' beginnings.
        asserted: whether a score below the minimum fails the test.
        splits: for each judgement with several votes, by its own key, whether the votes differ.
        by_hands: the claims with an override, for these passages or others.
        steps: the version and fingerprint of each step that was asked.
        judged: whether a judge was asked, not only phrases, embeddings or ground-truth contexts.
        asked: what was asked; empty if the row was read from a results file.
        identity: equal for two copies of the same measurement.
        labels: the labels that pass, instead of a minimum.
        quarantine: why a failure is expected; None if it is not.
        texts: the digest of the case's texts; None if they are not kept.
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
    """The texts of a case that were judged, as in `CaseTexts`."""

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
    """The criteria that a result judges; none if another metric made it."""
    return list(row["details"].get("criteria", ())) if row["metric"] == CRITERIA else []


def name_of_case(row: MeasuredRow) -> str:
    """The case's id, or its test if it has none."""
    return row["nodeid"] if row["case"] is None else row["case"]


def score_of(row: MeasuredRow) -> float:
    """The score of a row that has one.

    Raises:
        ValueError: it could not be measured.
    """
    if row["score"] is None:
        raise ValueError(f"{row['metric']} of case {row['case']} was not measured")
    return row["score"]
