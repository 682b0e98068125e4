"""The results file of a pytest run, `results_<run>.json`, schema version 1."""

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
    "shards",
    "gates",
    "baseline",
    "verdicts",
    "other",
]


class MetricFigures(Record):
    """The figures of a metric over all its results.

    Attributes:
        n: measured results, without vacuous ones, errors and those decided by an interval.
        mean, min: of the scores; None if n is 0.
        below: results for which an assertion failed.
        vacuous: results with nothing to check.
        errors: results that could not be measured.
        document_values: the figures under their names in GraphRAG evaluations, in the unit that the
            name implies: percent, a share or a count.
    """

    n: int
    mean: float | None = None
    min: float | None = None
    below: int = 0
    vacuous: int = 0
    errors: int = 0
    document_values: dict[str, float] = Field(default_factory=dict)


class ClassCounts(Record):
    """The number of answers in each class of `answer_class`."""

    correct: int = 0
    wrong: int = 0
    dont_know: int = 0


class AnswerCounts(ClassCounts):
    """The same in total, and by the case's `metadata`.

    Attributes:
        by_method: by `metadata["method"]`; cases without one are left out.
        by_question_type: by `metadata["question_type"]`, or `metadata["type"]`.
    """

    by_method: dict[str, ClassCounts] = Field(default_factory=dict)
    by_question_type: dict[str, ClassCounts] = Field(default_factory=dict)


class Spread(Record):
    """The spread of several scores."""

    n: int
    mean: float
    best: float
    worst: float


class VoteFigures(Record):
    """The votes of a run.

    Attributes:
        fewest, most: samples of a question by one model.
        judgements: claims, passages and labels that were voted on, counted for each model; a
            judgement that several measurements use counts once.
        split: the number of these judgements on which the votes differ.
        flip_rate: split / judgements.
    """

    fewest: int
    most: int
    judgements: int
    split: int
    flip_rate: float


class Lengths(Record):
    """Statistics of counts of characters or things, each at least 1."""

    n: int
    mean: float
    min: int
    max: int


class SpanFigures(Record):
    """The issue spans of `evidence`.

    Attributes:
        labels: the number of incorrect and of uncertain spans.
        severities: the number of high, medium and low severities.
        with_evidence: spans whose claim has a verified quote.
        chars: the lengths of the spans in the answers.
        quote_chars: the lengths of the verified quotes.
    """

    n: int
    labels: dict[str, int]
    severities: dict[str, int]
    with_evidence: int
    chars: Lengths | None = None
    quote_chars: Lengths | None = None


class EvidenceFigures(Record):
    """The evidence for the claims of a metric.

    Attributes:
        claims: the number of claims.
        labels: correct, uncertain and incorrect claims after the evidence check: supported counts
            as correct, contradicted as incorrect, everything else as uncertain.
        labels_raw: claims by the verdict that the judge gave.
        coverage: the share of claims that are decided, correct or incorrect.
        abstention: the share of uncertain claims.
        withheld: claims that the judge called contradicted, but that were not after the check.
        quotes: claims with quotes.
        verified: claims with a quote that was found in its passage.
        covering: of these, claims whose quotes contain their numbers, names, words and negation,
            and claims whose quotes do not, if the metric checks that.
        quote_chars: lengths of the verified quotes.
        passages: the number of different passages with verified quotes in each result that has one.
        spans: only for `evidence`.
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
    """A metric's agreement with people's labels of answers; "yes" means incorrect.

    A metric says that an answer is incorrect if its score is below the minimum, whether or not a
    test asserts it; `answer_class` does if the label is WRONG.

    Attributes:
        decided: labelled answers on which the metric decides.
        abstained: labelled answers on which it does not: not measurable, nothing to check,
            DONT_KNOW.
        coverage: decided / all labelled answers.
    """

    decided: int
    abstained: int
    coverage: float


class RunOutcome(Record):
    """How a run's tests ended, as in the last line of the summary.

    Attributes:
        failed_by: assertions, judge errors (including a spent budget and a run that measured
            nothing) or both; if neither, missing verdicts, missing or failed shards, the gates, the
            baseline, or another failure.
        assertions: tests that failed because a score was below its minimum.
        judge_errors: tests that failed because something could not be measured.
        skipped: tests that were skipped because something could not be measured.
        other: tests that failed for any other reason, and files that could not be collected.
        measured: results, including vacuous ones.
        budget: `spent` if a request was refused because of the budget.
        gates: the outcome of the gates; None if the run has none. They are not checked if the run
            is `partial` or if they are `off`.
        baseline: `failed` if it was not written, or belongs to another judge.
        verdicts: `failed` if the committed verdicts could not be written.
        missing: tests that failed because a replay lacks verdicts; None: none did.
        skipped_missing: tests that were skipped because a replay lacks verdicts.
        judged: 0 if every test that needs the judge was skipped, although something that needs no
            judge was measured; None otherwise.
        missing_shards: shards without results, when shards are joined; None: there are none.
        interrupted_shards: shards that were interrupted, when shards are joined; None: there are
            none.
        store: `unused` if a process of the run could not use the shared store at its end; None:
            it was used, or there is none.
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
    judged: int | None = None
    missing_shards: int | None = None
    interrupted_shards: int | None = None
    store: Literal["unused"] | None = None


class UsageFigures(Record):
    """All questions that a run's results depend on, including stored ones, each once.

    Attributes:
        questions: their number; the same in any order and with any number of workers.
        judgements: the number of judgements that they ask for; 0 in files of earlier versions.
        prompt, completion: tokens that the endpoint counted for the requests. Texts with sentences
            in common share requests, and which of them asks for a sentence depends on what is in
            flight, so two runs that ask for the same may differ here.
    """

    questions: int = 0
    judgements: int = 0
    prompt: int = 0
    completion: int = 0


class RerunCommand(Record):
    """How to run a test again, from the folder in which the run was started.

    Attributes:
        command: the command, without the test.
        folder: the folder that tests' ids are relative to.
    """

    command: str
    folder: str


class ShardRecord(Record):
    """Which of several shards a run is.

    Attributes:
        number: from 1.
        of: the number of shards.
        incomplete: why it cannot tell which committed verdicts and results are unused; None: each
            of its tests ran to its end and passed.
    """

    number: int = Field(ge=1)
    of: int = Field(ge=1)
    incomplete: str | None = None

    def __str__(self) -> str:
        return f"shard {self.number} of {self.of}"


class HistoryEntry(Record):
    """An earlier run, as in its line of the history.

    Attributes:
        means: for each metric, the number of measured results, and their mean.
    """

    date: AwareDatetime
    commit: str | None = None
    judge: str
    means: dict[str, tuple[int, float]] = Field(default_factory=dict)


class ResultsFile(FileRecord):
    """Everything that a run measured. `ResultsFile.model_validate_json(text)` reads a file's text.

    Attributes:
        run: the run's id, as in the file's name.
        started, ended: in UTC.
        outcome: None in files of releases that did not record it.
        exit_status: pytest's exit status; 2 if the run was interrupted and results may be missing.
        judge: the judge's name in reports.
        settings: the run's settings, without keys and credentials.
        answers: None if `answer_class` was not measured.
        grades: the number of results with each grade of `factual_accuracy`; empty if it was not
            measured.
        ragas_score_by_method: by `metadata["method"]`.
        votes: None if nothing was judged more than once.
        evidence: for each metric that judges claims.
        ground_truth: the number of cases labelled correct, labelled incorrect, and not labelled.
        against_truth: for each metric that judges whether answers are right, over labelled answers.
        usage: None in files of releases that did not record it.
        conclusion: the results of gates and comparison for the whole run; None without them.
        failed_tests: None in files of releases that did not record them.
        partial: why only some of the project's tests, or of the shard's, ran; None: all of them
            ran.
        shard: which shard the run is; None: it is not one of several shards.
        notices: the run's notices, as lines.
        date, commit: the date and commit in the run's history line, if it has one.
        history: earlier runs, the newest last, if the run has a history; if there are many, only
            the last ones.
        rerun: how to run a test again; None: unknown.
        cases: the cases' texts, by a digest of them.
        results: by test, in the order in which they were measured.
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
    shard: ShardRecord | None = None
    notices: list[str] = Field(default_factory=list)
    date: str | None = None
    commit: str | None = None
    history: list[HistoryEntry] = Field(default_factory=list)
    rerun: RerunCommand | None = None
    cases: dict[str, CaseTexts] = Field(default_factory=dict)
    results: list[ResultRecord]

    def to_text(self) -> str:
        """Return the file's text in ASCII, so that a lone surrogate in an answer is preserved."""
        data = {
            **self.model_dump(mode="python"),
            "started": self.started.isoformat(),
            "ended": self.ended.isoformat(),
            "history": [one.model_dump(mode="json") for one in self.history],
        }
        return json.dumps(data, ensure_ascii=True, indent=1) + "\n"
