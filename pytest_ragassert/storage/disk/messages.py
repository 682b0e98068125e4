"""Messages about a store in trouble: one line that says what was done, and what to do."""

from __future__ import annotations

import errno
import sqlite3
from pathlib import Path

from ..contents import REPAIR
from ..store_folder import DATABASE
from .database import OtherDatabase

_FULL = (errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC), errno.EFBIG)


def is_damage(error: Exception) -> bool:
    """Whether the file has invalid content, rather than being out of reach now."""
    damaged = isinstance(error, sqlite3.DatabaseError) and not isinstance(
        error, sqlite3.OperationalError | sqlite3.ProgrammingError | sqlite3.InterfaceError
    )
    return damaged or isinstance(error, UnicodeDecodeError) or "Could not decode" in str(error)


def is_full(error: Exception) -> bool:
    if isinstance(error, OSError):
        return error.errno in _FULL
    return "database or disk is full" in str(error)


def damaged(folder: Path) -> str:
    # the same for all processes of a run, whichever part of the damage each of them meets
    return (
        f"the verdict store {folder} is damaged: verdicts that can't be read count as not stored, "
        f"and the others are used. Repair it with: {REPAIR}"
    )


def not_text(folder: Path) -> str:
    return (
        f"the verdict store {folder} contains entries that are not texts (for example "
        f"pickles): they were not opened and count as not stored. Remove them with: {REPAIR}"
    )


def not_written(folder: Path, raised: Exception) -> str:
    error = _first_of(raised)
    if is_damage(error):
        return damaged(folder)
    what = "is full" if is_full(error) else "can't be written"
    do = "Free space there" if is_full(error) else "Free or repair that folder"
    return (
        f"the verdict store {folder} {what} ({_named(error)}): its verdicts are used, and this "
        f"run's new ones are kept in memory only. {do}, or give another with --ragassert-cache-dir"
    )


def not_used(folder: Path, error: Exception) -> str:
    first = _first_of(error)
    if isinstance(first, OtherDatabase):
        return (
            f"{folder / DATABASE} is another program's database ({first}) and is left as it is; "
            "this run's verdicts are kept in memory only. Give another folder with "
            "--ragassert-cache-dir"
        )
    return (
        f"the verdict store {folder} can't be used ({_named(first)}); this run's verdicts are "
        "kept in memory only. Free or repair that folder, or give another with "
        "--ragassert-cache-dir"
    )


def replaced_database(folder: Path, error: Exception, aside: Path) -> str:
    return (
        f"the verdict store {folder} was damaged ({_named(error)}); it was moved to "
        f"{aside.name}, and a new one was started. Restore what can be read with: {REPAIR}"
    )


def empty(folder: Path) -> str:
    return (
        f"the verdict store {folder} was empty (its file had 0 bytes), and a new one was started; "
        "if you have a copy of the file, put it in its place"
    )


def _first_of(error: Exception) -> Exception:
    """Return the error that came first: rolling back after it may have raised another."""
    while isinstance(error.__context__, sqlite3.Error | OSError):
        error = error.__context__
    return error


def _named(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return str(error) or type(error).__name__
