"""The cases of a run that failed, those farthest below a minimum first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..analysis.records.result_rows import is_failure
from ..analysis.records.results_file import CaseTexts
from ..analysis.records.row_types import MeasuredRow


@dataclass(frozen=True)
class FailedCase:
    """A case of a test, of which at least one metric failed.

    Attributes:
        failed: its rows that failed, the farthest below its minimum first.
        of_test: every row of the test.
        texts: None where they were not kept.
    """

    failed: Sequence[MeasuredRow]
    of_test: Sequence[MeasuredRow]
    texts: CaseTexts | None

    @property
    def worst(self) -> MeasuredRow:
        return self.failed[0]

    @property
    def name(self) -> str:
        """Its id; of a case without one its test."""
        return self.worst["nodeid"] if self.worst["case"] is None else self.worst["case"]


def failed_cases(rows: Sequence[MeasuredRow], cases: Mapping[str, CaseTexts]) -> list[FailedCase]:
    """Those that are farthest below a minimum first."""
    groups: dict[tuple[str, ...], list[MeasuredRow]] = {}
    tests: dict[str, list[MeasuredRow]] = {}
    for row in rows:
        tests.setdefault(row["nodeid"], []).append(row)
        if is_failure(row):
            key = (row["nodeid"], row["case"] or "", row["inputs"].get("question", ""))
            groups.setdefault(key, []).append(row)
    found = []
    for group in groups.values():
        failed = sorted(group, key=margin)
        named = next((row["texts"] for row in failed if row["texts"] in cases), None)
        texts = None if named is None else cases[named]
        found.append(FailedCase(failed, tests[failed[0]["nodeid"]], texts))
    return sorted(found, key=lambda one: (margin(one.worst), one.name, one.worst["nodeid"]))


def margin(row: MeasuredRow) -> float:
    """How far a failed row is below its minimum; of one without a score as far as there is."""
    score = row["interval"][1] if row["interval"] is not None else row["score"]
    if score is None or row["minimum"] is None or row["vacuous"]:
        return -1.0
    return score - row["minimum"]
