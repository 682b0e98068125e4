"""Formats known failures: their number, and which of them now pass."""

from __future__ import annotations

from collections.abc import Sequence

from ..analysis.records.result_rows import score_words
from ..analysis.records.row_types import MeasuredRow
from ..language.escaping import visible


def quarantine_lines(rows: Sequence[MeasuredRow]) -> list[str]:
    """The number of those that fail as expected, and a line for each that passes."""
    known = [
        row
        for row in rows
        if row["quarantine"] is not None and row["asserted"] and row["error"] is None
    ]
    failing = sum(not row["passed"] for row in known)
    passing = [row for row in known if row["passed"]]
    lines = [f"known failures: {failing} fail as expected"] if failing else []
    if passing:
        lines.append(f"known failures that now pass: {len(passing)}; remove their rag_xfail marks:")
    for row in passing:
        said = row["label"] if row["minimum"] is None else score_words(row)
        lines.append(
            f"  {visible(row['nodeid'])}  {visible(row['metric'])} {said}  ({row['quarantine']})"
        )
    return lines
