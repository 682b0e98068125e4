"""Results files of a run's shards as one."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from ...errors import ConfigurationError
from ...storage.files.committed_text import json_mistake
from ...storage.files.plain_files import read_plain, unreadable
from .figures import answer_counts, figures, grades, ragas_scores
from .result_rows import plain_claim, unmeasured_row
from .results_file import (
    CaseTexts,
    FailedBy,
    ResultRecord,
    ResultsFile,
    RunOutcome,
    UsageFigures,
    VoteFigures,
)
from .row_types import MeasuredRow

_COUNTS = ("assertions", "judge_errors", "skipped", "other")


def read_results(path: Path) -> ResultsFile:
    """
    Raises:
        ConfigurationError: it is no results file; names it.
    """
    try:
        return ResultsFile.model_validate_json(read_plain(path))
    except OSError as error:
        raise unreadable(path, error) from None
    except (ValueError, RecursionError) as error:
        first = json_mistake(error).splitlines()[0]
        raise ConfigurationError(
            f"{path}: no results file ({first}); a run with --ragassert-artifacts=DIR writes "
            "results_<run>.json there"
        ) from None


def rows_of(results: ResultsFile) -> list[MeasuredRow]:
    """The records as a run's rows; of what was asked for them the file tells the sums alone."""
    return [_row(record, results.cases) for record in results.results]


def _row(record: ResultRecord, cases: Mapping[str, CaseTexts]) -> MeasuredRow:
    row = unmeasured_row(record.metric, None)
    # the fields that both have, claims and error apart
    row.update(cast(MeasuredRow, record.model_dump(mode="python", exclude={"claims", "error"})))
    row["claims"] = [plain_claim(claim, record.metric) for claim in record.claims]
    if record.error is not None:
        error = record.error
        row["error"] = {
            "type": error.type,
            "kind": error.kind,
            "message": error.message,
            "fields": error.fields,
            "missed": None,
        }
    texts = cases.get(record.texts or "")
    row["answer"] = None if record.truth is None or texts is None else texts.answer
    row["judged"] = bool(record.steps)
    return row


def merged(files: Mapping[str, ResultsFile]) -> ResultsFile:
    """The shards as one run, by path; each measurement of a test once.

    Raises:
        ConfigurationError: none is given, or two files have different results of one test.
    """
    if not files:
        raise ConfigurationError("no results file is given")
    shards = list({shard.run: shard for shard in files.values()}.values())
    records = _records(files)
    judges = list(dict.fromkeys(shard.judge for shard in shards))
    cases = {name: texts for shard in shards for name, texts in shard.cases.items()}
    rows = [_row(record, cases) for record in records]
    newest = max(shards, key=lambda shard: shard.ended)
    return ResultsFile(
        run=hashlib.sha256(" ".join(sorted(s.run for s in shards)).encode()).hexdigest()[:32],
        started=min(shard.started for shard in shards),
        ended=newest.ended,
        exit_status=max(shard.exit_status for shard in shards),
        outcome=_outcome(shards, sum(record.error is None for record in records)),
        tool_version=newest.tool_version,
        pytest_version=newest.pytest_version,
        judge=", ".join(judges),
        settings=newest.settings,
        metrics=figures(rows),
        answers=answer_counts(rows),
        grades=grades(rows),
        ragas_score_by_method=ragas_scores(rows),
        votes=_votes([shard.votes for shard in shards if shard.votes is not None]),
        usage=_usage(shards),
        cases=dict(sorted(cases.items())),
        results=records,
    )


def _records(files: Mapping[str, ResultsFile]) -> list[ResultRecord]:
    """Those of each test, from the one file that has it."""
    found: dict[str, tuple[str, list[ResultRecord]]] = {}
    for path, shard in files.items():
        of_shard: dict[str, list[ResultRecord]] = {}
        for record in shard.results:
            of_shard.setdefault(record.nodeid, []).append(record)
        for test, records in of_shard.items():
            other, known = found.setdefault(test, (path, records))
            if [_said(record) for record in known] != [_said(record) for record in records]:
                raise ConfigurationError(
                    f"{other} and {path} have different results of {test}; shards of one run have "
                    "different tests, and two runs are held against each other by `results compare`"
                )
    return [record for test in sorted(found) for record in found[test][1]]


def _said(record: ResultRecord) -> tuple[Any, ...]:
    return record.metric, record.case, record.identity, record.score, record.error is None


def _outcome(shards: Sequence[ResultsFile], measured: int) -> RunOutcome | None:
    told = [shard.outcome for shard in shards if shard.outcome is not None]
    if len(told) < len(shards):
        return None
    return RunOutcome(
        failed_by=_failed_by({one.failed_by for one in told}),
        measured=measured,
        budget="spent" if any(one.budget == "spent" for one in told) else "ok",
        **{name: sum(getattr(one, name) for one in told) for name in _COUNTS},
    )


def _failed_by(several: set[FailedBy]) -> FailedBy:
    blamed: list[FailedBy] = [
        "both",
        "assertions",
        "judge-errors",
        "gates",
        "baseline",
        "verdicts",
        "other",
        "none",
    ]
    if {"assertions", "judge-errors"} <= several:
        return "both"
    return next(one for one in blamed if one in several)


def _votes(several: Sequence[VoteFigures]) -> VoteFigures | None:
    if not several:
        return None
    judgements, split = sum(v.judgements for v in several), sum(v.split for v in several)
    return VoteFigures(
        fewest=min(v.fewest for v in several),
        most=max(v.most for v in several),
        judgements=judgements,
        split=split,
        flip_rate=split / judgements,
    )


def _usage(shards: Sequence[ResultsFile]) -> UsageFigures | None:
    told = [shard.usage for shard in shards if shard.usage is not None]
    if len(told) < len(shards):
        return None
    names = UsageFigures.model_fields
    return UsageFigures(**{name: sum(getattr(one, name) for one in told) for name in names})
