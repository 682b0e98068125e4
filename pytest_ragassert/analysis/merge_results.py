"""Merges the results files of a run's shards into the record of one run."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from ..errors import ConfigurationError
from .records.failed_tests import FailedTest
from .records.result_record import ResultRecord
from .records.results_file import FailedBy, ResultsFile, RunOutcome, UsageFigures, VoteFigures
from .run_record import RunRecord, record_of
from .shards import Shards

_COUNTS = ("assertions", "judge_errors", "skipped", "other")
_RARE = ("missing", "skipped_missing")
_PASSED, _FAILED, _NO_TESTS = 0, 1, 5  # exit statuses of pytest


def merged(of: Shards) -> RunRecord:
    """Merge shards into one run.

    Raises:
        ConfigurationError: two of them have results of the same test.
    """
    shards = list(of.files.values())
    records = _records(of.files)
    # one that measured nothing has no settings
    newest = max(shards, key=lambda shard: (bool(shard.results), shard.ended))
    runs = " ".join(sorted(shard.run for shard in shards))
    whole = newest.model_copy(
        update={
            "run": hashlib.sha256(runs.encode()).hexdigest()[:32],
            "started": min(shard.started for shard in shards),
            "ended": max(shard.ended for shard in shards),
            "exit_status": _exit_status(of),
            "outcome": _outcome(of, sum(record.error is None for record in records)),
            "judge": ", ".join(dict.fromkeys(shard.judge for shard in shards)),
            "votes": _votes([shard.votes for shard in shards if shard.votes is not None]),
            "usage": _usage(shards),
            # a shard is partial, so gates and baseline apply only to the whole
            "conclusion": None,
            "failed_tests": _failed_tests(shards),
            "partial": "; ".join(filter(None, (of.missing, of.partial))) or None,
            "shard": None,
            "notices": _notices(of),
            "cases": {name: texts for shard in shards for name, texts in shard.cases.items()},
            "results": records,
        }
    )
    return record_of(whole)


def _records(files: Mapping[str, ResultsFile]) -> list[ResultRecord]:
    """The results of each test, from the one file that has them."""
    found: dict[str, tuple[str, list[ResultRecord]]] = {}
    for path, shard in files.items():
        of_shard: dict[str, list[ResultRecord]] = {}
        for record in shard.results:
            of_shard.setdefault(record.nodeid, []).append(record)
        for test, records in of_shard.items():
            other, _ = found.setdefault(test, (path, records))
            if other != path:
                raise ConfigurationError(
                    f"{other} and {path} both have results of {test}; shards of one run have "
                    "different tests; to compare two runs, use `results compare`"
                )
    return [record for test in sorted(found) for record in found[test][1]]


def _notices(of: Shards) -> list[str]:
    own = [*of.notes, *([of.partial] if of.partial is not None else [])]
    lines = (line for shard in of.files.values() for line in shard.notices)
    return list(dict.fromkeys([*own, *lines]))


def _exit_status(of: Shards) -> int:
    """That of the worst shard; one without tests does not count, unless all are."""
    statuses = [shard.exit_status for shard in of.files.values()]
    status = max((one for one in statuses if one != _NO_TESTS), default=_NO_TESTS)
    return _FAILED if status == _PASSED and of.missing is not None else status


def _outcome(of: Shards, measured: int) -> RunOutcome | None:
    shards = list(of.files.values())
    told = [shard.outcome for shard in shards if shard.outcome is not None]
    if len(told) < len(shards):
        return None
    rare: dict[str, Any] = {
        name: sum(getattr(one, name) or 0 for one in told) or None for name in _RARE
    }
    return RunOutcome(
        failed_by=_failed_by({one.failed_by for one in told}),
        measured=measured,
        budget="spent" if any(one.budget == "spent" for one in told) else "ok",
        verdicts="failed" if any(one.verdicts is not None for one in told) else None,
        missing_shards=of.number_missing or None,
        interrupted_shards=of.number_interrupted or None,
        store="unused" if any(one.store is not None for one in told) else None,
        **{name: sum(getattr(one, name) for one in told) for name in _COUNTS},
        **rare,
    )


def _failed_tests(shards: Sequence[ResultsFile]) -> list[FailedTest] | None:
    if any(shard.failed_tests is None for shard in shards):
        return None
    told = {one.nodeid: one for shard in shards for one in shard.failed_tests or ()}
    return [told[test] for test in sorted(told)]


def _failed_by(several: set[FailedBy]) -> FailedBy:
    blamed: list[FailedBy] = [
        "both",
        "assertions",
        "judge-errors",
        "missing",
        "shards",
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
