"""Collects how the tests of a run ended, from their reports."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pytest

from .recorder import ReportFields

if TYPE_CHECKING:
    from ..analysis.records.failed_tests import FailedTest

_LONGEST = 300  # maximum number of characters of a failure message


class EndedTests:
    """
    Attributes:
        number: how many tests began, counting each attempt in each process.
        crashed: whether an xdist worker died while running one.
    """

    def __init__(self) -> None:
        self.number = 0
        self.crashed = False
        # for each test in each process: how the phases that did not pass ended
        self._ends: dict[tuple[str, str], list[str]] = {}
        # the same for attempts that were repeated
        self._repeated: dict[tuple[str, str], list[str]] = {}
        # for each test that failed for another reason: the message of its first failure
        self._messages: dict[str, str] = {}

    def count(self, report: pytest.TestReport) -> None:
        self.number += report.when == "setup"
        # the mark of xdist's report for the test during which a worker died
        self.crashed = self.crashed or str(report.when) == "???"

    def note_collected(self, report: pytest.CollectReport) -> None:
        if report.failed:
            from ..report.outcome import OTHER

            self._ends[report.nodeid, ""] = [OTHER]
            self._messages[report.nodeid] = _message(report)

    def note(self, report: pytest.TestReport, process: str, fields: ReportFields) -> bool:
        """Keep how a phase ended.

        Returns:
            Whether the end involved a judge, which the rows may not show.
        """
        if report.outcome not in ("passed", "failed", "skipped"):
            # a plugin repeats the test, so these are not its final ends
            repeated = self._ends.pop((report.nodeid, process), [])
            self._repeated.setdefault((report.nodeid, process), []).extend(repeated)
            return False
        from ..report.outcome import OTHER, SKIPPED, SKIPPED_MISSING

        # a test may fail because of its subtests, whose ends are already noted
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
        """Whether a phase or a subtest of a test did not pass in that process."""
        return (test, process) in self._ends

    def of(self, test: str) -> list[str]:
        """The ends of a test's phases and subtests, by its node id."""
        return [end for (one, _), ends in self._ends.items() if one == test for end in ends]

    def of_each(self, *, repeated: bool) -> Iterable[Sequence[str]]:
        """The ends of each test that did not pass.

        Args:
            repeated: use the ends of repeated attempts if no test ended otherwise: subtests that
                failed before their test was repeated may still fail the run.
        """
        return self._those(repeated=repeated).values()

    def _those(self, *, repeated: bool) -> Mapping[tuple[str, str], Sequence[str]]:
        return self._ends or (self._repeated if repeated else {})

    def failed(self, *, repeated: bool) -> list[FailedTest]:
        """The names of the tests that failed; the argument is that of `of_each`."""
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
    """The first line of the failure, as in pytest's list of failed tests."""
    failure: Any = report.longrepr
    crash = getattr(failure, "reprcrash", None)
    text = crash.message if crash is not None else _said(failure)
    return next(filter(None, map(str.strip, text.splitlines())), "")[:_LONGEST]


def _said(failure: Any) -> str:
    """The message of other failures: missing fixtures, files that cannot be collected, or those of
    plugins.
    """
    if isinstance(error := getattr(failure, "errorstring", None), str):
        return error
    lines = ("" if failure is None else str(failure)).splitlines()
    errors = [line[1:] for line in lines if line.startswith("E ")]
    return "\n".join(errors or lines[-1:])
