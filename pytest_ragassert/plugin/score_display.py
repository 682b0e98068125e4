"""Adds a test's scores to its reports for display, on the controller."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import pytest

from .recorder import fields_of

if TYPE_CHECKING:
    from ..analysis.records.row_types import MeasuredRow
    from .run import Run

SECTION = "ragassert"
_MOST = 4  # maximum number of metrics in the line of a test, unless very verbose

Status = tuple[str, str, str | tuple[str, Mapping[str, bool]]]


def show_scores(
    run: Run, report: pytest.TestReport, rows: Sequence[MeasuredRow], *, fails: bool
) -> None:
    """Add the scores to display to a report that is about to be logged.

    Args:
        rows: the rows measured since the last report.
        fails: whether a part of the test, such as a subtest, failed, so that pytest fails the test
            later.
    """
    from ..analysis.records.result_rows import counted
    from ..report.score_lines import in_a_line, score_lines, scores_of
    from ..runtime.printable import printable

    # a subtest, and measurements around the test, have their own
    whole = report.when == "call" and not hasattr(report, "context")
    measured = counted(run.tally.rows_of(report.nodeid) if whole else rows)
    if not (scores := scores_of(measured)):
        return
    most = None if run.config.get_verbosity() > 1 else _MOST
    fields_of(report)["scores"] = printable(in_a_line(scores, most))
    # pytest prints the sections of passing tests with -rA and -rP
    if (report.passed and not fails) or report.skipped:
        report.sections.append((SECTION, printable("\n".join(score_lines(measured)))))


class ScoreDisplay:
    """Registered if tests have their own line: while they run, or in pytest's lists."""

    def __init__(self) -> None:
        self._logged: pytest.TestReport | None = None

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_logreport(
        self, report: pytest.TestReport
    ) -> Generator[None, object, object]:
        self._logged = report
        try:
            return (yield)
        finally:
            self._logged = None

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_report_teststatus(
        self, report: pytest.TestReport | pytest.CollectReport
    ) -> Generator[None, Status, Status]:
        status = yield
        # later calls are for pytest's lists
        if report is not self._logged or not (scores := fields_of(report).get("scores")):
            return status
        category, letter, shown = status
        if isinstance(shown, str):
            return category, letter, f"{shown} {scores}" if shown else ""
        word, markup = shown
        return category, letter, (f"{word} {scores}", markup)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_terminal_summary(
        self, terminalreporter: pytest.TerminalReporter
    ) -> Generator[None, object, object]:
        passed = [
            (report, scores)
            for report in terminalreporter.stats.get("passed", ())
            if report.longrepr is None and (scores := fields_of(report).get("scores"))
        ]
        for report, scores in passed:
            report.longrepr = InTheList(scores)
        try:
            return (yield)
        finally:
            for report, _ in passed:
                report.longrepr = None


class InTheList:
    """The text after a passing test in pytest's list, in the form of its list of failures."""

    def __init__(self, words: str) -> None:
        self.reprcrash = Crash(words)

    def toterminal(self, _: object) -> None:
        """Print nothing: there is no failure."""


class Crash(NamedTuple):
    message: str
