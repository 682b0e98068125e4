"""Prints annotations of failures below pytest's own output, on the controller."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

from ..report.terminal import Screen
from .failure_places import failing_line, line_of_def

if TYPE_CHECKING:
    from ..analysis.run_record import RunRecord
    from ..report.annotations import Place
    from .run import Run


class _Failure(NamedTuple):
    """The place where a test failed.

    Attributes:
        file: the file as pytest names it.
        start: the 0-based line that pytest reports: that of the first decorator, if there is one.
        line: the 1-based line at which the test failed.
    """

    file: str
    start: int | None
    line: int | None


class GithubAnnotations:
    """Registered if a run reports to GitHub.

    Args:
        record: returns the record of the run when it is over; None if there is none.
    """

    def __init__(self, run: Run, record: Callable[[], RunRecord | None]) -> None:
        self._run = run
        self._record = record
        self._failed: dict[str, _Failure] = {}

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed and report.fspath:
            self._failed[report.nodeid] = _Failure(report.fspath, None, None)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        # only the first failure of a test: a teardown failure may be a consequence
        if report.failed and report.nodeid not in self._failed:
            file, start, _ = report.location
            line = None
            with self._run.reporting(f"tell where {report.nodeid} failed"):
                line = failing_line(report, self._run.config.rootpath)
            self._failed[report.nodeid] = _Failure(file, start, line)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> Generator[None, object, object]:
        # around the terminal's hook, which prints the summary, so that no line of it is split
        result = yield
        with self._run.reporting("annotate what failed"):
            self._print(session.config)
        return result

    def _print(self, config: pytest.Config) -> None:
        terminal: pytest.TerminalReporter | None
        terminal = config.pluginmanager.get_plugin("terminalreporter")
        record = self._record()
        if terminal is None or record is None:
            return
        from ..report.annotations import annotation_lines

        screen = Screen(encoding=getattr(terminal._tw._file, "encoding", None) or "utf-8")
        # a command must begin a line
        terminal.ensure_newline()
        for line in annotation_lines(record, self._place):
            terminal._tw.line(screen.safe(line))

    def _place(self, nodeid: str) -> Place | None:
        failure = self._failed.get(nodeid)
        if failure is None:
            return None
        from ..report.annotations import Place

        root, line = self._run.config.rootpath, failure.line
        if line is None and failure.start is not None:
            line = line_of_def(root / failure.file, failure.start + 1)
        return Place(self._named(root, failure.file), line)

    def _named(self, root: Path, file: str) -> str:
        """The file relative to the folder of the repository checkout."""
        workspace = self._run.environ.get("GITHUB_WORKSPACE")
        path = os.path.realpath(root / file)
        if workspace:
            try:
                inside = Path(path).relative_to(os.path.realpath(workspace))
            except ValueError:
                return Path(file).as_posix()
            return inside.as_posix()
        return Path(file).as_posix()
