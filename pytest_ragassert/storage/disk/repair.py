"""What becomes of a damaged database: a run sets it aside and begins another; a repair copies every
row that can be read into a new one.

A repair builds in a folder of its own. The new database takes the old one's place when it is whole
and on the disk, by one renaming, so that a kill at any moment leaves the old or the new one. Texts
in files of their own stay where they are.
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
# Damage ends each way through the file at another row.
_WAYS = (
    "SELECT rowid FROM Cache NOT INDEXED ORDER BY rowid",
    "SELECT rowid FROM Cache NOT INDEXED ORDER BY rowid DESC",
    "SELECT rowid FROM Cache INDEXED BY Cache_key_raw ORDER BY key",
    "SELECT rowid FROM Cache INDEXED BY Cache_key_raw ORDER BY key DESC",
)
_MOST_ROWS = 10_000_000


# -- by a run --------------------------------------------------------------------------------------


def set_aside(folder: Path) -> Path | None:
    """Rename a database that can't be used; None where it can be, or can't be renamed."""
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
    """Databases that runs have set aside and no repair has copied, the oldest first."""
    return sorted(folder.glob(f"{_ASIDE}*[0-9]"))


def clear_up(folder: Path) -> None:
    """Remove what a killed repair left, where none is going on."""
    if os.path.lexists(folder / _DRAFT):
        with contextlib.suppress(OSError), _database_held(folder, 0) as held:
            if held:
                _remove_draft(folder)


def _is_sound(folder: Path) -> bool:
    """Whether SQLite takes the file for a store, or another program's; where that can't be seen,
    it is one."""
    try:
        check_files(folder / DATABASE)
        os.stat(folder / DATABASE)  # SQLite would make one
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
    """Whether this process alone may put another file in the database's place.

    Raises:
        OSError: the folder takes no lock file.
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
    """What came of a repair.

    Attributes:
        kept: rows in the new store.
        lost: rows that could not be read, or were no text of ours; those that can't even be
            counted are not among them.
        aside: where the damaged file lies now.
    """

    kept: int
    lost: int
    aside: Path


def repair(folder: Path) -> Repaired:
    """Copy the rows that can be read, also of databases that were set aside, into a new database.

    The old files are kept beside it. Rows that are no text, or no text of ours, stay behind.

    Raises:
        FileNotFoundError: there is no store in `folder`.
        OSError: another process uses the store, its files are links, or no new one can be written.
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
        # what the store has now takes precedence over what it had
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
                    # what lies in its log goes into the file, and the log away
                    source.execute("PRAGMA journal_mode = DELETE")
                source.close()
        aside = _swap(folder)
        for path in paths[:-1]:
            os.replace(path, path.with_name(path.name.replace(_ASIDE, _COPIED)))
        _remove_draft(folder)
    return Repaired(kept, lost, aside)


def _opened(path: Path, stack: contextlib.ExitStack) -> sqlite3.Connection | None:
    """The database for this process alone; None where it is not a store's.

    Raises:
        OSError: another process uses it, or it is a link.
    """
    try:
        check_files(path)
        connection = sqlite3.connect(path, timeout=_PATIENCE, isolation_level=None)
        stack.callback(connection.close)
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        # only so SQLite takes a file that was cut off
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute("BEGIN EXCLUSIVE")
        connection.execute("COMMIT")
        return connection if has_rows(connection) else None
    except sqlite3.Error as error:
        if "locked" in str(error):
            raise _in_use() from None
        return None


def _in_use() -> OSError:
    return OSError("another process uses it; repair it when that has ended")


def _swap(folder: Path) -> Path:
    """Put the new database in the old one's place; where the old one lies now."""
    database, made = folder / DATABASE, folder / _DRAFT / DATABASE
    aside = folder / f"{_COPIED}{Clock.nanoseconds()}"
    for ending in SIDE_FILES:
        # of a file that is no database: the new one would take its log for its own
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
    """Have a file, or a folder's names, on the disk, where the system can."""
    with contextlib.suppress(OSError):
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _copy(source: sqlite3.Connection, new: sqlite3.Connection, folder: Path) -> int:
    """Copy the rows that can be read; how many can't."""
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
    """The numbers of all rows that there may be, each once."""
    seen: set[int] = set()
    for way in _WAYS:
        with contextlib.suppress(sqlite3.Error):
            for (number,) in connection.execute(way):
                seen.add(number)  # what came before an error counts
    yield from seen
    # of what lies between, only trying shows whether it is there
    yield from (n for n in range(1, min(max(seen, default=0), _MOST_ROWS)) if n not in seen)


def _row(connection: sqlite3.Connection, folder: Path, rowid: int) -> tuple[Any, ...] | None:
    """The row for the new database; None where there is no such row.

    Raises:
        sqlite3.Error, OSError, UnicodeDecodeError: it can't be read, or is none of ours.
    """
    found = connection.execute(_ROW, (rowid,)).fetchall()
    if not found:
        return None
    key, raw, stored, used, size, mode, filename, value = found[0]
    text = text_of_row(os.fspath(folder), mode, filename, value)
    if raw != 1 or type(key) is not str or format_of(text) is None:
        raise RefusedRow("no text of this store")
    return key, _number(stored), _number(used), _number(size), mode, filename, value


def _number(value: Any) -> Any:
    return value if type(value) in (int, float) else 0
