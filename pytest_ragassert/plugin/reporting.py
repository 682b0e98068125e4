"""On the process that prints: the rows on its reports become tables and the session's section."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from ..report.display import Screen
    from ..report.rows import Row
    from .run import Run


class Reporter:
    """Registered everywhere but on xdist's workers, so that `-n 0` and `-n 4` print the same."""

    def __init__(self, config: pytest.Config, run: Run) -> None:
        self._config = config
        self._run = run
        self._told: list[str] = []

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "setup" and self._run.has_rows:
            self._run.tally.forget(report.nodeid)
        text = getattr(report, "ragassert", None)
        if text is None:
            return
        from ..report.rows import from_text

        rows = from_text(text)
        self._run.tally.add(report.nodeid, report.when or "call", rows)
        if report.failed:
            self._add_table(report, rows)

    def pytest_sessionfinish(self, exitstatus: int) -> None:
        folder = self._run.artifacts
        if folder is None or not self._run.has_rows:
            return
        from .artifacts import write_results

        self._told += write_results(self._run, folder, int(exitstatus))

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if not self._run.has_rows:
            return
        from ..report.summary import summary_lines

        run = self._run
        lines = summary_lines(
            run.tally.rows(),
            [*run.notices(), *self._told],
            self._screen(),
            judge=run.judge_label,
            offline=run.judge == "offline",
            prices=run.value("prices", ()),
        )
        terminalreporter.write_sep("=", "ragassert")
        for line in lines:
            terminalreporter.write_line(line)

    def _add_table(self, report: pytest.TestReport, rows: list[Row]) -> None:
        failed = [r for r in rows if r["asserted"] and r["error"] is None and not r["passed"]]
        # a longrepr that is a text or a tuple has no sections
        add_section = getattr(report.longrepr, "addsection", None)
        if not failed or add_section is None:
            return
        from ..report.table import failure_lines

        verbose = self._config.get_verbosity() > 0
        of_test = self._run.tally.rows_of(report.nodeid)
        lines = failure_lines(failed, self._screen(), verbose=verbose, of_test=of_test)
        add_section("ragassert", "\n".join(lines), "-")

    def _screen(self) -> Screen:
        from ..report.display import Screen

        writer = getattr(self._config.pluginmanager.get_plugin("terminalreporter"), "_tw", None)
        if writer is None:
            return Screen(encoding="ascii")
        return Screen(writer.fullwidth, getattr(writer._file, "encoding", None) or "utf-8")
