"""Repairs a damaged store: every row that can still be read goes into a new one.

The new database is built in a folder of its own and takes the old one's place when it is whole and
on the disk, by one renaming: a kill at any moment leaves the old or the new one. Texts in files of
their own stay where they are.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...runtime.clock import Clock
from ..keys import format_of
from ..store_folder import DATABASE
from .damage import CORRUPT, DRAFT, database_held, remove_draft
from .database import SIDE_FILES, check_files, has_rows
from .disk_store import open_cache
from .text_disk import RefusedRow, text_of_row

_COLUMNS = "key, raw, store_time, access_time, size, mode, filename, value"
_ROW = f"SELECT {_COLUMNS} FROM Cache WHERE rowid = ?"
_INSERT = f"INSERT OR REPLACE INTO Cache ({_COLUMNS}) VALUES (?, 1, ?, ?, ?, ?, ?, ?)"
# Each way meets other pages of the file; the damage ends one where another gets further.
_WAYS = (
    "SELECT rowid FROM Cache NOT INDEXED ORDER BY rowid",
    "SELECT rowid FROM Cache NOT INDEXED ORDER BY rowid DESC",
    "SELECT rowid FROM Cache INDEXED BY Cache_key_raw ORDER BY key",
    "SELECT rowid FROM Cache INDEXED BY Cache_key_raw ORDER BY key DESC",
)
_MOST_ROWS = 10_000_000
_BROKEN = (sqlite3.Error, OSError, UnicodeDecodeError)
_KEPT = f"{DATABASE}.damaged-"  # and a number: what was repaired
_OLD = "old.db"  # in the draft's folder, until it is kept beside the new database
_LOCKED_SECONDS = 2.0


@dataclass(frozen=True)
class Repaired:
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


def corrupt_files(folder: Path) -> list[Path]:
    """Databases that runs have set aside, oldest first."""
    found = folder.glob(f"{CORRUPT}*")
    return sorted(path for path in found if path.name.removeprefix(CORRUPT).isdigit())


def repair(folder: Path) -> Repaired:
    """Put the rows that can be read, also of databases that were set aside, into a new database.

    The old files are kept beside it. Rows that are no text, or no text of ours, stay behind.

    Raises:
        FileNotFoundError: there is no store in `folder`.
        OSError: another process uses the store, its files are links, or no new one can be written.
    """
    database = folder / DATABASE
    if not database.is_file():
        raise FileNotFoundError(f"no verdict store in {folder}: there is no {DATABASE}")
    with database_held(folder, _LOCKED_SECONDS) as held, contextlib.ExitStack() as stack:
        if not held:
            raise _in_use()
        remove_draft(folder)
        made = folder / DRAFT / DATABASE
        open_cache(made.parent).close()
        aside = corrupt_files(folder)
        old = _opened(database, stack)
        with contextlib.closing(sqlite3.connect(made, isolation_level=None)) as new:
            new.execute("PRAGMA synchronous = FULL")
            new.execute("BEGIN")
            lost = 0
            for path in aside:
                with contextlib.ExitStack() as closing:
                    lost += _copy(_opened(path, closing), new, folder)
            # what the store has now takes precedence over what it had
            lost += _copy(old, new, folder)
            ((kept,),) = new.execute("SELECT count(*) FROM Cache").fetchall()
            new.execute("COMMIT")
            new.execute("PRAGMA journal_mode = DELETE")
        kept_as = _swap(folder, old)
        for path in aside:
            os.replace(path, path.with_name(path.name.replace(CORRUPT, _KEPT)))
    return Repaired(kept, lost, kept_as)


def _opened(path: Path, stack: contextlib.ExitStack) -> sqlite3.Connection | None:
    """The database for this process alone; None where it is not a store's.

    Raises:
        OSError: another process uses it, or it is a link.
    """
    try:
        check_files(path)
        connection = sqlite3.connect(path, timeout=_LOCKED_SECONDS, isolation_level=None)
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


def _swap(folder: Path, old: sqlite3.Connection | None) -> Path:
    """Put the new database in the old one's place; where the old one lies now."""
    database, draft = folder / DATABASE, folder / DRAFT
    if old is not None:
        mode = ""
        with contextlib.suppress(sqlite3.Error):
            # what lies in its log goes into the file, and the log away
            ((mode,),) = old.execute("PRAGMA journal_mode = DELETE").fetchall()
        if mode != "delete":
            # later it would take the new database's log for its own
            old.close()
    for ending in SIDE_FILES:
        # of a file that is no database, or they would be gone
        with contextlib.suppress(FileNotFoundError):
            os.replace(f"{database}{ending}", f"{draft / _OLD}{ending}")
    try:
        os.link(database, draft / _OLD)
    except OSError:
        shutil.copyfile(database, draft / _OLD)
    _sync(draft / DATABASE)
    try:
        os.replace(draft / DATABASE, database)
    except PermissionError:
        # Windows replaces no file that is open
        if old is None:
            raise
        old.close()
        os.replace(draft / DATABASE, database)
    _sync(folder)
    aside = folder / f"{_KEPT}{Clock.nanoseconds()}"
    os.replace(draft / _OLD, aside)
    remove_draft(folder)
    return aside


def _sync(path: Path) -> None:
    """Have a file, or a folder's names, on the disk, where the system can."""
    with contextlib.suppress(OSError):
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _copy(source: sqlite3.Connection | None, new: sqlite3.Connection, folder: Path) -> int:
    """Copy the rows that can be read; how many can't."""
    if source is None:
        return 0
    lost = 0
    for rowid in _rowids(source):
        try:
            row = _row(source, folder, rowid)
        except _BROKEN:
            lost += 1
        else:
            if row is not None:
                new.execute(_INSERT, row)
    return lost


def _rowids(connection: sqlite3.Connection) -> Iterator[int]:
    """The numbers of all rows that there may be, each once."""
    seen: set[int] = set()
    forward, backward = (_numbers(connection, way) for way in _WAYS[:2])
    seen.update(forward, backward)
    for way in _WAYS[2:]:
        seen.update(_numbers(connection, way))
    if forward and backward and forward[-1] < backward[-1]:
        # the damage lies between; how far it goes, only trying tells
        seen.update(range(forward[-1], min(backward[-1], forward[-1] + _MOST_ROWS)))
    yield from sorted(seen)


def _numbers(connection: sqlite3.Connection, way: str) -> list[int]:
    found: list[int] = []
    with contextlib.suppress(sqlite3.Error):
        for row in connection.execute(way):
            found.append(row[0])  # what came before an error counts
    return found


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
