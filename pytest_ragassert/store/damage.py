"""A store's file that SQLite does not take: filled up where it was cut off, else set aside."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from pathlib import Path

from ..current import Clock

LOCKED_SECONDS = 10.0
# https://sqlite.org/fileformat2.html#the_database_header
_MAGIC = b"SQLite format 3\0"
_HEADER = 100
_LARGEST_PAGE = 65_536


def made_whole(database: Path) -> bool:
    """Fill a file that was cut off up to the length that its header tells.

    SQLite refuses such a file whole, and the filled one only where its pages are missing. What
    does not become a database by it stays as it was.
    """
    try:
        with open(database, "rb") as file:
            header = file.read(_HEADER)
        size, whole = database.stat().st_size, _told_size(header)
        if not _page_size(header) <= size < whole or _is_database(database):
            return False
        last = size // _page_size(header) * _page_size(header)
        with open(database, "r+b") as file:
            file.seek(last)
            rest = file.read()
            # half a page would be read as if what it lacks were zeros
            file.truncate(last)
            file.truncate(whole)
        if not _is_database(database):
            with open(database, "r+b") as file:
                file.seek(last)
                file.write(rest)
                file.truncate(size)
            return False
    except OSError:
        return False
    return True


def _told_size(header: bytes) -> int:
    """The file's length in bytes by its header; 0 where that can't be relied on."""
    changes, valid_for = header[24:28], header[92:96]
    if len(header) < _HEADER or not header.startswith(_MAGIC) or changes != valid_for:
        return 0
    return _page_size(header) * int.from_bytes(header[28:32], "big")


def _page_size(header: bytes) -> int:
    size = int.from_bytes(header[16:18], "big")
    return _LARGEST_PAGE if size == 1 else size


def set_aside(database: Path) -> Path | None:
    """Rename a file that is no database; None where it is one, or can't be renamed."""
    if not database.is_file() or _is_database(database):
        return None  # another process was quicker, or the trouble is another
    aside = database.with_name(f"{database.name}.corrupt-{Clock.nanoseconds()}")
    try:
        move_aside(database, aside)
    except OSError:
        return None
    return aside


def move_aside(database: Path, aside: Path) -> None:
    """
    Raises:
        OSError: it can't be renamed.
    """
    os.replace(database, aside)
    for ending in ("-wal", "-shm"):
        # they belong to the old file, and would damage the new one
        with contextlib.suppress(FileNotFoundError):
            os.replace(f"{database}{ending}", f"{aside}{ending}")


def _is_database(path: Path) -> bool:
    """Whether SQLite takes it for one; where that can't be told, it is one."""
    try:
        with contextlib.closing(sqlite3.connect(path, timeout=LOCKED_SECONDS)) as connection:
            connection.execute("SELECT count(*) FROM sqlite_master")
    except sqlite3.OperationalError:
        return True
    except sqlite3.DatabaseError:
        return False
    return True
