"""The results file of a run, written once by the process that prints."""

from __future__ import annotations

import contextlib
import os
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest

from .. import __version__
from ..report.figures import answer_counts, figures, grades, ragas_scores
from ..report.rows import Row
from ..report.votes import vote_figures
from ..results import ClaimVerdict
from ..results_file import ResultRecord, ResultsFile, RunOutcome
from .run import Run, bare


def write_results(run: Run, folder: Path, exit_status: int, outcome: RunOutcome) -> list[str]:
    """Write `results_<run>.json` where there is anything to write; what the summary is to say."""
    rows = run.tally.rows()
    if not rows:
        return []
    path = folder / f"results_{run.id}.json"
    text = results_of(run, rows, exit_status, outcome).to_text()
    try:
        _write_whole(path, text)
    except (OSError, ValueError) as error:  # ValueError: no path at all
        return [f"no results file in {folder}: {getattr(error, 'strerror', None) or error}"]
    return [f"results in {path}"]


def results_of(run: Run, rows: list[Row], exit_status: int, outcome: RunOutcome) -> ResultsFile:
    return ResultsFile(
        run=run.id,
        started=datetime.fromtimestamp(run.started, timezone.utc),
        ended=datetime.now(timezone.utc),
        exit_status=exit_status,
        outcome=outcome,
        tool_version=__version__,
        pytest_version=pytest.__version__,
        judge=run.judge_label,
        settings=_open_settings(run),
        metrics=figures(rows),
        answers=answer_counts(rows),
        grades=grades(rows),
        ragas_score_by_method=ragas_scores(rows),
        votes=vote_figures(rows),
        results=[_record(row) for row in rows],
    )


def _record(row: Row) -> ResultRecord:
    fields = ClaimVerdict.model_fields
    claims = [{name: claim[name] for name in fields} for claim in row["claims"]]
    return ResultRecord.model_validate({**row, "claims": claims})


def _open_settings(run: Run) -> dict[str, Any]:
    """The settings that anyone may see: no key, and of URLs neither credentials nor query."""
    settings: dict[str, Any] = run.settings().model_dump(mode="json")
    return {
        name: bare(value) if isinstance(value, str) and "://" in value else value
        for name, value in settings.items()
    }


def _write_whole(path: Path, text: str) -> None:
    """All of the file or nothing, whoever reads meanwhile.

    Raises:
        OSError: the folder takes no file.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}.new")
    try:
        draft.write_text(text, encoding="ascii", newline="\n")
        os.replace(draft, path)
    except BaseException:
        with contextlib.suppress(OSError):
            draft.unlink()
        raise
