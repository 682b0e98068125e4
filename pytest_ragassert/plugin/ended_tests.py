"""How the tests of a run ended, from their reports."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pytest

from .recorder import ReportFields

if TYPE_CHECKING:
    from ..analysis.records.failed_tests import FailedTest

_LONGEST = 300  # characters of what a failure says


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
        # of each test that failed for something else, what its first failure says
        self._messages: dict[str, str] = {}

    def count(self, report: pytest.TestReport) -> None:
        self.number += report.when == "setup"
        # as xdist reports the test at which a worker died
        self.crashed = self.crashed or str(report.when) == "???"

    def note_collected(self, report: pytest.CollectReport) -> None:
        if report.failed:
            from ..report.outcome import OTHER

            self._ends[report.nodeid, ""] = [OTHER]
            self._messages[report.nodeid] = _message(report)

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
        if OTHER in end.split():
            self._messages.setdefault(report.nodeid, _message(report))
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
        return self._those(repeated=repeated).values()

    def _those(self, *, repeated: bool) -> Mapping[tuple[str, str], Sequence[str]]:
        return self._ends or (self._repeated if repeated else {})

    def failed(self, *, repeated: bool) -> list[FailedTest]:
        """The tests that failed, by name; argument as of `of_each`."""
        from ..analysis.records.failed_tests import FailedTest
        from ..report.outcome import ASSERTION, JUDGE, MISSING, OTHER

        ends: dict[str, set[str]] = {}
        for (test, _), own in self._those(repeated=repeated).items():
            ends.setdefault(test, set()).update(own)
        found = []
        for test in sorted(ends):
            failures: list[Any] = sorted(ends[test] & {ASSERTION, JUDGE, MISSING, OTHER})
            if failures:
                said = self._messages.get(test, "")
                found.append(FailedTest(nodeid=test, ends=failures, message=said))
        return found

    def lack_answers(self) -> bool:
        """Whether a test failed because a replay lacks its case's answer, or a verdict."""
        if not self._ends:
            return False
        from ..report.outcome import MISSING

        return any(MISSING in ends for ends in self._ends.values())


def _message(report: pytest.TestReport | pytest.CollectReport) -> str:
    """The first line of what failed, as the list of failed tests has it."""
    failure: Any = report.longrepr
    crash = getattr(failure, "reprcrash", None)
    text = crash.message if crash is not None else _said(failure)
    return next(filter(None, map(str.strip, text.splitlines())), "")[:_LONGEST]


def _said(failure: Any) -> str:
    """Of fixtures that do not exist, of files that can't be collected, of plugins' own."""
    if isinstance(error := getattr(failure, "errorstring", None), str):
        return error
    lines = ("" if failure is None else str(failure)).splitlines()
    errors = [line[1:] for line in lines if line.startswith("E ")]
    return "\n".join(errors or lines[-1:])
