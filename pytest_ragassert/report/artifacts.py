"""Writes the artifacts of a run: its results file, its claims, and its wrong answers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from ..analysis.run_record import RunRecord, results_file
from ..storage.files.atomic import write_whole
from ..storage.files.plain_files import reason_of

DEBUG_CLAIMS, ERROR_CASES = "debug_claims.jsonl", "error_cases.jsonl"


@dataclass(frozen=True)
class ResultsJson:
    """`results_<run>.json` in a folder."""

    folder: Path
    name = "the results file"

    def write(self, run: RunRecord) -> list[str]:
        path = self.folder / f"results_{run.id}.json"
        text = results_file(run).to_text()
        failed = _write("results file", path, [text])
        return failed or [f"results in {path}"]


@dataclass(frozen=True)
class DebugClaims:
    """`debug_claims.jsonl` in a folder: every claim of the last run."""

    folder: Path
    name = DEBUG_CLAIMS

    def write(self, run: RunRecord) -> list[str]:
        from ..analysis.records.claims_jsonl import debug_claims

        lines = (claim.to_text() for claim in debug_claims(run.results, run.id))
        return _write(DEBUG_CLAIMS, self.folder / DEBUG_CLAIMS, lines)


@dataclass(frozen=True)
class ErrorCases:
    """`error_cases.jsonl` in a folder: labelled answers of the last run that a metric judged
    wrongly.
    """

    folder: Path
    name = ERROR_CASES

    def write(self, run: RunRecord) -> list[str]:
        from ..analysis.records.claims_jsonl import error_cases

        lines = (case.to_text() for case in error_cases(run.results, run.id))
        return _write(ERROR_CASES, self.folder / ERROR_CASES, lines)


def _write(what: str, path: Path, parts: Iterable[str]) -> list[str]:
    try:
        write_whole(path, parts)
    except (OSError, ValueError) as error:  # ValueError: not a valid path
        return [f"no {what} in {path.parent}: {reason_of(error)}"]
    return []
