"""Checks the store's SQLite file before anything is done with it.

A store may come from elsewhere. Opening a database can do more than read it: SQLite rolls back a
journal beside it, tables may be views, triggers run when something is written, and diskcache takes
its own settings from a table.
"""

from __future__ import annotations

import contextlib
import errno
import os
import sqlite3
import struct
from pathlib import Path
from typing import Any

import diskcache

from ...language.escaping import visible
from ..files.private import check_plain, private
from ..store_folder import DATABASE, check_store_folder, make_store_folder
from .text_disk import TextDisk

LOCKED_SECONDS = 10.0
SIDE_FILES = ("-wal", "-shm", "-journal")
# Settings that a run must not take from the file: different values there are corrected.
SETTINGS: dict[str, Any] = {
    **diskcache.DEFAULT_SETTINGS,
    "eviction_policy": "none",
    "statistics": 0,
    "tag_index": 0,
    "size_limit": 2**62,
    "cull_limit": 0,
    "disk_min_file_size": 2**17,
}
_COUNTS = ("count", "size", "hits", "misses")
_ON = "Settings_{}_{} AFTER {} ON Cache FOR EACH ROW BEGIN UPDATE Settings SET value = value {}"
# As diskcache 5.6 creates them. Anything different was made or changed by another program.
_LAYOUT = frozenset(
    {
        "CREATE TABLE Settings ( key TEXT NOT NULL UNIQUE, value)",
        "CREATE TABLE Cache ( rowid INTEGER PRIMARY KEY, key BLOB, raw INTEGER, store_time REAL,"
        " expire_time REAL, access_time REAL, access_count INTEGER DEFAULT 0, tag BLOB,"
        " size INTEGER DEFAULT 0, mode INTEGER DEFAULT 0, filename TEXT, value BLOB)",
        "CREATE UNIQUE INDEX Cache_key_raw ON Cache(key, raw)",
        "CREATE INDEX Cache_expire_time ON Cache (expire_time)",
        *(
            f"CREATE TRIGGER {_ON.format(name, event.lower(), event, change)}"
            f' WHERE key = "{name}"; END'
            for name, event, change in (
                ("count", "INSERT", "+ 1"),
                ("count", "DELETE", "- 1"),
                ("size", "INSERT", "+ NEW.size"),
                ("size", "UPDATE", "+ NEW.size - OLD.size"),
                ("size", "DELETE", "- OLD.size"),
            )
        ),
    }
)
_OF_UNIQUE = ("index", "sqlite_autoindex_Settings_1", "Settings", None)

# https://www.sqlite.org/fileformat2.html#the_rollback_journal
_JOURNAL = struct.Struct(">8s5I")  # magic, records, nonce, pages before, sector, page size
_MAGIC = bytes.fromhex("d9d505f920a163d7")


class UnsoundDatabase(sqlite3.DatabaseError):
    """The file is not a verdict store, or another program changed it."""


class OtherDatabase(UnsoundDatabase):
    """The file belongs to another program."""


# What diskcache itself adds to caches of programs that use eviction.
_EVICTION = frozenset(
    ("index", f"Cache_{column}") for column in ("store_time", "access_time", "access_count")
)


def check_files(database: Path) -> None:
    """Check the files that SQLite would open together with a database in the store's folder.

    Raises:
        OSError: the folder or one of the files is a link, or is not a plain file.
        UnsoundDatabase: the journal does not belong to a store.
    """
    check_store_folder(database.parent)
    for path in (database, *(Path(f"{database}{ending}") for ending in SIDE_FILES)):
        check_plain(path)
    _check_journal(database)


def _check_journal(database: Path) -> None:
    """Check the journal. SQLite rolls back what a killed writer left, makes the file as long as its
    journal says, and removes any other file that is named as the journal of several databases.
    """
    journal = f"{database}-journal"
    with contextlib.suppress(FileNotFoundError), open(journal, "rb", opener=private) as file:
        header = file.read(_JOURNAL.size)
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - len(_MAGIC)))
        if size > len(_MAGIC) and file.read() == _MAGIC:
            raise UnsoundDatabase("its journal names another file")
        if len(header) == _JOURNAL.size and header.startswith(_MAGIC):
            _, _, _, pages, _, page_size = _JOURNAL.unpack(header)
            there = os.path.getsize(database) if database.exists() else 0
            if pages * page_size > there + size:
                raise UnsoundDatabase("its journal belongs to a larger file")


def has_rows(connection: sqlite3.Connection) -> bool:
    """Whether the database has a store's table of texts, possibly among other things.

    Raises:
        sqlite3.Error: it can't be read.
    """
    found = connection.execute("SELECT sql FROM sqlite_master WHERE name = 'Cache'").fetchall()
    return [sql for (sql,) in found if sql in _LAYOUT] == [sql for (sql,) in found] != []


def check_layout(connection: sqlite3.Connection) -> None:
    """Check that the database has a store's tables, or some of them, and nothing else.

    Raises:
        UnsoundDatabase: it has something else.
        sqlite3.Error: it can't be read.
    """
    rows = connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_master").fetchall()
    strange = [row for row in rows if row[3] not in _LAYOUT and row != _OF_UNIQUE]
    if not strange:
        return
    names = ", ".join(sorted(visible(f"{kind} {name}")[:60] for kind, name, *_ in strange)[:3])
    what = f"it contains something that verdict stores do not have: {names}"
    evicts = {row[:2] for row in strange} <= _EVICTION
    if not evicts and any(row[1] == "Cache" and row not in strange for row in rows):
        raise UnsoundDatabase(what)
    raise OtherDatabase(what)


def prepare(folder: Path, seconds: float) -> None:
    """Check the database, which exists, and correct its settings.

    Args:
        seconds: how long to wait for another process that uses it; diskcache itself tries for a
            minute before it raises an error.

    Raises:
        OSError: as in `check_files`.
        UnsoundDatabase: as in `check_files` and `check_layout`.
        sqlite3.Error: it can't be read or written, or another process uses it for longer.
    """
    database = folder / DATABASE
    check_files(database)
    with contextlib.closing(
        sqlite3.connect(database, timeout=seconds, isolation_level=None)
    ) as connection:
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.text_factory = leniently
        connection.execute("BEGIN IMMEDIATE")
        check_layout(connection)
        with contextlib.suppress(sqlite3.OperationalError):  # a new one has no table yet
            _put_settings_right(connection)
        # a commit would create a new one without diskcache's own settings
        connection.execute("COMMIT" if connection.total_changes else "ROLLBACK")


def _put_settings_right(connection: sqlite3.Connection) -> None:
    """Remove or correct settings that differ; diskcache adds those that are missing."""
    for row, name, value in connection.execute("SELECT rowid, key, value FROM Settings").fetchall():
        if name in SETTINGS:
            right = SETTINGS[name]
        elif name in _COUNTS:
            right = value if type(value) is int else 0
        else:
            connection.execute("DELETE FROM Settings WHERE rowid = ?", (row,))
            continue
        if (type(value), value) != (type(right), right):
            connection.execute("UPDATE Settings SET value = ? WHERE rowid = ?", (right, row))


def leniently(raw: bytes) -> str:
    """A text factory for SQLite: invalid UTF-8 must not hide other rows."""
    return raw.decode("utf-8", "surrogateescape")


def open_cache(folder: Path, patience: float = LOCKED_SECONDS) -> diskcache.Cache:
    """Open the cache in a folder, creating both if they do not exist.

    Args:
        patience: seconds to wait for another process that uses the file.

    Raises:
        OSError: the file can't be created, written or trusted.
        sqlite3.Error: the same; a damaged file may make diskcache raise any other error.
    """
    if os.path.expandvars(folder) != os.fspath(folder):
        # diskcache would write to another one
        raise OSError(errno.EINVAL, "its name contains the name of an environment variable")
    make_store_folder(folder)
    database = folder / DATABASE
    # SQLite would create it with the umask, and gives its side files the same mode. An existing one
    # is not opened here: closing it would free the locks that this process has on it.
    with contextlib.suppress(FileExistsError):
        os.close(private(database, os.O_RDWR | os.O_CREAT | os.O_EXCL))
    prepare(folder, patience)
    cache = diskcache.Cache.__new__(diskcache.Cache)
    try:
        cache.__init__(str(folder), disk=TextDisk, timeout=5, **SETTINGS)
    except BaseException:
        # a cache that failed half-way has an open connection that nothing else could close
        close_cache(cache)
        raise
    return cache


def close_cache(cache: diskcache.Cache) -> None:
    """Close this thread's connection."""
    # by the class: settings in a damaged file become attributes of the instance
    with contextlib.suppress(Exception):
        diskcache.Cache.close(cache)
