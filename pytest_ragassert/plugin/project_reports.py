"""Writes the reports of a run at its end, including those of the project's hook."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from ..report.writers import write_all

if TYPE_CHECKING:
    from ..analysis.run_record import RunRecord
    from .run import Run


def write_reports(run: Run, record: RunRecord, path_of: Callable[[str], Path | None]) -> list[str]:
    """Write each configured report; return notes for the summary.

    Args:
        path_of: as for `writers.write_all`.
    """
    notes = write_all(record, path_of, run.reporting)
    hook = run.config.hook.pytest_ragassert_report
    if record.results and hook.get_hookimpls():
        from ..analysis.run_record import results_file

        with run.reporting("call pytest_ragassert_report"):
            hook(results=results_file(record), config=run.config)
    return notes


def no_summary(run: Run) -> list[str]:
    """A note if a step summary is configured but there is no file for it."""
    if run.value("github", None) == "on" and run.output("github") is None:
        return ["no step summary: GITHUB_STEP_SUMMARY is not set to its file"]
    return []
