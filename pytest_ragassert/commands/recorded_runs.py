"""Builds the record of a run from results files, for reports."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ..analysis.records.results_file import ResultsFile
from ..analysis.run_record import RunRecord, record_of

if TYPE_CHECKING:
    from ..plugin.run import Run


def read_files(paths: Iterable[Path]) -> dict[str, ResultsFile]:
    """Read the files; return their contents by path.

    Raises:
        ConfigurationError: a file is not a results file.
    """
    from ..analysis.records.read_results import read_results

    return {str(path): read_results(path) for path in dict.fromkeys(paths)}


def record_of_files(run: Run, files: dict[str, ResultsFile]) -> RunRecord:
    """The record of the run that wrote a file; for several files, which are shards, that of the
    whole run.

    Args:
        run: the project's run, whose gates and baseline the merged shards are checked against.

    Raises:
        ConfigurationError: two files have results of one test; or as for `held`.
    """
    from ..analysis.merge_results import merged

    first, *more = files.values()
    if all(one.run == first.run for one in more):
        return record_of(first)
    return held(run, merged(files))


def held(run: Run, whole: RunRecord) -> RunRecord:
    """The record, checked against the project's gates and baseline.

    Raises:
        ConfigurationError: the baseline cannot be read, or a gate needs one and none is configured.
    """
    from ..plugin.regression import Regression
    from ..report.outcome import failed_by

    regression = Regression(run)
    regression.check(judge_too=False)
    unmeasured = any(row["score"] is None for row in whole.results)
    why = "something could not be measured" if unmeasured else None
    regression.conclude(whole.results, whole=why)
    conclusion, outcome = regression.conclusion, whole.outcome
    if outcome is not None:
        own = {"gates": conclusion.outcome, "baseline": conclusion.baseline}
        outcome = outcome.model_copy(update=own)
        outcome.failed_by = failed_by(outcome)
    return replace(whole, outcome=outcome, conclusion=conclusion)


def has_failed(record: RunRecord) -> bool:
    """Whether the run, or its merged shards, failed."""
    conclusion = record.conclusion
    held = conclusion is None or "failed" not in (conclusion.outcome, conclusion.baseline)
    return bool(record.exit_status) or not held
