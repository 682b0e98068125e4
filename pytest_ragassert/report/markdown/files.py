"""Writes the document to a file, and to the step summary of a GitHub Actions job."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ...analysis.run_record import RunRecord
from ...storage.files.atomic import write_whole
from ...storage.files.plain_files import reason_of, target_of

# GitHub's limit for a pull request's text is "maximum is 65536 characters", counted in code points;
# that of a comment is 262,144 bytes. A text with this number of UTF-16 code units, which scripts
# count before they post, satisfies both.
COMMENT_CHARACTERS = 65_536
STEP_SUMMARY_BYTES = 1024 * 1024  # limit for everything that a step writes there


@dataclass(frozen=True)
class MarkdownFile:
    """Writes the report for a pull request comment to a file."""

    path: Path
    name = "the Markdown report"

    def write(self, run: RunRecord) -> list[str]:
        from .document import document
        from .fitting import utf16_units

        text = document(run, COMMENT_CHARACTERS, utf16_units)
        try:
            write_whole(self.path, [text])
        except (OSError, ValueError) as error:  # ValueError: not a valid path
            return [f"no Markdown report in {self.path}: {reason_of(error)}"]
        return [f"Markdown report in {self.path}"]


@dataclass(frozen=True)
class StepSummary:
    """Appends the report to the step summary of a job."""

    path: Path
    name = "the step summary"

    def write(self, run: RunRecord) -> list[str]:
        from .document import document
        from .fitting import utf8_bytes

        try:
            target = target_of(self.path)
            there = target.stat().st_size if target.exists() else 0
            # a blank line ends an HTML block
            text = "\n\n" * (there > 0) + document(run, STEP_SUMMARY_BYTES - there - 2, utf8_bytes)
            written = text.encode()
            if there + len(written) > STEP_SUMMARY_BYTES:
                return [f"no step summary in {self.path}: there is no room left in it"]
            # other processes of the step may write to the file at the same time
            with open(target, "ab") as file:
                file.write(written)
        except (OSError, ValueError) as error:
            return [f"no step summary in {self.path}: {reason_of(error)}"]
        return []
