"""The record of a run, of which every report is written: made at the run's end, or read from its
results file."""

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
    """All that is known of a run when it is over.

    Figures of its results are computed from `results`: see `records.figures` and its neighbours.

    Attributes:
        id: the run's, as in the name of its results file.
        started, ended: in UTC.
        exit_status: pytest's own.
        outcome: how its tests ended; None in files of releases that did not tell it.
        judge: who judges, for people. offline: it is the offline judge.
        settings: the run's, without keys and credentials; empty where nothing was measured.
        results: what the tests measured, by test, in the order of measuring.
        cases: the cases' texts, by a digest of them; empty where no output needs them.
        usage: all questions that the results rest on, each once.
        votes: None where nothing was judged more than once.
        conclusion: what the run as a whole was held against; None where it was against nothing.
        failed_tests: None in files of releases that did not tell it.
        partial: why the run is a part of what the project runs; None: it is whole.
        notices: what is to be noted, in lines.
        date, commit: what the run's line in the history names in place of now, and of what.
        history: the runs before it, the newest last; not all of many.
        rerun: how a test is run again; None: not known.

    The following are known at the end of a run alone, and not in its results file.

    Attributes:
        spent: questions that only repeated attempts of tests asked.
        asked_ahead: what each question cost that was asked for a test still to come, by key.
        broken_off: what answers cost whose tests did not end.
        asked_again: why something was asked for of which another version was known, in a line.
        verdicts: what is to be said of the committed verdicts, in lines.
        prices: of models, for telling costs.
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
    def judged_offline(self) -> bool:
        """Whether the offline judge judged something; some metrics ask no judge."""
        return self.offline and any(row["judged"] for row in self.results)


def record_of(results: ResultsFile) -> RunRecord:
    """The record of the run that wrote a results file, or of several that were merged.

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
    """The results file of a run; `record_of` reads it back."""
    # only runs with artifacts need them
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
        notices=list(run.notices),
        date=run.date,
        commit=run.commit,
        history=list(run.history),
        rerun=run.rerun,
        cases=dict(sorted(run.cases.items())),
        # records and their claims ignore what only reports need
        results=[ResultRecord.model_validate(row) for row in rows],
    )
