"""Adds sections to a failure's report, shown below its traceback.

The report itself gets plain sections, which JUnit and other writers read. While the terminal prints
the failures, the sections are coloured, and later failures of a test function omit what the first
already shows.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from ..runtime.printable import printable

if TYPE_CHECKING:
    from ..analysis.records.row_types import MeasuredRow
    from ..report.terminal import Screen
    from .run import Run

# As in pytest: title, text, and the character that fills the title line.
Section = tuple[str, str, str]
_LISTS = ("error", "failed")  # of the terminal's reports, in the order in which it prints them


class _Failure(NamedTuple):
    """A report with the sections added to it, and the rows behind them."""

    report: pytest.TestReport
    failed: list[MeasuredRow]
    of_test: list[MeasuredRow]
    table: Section
    closer: Section


class FailureSections:
    """Adds the sections to reports, and changes them while the terminal prints failures.

    Args:
        screen: returns the properties of the terminal.
    """

    def __init__(self, config: pytest.Config, run: Run, screen: Callable[[], Screen]) -> None:
        self._config = config
        self._run = run
        self._screen = screen
        # by the id() of their reports
        self._failures: dict[int, _Failure] = {}
        # the failures before they were changed
        self._whole: list[tuple[Any, dict[str, Any]]] = []

    @property
    def _verbose(self) -> bool:
        return bool(self._config.get_verbosity() > 0)

    def add(self, report: pytest.TestReport, rows: Sequence[MeasuredRow]) -> None:
        """Show the failed rows of a test that failed because of them.

        Args:
            rows: the rows on this report.
        """
        from ..analysis.records.result_rows import is_failure, is_told_in

        of_test = self._run.tally.rows_of(report.nodeid)
        failed = [r for r in rows if is_failure(r)]
        if not failed:
            # in Python 3.10 unittest reports all subtests when their test is over
            failed = [r for r in of_test if is_failure(r) and is_told_in(report.longreprtext, r)]
        if not failed:
            return
        from ..report.failure_report import failure_lines, raised_first
        from .rerun_hints import rerun_hints

        if len(failed) > 1:
            failed = raised_first(failed, report.longreprtext)
        screen, verbose = self._screen(), self._verbose
        texts = self._run.tally.texts
        table = failure_lines(failed, screen, verbose=verbose, of_test=of_test, texts=texts)
        closer = rerun_hints(self._config, report.nodeid, failed, verbose=verbose)
        parts = (
            ("ragassert", printable("\n".join(table)), "-"),
            ("look closer", printable("\n".join(map(screen.safe, closer))), "-"),
        )
        if isinstance(report.longrepr, str):
            for title, text, fill in parts:
                report.longrepr += f"\n{f' {title} ':{fill}^{screen.width}}\n{text}"
        elif isinstance(sections := getattr(report.longrepr, "sections", None), list):
            # it is a tuple if the test was skipped
            sections += parts
            self._failures[id(report)] = _Failure(report, failed, of_test, *parts)

    def before_printing(self, terminal: pytest.TerminalReporter) -> None:
        """Change the sections of the reports that the terminal is about to print."""
        alike: dict[str, list[_Failure]] = {}
        for failure in self._printed(terminal):
            function = failure.report.nodeid if self._verbose else _function(failure)
            alike.setdefault(function, []).append(failure)
        screen = replace(self._screen(), colours=terminal.hasmarkup)
        for function, (first, *later) in alike.items():
            if screen.colours:
                self._change(first, self._table(first, screen), [first.closer])
            # subtests of one test have one command
            several = any(failure.report.nodeid != first.report.nodeid for failure in later)
            for failure in later:
                last = several and failure is later[-1]
                closer = self._rerun_all(function, len(later) + 1) if last else []
                self._change(failure, self._short_table(failure, first, screen), closer)
                _leave_out_source(failure.report.longrepr, first.report.longrepr)

    def put_back(self) -> None:
        for changed, before in self._whole:
            vars(changed).update(before)
        self._whole = []

    def _rerun_all(self, function: str, count: int) -> list[Section]:
        """Commands that rerun the tests with the same failure."""
        from .rerun_hints import rerun_command

        failed_last = ("--lf",) if self._config.pluginmanager.has_plugin("lfplugin") else ()
        command = self._screen().safe(rerun_command(self._config, function, *failed_last))
        return [(f"run all {count} again", printable(command), "-")]

    def _printed(self, terminal: pytest.TerminalReporter) -> Iterator[_Failure]:
        for name in _LISTS:
            for report in terminal.stats.get(name, ()):
                if id(report) in self._failures:
                    yield self._failures[id(report)]

    def _table(self, failure: _Failure, screen: Screen) -> list[str]:
        """The same lines in the screen's colours."""
        from ..report.failure_report import failure_lines

        texts, of_test = self._run.tally.texts, failure.of_test
        return failure_lines(
            failure.failed, screen, verbose=self._verbose, of_test=of_test, texts=texts
        )

    def _short_table(self, failure: _Failure, first: _Failure, screen: Screen) -> list[str]:
        """The lines without those that the first failure shows too."""
        from ..report.failure_report import MOST_LINES, failure_lines, judge_of
        from .rerun_hints import rerun_hints

        own = rerun_hints(self._config, failure.report.nodeid, failure.failed, verbose=False)
        if failure.report.nodeid == first.report.nodeid:
            # for a subtest: the first one shows the command of the test
            own.pop()
        lines = failure_lines(
            failure.failed,
            screen,
            verbose=False,
            of_test=failure.of_test,
            texts=self._run.tally.texts,
            told=judge_of(first.failed),
            most=MOST_LINES - len(own),
        )
        return [*lines, *map(screen.safe, own)]

    def _change(self, failure: _Failure, lines: Sequence[str], closer: list[Section]) -> None:
        """Put other lines and commands into the sections of a report."""
        longrepr: Any = failure.report.longrepr
        names = [name for name in ("sections", "chain") if hasattr(longrepr, name)]
        self._whole.append((longrepr, {name: getattr(longrepr, name) for name in names}))
        title, _, fill = failure.table
        changed = {
            id(failure.table): [(title, printable("\n".join(lines)), fill)],
            id(failure.closer): closer,
        }
        longrepr.sections = [
            one for section in longrepr.sections for one in changed.get(id(section), [section])
        ]


def _function(failure: _Failure) -> str:
    """The node id without parameters."""
    return failure.report.nodeid.partition("[")[0]


def _leave_out_source(longrepr: Any, first: Any) -> None:
    """Reduce a traceback to its error and place if its places equal those of the first one."""
    places = _places(longrepr)
    if places is None or places != _places(first):
        return
    traceback, *others = longrepr.chain[0]
    entry = traceback.reprentries[-1]
    said = [line for line in entry.lines if line.startswith("E")]
    if not said:
        return
    # change copies only, because other plugins read the report's own
    entry, traceback = copy.copy(entry), copy.copy(traceback)
    entry.style, entry.lines, entry.reprfuncargs = "short", said, None
    traceback.reprentries, traceback.extraline = [entry], None
    longrepr.chain = [(traceback, *others)]


def _places(longrepr: Any) -> list[tuple[str, int]] | None:
    """The file and line of each traceback entry; None if it has another form."""
    chain: Sequence[Any] = getattr(longrepr, "chain", ())
    if len(chain) != 1:
        return None
    # styles with lines only have no places
    found = [getattr(entry, "reprfileloc", None) for entry in chain[0][0].reprentries]
    return None if None in found else [(one.path, one.lineno) for one in found if one is not None]
