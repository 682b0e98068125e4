"""At the end of a run: its reports, those of the project's own hook too."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from ..report.writers import write_all

if TYPE_CHECKING:
    from ..analysis.run_record import RunRecord
    from .run import Run


def write_reports(run: Run, record: RunRecord, path_of: Callable[[str], Path | None]) -> list[str]:
    """Write each report that is wanted; return what the summary is to note.

    Args:
        path_of: as in `writers.write_all`.
    """
    notes = write_all(record, path_of, run.reporting)
    hook = run.config.hook.pytest_ragassert_report
    if record.results and hook.get_hookimpls():
        from ..analysis.run_record import results_file

        with run.reporting("call pytest_ragassert_report"):
            hook(results=results_file(record), config=run.config)
    return notes


def no_summary(run: Run) -> list[str]:
    """What to note where a step summary is asked for, and there is no file for it."""
    if run.value("github", None) == "on" and run.output("github") is None:
        return ["no step summary: GITHUB_STEP_SUMMARY does not say where it is to be"]
    return []
