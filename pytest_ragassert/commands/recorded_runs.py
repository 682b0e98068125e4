"""Builds the record of a run from results files, for reports."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ..analysis.records.results_file import ResultsFile
from ..analysis.run_record import RunRecord, record_of

if TYPE_CHECKING:
    from ..analysis.shards import Shards
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
        run: the project's run, whose gates and baseline the joined shards are checked against.

    Raises:
        ConfigurationError: as for `joined`.
    """
    from ..analysis.shards import shards_of

    first, *more = files.values()
    if all(one.run == first.run for one in more):
        return record_of(first)
    return joined(run, shards_of(files))


def joined(run: Run, shards: Shards) -> RunRecord:
    """The record of the whole run, checked against the project's gates and baseline.

    If a shard is missing, or did not run all of its tests, the gates are not checked. If one is
    missing, the baseline is not written. If nothing in the whole run explains why a shard failed,
    a notice does.

    Raises:
        ConfigurationError: two shards have results of one test; the baseline cannot be read; or a
            gate needs one and none is configured.
    """
    from ..analysis.merge_results import merged
    from ..plugin.regression import Regression
    from ..report.outcome import failed_by

    whole = merged(shards)
    regression = Regression(run)
    regression.check(judge_too=False)
    unmeasured = any(row["score"] is None for row in whole.results)
    incomplete = shards.incomplete or ("something could not be measured" if unmeasured else None)
    regression.conclude(
        whole.results,
        whole=incomplete,
        partial=shards.lacking or whole.partial,
        off=None if run.holds_gates else "--ragassert-gates=off",
        unwritten=shards.missing,
    )
    conclusion, outcome = regression.conclusion, whole.outcome
    if shards.missing is not None or shards.number_interrupted:
        # the run fails because of that, not because its gates are not checked
        conclusion = replace(conclusion, must_hold=False)
    if outcome is not None:
        own = {"gates": conclusion.outcome, "baseline": conclusion.baseline}
        outcome = outcome.model_copy(update=own)
        outcome.failed_by = failed_by(outcome, must_hold=run.must_hold_gates)
    record = replace(whole, outcome=outcome, conclusion=conclusion)
    status = record.exit_status or int(has_failed(record))
    record = replace(record, exit_status=status)
    if status and outcome is not None and outcome.failed_by == "none":
        outcome.failed_by = "shards"
        record = replace(record, notices=[*record.notices, *_failed_alone(shards)])
    return record


def _failed_alone(shards: Shards) -> list[str]:
    """A line on each shard that failed, although no failed test, gate or baseline of the whole run
    says why.
    """
    return [
        f"{path} comes from a run that failed: exit status {one.exit_status}"
        + ("" if one.outcome is None else f", failed-by={one.outcome.failed_by}")
        for path, one in shards.files.items()
        if one.exit_status
    ]


def has_failed(record: RunRecord) -> bool:
    """Whether the run, or its joined shards, failed."""
    conclusion = record.conclusion
    unheld = conclusion is not None and (
        "failed" in (conclusion.outcome, conclusion.baseline) or conclusion.fails_unchecked
    )
    return bool(record.exit_status) or unheld
