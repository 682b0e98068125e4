"""Locks between processes that the operating system frees when their holder dies.

A name is one byte of a lock file, so taking a lock is one system call, and millions of names need
no files of their own. A folder is its own lock, so everyone who shares the folder shares the lock,
and nothing is left there. This is the only module that depends on the operating system.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from ...runtime.clock import Clock
from .private import private

LOCKS = "flight.lock"  # the name of the lock file in a folder
_FOLDER_SECONDS = 600.0
_POLL_SECONDS = 0.01
_FOLDERS = "ragassert-folders.lock"

# Byte offsets must fit a signed 64-bit file offset.
_OFFSET_BITS = 60


class LockFile:
    """Named locks in one file.

    Use `lock_file(path)`: a process must open the file only once, because closing any descriptor of
    it frees all its locks.
    """

    def __init__(self, path: Path) -> None:
        self.users = 1
        self._held: set[int] = set()
        self._guard = threading.Lock()
        self._descriptor = private(path, os.O_RDWR | os.O_CREAT | _BINARY)

    def acquire(self, name: str) -> bool:
        """Take the lock if it is free, without waiting."""
        offset = _offset(name)
        with self._guard:
            # ranges do not conflict inside one process
            if offset in self._held or not _lock(self._descriptor, offset):
                return False
            self._held.add(offset)
            return True

    def release(self, name: str) -> None:
        offset = _offset(name)
        with self._guard:
            self._held.discard(offset)
            _unlock(self._descriptor, offset)

    def close(self) -> None:
        os.close(self._descriptor)


_OPEN: dict[str, LockFile] = {}
_OPENING = threading.Lock()


if hasattr(os, "register_at_fork"):
    # a child has none of its parent's locks
    os.register_at_fork(after_in_child=_OPEN.clear)


def lock_file(path: Path) -> LockFile:
    """Return the process's only lock file at this path; give it back with `leave_lock_file`.

    Raises:
        OSError: the file can't be opened for writing.
    """
    name = os.path.realpath(path)
    with _OPENING:
        if name in _OPEN:
            _OPEN[name].users += 1
        else:
            _OPEN[name] = LockFile(path)
        return _OPEN[name]


def leave_lock_file(lock: LockFile) -> None:
    """Close the file when its last user has left."""
    with _OPENING:
        lock.users -= 1
        if lock.users == 0:
            lock.close()
            for name in [name for name, value in _OPEN.items() if value is lock]:
                del _OPEN[name]


@contextlib.contextmanager
def folder_held(folder: Path) -> Iterator[None]:
    """Lock a folder against all other processes and threads that lock it in this way.

    It waits for ten minutes at most. If folders can't be locked (Windows, some network file
    systems), a file in the folder for temporary files is locked instead. Machines that share a
    folder over a network may not lock each other out.

    Raises:
        OSError: the folder does not exist, or is locked for too long.
    """
    with contextlib.ExitStack() as held:
        if not _hold_itself(folder, held):
            _hold_by_name(folder, held)
        yield


def _hold_by_name(folder: Path, held: contextlib.ExitStack) -> None:
    try:
        lock = lock_file(Path(tempfile.gettempdir(), _FOLDERS))
    except OSError:
        return  # no lock is available, but files are still written completely or not at all
    held.callback(leave_lock_file, lock)
    name = os.path.normcase(os.path.realpath(folder))
    _wait(lambda: lock.acquire(name), folder)
    held.callback(lock.release, name)


def _wait(acquired: Callable[[], bool], folder: Path) -> None:
    end = Clock.now() + _FOLDER_SECONDS
    while not acquired():
        if Clock.now() > end:
            why = f"another process has been writing to {folder} for {_FOLDER_SECONDS:.0f} seconds"
            raise TimeoutError(errno.ETIMEDOUT, why, str(folder))
        time.sleep(_POLL_SECONDS)


def _offset(name: str) -> int:
    digest = hashlib.sha256(name.encode()).digest()
    return int.from_bytes(digest[:8], "big") >> (64 - _OFFSET_BITS)


if sys.platform == "win32":
    import msvcrt

    _BINARY = os.O_BINARY

    def _lock(descriptor: int, offset: int) -> bool:
        os.lseek(descriptor, offset, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def _unlock(descriptor: int, offset: int) -> None:
        os.lseek(descriptor, offset, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)

    def _hold_itself(folder: Path, held: contextlib.ExitStack) -> bool:
        return False

else:
    import fcntl

    _BINARY = 0

    def _lock(descriptor: int, offset: int) -> bool:
        try:
            fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, offset)
        except (BlockingIOError, PermissionError):
            return False
        return True

    def _unlock(descriptor: int, offset: int) -> None:
        fcntl.lockf(descriptor, fcntl.LOCK_UN, 1, offset)

    def _hold_itself(folder: Path, held: contextlib.ExitStack) -> bool:
        """Lock the folder; return False if the system can't."""
        while True:
            try:
                descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
                held.callback(os.close, descriptor)
                _wait(partial(_lock_whole, descriptor), folder)
            except (FileNotFoundError, TimeoutError):
                raise
            except OSError:
                return False
            # a child that was forked in the meantime has the descriptor too
            held.callback(fcntl.flock, descriptor, fcntl.LOCK_UN)
            status, there = os.fstat(descriptor), os.stat(folder)
            if (status.st_dev, status.st_ino) == (there.st_dev, there.st_ino):
                return True

    def _lock_whole(descriptor: int) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
