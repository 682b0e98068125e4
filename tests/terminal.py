"""A process on a terminal of its own, and the screen that a person sees of it."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import subprocess
import termios
from collections.abc import Sequence
from pathlib import Path

ROWS, COLUMNS = 10, 80
_PART = re.compile(r"\x1b\[[0-9;]*[A-Za-z]|\x1b[A-Z0-9]|.", re.DOTALL)


class Screen:
    """What pytest and its plugins write, in the few sequences that they use.

    Attributes:
        lines: all rows, those that scrolled away too.
        seen: every text that stood in the row below the cursor.
    """

    def __init__(self, output: str) -> None:
        self.lines = [""] * ROWS
        self.seen: list[str] = []
        self._top = self._row = self._column = 0
        self._saved = (0, 0)
        for part in _PART.findall(output):
            self._take(part)
        self.lines = [line.rstrip() for line in self.lines]
        while self.lines and not self.lines[-1]:
            self.lines.pop()

    def _take(self, part: str) -> None:
        here = self._top + self._row
        line = self.lines[here]
        if part == "\n":
            self._down()
        elif part == "\x1bD":
            self._down(keep_column=True)
        elif part == "\r":
            self._column = 0
        elif part == "\x1b[A":
            self._row = max(0, self._row - 1)
        elif part == "\x1b[B":
            self._row = min(ROWS - 1, self._row + 1)
        elif part == "\x1b7":
            self._saved = (self._row, self._column)
        elif part == "\x1b8":
            self.seen.append(line.rstrip())
            self._row, self._column = self._saved
        elif part in ("\x1b[K", "\x1b[0K"):
            self.lines[here] = line[: self._column]
        elif part.startswith("\x1b"):
            assert part.endswith("m"), f"an unknown sequence: {part!r}"
        else:
            self.lines[here] = f"{line:<{self._column}}"[: self._column] + part
            self.lines[here] += line[self._column + 1 :]
            self._column += 1

    def _down(self, *, keep_column: bool = False) -> None:
        # a terminal's own "\n" follows "\r", which stands for itself
        if self._row == ROWS - 1:
            self._top += 1
            self.lines.append("")
        else:
            self._row += 1
        if not keep_column:
            self._column = 0


def on_terminal(command: Sequence[str], folder: Path, **environ: str) -> tuple[int, str]:
    """Run a command on a terminal: its exit status, and all that it wrote."""
    ours, its = pty.openpty()
    fcntl.ioctl(ours, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    run = subprocess.Popen(
        command,
        cwd=folder,
        env={**os.environ, "TERM": "xterm", "NO_COLOR": "1", **environ},
        stdin=its,
        stdout=its,
        stderr=its,
        start_new_session=True,
    )
    os.close(its)
    output = b""
    try:
        while part := os.read(ours, 65536):
            output += part
    except OSError:
        pass  # Linux says so when the last writer has closed it
    os.close(ours)
    return run.wait(), output.decode()
