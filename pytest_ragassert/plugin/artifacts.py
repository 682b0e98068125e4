"""The artifacts of a run, written once by the process that prints."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest

from .. import __version__
from ..analysis.records.claim_lines import DEBUG_CLAIMS, ERROR_CASES, DebugClaim, ErrorCase
from ..analysis.records.claims_jsonl import debug_claims, error_cases
from ..analysis.records.evidence_figures import evidence_figures
from ..analysis.records.figures import answer_counts, figures, grades, ragas_scores, usage_figures
from ..analysis.records.ground_truth import ground_truth, truth_figures
from ..analysis.records.results_file import CaseTexts, ResultRecord, ResultsFile, RunOutcome
from ..analysis.records.row_types import MeasuredRow
from ..report.vote_lines import vote_figures
from ..runtime.clock import Clock
from ..runtime.urls import shown_url
from ..storage.files.atomic import write_whole
from .run import Run


def write_artifacts(run: Run, folder: Path, exit_status: int, outcome: RunOutcome) -> list[str]:
    """Write the run's set where there is anything to write; what the summary is to say.

    It is `results_<run>.json`, and of the last run `debug_claims.jsonl` and `error_cases.jsonl`.
    """
    rows = run.tally.rows()
    if not rows:
        return []
    path = folder / f"results_{run.id}.json"
    try:
        write_whole(path, [results_of(run, rows, exit_status, outcome).to_text()])
    except (OSError, ValueError) as error:  # ValueError: no path at all
        return [f"no results file in {folder}: {_why(error)}"]
    told = [f"results in {path}"]
    lines: list[tuple[str, Iterator[DebugClaim | ErrorCase]]] = [
        (DEBUG_CLAIMS, debug_claims(rows, run.id)),
        (ERROR_CASES, error_cases(rows, run.id)),
    ]
    for name, each in lines:
        try:
            write_whole(folder / name, (line.to_text() for line in each))
        except OSError as error:
            told.append(f"no {name} in {folder}: {_why(error)}")
    return told


def _why(error: Exception) -> object:
    return getattr(error, "strerror", None) or error


def results_of(
    run: Run, rows: list[MeasuredRow], exit_status: int, outcome: RunOutcome
) -> ResultsFile:
    return ResultsFile(
        run=run.id,
        started=datetime.fromtimestamp(run.started, timezone.utc),
        ended=datetime.fromtimestamp(Clock.since_1970(), timezone.utc),
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
        evidence=evidence_figures(rows),
        ground_truth=ground_truth(rows),
        against_truth=truth_figures(rows),
        usage=usage_figures(rows),
        cases={name: CaseTexts(**texts) for name, texts in sorted(run.tally.texts.items())},
        results=[_record(row) for row in rows],
    )


def _record(row: MeasuredRow) -> ResultRecord:
    # records and their claims ignore what only reports need
    return ResultRecord.model_validate(row)


def _open_settings(run: Run) -> dict[str, Any]:
    """The settings that anyone may see: no key, and of URLs neither credentials nor query."""
    settings: dict[str, Any] = run.settings().model_dump(mode="json")
    return {
        name: shown_url(value) if isinstance(value, str) and "://" in value else value
        for name, value in settings.items()
    }
