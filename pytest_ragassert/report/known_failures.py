"""Failures that are known: how many there are, and which of them are none any more."""

from __future__ import annotations

from collections.abc import Sequence

from ..analysis.records.result_rows import score_words
from ..analysis.records.row_types import MeasuredRow
from ..language.escaping import visible


def quarantine_lines(rows: Sequence[MeasuredRow]) -> list[str]:
    """A count of those that fail as expected, and each that passes all the same."""
    known = [
        row
        for row in rows
        if row["quarantine"] is not None and row["asserted"] and row["error"] is None
    ]
    failing = sum(not row["passed"] for row in known)
    passing = [row for row in known if row["passed"]]
    lines = [f"quarantined: {failing} fail as expected"] if failing else []
    if passing:
        lines.append(f"quarantined, but passing: {len(passing)}; take the marks off:")
    for row in passing:
        said = row["label"] if row["minimum"] is None else score_words(row)
        lines.append(
            f"  {visible(row['nodeid'])}  {visible(row['metric'])} {said}  ({row['quarantine']})"
        )
    return lines
