"""Finds the cases of a run below a minimum: those that failed a test first, then the worst
first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..analysis.records.result_record import CaseTexts
from ..analysis.records.result_rows import is_failure
from ..analysis.records.row_types import MeasuredRow, name_of_case
from ..analysis.run_record import RunRecord
from .outcome import ASSERTION


@dataclass(frozen=True)
class FailedCase:
    """A case of a test with at least one failed metric.

    Attributes:
        failed: its failed rows, the farthest below the minimum first.
        of_test: every row of the test.
        texts: the case's texts; None if they were not kept.
        caught: whether its test did not fail because of it: the test caught the assertion's error,
            is expected to fail, or failed for another reason.
    """

    failed: Sequence[MeasuredRow]
    of_test: Sequence[MeasuredRow]
    texts: CaseTexts | None
    caught: bool = False

    @property
    def worst(self) -> MeasuredRow:
        return self.failed[0]

    @property
    def name(self) -> str:
        """The case's id, or its test if it has none."""
        return name_of_case(self.worst)


def failed_cases(run: RunRecord) -> list[FailedCase]:
    """Failed cases: those that failed their tests first, each group with the farthest below a
    minimum first.
    """
    cases = run.cases
    blamed = None
    if run.failed_tests is not None:
        blamed = {one.nodeid for one in run.failed_tests if ASSERTION in one.ends}
    groups: dict[tuple[str, ...], list[MeasuredRow]] = {}
    tests: dict[str, list[MeasuredRow]] = {}
    for row in run.results:
        tests.setdefault(row["nodeid"], []).append(row)
        if is_failure(row):
            key = (row["nodeid"], row["case"] or "", row["inputs"].get("question", ""))
            groups.setdefault(key, []).append(row)
    found = []
    for group in groups.values():
        failed = sorted(group, key=margin)
        named = next((row["texts"] for row in failed if row["texts"] in cases), None)
        texts = None if named is None else cases[named]
        nodeid = failed[0]["nodeid"]
        caught = blamed is not None and nodeid not in blamed
        found.append(FailedCase(failed, tests[nodeid], texts, caught))
    return sorted(
        found, key=lambda one: (one.caught, margin(one.worst), one.name, one.worst["nodeid"])
    )


def margin(row: MeasuredRow) -> float:
    """How far a failed row is below its minimum; without a score, the maximum."""
    score = row["interval"][1] if row["interval"] is not None else row["score"]
    if score is None or row["minimum"] is None or row["vacuous"]:
        return -1.0
    return score - row["minimum"]
