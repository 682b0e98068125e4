"""Reads the contents of a store row by row, for commands, without creating or changing anything."""

from __future__ import annotations

import contextlib
import sqlite3
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ...language.escaping import visible
from ..contents import Row, UnreadableStore
from ..store_folder import DATABASE
from .database import OtherDatabase, check_files, check_layout, leniently
from .messages import is_damage
from .read_only import StoreReader
from .text_disk import TextDisk, text_of_row

_LOCKED_SECONDS = 10.0
_COLUMNS = "SELECT rowid, key, raw, store_time, mode, filename, value FROM Cache"
_AT_ONCE = 500  # rows that are removed by one statement


def unreadable(folder: Path, what: str, error: Exception) -> UnreadableStore:
    """Return the error for a store that can't be used.

    Args:
        what: what can't be done: read, written.
    """
    other = isinstance(error, OtherDatabase)
    text = (
        f"{folder / DATABASE} is another program's database and is left as it is: {error}; "
        "name the store's folder with --cache-dir"
        if other
        else f"the store {folder} can't be {what}: {error}"
    )
    return UnreadableStore(
        text, damaged=not other and (is_damage(error) or "no such" in str(error))
    )


class StoreRows:
    """The rows of the store in a folder; empty if there is none.

    Raises:
        UnreadableStore: here, and from every method.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._scratch: tempfile.TemporaryDirectory[str] | None = None
        self._reader: StoreReader | None = None
        try:
            self._reader = StoreReader(folder, self._make_scratch)
        except (FileNotFoundError, NotADirectoryError):
            return
        except (sqlite3.Error, OSError) as error:
            self._leave()
            raise unreadable(folder, "read", error) from error
        if self._reader.connection is not None:
            # a row with invalid UTF-8 must not hide the others
            self._reader.connection.text_factory = leniently

    def close(self) -> None:
        if self._reader is not None:
            self._reader.close()
        self._leave()

    def _make_scratch(self) -> Path:
        if self._scratch is None:
            self._scratch = tempfile.TemporaryDirectory(prefix="ragassert-")
        return Path(self._scratch.name)

    def _leave(self) -> None:
        if self._scratch is not None:
            self._scratch.cleanup()

    @property
    def there(self) -> bool:
        return self._reader is not None

    def damage(self) -> list[str]:
        """Return what SQLite finds wrong with the file."""
        found = [str(said) for (said,) in self._fetched("PRAGMA quick_check(20)")]
        return [] if found == ["ok"] else found

    def all(self) -> Iterator[Row]:
        yield from self._rows(f"{_COLUMNS} ORDER BY key")

    def get(self, key: str) -> Row | None:
        return next(self._rows(f"{_COLUMNS} WHERE key = ? AND raw = 1", key), None)

    def ending(self, suffix: str) -> Iterator[Row]:
        """Yield the rows whose keys end with a text without wildcards."""
        yield from self._rows(f"{_COLUMNS} WHERE raw = 1 AND key LIKE ? ORDER BY key", f"%{suffix}")

    def keys_ending(self, suffix: str) -> list[str]:
        """Return their keys, from the index of keys alone."""
        where = "WHERE raw = 1 AND typeof(key) = 'text' AND key LIKE ?"
        return [key for (key,) in self._fetched(f"SELECT key FROM Cache {where}", f"%{suffix}")]

    def keys_without(self, suffix: str) -> list[str]:
        """Return the keys without a suffix for which there is no key with it."""
        where = "WHERE raw = 1 AND typeof(key) = 'text' AND length(key) = 64"
        other = "SELECT 1 FROM Cache AS other WHERE other.key = Cache.key || ? AND other.raw = 1"
        statement = f"SELECT key FROM Cache {where} AND NOT EXISTS ({other})"
        return [key for (key,) in self._fetched(statement, suffix)]

    def keys(self, prefix: str) -> list[str]:
        """Return the keys that begin with a prefix of hexadecimal digits, sorted."""
        # "g" follows every hexadecimal digit, and "." too
        where = "WHERE raw = 1 AND typeof(key) = 'text' AND key >= ? AND key < ?"
        found = self._fetched(f"SELECT key FROM Cache {where} ORDER BY key", prefix, f"{prefix}g")
        return [key for (key,) in found if key.startswith(prefix)]

    def _rows(self, statement: str, *values: str) -> Iterator[Row]:
        for number, key, raw, when, mode, filename, value in self._fetched(statement, *values):
            if not raw or not isinstance(key, str):
                yield Row(number, ascii(key), None, "its key is not text", _seconds(when))
                continue
            try:
                text = text_of_row(str(self.folder), mode, filename, value)
                # SQLite's own texts are read leniently, below
                text.encode()
            except (OSError, ValueError) as error:
                what = str(error) or type(error).__name__
                yield Row(number, key, None, visible(what), _seconds(when))
            else:
                yield Row(number, key, text, None, _seconds(when))

    def _fetched(self, statement: str, *values: str) -> Iterator[tuple[Any, ...]]:
        if self._reader is None or self._reader.connection is None:
            return
        try:
            yield from self._reader.connection.execute(statement, values)
        except sqlite3.Error as error:
            raise unreadable(self.folder, "read", error) from error


def _seconds(when: Any) -> float:
    """Return a time within the calendar; anything else counts as long ago."""
    return float(when) if type(when) in (int, float) and 0 <= when < 1e11 else 0.0


def remove_rows(folder: Path, rows: Sequence[Row]) -> None:
    """Remove rows with the files that contain their texts, and release the space.

    Raises:
        UnreadableStore: the database can't be written.
    """
    disk = TextDisk(str(folder))
    files: list[str] = []
    try:
        check_files(folder / DATABASE)
        with contextlib.closing(
            sqlite3.connect(folder / DATABASE, timeout=_LOCKED_SECONDS)
        ) as connection:
            with connection:
                connection.execute("BEGIN IMMEDIATE")
                check_layout(connection)
                for at in range(0, len(rows), _AT_ONCE):
                    numbers = [row.handle for row in rows[at : at + _AT_ONCE]]
                    these = f"WHERE rowid IN ({','.join('?' * len(numbers))})"
                    files += [
                        name
                        for (name,) in connection.execute(
                            f"SELECT filename FROM Cache {these} AND filename IS NOT NULL", numbers
                        )
                    ]
                    connection.execute(f"DELETE FROM Cache {these}", numbers)
            # the file shrinks at each commit (auto_vacuum) once the log is written back: now, even
            # if a run has it open
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    except (sqlite3.Error, OSError) as error:
        raise unreadable(folder, "written", error) from error
    for name in files:
        with contextlib.suppress(OSError):
            disk.remove(name)
