"""Stored verdicts on disk: diskcache without pickle and without eviction.

Trouble with the disk costs speed, never a test: it is told once, then the store is left alone.
Whatever is raised counts as trouble: diskcache takes settings from the file, so that a damaged one
makes it fail in any way.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import diskcache
from diskcache.core import MODE_RAW, MODE_TEXT

_CACHEDIR_TAG = """\
Signature: 8a477f597d28d172789f06886806bc55
# Verdicts of pytest-ragassert; delete the folder to ask every judge again.
"""
_LOCKED_SECONDS = 10.0


class RefusedRow(OSError):
    """A row that is not plain text; diskcache takes an OSError for a miss."""


class TextDisk(diskcache.Disk):  # type: ignore[misc]  # diskcache has no types
    """Keys and values are text; every other mode is refused, so nothing is ever unpickled."""

    def put(self, key: Any) -> tuple[str, bool]:
        if type(key) is not str:
            raise TypeError(f"keys are text, not {type(key).__name__}")
        return key, True

    def get(self, key: Any, raw: bool) -> str:
        if not raw or type(key) is not str:
            raise RefusedRow("a key that is not text")
        return key

    def store(self, value: Any, read: bool, key: Any = diskcache.UNKNOWN) -> Any:
        if type(value) is not str or read:
            raise TypeError(f"values are text, not {type(value).__name__}")
        return super().store(value, False, key)

    def fetch(self, mode: int, filename: str | None, value: Any, read: bool) -> str:
        if mode == MODE_RAW and type(value) is str:
            return value
        if mode == MODE_TEXT and filename is not None and not read and self._inside(filename):
            return str(super().fetch(mode, filename, value, False))
        raise RefusedRow("a value that is not text")

    def remove(self, file_path: str) -> None:
        if self._inside(file_path):
            super().remove(file_path)

    def _inside(self, filename: str) -> bool:
        folder = os.path.realpath(self._directory)
        path = os.path.realpath(os.path.join(folder, filename))
        return bool(os.path.commonpath([folder, path]) == folder)


class DiskCache:
    """Texts by key in a folder, shared by threads and processes.

    Args:
        folder: made with mode 0700, a `.gitignore` and a `CACHEDIR.TAG` when it is not there.
        tell: takes one line for people when the store can't be used.
    """

    def __init__(self, folder: Path, tell: Callable[[str], None]) -> None:
        self.folder = folder
        self._tell = tell
        self._opening = threading.Lock()
        self._cache: diskcache.Cache | None = None
        self._broken = False

    def get(self, key: str) -> str | None:
        cache = self._opened()
        if cache is None:
            return None
        try:
            value = cache.get(key)
        except Exception as error:
            self._give_up(error)
            return None
        return value if isinstance(value, str) else None

    def set(self, key: str, text: str) -> None:
        cache = self._opened()
        if cache is None:
            return
        try:
            cache.set(key, text)
        except Exception as error:
            self._give_up(error)

    def usable(self) -> bool:
        return self._opened() is not None

    def leave_thread(self) -> None:
        """Close this thread's connection, unless it is the main thread, which closes at the end."""
        if threading.current_thread() is not threading.main_thread():
            self.close()

    def close(self) -> None:
        """Close this thread's connection."""
        if self._cache is not None:
            _close(self._cache)

    def _opened(self) -> diskcache.Cache | None:
        if self._cache is None and not self._broken:
            with self._opening:
                if self._cache is None and not self._broken:
                    try:
                        self._cache = self._opened_or_begun_anew()
                    except Exception as error:
                        self._give_up(error)
        return None if self._broken else self._cache

    def _opened_or_begun_anew(self) -> diskcache.Cache:
        try:
            return _open(self.folder)
        except sqlite3.DatabaseError as error:
            aside = _set_aside(self.folder / diskcache.core.DBNAME)
            if aside is None:
                raise
            cache = _open(self.folder)
            self._tell(
                f"the verdict store {self.folder} was damaged ({error}); it was moved to "
                f"{aside.name}, and a new one begun"
            )
            return cache

    def _give_up(self, error: Exception) -> None:
        if not self._broken:
            self._broken = True
            what = str(error) or type(error).__name__
            self._tell(
                f"the verdict store {self.folder} can't be used ({what}); this run's verdicts are "
                "kept in memory only. Free, repair or delete that folder, "
                "or give another with --ragassert-cache-dir"
            )


def _wait_for_others(database: Path) -> None:
    """Raises sqlite3.OperationalError where another process holds the file for long.

    diskcache itself tries for a minute before it tells.
    """
    if database.exists():
        with contextlib.closing(sqlite3.connect(database, timeout=_LOCKED_SECONDS)) as connection:
            connection.execute("BEGIN IMMEDIATE")
            connection.rollback()


def _set_aside(database: Path) -> Path | None:
    """Rename a file that is no database; None where it is one, or can't be renamed."""
    if not database.is_file() or _is_database(database):
        return None  # another process was quicker, or the trouble is another
    aside = database.with_name(f"{database.name}.corrupt-{time.time_ns()}")
    try:
        os.replace(database, aside)
        for ending in ("-wal", "-shm"):
            # they belong to the old file, and would damage the new one
            with contextlib.suppress(FileNotFoundError):
                os.replace(f"{database}{ending}", f"{aside}{ending}")
    except OSError:
        return None
    return aside


def _is_database(path: Path) -> bool:
    """Whether SQLite takes it for one; where that can't be told, it is one."""
    try:
        with contextlib.closing(sqlite3.connect(path, timeout=_LOCKED_SECONDS)) as connection:
            connection.execute("SELECT count(*) FROM sqlite_master")
    except sqlite3.OperationalError:
        return True
    except sqlite3.DatabaseError:
        return False
    return True


def _open(folder: Path) -> diskcache.Cache:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    for name, text in ((".gitignore", "*\n"), ("CACHEDIR.TAG", _CACHEDIR_TAG)):
        if not (folder / name).exists():
            (folder / name).write_text(text, encoding="utf-8")
    _wait_for_others(folder / diskcache.core.DBNAME)
    cache = diskcache.Cache.__new__(diskcache.Cache)
    try:
        _initialise(cache, folder)
    except BaseException:
        # what failed half-way has a connection open, which nobody else could close
        _close(cache)
        raise
    return cache


def _close(cache: diskcache.Cache) -> None:
    # by the class: settings in a damaged file become attributes of the instance
    with contextlib.suppress(Exception):
        diskcache.Cache.close(cache)


def _initialise(cache: diskcache.Cache, folder: Path) -> None:
    cache.__init__(
        str(folder),
        disk=TextDisk,
        timeout=5,
        eviction_policy="none",
        statistics=0,
        tag_index=0,
        size_limit=2**62,
        disk_min_file_size=2**17,
    )
