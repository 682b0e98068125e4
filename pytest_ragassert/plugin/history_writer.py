"""The run's line in the history."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ..analysis.records.figures import figures
from ..analysis.records.history_file import append, commit_here, entry_of
from ..analysis.records.row_types import MeasuredRow
from ..errors import ConfigurationError
from .run import Run


def append_run(run: Run, path: Path, rows: Sequence[MeasuredRow], partial: str | None) -> list[str]:
    """Add the run where it measured something; what the summary is to say.

    Args:
        partial: why the run is a part, whose means are no points of the history's lines.
    """
    if partial is not None:
        return [f"no line in the history: {partial}"]
    judges = sorted({row["judge"] for row in rows if row["error"] is None and row["judge"]})
    entry = entry_of(
        figures(rows),
        date=run.value("date", None),
        commit=run.value("commit", None) or commit_here(run.config.rootpath, run.environ),
        judge=" and ".join(judges),
    )
    if not entry.means:
        return []
    try:
        append(path, entry)
    except ConfigurationError as error:
        return [f"no line in the history: {error}"]
    return []
