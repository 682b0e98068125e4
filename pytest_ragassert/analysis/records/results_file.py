"""The results file of a pytest run, `results_<run>.json`: schema version 1, to be read back."""

from __future__ import annotations

import json
from typing import Any, Literal

from pydantic import AwareDatetime, Field

from ...storage.files.records import FileRecord, Record
from .agreement_figures import ConfusionFigures
from .conclusion_record import ConclusionRecord
from .failed_tests import FailedTest
from .result_record import CaseTexts, ResultRecord

FailedBy = Literal[
    "none",
    "assertions",
    "judge-errors",
    "both",
    "missing",
    "gates",
    "baseline",
    "verdicts",
    "other",
]


class MetricFigures(Record):
    """A metric's results together.

    Attributes:
        n: measured ones; vacuous ones, errors and those decided by an interval are not among them.
        mean, min: of their scores; None where n is 0.
        below: that an assertion failed for.
        vacuous: with nothing to check.
        errors: that could not be measured.
        document_values: the figures under the names that GraphRAG evaluations give them, in the
            unit of the name: percent, a share or a count.
    """

    n: int
    mean: float | None = None
    min: float | None = None
    below: int = 0
    vacuous: int = 0
    errors: int = 0
    document_values: dict[str, float] = Field(default_factory=dict)


class ClassCounts(Record):
    """Answers by what `answer_class` says of them."""

    correct: int = 0
    wrong: int = 0
    dont_know: int = 0


class AnswerCounts(ClassCounts):
    """The same in total and by what a case's `metadata` says.

    Attributes:
        by_method: by `metadata["method"]`; cases without one are not among them.
        by_question_type: by `metadata["question_type"]`, or `metadata["type"]`.
    """

    by_method: dict[str, ClassCounts] = Field(default_factory=dict)
    by_question_type: dict[str, ClassCounts] = Field(default_factory=dict)


class Spread(Record):
    """Scores together."""

    n: int
    mean: float
    best: float
    worst: float


class VoteFigures(Record):
    """Votes of a run together.

    Attributes:
        fewest, most: samples of a question by one model.
        judgements: claims, passages and labels that were voted on, each model's apart; one that
            several measurements use counts once.
        split: of these, those in which not all votes agree.
        flip_rate: split / judgements.
    """

    fewest: int
    most: int
    judgements: int
    split: int
    flip_rate: float


class Lengths(Record):
    """Counts of characters or things together, each from 1."""

    n: int
    mean: float
    min: int
    max: int


class SpanFigures(Record):
    """The issue spans of `evidence` together.

    Attributes:
        labels: how many are incorrect and uncertain.
        severities: how many are high, medium and low.
        with_evidence: those whose claim has a verified quote.
        chars: their lengths in the answers. quote_chars: those of the verified quotes.
    """

    n: int
    labels: dict[str, int]
    severities: dict[str, int]
    with_evidence: int
    chars: Lengths | None = None
    quote_chars: Lengths | None = None


class EvidenceFigures(Record):
    """What the claims of a metric rest on.

    Attributes:
        claims: how many there are.
        labels: those correct, uncertain and incorrect, after the gate: supported is correct,
            contradicted incorrect, the rest uncertain.
        labels_raw: by the verdict that the judge gave.
        coverage: share of claims decided, correct or incorrect. abstention: share uncertain.
        withheld: contradicted as the judge says, and not after the gate.
        quotes: claims with quotes. verified: those with one that stands in its passage.
        covering: of these, those whose quotes have the claim's numbers, names, words and negation,
            and those whose have not, where the metric looks at that.
        quote_chars: lengths of verified quotes, each by itself.
        passages: how many different passages a result's verified quotes stand in; results with one.
        spans: of `evidence` alone.
    """

    claims: int
    labels: dict[str, int]
    labels_raw: dict[str, int]
    coverage: float | None = None
    abstention: float | None = None
    withheld: int = 0
    quotes: int = 0
    verified: int = 0
    covering: dict[str, int] = Field(default_factory=dict)
    quote_chars: Lengths | None = None
    passages: Lengths | None = None
    spans: SpanFigures | None = None


class TruthFigures(ConfusionFigures):
    """What a metric says of answers that people labelled; "yes" is incorrect.

    A metric says that an answer is incorrect where its score lies below the minimum, whether a test
    asserts it or not; `answer_class` where it is WRONG.

    Attributes:
        decided: labelled answers that it says something of.
        abstained: those that it does not: not measurable, nothing to check, DONT_KNOW.
        coverage: decided / all of them.
    """

    decided: int
    abstained: int
    coverage: float


class RunOutcome(Record):
    """How a run's tests ended, as the last line of the summary says it.

    Attributes:
        failed_by: assertions, judge errors (a spent budget and a run that measured nothing are
            of them) or both; without either of these, missing verdicts, the gates, the baseline, or
            another failure.
        assertions: tests that failed because a score lay below its minimum.
        judge_errors: tests that failed because something could not be measured.
        skipped: tests that were skipped for that.
        other: tests that failed for anything else, and files that could not be collected.
        measured: results, vacuous ones too.
        budget: `spent` where a request was refused because of it.
        gates: of the run; None where it has none. In a `partial` run they are not checked, nor
            where they are `off`.
        baseline: `failed` where it was not written, or is another judge's.
        verdicts: `failed` where the committed ones could not be written.
        missing: tests that failed because a replay does not have their verdicts; None: none did.
        skipped_missing: tests that were skipped for that.
    """

    failed_by: FailedBy = "none"
    assertions: int = 0
    judge_errors: int = 0
    skipped: int = 0
    other: int = 0
    measured: int = 0
    budget: Literal["ok", "spent"] = "ok"
    gates: Literal["ok", "failed", "partial", "off"] | None = None
    baseline: Literal["failed"] | None = None
    verdicts: Literal["failed"] | None = None
    missing: int | None = None
    skipped_missing: int | None = None


class UsageFigures(Record):
    """All questions that a run's results rest on, stored ones too, each once.

    Attributes:
        questions: the same in any order and from any number of workers.
        judgements: what they ask for, likewise; 0 in files of earlier versions.
        prompt, completion: tokens that the endpoint counted for their requests. Texts that have
            sentences in common share requests, and which sentences one asks for depends on what is
            in flight: runs that ask for the same may differ here.
    """

    questions: int = 0
    judgements: int = 0
    prompt: int = 0
    completion: int = 0


class RerunCommand(Record):
    """How a test is run again, from the folder that the run was started in.

    Attributes:
        command: without the test.
        folder: that tests' ids are relative to.
    """

    command: str
    folder: str


class HistoryEntry(Record):
    """An earlier run, as its line in the history has it.

    Attributes:
        means: of each metric the number of measured results, and their mean.
    """

    date: AwareDatetime
    commit: str | None = None
    judge: str
    means: dict[str, tuple[int, float]] = Field(default_factory=dict)


class ResultsFile(FileRecord):
    """All that a run measured. `ResultsFile.model_validate_json(text)` reads a file's text.

    Attributes:
        run: the run's id, as in the file's name.
        started, ended: in UTC.
        outcome: None in files of releases that did not tell it.
        exit_status: pytest's own; 2 where the run was interrupted, and results may be missing.
        judge: who judges, for people.
        settings: the run's, without keys and credentials.
        answers: None where no `answer_class` was measured.
        grades: how many `factual_accuracy` gave each grade; empty where it was not measured.
        ragas_score_by_method: by `metadata["method"]`.
        votes: None where nothing was judged more than once.
        evidence: of each metric that judges claims.
        ground_truth: how many cases people call correct and incorrect, and unlabelled ones.
        against_truth: of each metric that judges whether answers are right, over labelled ones.
        usage: None in files of releases that did not tell it.
        conclusion: what the run as a whole was held against; None where it was against nothing.
        failed_tests: None in files of releases that did not tell it.
        partial: why the run is a part of what the project runs; None: it is whole.
        notices: what is to be noted, in lines.
        date, commit: what the run's line in the history names in place of now, and of what.
        history: the runs before it, the newest last, where the run has a history; not all of many.
        rerun: how a test is run again; None: not known.
        cases: the cases' texts, by a digest of them.
        results: by test, in the order of measuring.
    """

    schema_version: Literal[1] = 1
    run: str
    started: AwareDatetime
    ended: AwareDatetime
    exit_status: int
    outcome: RunOutcome | None = None
    tool_version: str
    pytest_version: str
    judge: str
    settings: dict[str, Any]
    metrics: dict[str, MetricFigures]
    answers: AnswerCounts | None = None
    grades: dict[str, int] = Field(default_factory=dict)
    ragas_score_by_method: dict[str, Spread] = Field(default_factory=dict)
    votes: VoteFigures | None = None
    evidence: dict[str, EvidenceFigures] = Field(default_factory=dict)
    ground_truth: dict[str, int] = Field(default_factory=dict)
    against_truth: dict[str, TruthFigures] = Field(default_factory=dict)
    usage: UsageFigures | None = None
    conclusion: ConclusionRecord | None = None
    failed_tests: list[FailedTest] | None = None
    partial: str | None = None
    notices: list[str] = Field(default_factory=list)
    date: str | None = None
    commit: str | None = None
    history: list[HistoryEntry] = Field(default_factory=list)
    rerun: RerunCommand | None = None
    cases: dict[str, CaseTexts] = Field(default_factory=dict)
    results: list[ResultRecord]

    def to_text(self) -> str:
        """The file's text: ASCII, so that a lone surrogate in an answer stays what it is."""
        data = {
            **self.model_dump(mode="python"),
            "started": self.started.isoformat(),
            "ended": self.ended.isoformat(),
            "history": [one.model_dump(mode="json") for one in self.history],
        }
        return json.dumps(data, ensure_ascii=True, indent=1) + "\n"
