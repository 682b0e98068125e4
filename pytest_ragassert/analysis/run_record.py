"""The record of a run, from which all reports are written: made at the end of the run, or read from
its results file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from .records.figures import answer_counts, figures, grades, ragas_scores
from .records.result_record import CaseTexts, ResultRecord
from .records.results_file import (
    HistoryEntry,
    RerunCommand,
    ResultsFile,
    RunOutcome,
    ShardRecord,
    UsageFigures,
    VoteFigures,
)
from .records.row_types import AskedRow, MeasuredRow

if TYPE_CHECKING:
    from ..usage import Prices, Usage
    from .records.failed_tests import FailedTest
    from .regression.conclusion import Conclusion


@dataclass(frozen=True)
class RunRecord:
    """Everything that is known of a run when it is over.

    Figures are computed from `results`: see `records.figures` and its neighbours.

    Attributes:
        id: the run's id, as in the name of its results file.
        started, ended: in UTC.
        exit_status: pytest's exit status.
        outcome: how the run's tests ended; None in files of releases that did not record it.
        judge: the judge's name in reports.
        offline: whether it is the offline judge.
        settings: the run's settings, without keys and credentials; empty if nothing was measured.
        results: the measurements, by test, in the order in which they were made.
        cases: the cases' texts, by a digest of them; empty if no output needs them.
        usage: all questions that the results depend on, each once.
        votes: None if nothing was judged more than once.
        conclusion: the results of gates and comparison for the whole run; None without them.
        failed_tests: None in files of releases that did not record them.
        partial: why only some of the project's tests, or of the shard's, ran; None: all of them
            ran.
        shard: which shard the run is; None: it is not one of several shards.
        notices: the run's notices, as lines.
        date, commit: the date and commit in the run's history line, if it has one.
        history: earlier runs, the newest last; if there are many, only the last ones.
        rerun: how to run a test again; None: unknown.

    The following are known only at the end of a run. They are not in its results file.

    Attributes:
        spent: questions that only repeated attempts of tests asked.
        asked_ahead: the cost of each question that was asked for a test still to come, by key.
        broken_off: the cost of answers for tests that did not end.
        asked_again: why something was asked although another version of it was known, as a line.
        verdicts: lines about the committed verdicts.
        prices: the prices of models.
    """

    id: str
    started: datetime
    ended: datetime
    exit_status: int
    tool_version: str
    pytest_version: str
    judge: str
    results: Sequence[MeasuredRow]
    outcome: RunOutcome | None = None
    offline: bool = False
    settings: Mapping[str, Any] = field(default_factory=dict)
    cases: Mapping[str, CaseTexts] = field(default_factory=dict)
    usage: UsageFigures | None = None
    votes: VoteFigures | None = None
    conclusion: Conclusion | None = None
    failed_tests: Sequence[FailedTest] | None = None
    partial: str | None = None
    shard: ShardRecord | None = None
    notices: Sequence[str] = ()
    date: str | None = None
    commit: str | None = None
    history: Sequence[HistoryEntry] = ()
    rerun: RerunCommand | None = None
    spent: Sequence[AskedRow] = ()
    asked_ahead: Mapping[str, Usage] = field(default_factory=dict)
    broken_off: Sequence[Usage] = ()
    asked_again: str | None = None
    verdicts: Sequence[str] = ()
    prices: Prices = ()

    @property
    def part(self) -> str | None:
        """Which part of the project's tests ran: the shard, and why not all tests did; None: all of
        them ran.
        """
        return "; ".join(str(one) for one in (self.shard, self.partial) if one is not None) or None

    @property
    def judged_offline(self) -> bool:
        """Whether the offline judge judged something; some metrics ask no judge."""
        return self.offline and any(row["judged"] for row in self.results)


def record_of(results: ResultsFile) -> RunRecord:
    """The record of the run that wrote a results file, or of several merged runs.

    Raises:
        ConfigurationError: the file has a gate that only a later release knows.
    """
    from .records.read_results import rows_of

    rows = rows_of(results)
    return RunRecord(
        id=results.run,
        started=results.started,
        ended=results.ended,
        exit_status=results.exit_status,
        outcome=results.outcome,
        tool_version=results.tool_version,
        pytest_version=results.pytest_version,
        judge=results.judge,
        conclusion=_conclusion(results, rows),
        failed_tests=results.failed_tests,
        partial=results.partial,
        shard=results.shard,
        notices=results.notices,
        date=results.date,
        commit=results.commit,
        history=results.history,
        rerun=results.rerun,
        offline=any(record.judge.startswith("offline-") for record in results.results),
        settings=results.settings,
        results=rows,
        cases=results.cases,
        usage=results.usage,
        votes=results.votes,
    )


def _conclusion(results: ResultsFile, rows: Sequence[MeasuredRow]) -> Conclusion | None:
    if results.conclusion is None:
        return None
    from .records.measurement import measurements_of
    from .regression.recorded_conclusion import conclusion_of

    return conclusion_of(results.conclusion, measurements_of(rows))


def results_file(run: RunRecord) -> ResultsFile:
    """Make the results file of a run; `record_of` reads it back."""
    # imported here because only runs with artifacts need them
    from .records.evidence_figures import evidence_figures
    from .records.ground_truth import ground_truth, truth_figures
    from .regression.recorded_conclusion import conclusion_record

    rows = run.results
    return ResultsFile(
        run=run.id,
        started=run.started,
        ended=run.ended,
        exit_status=run.exit_status,
        outcome=run.outcome,
        tool_version=run.tool_version,
        pytest_version=run.pytest_version,
        judge=run.judge,
        settings=dict(run.settings),
        metrics=figures(rows),
        answers=answer_counts(rows),
        grades=grades(rows),
        ragas_score_by_method=ragas_scores(rows),
        votes=run.votes,
        evidence=evidence_figures(rows),
        ground_truth=ground_truth(rows),
        against_truth=truth_figures(rows),
        usage=run.usage,
        conclusion=None if run.conclusion is None else conclusion_record(run.conclusion),
        failed_tests=None if run.failed_tests is None else list(run.failed_tests),
        partial=run.partial,
        shard=run.shard,
        notices=list(run.notices),
        date=run.date,
        commit=run.commit,
        history=list(run.history),
        rerun=run.rerun,
        cases=dict(sorted(run.cases.items())),
        # these models ignore fields that only reports need
        results=[ResultRecord.model_validate(row) for row in rows],
    )
