"""Where the document goes: a file, and the step summary of a job of GitHub Actions."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ...analysis.run_record import RunRecord
from ...storage.files.atomic import write_whole
from ...storage.files.plain_files import reason_of, target_of

# GitHub says of a pull request's text "maximum is 65536 characters" and counts code points; a
# comment's may have 262,144 bytes. A text of so many UTF-16 code units, as scripts count before
# they post, is within each of the two.
COMMENT_CHARACTERS = 65_536
STEP_SUMMARY_BYTES = 1024 * 1024  # of all that a step writes there


@dataclass(frozen=True)
class MarkdownFile:
    """A file for a comment on a pull request."""

    path: Path
    name = "the Markdown report"

    def write(self, run: RunRecord) -> list[str]:
        from .document import document
        from .fitting import utf16_units

        text = document(run, COMMENT_CHARACTERS, utf16_units)
        try:
            write_whole(self.path, [text])
        except (OSError, ValueError) as error:  # ValueError: no path at all
            return [f"no Markdown report in {self.path}: {reason_of(error)}"]
        return [f"Markdown report in {self.path}"]


@dataclass(frozen=True)
class StepSummary:
    """What a step of a job says on the run's page, after what it said there already."""

    path: Path
    name = "the step summary"

    def write(self, run: RunRecord) -> list[str]:
        from .document import document
        from .fitting import utf8_bytes

        try:
            target = target_of(self.path)
            there = target.stat().st_size if target.exists() else 0
            # a blank line ends a block of HTML
            text = "\n\n" * (there > 0) + document(run, STEP_SUMMARY_BYTES - there - 2, utf8_bytes)
            written = text.encode()
            if there + len(written) > STEP_SUMMARY_BYTES:
                return [f"no step summary in {self.path}: there is no room left in it"]
            # other processes of the step may write there at the same time
            with open(target, "ab") as file:
                file.write(written)
        except (OSError, ValueError) as error:
            return [f"no step summary in {self.path}: {reason_of(error)}"]
        return []
