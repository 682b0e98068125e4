"""What a run keeps beside its verdicts: failed claims, so that the ids in its report can be looked
up, and the models that served."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ..report.summary import served_models
from ..storage.failed_claims import ReportedClaim, keep_reported
from ..storage.keys import now
from ..storage.store_folder import keep_served

if TYPE_CHECKING:
    from ..analysis.records.row_types import MeasuredRow


def keep_failed(folder: Path, rows: Sequence[MeasuredRow]) -> list[str]:
    """Keep them in the store's folder; what the summary is to say where that can't be."""
    claims = [claim for row in rows if _failed(row) for claim in _claims_of(row)]
    if not claims:
        return []
    try:
        keep_reported(folder, claims)
    except OSError as error:
        told = error.strerror or error
        return [f"the ids of failed claims can't be looked up, as {folder} takes no file: {told}"]
    return []


def keep_served_models(folder: Path, rows: Sequence[MeasuredRow]) -> None:
    """Keep which models answered for which, in a store that is there, for the next run's header."""
    served = served_models(rows)
    if served and folder.is_dir():
        # another notice says that the store can't be written
        with contextlib.suppress(OSError):
            keep_served(folder, served)


def _failed(row: MeasuredRow) -> bool:
    return bool(row["asserted"] and row["error"] is None and not row["passed"])


def _claims_of(row: MeasuredRow) -> Iterator[ReportedClaim]:
    when = now()
    for claim in row["claims"]:
        if claim["id"] is None:
            continue
        yield ReportedClaim(
            id=claim["id"],
            claim=claim["text"],
            passages=row["passages"][claim["source"]],
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
