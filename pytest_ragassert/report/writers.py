"""Every output of a run: a writer for each, in one list."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

from ..analysis.run_record import RunRecord
from .artifacts import DebugClaims, ErrorCases, ResultsJson
from .history_writer import HistoryLine
from .html.page_file import HtmlPage
from .markdown.files import MarkdownFile, StepSummary


class ReportWriter(Protocol):
    """Writes one output from the record of a run.

    Attributes:
        name: what it writes, in words that follow "could not write".
    """

    @property
    def name(self) -> str: ...

    def write(self, run: RunRecord) -> list[str]:
        """Write the output.

        Returns:
            What the terminal summary is to note, in lines: where the output is, or why there is
            none. Any error that is raised costs this output alone, and is told there as well.
        """
        ...


# In the order of writing: the option that names a file or folder, and the writer that is made of
# the path. The terminal summary (`summary.TerminalSummary`), which says what these note, is last.
WRITERS: list[tuple[str, Callable[[Path], ReportWriter]]] = [
    ("artifacts", ResultsJson),
    ("artifacts", DebugClaims),
    ("artifacts", ErrorCases),
    ("history", HistoryLine),
    ("markdown", MarkdownFile),
    ("github", StepSummary),
    ("html", HtmlPage),
]
# Written also where nothing was measured, and say so.
_IN_ANY_CASE = ("markdown", "github", "html")


def write_all(
    run: RunRecord,
    path_of: Callable[[str], Path | None],
    reporting: Callable[[str], AbstractContextManager[None]],
) -> list[str]:
    """Write each output that is wanted of a run, most of them only where it measured something.

    Args:
        path_of: gives what an option names; None where that output is not wanted.
        reporting: gives a context in which an error is told, and ends nothing.

    Returns:
        What is to be noted.
    """
    notes: list[str] = []
    for option, made in WRITERS:
        wanted = bool(run.results) or option in _IN_ANY_CASE
        if wanted and (path := path_of(option)) is not None:
            writer = made(path)
            with reporting(f"write {writer.name}"):
                notes += writer.write(run)
    return notes
