"""The progress of each process of a run, for the process that displays it.

Each process has a file in the run's folder with eight-byte integers, which it overwrites at every
change. This takes a few microseconds, and no process waits for another.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

from ..store_folder import check_own, make_private
from .run_folder import RunFolder

_FOLDER = "progress"
_SIZE = 8


class ProgressFile:
    """The progress file of a process.

    Args:
        process: its name in the run.
    """

    def __init__(self, run: RunFolder, process: str) -> None:
        self._run, self._process = run, process
        self._file: BinaryIO | None = None
        self._pid = os.getpid()

    def write(self, numbers: Sequence[int]) -> None:
        """Write the numbers over the last ones, if the folder can be written."""
        # a child's numbers are not its parent's
        if self._pid != os.getpid():
            return
        try:
            if self._file is None:
                self._file = self._opened()
            self._file.seek(0)
            self._file.write(struct.pack(f"<{len(numbers)}q", *numbers))
        except OSError:
            self.close()

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    def _opened(self) -> BinaryIO:
        folder = self._run.make() / _FOLDER
        make_private(folder)
        return open(folder / self._process, "wb", buffering=0)


def read_progress(folder: Path) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Return each process that wrote something, with its last numbers.

    Args:
        folder: the run's folder.
    """
    try:
        check_own(folder)
        names = sorted(os.listdir(folder / _FOLDER))
    except OSError:
        return
    for name in names:
        try:
            text = (folder / _FOLDER / name).read_bytes()
        except OSError:
            continue
        yield name, struct.unpack(f"<{len(text) // _SIZE}q", text[: len(text) // _SIZE * _SIZE])
