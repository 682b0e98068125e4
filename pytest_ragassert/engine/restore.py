"""At a run's end: what it paid for is in the store, whatever became of the store meanwhile.

A store that is deleted while it is open goes on taking what is written, which goes nowhere. The
run's folder has each of its answers.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

from ..storage.disk import store_messages as faults
from ..storage.disk.read_only import StoreReader
from ..storage.record import FORMAT, format_of
from ..storage.run_state.run_folder import RunFolder

_PATIENCE = 1.0  # seconds; who holds the store was waited for before


def put_back(run: RunFolder, folder: Path) -> None:
    """Store the run's answers that the store in `folder` lacks; told in one line."""
    answers = {key: text for key, text in run.answers().items() if format_of(text) == FORMAT}
    lacking = _lacking(folder, answers) if answers else {}
    if not lacking:
        return
    from ..storage.disk.disk_store import DiskCache

    disk = DiskCache(folder, run.tell, run.make, _PATIENCE)
    try:
        for key, text in lacking.items():
            disk.set(key, text)
    finally:
        disk.close()
    count = len(lacking) - len(_lacking(folder, lacking))
    if count:
        run.tell(faults.put_back(folder, count))


def _lacking(folder: Path, answers: dict[str, str]) -> dict[str, str]:
    """Those that the store does not hold."""
    try:
        reader = StoreReader(folder)
    except (sqlite3.Error, OSError):
        return answers
    try:
        return {key: text for key, text in answers.items() if _read(reader, key) != text}
    finally:
        reader.close()


def _read(reader: StoreReader, key: str) -> str | None:
    try:
        return reader.get(key)
    except (sqlite3.Error, OSError, UnicodeDecodeError):
        return None
