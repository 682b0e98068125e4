"""The writers of all outputs of a run, in one list."""

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
        name: the output, in words that follow "could not write".
    """

    @property
    def name(self) -> str: ...

    def write(self, run: RunRecord) -> list[str]:
        """Write the output.

        Returns:
            Lines for the terminal summary: where the output is, or why there is none. An error only
            affects this output, and is also reported there.
        """
        ...


# In the order of writing: the option with the file or folder, and the writer for that path. The
# terminal summary (`summary.TerminalSummary`), which shows their notes, is last.
WRITERS: list[tuple[str, Callable[[Path], ReportWriter]]] = [
    ("artifacts", ResultsJson),
    ("artifacts", DebugClaims),
    ("artifacts", ErrorCases),
    ("history", HistoryLine),
    ("markdown", MarkdownFile),
    ("github", StepSummary),
    ("html", HtmlPage),
]
# Also written if nothing was measured, which they report; a shard's results even then, because the
# join would miss them.
_IN_ANY_CASE = ("markdown", "github", "html")
_OF_SHARDS = ("artifacts",)


def write_all(
    run: RunRecord,
    path_of: Callable[[str], Path | None],
    reporting: Callable[[str], AbstractContextManager[None]],
) -> list[str]:
    """Write each configured output of a run, most of them only if it measured something.

    Args:
        path_of: returns the path of an option; None if that output is not configured.
        reporting: returns a context manager that turns errors into notices.

    Returns:
        The notes for the summary.
    """
    notes: list[str] = []
    empty = _IN_ANY_CASE if run.shard is None else (*_IN_ANY_CASE, *_OF_SHARDS)
    for option, made in WRITERS:
        wanted = bool(run.results) or option in empty
        if wanted and (path := path_of(option)) is not None:
            writer = made(path)
            with reporting(f"write {writer.name}"):
                notes += writer.write(run)
    return notes
