"""Writes the run's line in the history."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ..analysis.records.figures import figures
from ..analysis.records.row_types import MeasuredRow
from ..analysis.run_record import RunRecord
from ..errors import ConfigurationError


def judges_of(rows: Sequence[MeasuredRow]) -> str:
    """The judges of the run's results."""
    judges = {row["judge"] for row in rows if row["error"] is None and row["judge"]}
    return " and ".join(sorted(judges))


@dataclass(frozen=True)
class HistoryLine:
    """Appends a line to a history file, if the run is whole and measured something. The line of
    shards is that of the joined run.
    """

    path: Path
    name = "the run's line in the history"

    def write(self, run: RunRecord) -> list[str]:
        if run.partial is not None:
            return [f"no line in the history: {run.partial}"]
        if run.shard is not None:
            return []
        from ..analysis.records.history_file import append, entry_of

        rows = run.results
        entry = entry_of(figures(rows), date=run.date, commit=run.commit, judge=judges_of(rows))
        if not entry.means:
            return []
        try:
            append(self.path, entry)
        except ConfigurationError as error:
            return [f"no line in the history: {error}"]
        return []
