"""A damaged database is moved out of the way, by one process of several that find it."""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path

from ...runtime.clock import Clock
from ..files.locks import LOCKS, leave_lock_file, lock_file
from ..store_folder import DATABASE
from .database import SIDE_FILES, OtherDatabase, check_files, check_layout

LOCKED_SECONDS = 10.0
CORRUPT = f"{DATABASE}.corrupt-"  # and a number: set aside, with what a repair can bring back
DRAFT = "repair.new"  # the folder in which a repair builds
_LOCK = "database"


def set_aside(folder: Path) -> Path | None:
    """Rename a database that can't be used; None where it can be, or can't be renamed."""
    with contextlib.suppress(OSError), database_held(folder) as held:
        if held and not is_sound(folder):
            aside = folder / f"{CORRUPT}{Clock.nanoseconds()}"
            # the side files first: they would damage a new database
            for ending in (*SIDE_FILES, ""):
                with contextlib.suppress(FileNotFoundError):
                    os.replace(folder / f"{DATABASE}{ending}", f"{aside}{ending}")
            return aside
    return None


@contextlib.contextmanager
def database_held(folder: Path, seconds: float = LOCKED_SECONDS) -> Iterator[bool]:
    """Whether this process alone may put another file in the database's place.

    Args:
        seconds: how long another process that does so is waited for.

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


def remove_draft(folder: Path) -> None:
    """Remove what a killed repair left; the caller holds the database."""
    draft = folder / DRAFT
    if draft.is_dir() and not draft.is_symlink():
        shutil.rmtree(draft, ignore_errors=True)
    else:
        draft.unlink(missing_ok=True)


def clear_up(folder: Path) -> None:
    """The same for whoever opens the store, where no repair is going on."""
    if os.path.lexists(folder / DRAFT):
        with contextlib.suppress(OSError), database_held(folder, 0) as held:
            if held:
                remove_draft(folder)


def is_sound(folder: Path) -> bool:
    """Whether SQLite takes the file for a store, or another program's; where that can't be told,
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
