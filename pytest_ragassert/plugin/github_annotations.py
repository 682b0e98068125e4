"""On the process that prints: annotations of what failed, below all that pytest prints."""

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
    """Where a test failed.

    Attributes:
        file: as pytest names it.
        start: the line that pytest names, from 0: the first decorator's where there are some.
        line: at which the test failed, from 1.
    """

    file: str
    start: int | None
    line: int | None


class GithubAnnotations:
    """Registered where a run reports to GitHub.

    Args:
        record: gives the run's record when it is over; None where there is none.
    """

    def __init__(self, run: Run, record: Callable[[], RunRecord | None]) -> None:
        self._run = run
        self._record = record
        self._failed: dict[str, _Failure] = {}

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed and report.fspath:
            self._failed[report.nodeid] = _Failure(report.fspath, None, None)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        # the first failure of a test; those of its teardown may follow from it
        if report.failed and report.nodeid not in self._failed:
            file, start, _ = report.location
            line = None
            with self._run.reporting(f"tell where {report.nodeid} failed"):
                line = failing_line(report, self._run.config.rootpath)
            self._failed[report.nodeid] = _Failure(file, start, line)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> Generator[None, object, object]:
        # around the terminal's own, which prints the summary: no line of it is cut in two
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
        # at the beginning of a line, or it is no command
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
        """The file from the folder that the repository is checked out in."""
        workspace = self._run.environ.get("GITHUB_WORKSPACE")
        path = os.path.realpath(root / file)
        if workspace:
            try:
                inside = Path(path).relative_to(os.path.realpath(workspace))
            except ValueError:
                return Path(file).as_posix()
            return inside.as_posix()
        return Path(file).as_posix()
