"""Repairs a damaged store: every row that can still be read goes into a new one."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from .damage import made_whole, move_aside
from .disk_cache import DiskCache
from .reader import DATABASE
from .record import format_of
from .text_disk import RefusedRow, text_of_row

_ROW = "SELECT key, raw, mode, filename, value FROM Cache WHERE rowid = ?"
# Each way meets other pages of the file; the damage ends one where another gets further.
_WAYS = (
    "SELECT rowid FROM Cache NOT INDEXED ORDER BY rowid",
    "SELECT rowid FROM Cache NOT INDEXED ORDER BY rowid DESC",
    "SELECT rowid FROM Cache INDEXED BY Cache_key_raw ORDER BY key",
    "SELECT rowid FROM Cache INDEXED BY Cache_key_raw ORDER BY key DESC",
)
_MOST_ROWS = 10_000_000
_BROKEN = (sqlite3.Error, OSError, UnicodeDecodeError)


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


def repair(folder: Path) -> Repaired:
    """Move the store's file aside and put its rows that can be read into a new one.

    No run should use the store meanwhile. Rows that are no text, or no text of ours, stay behind.

    Raises:
        FileNotFoundError: there is no store in `folder`.
        OSError: the file can't be moved, or no new one be written.
    """
    database = folder / DATABASE
    if not database.is_file():
        raise FileNotFoundError(f"no verdict store in {folder}: there is no {DATABASE}")
    aside = database.with_name(f"{DATABASE}.damaged-{time.time_ns()}")
    made_whole(database)
    move_aside(database, aside)
    troubles: list[str] = []
    disk = DiskCache(folder, troubles.append)
    kept = lost = 0
    try:
        with contextlib.closing(sqlite3.connect(aside, isolation_level=None)) as connection:
            for rowid in _rowids(connection):
                try:
                    row = _row(connection, folder, rowid)
                except _BROKEN:
                    lost += 1
                    continue
                if row is None:
                    continue
                key, text, file = row
                disk.set(key, text)
                if troubles:
                    raise OSError(f"{troubles[0]} (the damaged file is {aside})")
                kept += 1
                if file is not None:
                    # its text lies in a new file now
                    with contextlib.suppress(OSError):
                        file.unlink()
    finally:
        disk.close()
    return Repaired(kept, lost, aside)


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


def _row(
    connection: sqlite3.Connection, folder: Path, rowid: int
) -> tuple[str, str, Path | None] | None:
    """Key, text and the text's file; None where there is no such row.

    Raises:
        sqlite3.Error, OSError, UnicodeDecodeError: it can't be read, or is none of ours.
    """
    found = connection.execute(_ROW, (rowid,)).fetchall()
    if not found:
        return None
    key, raw, mode, filename, value = found[0]
    text = text_of_row(os.fspath(folder), mode, filename, value)
    if raw != 1 or type(key) is not str or format_of(text) is None:
        raise RefusedRow("no text of this store")
    return key, text, folder / filename if filename else None
