"""Finds the cases that make a gate fail: where each was measured, and what is wrong."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ..analysis.records.measurement import case_names
from ..analysis.records.row_types import MeasuredRow
from ..analysis.regression.gates import GateResult, figure_beside
from ..config.metric_table import COUNTS
from ..language.escaping import visible
from .claim_lines import shown, verdict_words

_BY_LABEL = next(name for name, what in COUNTS.items() if what == "labels")


class PullingCase(NamedTuple):
    """
    Attributes:
        name: the name of the case.
        what: its score, its label, or its change.
        nodeid: the test that measured it; None: unknown.
        lacks: the first of its claims that fails, or the judge's words; may be empty.
    """

    name: str
    what: str
    nodeid: str | None
    lacks: str


def pulling_cases(
    held: GateResult, rows: Sequence[MeasuredRow], most: int
) -> tuple[list[PullingCase], int]:
    """The worst cases of a failing gate, and the number of others."""
    if held.passed:
        return [], 0
    metric = _BY_LABEL if held.gate.of_labels else held.gate.name
    measured: dict[str, list[MeasuredRow]] = {}
    for row, name in zip(rows, case_names(rows), strict=True):
        if row["metric"] == metric and row["error"] is None:
            measured.setdefault(name, []).append(row)
    cases = [_case(held, name, what, measured) for name, what in held.pulling[:most]]
    return cases, len(held.pulling) - len(cases)


def _case(
    held: GateResult, name: str, what: str, measured: dict[str, list[MeasuredRow]]
) -> PullingCase:
    own = measured.get(name, [])
    # several tests may measure a case, each with its own result
    row = next((one for one in own if _said(one, held) == what), own[0] if own else None)
    if row is None:
        return PullingCase(visible(name), what, None, "")
    claims = shown(row["claims"], verbose=False)
    if claims:
        lacks = f"{verdict_words(claims[0])}: {visible(claims[0]['text'])}"
    else:
        lacks = visible(row["reason"])
    return PullingCase(visible(name), what, row["nodeid"], lacks)


def _said(row: MeasuredRow, held: GateResult) -> str:
    if held.gate.of_labels:
        return (row["label"] or "").lower()
    score = row["score"]
    return "" if score is None else figure_beside(score, held.gate)
