"""What the processes of one run have asked of the judge: when each request goes out, and tokens.

One file in the run's folder, read and written under a lock of the operating system: the tokens,
then the time of each request, eight bytes each. So a process that is killed leaves no lock behind,
and at most one entry that the next one overwrites.
"""

from __future__ import annotations

import contextlib
import os
import struct
import threading
from collections.abc import Iterator
from typing import BinaryIO

from .locks import LockFile, leave_lock_file, lock_file
from .run_folder import LOCKS, RunFolder

_NAME = "ledger"
_TOKENS, _TIME = struct.Struct("<q"), struct.Struct("<d")


class Entries:
    """The file while it is held."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    @property
    def calls(self) -> int:
        size = self._file.seek(0, os.SEEK_END)
        return max(0, size - _TOKENS.size) // _TIME.size

    @property
    def tokens(self) -> int:
        self._file.seek(0)
        text = self._file.read(_TOKENS.size)
        return int(_TOKENS.unpack(text)[0]) if len(text) == _TOKENS.size else 0

    def time(self, back: int) -> float | None:
        """When the request goes out that is `back`th from the last, which is 1; in seconds."""
        place = self.calls - back
        if place < 0:
            return None
        self._file.seek(_TOKENS.size + place * _TIME.size)
        return float(_TIME.unpack(self._file.read(_TIME.size))[0])

    def add_call(self, time: float) -> None:
        place = _TOKENS.size + self.calls * _TIME.size
        self._file.seek(place)
        self._file.write(_TIME.pack(time))

    def add_tokens(self, count: int) -> None:
        total = self.tokens + count
        self._file.seek(0)
        self._file.write(_TOKENS.pack(total))


class Ledger:
    """One for a session; of any thread."""

    def __init__(self, run: RunFolder) -> None:
        self._run = run
        self._opening = threading.Lock()
        self._locks: LockFile | None = None
        self._pid = os.getpid()

    @contextlib.contextmanager
    def held(self) -> Iterator[Entries | None]:
        """The entries, for this process and thread alone; None while another has them.

        Raises:
            OSError: the run's folder can't be written.
        """
        locks = self._lock_file()
        if not locks.acquire(_NAME):
            yield None
            return
        try:
            path = self._run.make() / _NAME
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o600)
            # unbuffered, so that what is written is there when the lock goes
            with open(descriptor, "r+b", buffering=0) as file:
                yield Entries(file)
        finally:
            locks.release(_NAME)

    def close(self) -> None:
        with self._opening:
            if self._locks is not None and self._pid == os.getpid():
                leave_lock_file(self._locks)
            self._locks = None

    def _lock_file(self) -> LockFile:
        with self._opening:
            if self._pid != os.getpid():
                # after a fork the lock file is the parent's
                self._pid, self._locks = os.getpid(), None
            if self._locks is None:
                self._locks = lock_file(self._run.make() / LOCKS)
            return self._locks
