"""How the tests of a run ended, from their reports."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pytest

from .recorder import ReportFields


class EndedTests:
    """
    Attributes:
        number: of tests that began, each attempt and each process counted.
        crashed: a worker of xdist died at one.
    """

    def __init__(self) -> None:
        self.number = 0
        self.crashed = False
        # of each test in each process, how those of its phases ended that did not pass
        self._ends: dict[tuple[str, str], list[str]] = {}
        # the same of attempts that were repeated
        self._repeated: dict[tuple[str, str], list[str]] = {}

    def count(self, report: pytest.TestReport) -> None:
        self.number += report.when == "setup"
        # as xdist reports the test at which a worker died
        self.crashed = self.crashed or str(report.when) == "???"

    def note_collected(self, report: pytest.CollectReport) -> None:
        if report.failed:
            from ..report.outcome import OTHER

            self._ends[report.nodeid, ""] = [OTHER]

    def note(self, report: pytest.TestReport, process: str, fields: ReportFields) -> bool:
        """Keep how a phase ended.

        Returns:
            Whether it had to do with judges; a row need not tell so.
        """
        if report.outcome not in ("passed", "failed", "skipped"):
            # a plugin repeats the test: whatever its parts ended with is not the end
            repeated = self._ends.pop((report.nodeid, process), [])
            self._repeated.setdefault((report.nodeid, process), []).extend(repeated)
            return False
        from ..report.outcome import OTHER, SKIPPED, SKIPPED_MISSING

        # a test may be made to fail for its subtests, which have told how they ended
        told = (report.nodeid, process) in self._ends
        end = fields.get("end") or (OTHER if report.failed and not told else None)
        if end is None:
            return False
        self._ends.setdefault((report.nodeid, process), []).extend(end.split())
        skips = not {SKIPPED, SKIPPED_MISSING}.isdisjoint(end.split())
        return skips or bool(fields.get("met"))

    def knows(self, test: str, process: str) -> bool:
        """Whether a phase or a subtest of a test has not passed, in that process."""
        return (test, process) in self._ends

    def of(self, test: str) -> list[str]:
        """The ends of a test's phases and subtests, by its node id."""
        return [end for (one, _), ends in self._ends.items() if one == test for end in ends]

    def of_each(self, *, repeated: bool) -> Iterable[Sequence[str]]:
        """The ends of each test that did not pass.

        Args:
            repeated: those of repeated attempts, where no test ended otherwise: subtests that
                failed before their test was repeated may fail the run all the same.
        """
        return (self._ends or (self._repeated if repeated else {})).values()

    def lack_answers(self) -> bool:
        """Whether a test failed because a replay lacks its case's answer, or a verdict."""
        if not self._ends:
            return False
        from ..report.outcome import MISSING

        return any(MISSING in ends for ends in self._ends.values())
