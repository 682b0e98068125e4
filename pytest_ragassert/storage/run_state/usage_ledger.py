"""What the processes of one run have asked of the judge: requests, tokens, and when they were sent.

It is one file of four numbers in the run's folder. They are read and written together under a lock
of the operating system, so a killed process leaves neither a lock nor an incomplete change.
"""

from __future__ import annotations

import contextlib
import os
import struct
import threading
from collections.abc import Iterator
from typing import BinaryIO

from ..files.locks import LOCKS, LockFile, leave_lock_file, lock_file
from .run_folder import RunFolder

_NAME, _WIRE = "ledger", "ledger: who sends"
_NUMBERS = struct.Struct("<qqdd")


class Entries:
    """The file while it is locked.

    Attributes:
        calls: requests that were counted.
        tokens: what answers used.
        turn: when the last request with a reserved time is sent, in seconds; None: there was none.
        sent: when the last request was sent; None: there was none.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        file.seek(0)
        text = file.read(_NUMBERS.size)
        known = _NUMBERS.unpack(text) if len(text) == _NUMBERS.size else (0, 0, 0.0, 0.0)
        self.calls, self.tokens = int(known[0]), int(known[1])
        self.turn = float(known[2]) or None
        self.sent = float(known[3]) or None

    def add_call(self) -> None:
        self.calls += 1
        self._write()

    def set_turn(self, turn: float) -> None:
        self.turn = turn
        self._write()

    def set_sent(self, sent: float) -> None:
        """Note that a request was sent; one that was later than its time delays those that
        follow.
        """
        self.sent = sent
        self.turn = max(self.turn or sent, sent)
        self._write()

    def add_tokens(self, count: int) -> None:
        self.tokens += count
        self._write()

    def _write(self) -> None:
        self._file.seek(0)
        self._file.write(_NUMBERS.pack(self.calls, self.tokens, self.turn or 0.0, self.sent or 0.0))


class Ledger:
    """The ledger of a session. May be used from any thread."""

    def __init__(self, run: RunFolder) -> None:
        self._run = run
        self._opening = threading.Lock()
        self._locks: LockFile | None = None
        self._pid = os.getpid()

    @contextlib.contextmanager
    def held(self) -> Iterator[Entries | None]:
        """Lock the entries for this process and thread; None while another one has them.

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
            # unbuffered, so that everything is written when the lock is released
            with open(descriptor, "r+b", buffering=0) as file:
                yield Entries(file)
        finally:
            locks.release(_NAME)

    def start_sending(self) -> bool:
        """Return whether no one else is sending; if so, no one else does until `end_sending`.

        Raises:
            OSError: as in `held`.
        """
        return self._lock_file().acquire(_WIRE)

    def end_sending(self) -> None:
        self._lock_file().release(_WIRE)

    def close(self) -> None:
        with self._opening:
            if self._locks is not None and self._pid == os.getpid():
                leave_lock_file(self._locks)
            self._locks = None

    def _lock_file(self) -> LockFile:
        with self._opening:
            if self._pid != os.getpid():
                # after a fork, the lock file belongs to the parent process
                self._pid, self._locks = os.getpid(), None
            if self._locks is None:
                self._locks = lock_file(self._run.make() / LOCKS)
            return self._locks
