"""The run's line in the history."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ..analysis.records.figures import figures
from ..analysis.run_record import RunRecord
from ..errors import ConfigurationError


@dataclass(frozen=True)
class HistoryLine:
    """A line at the end of a history, where the run is whole and measured something."""

    path: Path
    name = "the run's line in the history"

    def write(self, run: RunRecord) -> list[str]:
        if run.partial is not None:
            return [f"no line in the history: {run.partial}"]
        from ..analysis.records.history_file import append, entry_of

        rows = run.results
        judges = sorted({row["judge"] for row in rows if row["error"] is None and row["judge"]})
        entry = entry_of(
            figures(rows), date=run.date, commit=run.commit, judge=" and ".join(judges)
        )
        if not entry.means:
            return []
        try:
            append(self.path, entry)
        except ConfigurationError as error:
            return [f"no line in the history: {error}"]
        return []
