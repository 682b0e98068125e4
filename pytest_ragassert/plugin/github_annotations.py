"""On the process that prints: annotations of what failed, below all that pytest prints."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ..report.terminal import Screen

if TYPE_CHECKING:
    from ..analysis.run_record import RunRecord
    from .run import Run


class GithubAnnotations:
    """Registered where a run reports to GitHub.

    Args:
        record: gives the run's record when it is over; None where there is none.
    """

    def __init__(self, run: Run, record: Callable[[], RunRecord | None]) -> None:
        self._run = run
        self._record = record
        # of each test that failed the file, as pytest names it, and the line, from 0
        self._failed: dict[str, tuple[str, int | None]] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            file, line, _ = report.location
            self._failed[report.nodeid] = file, line

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
        from ..report.annotations import Place, annotation_lines

        places = {
            nodeid: Place(self._named(config.rootpath, file), (line or 0) + 1)
            for nodeid, (file, line) in self._failed.items()
        }
        screen = Screen(encoding=getattr(terminal._tw._file, "encoding", None) or "utf-8")
        # at the beginning of a line, or it is no command
        terminal.ensure_newline()
        for line in annotation_lines(record, places):
            terminal._tw.line(screen.safe(line))

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
