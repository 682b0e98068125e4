"""Stores records next to the verdicts: failed claims, so that their ids can be looked up; the
served models; and what each test asked for.
"""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ..analysis.records.row_types import cited_of, criteria_in
from ..report.summary import served_models
from ..storage.failed_claims import ReportedClaim, keep_reported
from ..storage.keys import now, time_in_words
from ..storage.last_run import AskedOfModel, PastTest, keep_last_run
from ..storage.store_folder import keep_served

if TYPE_CHECKING:
    from ..analysis.records.row_types import AskedRow, MeasuredRow
    from .run import Run

_COSTS: tuple[Literal["requests", "prompt", "completion"], ...] = (
    "requests",
    "prompt",
    "completion",
)


def keep_failed(folder: Path, rows: Sequence[MeasuredRow]) -> list[str]:
    """Store the failed claims in the store's folder; return a line for the summary if that
    fails.
    """
    claims = [
        claim for row in rows if _failed(row) for claim in (*_claims_of(row), *_criteria_of(row))
    ]
    if not claims:
        return []
    try:
        keep_reported(folder, claims)
    except OSError as error:
        told = error.strerror or error
        return [
            f"the ids of failed claims cannot be looked up because {folder} is not writable: {told}"
        ]
    return []


def keep_served_models(folder: Path, rows: Sequence[MeasuredRow]) -> None:
    """Record which served models answered for each model, in an existing store, for the next run's
    header.
    """
    served = served_models(rows)
    if served and folder.is_dir():
        # another notice reports that the store is not writable
        with contextlib.suppress(OSError):
            keep_served(folder, served)


def keep_asked(
    run: Run, rows: Sequence[MeasuredRow], passed: Collection[str], collected: Mapping[str, str]
) -> None:
    """Record what each test asked for, in an existing store, for plans. The record of a test that
    did not get to ask everything is kept.

    Args:
        passed: tests that passed, including those that measured nothing.
        collected: hashes of the cases that had no answer before their tests ran, by node id.
    """
    if run.judge == "offline" or not run.folder.is_dir():
        return
    when = time_in_words(run.started).partition("T")[0]
    by_test: dict[str, list[MeasuredRow]] = {}
    for row in rows:
        by_test.setdefault(row["nodeid"], []).append(row)
    records = [
        PastTest(nodeid, collected.get(nodeid, ""), list(run.models), _asked_in(own), when)
        for nodeid, own in by_test.items()
        if not any(map(_is_broken_off, own))
    ]
    # another notice reports that the store is not writable
    with contextlib.suppress(OSError):
        keep_last_run(run.folder, records, set(passed) - by_test.keys())


def _is_broken_off(row: MeasuredRow) -> bool:
    """Whether the test had more to ask."""
    error = row["error"]
    return row["missed"] is not None or (error is not None and error["type"] == "JudgeError")


def _asked_in(rows: Sequence[MeasuredRow]) -> list[AskedOfModel]:
    by_model: dict[str, dict[str, AskedRow]] = {}
    for row in rows:
        for asked in row["asked"]:
            if asked["answered"] and not asked["embedding"]:
                by_model.setdefault(asked["model"], {})[asked["key"]] = asked
    return [
        AskedOfModel(
            model,
            sorted(each),
            *(sum(one[name] for one in each.values()) for name in _COSTS),
        )
        for model, each in sorted(by_model.items())
    ]


def _failed(row: MeasuredRow) -> bool:
    return bool(row["asserted"] and row["error"] is None and not row["passed"])


def _criteria_of(row: MeasuredRow) -> Iterator[ReportedClaim]:
    for said in criteria_in(row):
        quote = said.get("quote")
        yield ReportedClaim(
            id=said["id"],
            claim=said["criterion"],
            passages=row["passages"]["criterion"],
            passages_cut=row["passages_cut"],
            label_raw=said.get("judged") or said["met"],
            verdict=said["met"],
            gate_reason=said.get("note"),
            reason=said.get("reason"),
            evidence=[] if quote is None else [{"passage": 0, "quote": quote}],
            metric=row["metric"],
            case=row["case"] or "",
            nodeid=row["nodeid"],
            judge=row["judge"],
            questions=[asked["key"] for asked in row["asked"] if not asked["embedding"]],
            by_hand="by_hand" in said,
            when=now(),
        )


def _claims_of(row: MeasuredRow) -> Iterator[ReportedClaim]:
    when = now()
    for claim in row["claims"]:
        if claim["id"] is None:
            continue
        yield ReportedClaim(
            id=claim["id"],
            claim=claim["text"],
            passages=cited_of(claim, row["passages"][claim["source"]]),
            passages_cut=row["passages_cut"],
            label_raw=claim["label_raw"],
            verdict=claim["verdict"],
            gate_reason=claim["gate_reason"],
            reason=claim["reason"],
            evidence=[
                {"passage": one["passage"], "quote": one["quote"]} for one in claim["evidence"]
            ],
            metric=row["metric"],
            case=row["case"] or "",
            nodeid=row["nodeid"],
            judge=row["judge"],
            questions=[asked["key"] for asked in row["asked"] if not asked["embedding"]],
            by_hand=claim["by_hand"] is not None,
            when=when,
        )
