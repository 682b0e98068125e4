"""Locks between processes that the operating system frees when their holder dies.

One lock file, one byte of it a name: taking a lock is one system call, and millions of names cost
no file each. This is the only room that knows which system it runs on.
"""

from __future__ import annotations

import hashlib
import os
import sys
import threading
from pathlib import Path

# Byte offsets must fit a signed 64-bit file offset.
_OFFSET_BITS = 60


class LockFile:
    """Named locks in one file. Use `lock_file(path)`: a process must open the file only once,
    because closing any descriptor of it frees all its locks."""

    def __init__(self, path: Path) -> None:
        self.users = 1
        self._held: set[int] = set()
        self._guard = threading.Lock()
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | _BINARY, 0o600)

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
    # a child holds none of its parent's locks
    os.register_at_fork(after_in_child=_OPEN.clear)


def lock_file(path: Path) -> LockFile:
    """The process's one lock file at this path; give it back with `leave_lock_file`.

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
