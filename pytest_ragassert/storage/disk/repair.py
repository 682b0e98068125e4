"""Handles a damaged database: a run sets it aside and starts another, and a repair copies every
readable row into a new one.

A repair builds in a separate folder. The new database replaces the old one by a single renaming,
when it is complete and on the disk. So a kill at any moment leaves either the old or the new one.
Texts in separate files stay in place.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from ...runtime.clock import Clock
from ..files.locks import LOCKS, leave_lock_file, lock_file
from ..keys import format_of
from ..store_folder import DATABASE
from .database import (
    LOCKED_SECONDS,
    SIDE_FILES,
    OtherDatabase,
    check_files,
    check_layout,
    has_rows,
    open_cache,
)
from .text_disk import RefusedRow, text_of_row

_ASIDE = f"{DATABASE}.corrupt-"  # and a number: set aside by a run
_COPIED = f"{DATABASE}.damaged-"  # and a number: a repair has copied it
_DRAFT = "repair.new"  # the folder in which a repair builds
_LOCK = "database"
_PATIENCE = 2.0  # seconds for which a repair waits for others
_COLUMNS = "key, raw, store_time, access_time, size, mode, filename, value"
_ROW = f"SELECT {_COLUMNS} FROM Cache WHERE rowid = ?"
_INSERT = f"INSERT OR REPLACE INTO Cache ({_COLUMNS}) VALUES (?, 1, ?, ?, ?, ?, ?, ?)"
# Damage ends each way through the file at a different row.
_WAYS = (
    "SELECT rowid FROM Cache NOT INDEXED ORDER BY rowid",
    "SELECT rowid FROM Cache NOT INDEXED ORDER BY rowid DESC",
    "SELECT rowid FROM Cache INDEXED BY Cache_key_raw ORDER BY key",
    "SELECT rowid FROM Cache INDEXED BY Cache_key_raw ORDER BY key DESC",
)
_MOST_ROWS = 10_000_000


# -- by a run --------------------------------------------------------------------------------------


def set_aside(folder: Path) -> Path | None:
    """Rename a database that can't be used. Return None if it is usable, or can't be renamed."""
    with contextlib.suppress(OSError), _database_held(folder, LOCKED_SECONDS) as held:
        if held and not _is_sound(folder):
            aside = folder / f"{_ASIDE}{Clock.nanoseconds()}"
            # the side files first: they would damage a new database
            for ending in (*SIDE_FILES, ""):
                with contextlib.suppress(FileNotFoundError):
                    os.replace(folder / f"{DATABASE}{ending}", f"{aside}{ending}")
            return aside
    return None


def aside_files(folder: Path) -> list[Path]:
    """Return databases that runs have set aside and no repair has copied, the oldest first."""
    return sorted(folder.glob(f"{_ASIDE}*[0-9]"))


def clear_up(folder: Path) -> None:
    """Remove what a killed repair left, if no repair is running."""
    if os.path.lexists(folder / _DRAFT):
        with contextlib.suppress(OSError), _database_held(folder, 0) as held:
            if held:
                _remove_draft(folder)


def _is_sound(folder: Path) -> bool:
    """Whether SQLite accepts the file as a store's, or as another program's. If that can't be
    determined, it counts as sound.
    """
    try:
        check_files(folder / DATABASE)
        os.stat(folder / DATABASE)  # SQLite would create one
        with contextlib.closing(
            sqlite3.connect(folder / DATABASE, timeout=LOCKED_SECONDS)
        ) as connection:
            connection.execute("PRAGMA trusted_schema = OFF")
            check_layout(connection)
    except (sqlite3.OperationalError, OtherDatabase, OSError):
        return True
    except sqlite3.DatabaseError:
        return False
    return True


@contextlib.contextmanager
def _database_held(folder: Path, seconds: float) -> Iterator[bool]:
    """Whether this process alone may replace the database's file.

    Raises:
        OSError: there can be no lock file in the folder.
    """
    locks = lock_file(folder / LOCKS)
    end = Clock.now() + seconds
    try:
        while not (held := locks.acquire(_LOCK)) and Clock.now() < end:
            time.sleep(0.01)
        yield held
    finally:
        if held:
            locks.release(_LOCK)
        leave_lock_file(locks)


def _remove_draft(folder: Path) -> None:
    draft = folder / _DRAFT
    if draft.is_dir() and not draft.is_symlink():
        shutil.rmtree(draft, ignore_errors=True)
    else:
        draft.unlink(missing_ok=True)


# -- by a person -----------------------------------------------------------------------------------


class Repaired(NamedTuple):
    """The result of a repair.

    Attributes:
        kept: rows in the new store.
        lost: rows that could not be read or were not texts of this package; rows that can't even be
            counted are not included.
        aside: where the damaged file is now.
    """

    kept: int
    lost: int
    aside: Path


def repair(folder: Path) -> Repaired:
    """Copy the readable rows, including those of databases that were set aside, into a new
    database.

    The old files are kept beside it. Rows that are not texts of this package are not copied.

    Raises:
        FileNotFoundError: there is no store in `folder`.
        OSError: another process uses the store, its files are links, or a new one can't be written.
    """
    database = folder / DATABASE
    if not database.is_file():
        raise FileNotFoundError(f"no verdict store in {folder}: there is no {DATABASE}")
    with _database_held(folder, _PATIENCE) as held, contextlib.ExitStack() as stack:
        if not held:
            raise _in_use()
        _remove_draft(folder)
        made = folder / _DRAFT / DATABASE
        open_cache(made.parent).close()
        # the store's present content takes precedence over its former content
        paths = [*aside_files(folder), database]
        sources = [_opened(path, stack) for path in paths]
        with contextlib.closing(sqlite3.connect(made, isolation_level=None)) as new:
            new.execute("PRAGMA synchronous = FULL")
            new.execute("BEGIN")
            lost = sum(_copy(source, new, folder) for source in sources if source is not None)
            ((kept,),) = new.execute("SELECT count(*) FROM Cache").fetchall()
            new.execute("COMMIT")
            new.execute("PRAGMA journal_mode = DELETE")
        for source in sources:
            if source is not None:
                with contextlib.suppress(sqlite3.Error):
                    # write the content of its log to the file, and remove the log
                    source.execute("PRAGMA journal_mode = DELETE")
                source.close()
        aside = _swap(folder)
        for path in paths[:-1]:
            os.replace(path, path.with_name(path.name.replace(_ASIDE, _COPIED)))
        _remove_draft(folder)
    return Repaired(kept, lost, aside)


def _opened(path: Path, stack: contextlib.ExitStack) -> sqlite3.Connection | None:
    """Open the database for this process alone; None if it is not a store's.

    Raises:
        OSError: another process uses it, or it is a link.
    """
    try:
        check_files(path)
        connection = sqlite3.connect(path, timeout=_PATIENCE, isolation_level=None)
        stack.callback(connection.close)
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        # SQLite accepts a file that was cut off only in this way
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute("BEGIN EXCLUSIVE")
        connection.execute("COMMIT")
        return connection if has_rows(connection) else None
    except sqlite3.Error as error:
        if "locked" in str(error):
            raise _in_use() from None
        return None


def _in_use() -> OSError:
    return OSError("another process is using it; repair it when that process has ended")


def _swap(folder: Path) -> Path:
    """Replace the old database by the new one. Return where the old one is now."""
    database, made = folder / DATABASE, folder / _DRAFT / DATABASE
    aside = folder / f"{_COPIED}{Clock.nanoseconds()}"
    for ending in SIDE_FILES:
        # of a file that is not a database: the new one would take its log for its own
        with contextlib.suppress(FileNotFoundError):
            os.replace(f"{database}{ending}", f"{aside}{ending}")
    try:
        os.link(database, aside)
    except OSError:
        shutil.copyfile(database, aside)
    _sync(made)
    os.replace(made, database)
    _sync(folder)
    return aside


def _sync(path: Path) -> None:
    """Force a file, or a folder's names, to the disk, if the system can."""
    with contextlib.suppress(OSError):
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _copy(source: sqlite3.Connection, new: sqlite3.Connection, folder: Path) -> int:
    """Copy the readable rows. Return how many could not be read."""
    lost = 0
    for number in _numbers(source):
        try:
            row = _row(source, folder, number)
        except (sqlite3.Error, OSError, UnicodeDecodeError):
            lost += 1
        else:
            if row is not None:
                new.execute(_INSERT, row)
    return lost


def _numbers(connection: sqlite3.Connection) -> Iterator[int]:
    """Yield the numbers of all rows that may exist, each once."""
    seen: set[int] = set()
    for way in _WAYS:
        with contextlib.suppress(sqlite3.Error):
            for (number,) in connection.execute(way):
                seen.add(number)  # what came before an error counts
    yield from seen
    # whether the rows between exist can only be found by trying
    yield from (n for n in range(1, min(max(seen, default=0), _MOST_ROWS)) if n not in seen)


def _row(connection: sqlite3.Connection, folder: Path, rowid: int) -> tuple[Any, ...] | None:
    """Return the row for the new database, or None if there is no such row.

    Raises:
        sqlite3.Error: it can't be read.
        OSError: it can't be read, or is not of this package.
        UnicodeDecodeError: it can't be read.
    """
    found = connection.execute(_ROW, (rowid,)).fetchall()
    if not found:
        return None
    key, raw, stored, used, size, mode, filename, value = found[0]
    text = text_of_row(os.fspath(folder), mode, filename, value)
    if raw != 1 or type(key) is not str or format_of(text) is None:
        raise RefusedRow("it is not a text of this store")
    return key, _number(stored), _number(used), _number(size), mode, filename, value


def _number(value: Any) -> Any:
    return value if type(value) in (int, float) else 0
