"""Reads a store that can't be written, without creating or changing anything beside its file.

SQLite reads a file in WAL mode through the side files `-wal` and `-shm`. If they can't be created,
the file is read as one that never changes. This would miss the content of a `-wal`, so if there is
one, a copy of both is read.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
import threading
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import quote

from ..store_folder import DATABASE, make_private
from .database import check_files, check_layout
from .text_disk import text_of_row

_ROW = "SELECT mode, filename, value FROM Cache WHERE key = ? AND raw = 1"
_LOCKED_SECONDS = 1.0
_MOST_COPIES = 3


class StoreReader:
    """Texts by key. May be used from any thread.

    Args:
        scratch: returns a private folder for a copy; None: no copy is made.

    Raises:
        sqlite3.Error: the file can't be read, or does not belong to a store.
        OSError: the same.
    """

    def __init__(self, folder: Path, scratch: Callable[[], Path] | None = None) -> None:
        self._folder = str(folder)
        self._database = folder / DATABASE
        self._scratch = scratch
        self._guard = threading.Lock()
        self._copied: Path | None = None
        self._pid = os.getpid()
        self._connection: sqlite3.Connection | None = self._opened()

    def get(self, key: str) -> str | None:
        """Return a text.

        Raises:
            RefusedRow: the row is not text.
            OSError: its file is missing.
            UnicodeDecodeError: its file is damaged.
            sqlite3.Error: it can't be read.
        """
        with self._guard:
            if self._pid != os.getpid():
                # after a fork, the connection belongs to the parent process
                self._close()
            if self._connection is None:
                self._pid, self._connection = os.getpid(), self._opened()
            rows = self._connection.execute(_ROW, (key,)).fetchall()
        return text_of_row(self._folder, *rows[0]) if rows else None

    @property
    def connection(self) -> sqlite3.Connection | None:
        """The connection for other queries than those of `get`, in the thread that opened it; None
        if closed.
        """
        return self._connection

    def close(self) -> None:
        with self._guard:
            self._close()

    def _close(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self._connection = None

    def _opened(self) -> sqlite3.Connection:
        check_files(self._database)
        os.stat(self._database)  # says why, while sqlite only says that it can't be opened
        failure: Exception = sqlite3.OperationalError("unable to open database file")
        for uri in self._ways():
            try:
                return _connected(uri)
            except (sqlite3.Error, OSError) as error:
                if "locked" in str(error):
                    # what another process is about to write must not be read as if it were complete
                    raise
                failure = error
        raise failure

    def _ways(self) -> Iterator[str]:
        yield _uri(self._database, "mode=ro")
        wal = Path(f"{self._database}-wal")
        with contextlib.suppress(OSError):
            if wal.stat().st_size and self._scratch is not None:
                yield _uri(self._copy(wal, self._scratch), "mode=rw")
        yield _uri(self._database, "mode=ro&immutable=1")

    def _copy(self, wal: Path, scratch: Callable[[], Path]) -> Path:
        """Copy the file and what is not yet in it, while neither changes."""
        if self._copied is None:
            folder = scratch() / f"store-{uuid.uuid4().hex}"
            make_private(folder)
            for _ in range(_MOST_COPIES):
                before = [_state(path) for path in (self._database, wal)]
                shutil.copyfile(self._database, folder / DATABASE)
                shutil.copyfile(wal, folder / wal.name)
                if before == [_state(path) for path in (self._database, wal)]:
                    break
            self._copied = folder / DATABASE
        return self._copied


def _connected(uri: str) -> sqlite3.Connection:
    connection = sqlite3.connect(
        uri, uri=True, timeout=_LOCKED_SECONDS, isolation_level=None, check_same_thread=False
    )
    try:
        connection.execute("PRAGMA trusted_schema = OFF")
        check_layout(connection)
        # reads the table's columns, but none of its rows, which may be damaged
        connection.execute(f"EXPLAIN {_ROW}", ("",)).fetchall()
    except BaseException:
        connection.close()
        raise
    return connection


def _uri(path: Path, how: str) -> str:
    return f"file:{quote(os.fsencode(path.absolute()))}?{how}"


def _state(path: Path) -> tuple[int, int, int]:
    found = path.stat()
    return found.st_ino, found.st_size, found.st_mtime_ns
