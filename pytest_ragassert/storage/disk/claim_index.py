"""An index of the claims in a store, so that a look-up reads only questions that are new.

`claims.db` is beside the store's database. Each look-up creates or completes it; writing to the
store does not update it. A question never changes under its key, so the index is complete when it
has the keys that the store has. It can be deleted at any time.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import zlib
from collections.abc import Iterator, Set
from pathlib import Path

from ...steps.verify_claims import VERIFY_CLAIMS
from ..contents import Row, UnreadableStore, content_of
from ..files.private import private
from ..judged_claims import (
    JudgedClaim,
    answered_set_in,
    found_in,
    judged_claims_in,
    judged_sets_in,
)
from ..judged_sets import JudgedSet, hashes_of
from ..keys import FORMAT, QUESTION_SUFFIX
from .database import SIDE_FILES, check_files
from .messages import is_damage
from .stored_rows import StoreRows

INDEX = "claims.db"
_LAYOUT = (
    "CREATE TABLE question (number INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE,"
    " asked TEXT NOT NULL, passages BLOB NOT NULL)",
    "CREATE TABLE claim (id BLOB NOT NULL, about BLOB NOT NULL, question INTEGER NOT NULL)",
    "CREATE INDEX claim_by_id ON claim (id)",
    "CREATE INDEX claim_by_about ON claim (about)",
    "CREATE INDEX claim_by_question ON claim (question)",
)
# What is computed for a question depends on these. Raise the 3 if `claim_id` hashes something else.
_MADE_BY = zlib.crc32(f"3 {FORMAT} {VERIFY_CLAIMS.fingerprint} {_LAYOUT}".encode()) >> 1
# SQLite's application_id, so that another program's file of that name is not changed
_OURS = 0x52414743
_LOCKED_SECONDS = 1.0
_MANY = 1000  # new questions
_JOINED = "FROM claim JOIN question ON number = question"
_FIND = f"SELECT id, key, about, asked, passages {_JOINED}"


def find_claims(
    folder: Path, rows: StoreRows, id: str, about: Set[str], asked: str
) -> list[JudgedClaim]:
    """Find claims as `Store.judged_claims`, reading every question if there can be no index.

    Raises:
        UnreadableStore: the store can't be read.
    """
    if not rows.there:
        return []
    try:
        with contextlib.closing(_opened(folder / INDEX)) as index:
            try:
                _complete(index, rows)
                return _found(index, id, about, asked)
            except sqlite3.DatabaseError as error:
                if is_damage(error):
                    _remove(folder / INDEX)  # the next look-up creates another
                raise
    except UnreadableStore:
        raise
    except (sqlite3.Error, OSError):
        pass  # locked, read-only, damaged, another program's: reading everything takes longer
    return found_in(rows.ending(QUESTION_SUFFIX), id, about, asked)


def all_sets(folder: Path, rows: StoreRows) -> Iterator[JudgedSet]:
    """Return the sets as `Store.judged_sets`, reading every answer if there can be no index.

    Raises:
        UnreadableStore: the store can't be read.
    """
    if not rows.there:
        return
    try:
        with contextlib.closing(_opened(folder / INDEX)) as index:
            try:
                _complete(index, rows)
                found = index.execute(f"SELECT about, asked, passages {_JOINED} WHERE asked != ''")
                for about, asked, passages in found:
                    yield JudgedSet(about, bytes.fromhex(asked), passages)
                return
            except sqlite3.DatabaseError as error:
                if is_damage(error):
                    _remove(folder / INDEX)
                raise
    except UnreadableStore:
        raise
    except (sqlite3.Error, OSError, ValueError):
        pass  # as above
    yield from judged_sets_in(rows.all())


def _opened(path: Path) -> sqlite3.Connection:
    """Open the index in a transaction; it is empty if it did not exist or had another version.

    Raises:
        OSError: it is another program's, or it can't be created.
        sqlite3.Error: it is damaged, or another process uses it.
    """
    connection = _connected(path)
    if not _is_current(connection):
        connection.close()
        _remove(path)
        connection = _connected(path)
        for statement in _LAYOUT:
            connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {_OURS}")
        connection.execute(f"PRAGMA user_version = {_MADE_BY}")
    return connection


def _connected(path: Path) -> sqlite3.Connection:
    check_files(path)
    with contextlib.suppress(FileExistsError):
        os.close(private(path, os.O_RDWR | os.O_CREAT | os.O_EXCL))
    connection = sqlite3.connect(path, timeout=_LOCKED_SECONDS, isolation_level=None)
    try:
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("PRAGMA synchronous = OFF")  # it can be created again
        connection.execute("BEGIN IMMEDIATE")
        (made_by,) = connection.execute("PRAGMA application_id").fetchone()
        if made_by != _OURS and path.stat().st_size:
            raise OSError(f"{path} is another program's")
    except BaseException:
        connection.close()
        raise
    return connection


def _is_current(connection: sqlite3.Connection) -> bool:
    (made_by,) = connection.execute("PRAGMA user_version").fetchone()
    rows = connection.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL").fetchall()
    return made_by == _MADE_BY and {sql for (sql,) in rows} == set(_LAYOUT)


def _remove(path: Path) -> None:
    # the side files first: SQLite would take them for those of a new one
    for ending in (*SIDE_FILES, ""):
        Path(f"{path}{ending}").unlink(missing_ok=True)


def _complete(index: sqlite3.Connection, rows: StoreRows) -> None:
    """Add the questions that the store has, and the answers that were imported without their
    questions, and commit.
    """
    there = {*rows.keys_ending(QUESTION_SUFFIX), *rows.keys_without(QUESTION_SUFFIX)}
    known = {key for (key,) in index.execute("SELECT key FROM question")}
    for key in known - there:
        (number,) = index.execute("SELECT number FROM question WHERE key = ?", (key,)).fetchone()
        index.execute("DELETE FROM claim WHERE question = ?", (number,))
        index.execute("DELETE FROM question WHERE number = ?", (number,))
    for row in _rows_of(rows, there - known):
        content = content_of(row)
        # what can't be used may have been replaced by something usable
        if content.kind == "question":
            _add(index, row.key, judged_claims_in(content))
        elif content.kind in ("answer", "part", "vector"):
            _add_answer(index, row.key, answered_set_in(content))
    index.execute("COMMIT")


def _rows_of(rows: StoreRows, keys: set[str]) -> Iterator[Row]:
    if len(keys) > _MANY:
        # reading all of them at once takes a fraction of the time
        yield from (row for row in rows.all() if row.key in keys)
        return
    for key in sorted(keys):
        row = rows.get(key)
        if row is not None:
            yield row


def _add(index: sqlite3.Connection, key: str, claims: list[JudgedClaim]) -> None:
    asked, passages = (claims[0].asked, claims[0].passages) if claims else ("", ())
    made = index.execute(
        "INSERT INTO question (key, asked, passages) VALUES (?, ?, ?)",
        (key, asked, bytes.fromhex("".join(passages))),
    )
    index.executemany(
        "INSERT INTO claim VALUES (?, ?, ?)",
        [(bytes.fromhex(c.id), bytes.fromhex(c.about), made.lastrowid) for c in claims],
    )


def _add_answer(index: sqlite3.Connection, key: str, answered: JudgedSet | None) -> None:
    """Add an answer without its question. Its claim has no id under which it can be found."""
    asked, passages = (answered.asked.hex(), answered.passages) if answered else ("", b"")
    made = index.execute(
        "INSERT INTO question (key, asked, passages) VALUES (?, ?, ?)", (key, asked, passages)
    )
    if answered is not None:
        index.execute("INSERT INTO claim VALUES (x'', ?, ?)", (answered.about, made.lastrowid))


def _found(index: sqlite3.Connection, id: str, about: Set[str], asked: str) -> list[JudgedClaim]:
    rows: list[tuple[bytes, str, bytes, str, bytes]] = []
    ids = [bytes.fromhex(id.ljust(64, end)) for end in "0f"]
    for text in about:
        rows += index.execute(
            f"{_FIND} WHERE id BETWEEN ? AND ? AND about = ?", (*ids, bytes.fromhex(text))
        )
    if not about:
        rows += index.execute(f"{_FIND} WHERE id BETWEEN ? AND ?", ids)
    return sorted(
        JudgedClaim(
            of.hex(), key.removesuffix(QUESTION_SUFFIX), text.hex(), how, hashes_of(passages)
        )
        for of, key, text, how, passages in rows
        if asked in ("", how)
    )
