"""Stored verdicts on disk: diskcache without pickle and without eviction.

Trouble with the disk costs time but fails no test, and a notice reports it once. What can be read
is used. If nothing can be written any more, the run's own folder keeps the new answers. Every
exception counts as trouble: diskcache takes settings from the file, so a damaged file can make it
fail in any way.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from pathlib import Path

import diskcache
from diskcache.core import MODE_RAW

from ...runtime.clock import Clock
from ..contents import REPAIR, Row
from ..files.locks import LOCKS, LockFile, leave_lock_file, lock_file
from ..judged_claims import JudgedClaim
from ..judged_sets import JudgedSet
from ..store import Store
from ..store_folder import DATABASE
from . import messages
from .claim_index import all_sets, find_claims
from .database import LOCKED_SECONDS, OtherDatabase, close_cache, open_cache
from .read_only import StoreReader
from .repair import aside_files, clear_up, set_aside
from .stored_rows import StoreRows, remove_rows
from .text_disk import RefusedRow

# Another process that has just created it may not have written to it yet.
_NEW_SECONDS = 60.0
_MOST_AT_ONCE = 500  # maximum keys in a statement


class DiskStore(Store):
    """The store in a folder.

    Args:
        folder: created with mode 0700, a `.gitignore` and a `CACHEDIR.TAG` if it does not exist.
        on_notice: called with a line for people if the store can't be used normally.
        scratch: returns a private folder, for a copy if the file can't be read in its place.
        patience: seconds to wait for another process that uses the file.
    """

    def __init__(
        self,
        folder: Path,
        on_notice: Callable[[str], None],
        scratch: Callable[[], Path] | None = None,
        patience: float = LOCKED_SECONDS,
    ) -> None:
        self.folder = folder
        self._on_notice = on_notice
        self._noticed: set[str] = set()
        self._scratch = scratch
        self._patience = patience
        self._opening = threading.Lock()
        self._cache: diskcache.Cache | None = None
        # instead of the cache, if that can't be used
        self._reader: StoreReader | None = None
        self._writes = True
        self._broken = False
        self._rows: StoreRows | None = None
        self._locks: LockFile | None = None
        self._pid = os.getpid()

    @property
    def place(self) -> str:
        return str(self.folder)

    # -- for a run -------------------------------------------------------------------------------

    def get(self, key: str) -> str | None:
        cache = self._opened()
        if cache is not None:
            try:
                value = cache.get(key)
            except Exception as error:
                if messages.is_damage(error):
                    self._notice_damage()
                    return None
                self._read_only(error)
            else:
                return value if isinstance(value, str) else None
        return self._read(key)

    def get_many(self, keys: Iterable[str]) -> dict[str, str]:
        wanted, found = list(keys), dict[str, str]()
        for start in range(0, len(wanted), _MOST_AT_ONCE):
            found |= self._some(wanted[start : start + _MOST_AT_ONCE])
        return found

    def _some(self, wanted: list[str]) -> dict[str, str]:
        """Return the texts that exist, for as many keys as a statement can have."""
        cache = self._opened() if len(wanted) > 1 else None
        if cache is not None:
            # reading each separately shows which one causes trouble
            with contextlib.suppress(Exception):
                return _fetched(cache, wanted)
        return super().get_many(wanted)

    def put_many(self, texts: Sequence[tuple[str, str]]) -> None:
        cache = self._opened() if self._writes else None
        if cache is None:
            return
        try:
            # one transaction costs as much as one text
            with cache.transact() if len(texts) > 1 else contextlib.nullcontext():
                for key, text in texts:
                    cache.set(key, text)
        except Exception as error:
            self._writes = False
            if not self._is_gone():
                self._notice(messages.not_written(self.folder, error))

    def flights(self) -> LockFile | None:
        if self._pid != os.getpid():
            # after a fork, the lock file belongs to the parent process
            self._pid, self._locks = os.getpid(), None
        if self._locks is None and (self._opened() is not None or self._reader is not None):
            with contextlib.suppress(OSError):
                self._locks = lock_file(self.folder / LOCKS)
        return self._locks

    # -- for commands ----------------------------------------------------------------------------

    def exists(self) -> bool:
        return self._contents().there

    def row(self, key: str) -> Row | None:
        return self._contents().get(key)

    def rows(self, suffix: str = "") -> Iterator[Row]:
        return self._contents().ending(suffix) if suffix else self._contents().all()

    def keys(self, prefix: str = "") -> list[str]:
        return self._contents().keys(prefix)

    def judged_claims(
        self, *, id: str = "", about: Set[str] = frozenset(), asked: str = ""
    ) -> list[JudgedClaim]:
        return find_claims(self.folder, self._contents(), id, about, asked)

    def judged_sets(self) -> Iterator[JudgedSet]:
        # separate rows, because others may be read in another thread
        rows = StoreRows(self.folder)
        try:
            yield from all_sets(self.folder, rows)
        finally:
            rows.close()

    def problems(self) -> list[str]:
        aside = [
            f"{path.name}: a run set this damaged file aside; {REPAIR} copies what can be read"
            for path in aside_files(self.folder)
        ]
        return self._contents().damage() + aside

    def delete(self, rows: Sequence[Row]) -> None:
        self._leave_contents()
        if rows:
            remove_rows(self.folder, rows)

    def _contents(self) -> StoreRows:
        if self._rows is None or not self._rows.there:
            self._rows = StoreRows(self.folder)
        return self._rows

    def _leave_contents(self) -> None:
        if self._rows is not None:
            self._rows.close()
        self._rows = None

    # -- its ends --------------------------------------------------------------------------------

    def leave_thread(self) -> None:
        # the main thread closes it at the end
        if threading.current_thread() is not threading.main_thread() and self._cache is not None:
            close_cache(self._cache)

    def close(self) -> None:
        if self._cache is not None:
            close_cache(self._cache)
        if self._reader is not None:
            self._reader.close()
        self._leave_contents()
        if self._locks is not None and self._pid == os.getpid():
            leave_lock_file(self._locks)
        self._locks = None

    def _read(self, key: str) -> str | None:
        """Read from a store that can only be read."""
        if self._reader is None:
            return None
        try:
            return self._reader.get(key)
        except RefusedRow:
            self._notice_refused()
        except Exception as error:
            if isinstance(error, OSError) or messages.is_damage(error):
                self._notice_damage()
            else:
                self._give_up(error)
        return None

    def _opened(self) -> diskcache.Cache | None:
        if self._cache is None and self._reader is None and not self._broken:
            with self._opening:
                if self._cache is None and self._reader is None and not self._broken:
                    try:
                        self._cache = self._opened_or_begun_anew()
                    except Exception as error:
                        self._read_only(error)
        return None if self._broken or self._reader is not None else self._cache

    def _opened_or_begun_anew(self) -> diskcache.Cache:
        database = self.folder / DATABASE
        with contextlib.suppress(OSError):
            found = database.stat()
            if found.st_size == 0 and abs(Clock.since_1970() - found.st_mtime) > _NEW_SECONDS:
                self._notice(messages.empty(self.folder))
        try:
            cache = open_cache(self.folder, self._patience)
        except sqlite3.DatabaseError as error:
            if isinstance(error, OtherDatabase) or not messages.is_damage(error):
                raise
            # if it was not moved, another process was quicker, or it can't be moved
            if (aside := set_aside(self.folder)) is not None:
                self._notice(messages.replaced_database(self.folder, error, aside))
            cache = open_cache(self.folder, self._patience)
        clear_up(self.folder)
        try:
            cache.disk.on_refused = self._notice_refused
            cache.disk.on_damaged = self._notice_damage
            with contextlib.suppress(sqlite3.DatabaseError):
                # nothing looks for a pickled key
                if cache._sql("SELECT 1 FROM Cache WHERE key >= x'' LIMIT 1").fetchall():
                    self._notice_refused()
        except BaseException:
            close_cache(cache)
            raise
        return cache

    def _read_only(self, error: Exception) -> None:
        """Continue with reading only, without writing anything beside the file."""
        if self._is_gone():
            self._broken = True
            return
        try:
            self._reader = StoreReader(self.folder, self._scratch)
        except Exception:
            self._give_up(error)
        else:
            self._writes = False
            self._notice(messages.not_written(self.folder, error))

    def _give_up(self, error: Exception) -> None:
        self._broken = True
        self._notice(messages.not_used(self.folder, error))

    def _is_gone(self) -> bool:
        """Whether the file that was opened was deleted: what it lacks is put back at the end."""
        return self._cache is not None and not (self.folder / DATABASE).exists()

    def _notice_damage(self) -> None:
        self._notice(messages.damaged(self.folder))

    def _notice_refused(self) -> None:
        self._notice(messages.not_text(self.folder))

    def _notice(self, line: str) -> None:
        if line not in self._noticed:
            self._noticed.add(line)
            self._on_notice(line)


def _fetched(cache: diskcache.Cache, keys: Sequence[str]) -> dict[str, str]:
    """Fetch several texts in one statement, which costs little more than one.

    Raises:
        RefusedRow: a row is not text.
    """
    marks = ",".join("?" * len(keys))
    statement = f"SELECT key, mode, filename, value FROM Cache WHERE raw = 1 AND key IN ({marks})"
    rows = cache._sql(statement, keys).fetchall()
    fetch = cache.disk.fetch
    return {
        # nearly all are in the table itself
        key: value if mode == MODE_RAW and type(value) is str else fetch(mode, name, value, False)
        for key, mode, name, value in rows
    }
