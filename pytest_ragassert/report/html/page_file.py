"""Writes the page to a file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ...analysis.run_record import RunRecord
from ...storage.files.atomic import write_whole
from ...storage.files.plain_files import reason_of


@dataclass(frozen=True)
class HtmlPage:
    """Writes a run as a page in one file."""

    path: Path
    name = "the page"

    def write(self, run: RunRecord) -> list[str]:
        # the template engine and the page's parts, which no other output needs
        from .page import page_parts

        try:
            write_whole(self.path, page_parts(run))
        except (OSError, ValueError) as error:  # ValueError: not a valid path
            return [f"no page in {self.path}: {reason_of(error)}"]
        return [f"page in {self.path}"]
