"""Finds which sets of passages a claim was judged against before a run began.

The first process of a run that looks for a claim creates the index in the run's folder. All
processes use the same one, however long each of them waits.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import time
import uuid
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from ..steps.evidence.passage_hashes import text_hash
from .contents import UnreadableStore
from .files.private import private
from .judged_sets import JudgedSet, hashes_of
from .run_state.run_folder import RunFolder

if TYPE_CHECKING:
    from .committed.committed_verdicts import CommittedVerdicts
    from .store import Store

_INDEX = "sources.db"
_BEGAN = "sources.began"
_LAYOUT = "CREATE TABLE judged (about BLOB, asked BLOB, passages BLOB)"
_BY_CLAIM = "CREATE INDEX judged_by_claim ON judged (about)"
_FIND = "SELECT passages FROM judged WHERE about = ? AND asked = ?"

Passages = tuple[str, ...]  # hashes, sorted


class Sources:
    """The sources of a session. May be used from any thread.

    Args:
        store: None if it is not read.
        committed: None if there are none.
    """

    def __init__(
        self, run: RunFolder, store: Store | None, committed: CommittedVerdicts | None
    ) -> None:
        self._run = run
        self._store = store
        self._committed = committed
        self._path: Path | None = None
        self._is_empty = store is None and committed is None
        # when the run first looked for a claim, by the clock of a store that machines share
        self._began: float | None = None
        # what such a store had before; it does not change
        self._had: dict[tuple[str, str], set[bytes]] = {}
        # if the run's folder can't contain a file
        self._memory: dict[tuple[bytes, bytes], set[bytes]] | None = None

    def passages_of(self, claims: Iterable[str], asked: str) -> dict[str, list[Passages]]:
        """Return the sets of passages that each claim was judged against, for claims that were
        judged.

        Some of these judgements may be missing or damaged, or carried over, or made since the run
        began.

        Args:
            asked: `Question.asked`.
        """
        wanted = {claim: bytes.fromhex(text_hash(claim)) for claim in claims}
        found = self._known(wanted, bytes.fromhex(asked))
        shared = self._shared(wanted, asked)
        if shared:
            found = {
                claim: found.get(claim, set()) | shared.get(about, set())
                for claim, about in wanted.items()
            }
        return {claim: sorted(map(hashes_of, sets)) for claim, sets in found.items() if sets}

    def _known(self, wanted: dict[str, bytes], way: bytes) -> dict[str, set[bytes]]:
        """Return the sets of the index."""
        if not self._is_empty and self._path is None and self._memory is None:
            self._make()
        if self._memory is not None:
            memory = self._memory
            return {claim: memory.get((about, way), set()) for claim, about in wanted.items()}
        return self._looked_up(wanted, way)

    def _shared(self, wanted: dict[str, bytes], asked: str) -> dict[bytes, set[bytes]]:
        """Return the sets of a store that machines share, by claim."""
        # not every object that only has sets to give is a whole store
        if self._store is None or not getattr(self._store, "networked", False):
            return {}
        about = {one.hex() for one in wanted.values()}
        new = {one for one in about if (one, asked) not in self._had}
        began = self._moment(self._store) if new else None
        if began is not None:
            found = defaultdict[str, set[bytes]](set)
            for one in self._store.judged_sets_before(began, new, asked):
                found[one.about.hex()].add(one.passages)
            self._had.update({(one, asked): found[one] for one in new})
        return {bytes.fromhex(one): self._had.get((one, asked), set()) for one in about}

    def _moment(self, store: Store) -> float | None:
        """Return when the run began to look, the same for all its processes."""
        if self._began is None and (now := store.moment()) is not None:
            made = self._run.once(_BEGAN, lambda: {"at": now}, time.sleep)
            self._began = made["at"]
        return self._began

    def _looked_up(self, wanted: dict[str, bytes], way: bytes) -> dict[str, set[bytes]]:
        if self._is_empty or self._path is None or not wanted:
            return {}
        # opened at each look-up: these are few, from any thread, and there may have been a fork
        uri = f"file:{quote(os.fsencode(self._path))}?mode=ro&immutable=1"
        try:
            with contextlib.closing(sqlite3.connect(uri, uri=True)) as index:
                return {
                    claim: {passages for (passages,) in index.execute(_FIND, (about, way))}
                    for claim, about in wanted.items()
                }
        except sqlite3.Error:
            return {}  # the folder was removed

    def _make(self) -> None:
        path = self._run.path / _INDEX

        def make() -> dict[str, Any]:
            return {"sets": _written(path, self._sets())}

        try:
            made = self._run.once(_INDEX, make, time.sleep)
            self._is_empty = not made["sets"]
            self._path = path
        except (OSError, sqlite3.Error):
            memory = defaultdict[tuple[bytes, bytes], set[bytes]](set)
            for one in self._sets():
                memory[one.about, one.asked].add(one.passages)
            self._memory = dict(memory)

    def _sets(self) -> Iterator[JudgedSet]:
        if self._committed is not None:
            yield from self._committed.judged_sets()
        if self._store is not None:
            # trouble with the store is reported where it is used
            with contextlib.suppress(UnreadableStore):
                yield from self._store.judged_sets()


def _written(path: Path, sets: Iterable[JudgedSet]) -> int:
    """Write an index of the sets, and return how many there are.

    Raises:
        OSError: it can't be written.
        sqlite3.Error: it can't be written.
    """
    made = path.with_name(f"{uuid.uuid4().hex}.new")
    os.close(private(made, os.O_RDWR | os.O_CREAT | os.O_EXCL))
    with contextlib.closing(sqlite3.connect(made, isolation_level=None)) as index:
        # a process that dies leaves a file that nothing opens
        index.execute("PRAGMA journal_mode = OFF")
        index.execute("PRAGMA synchronous = OFF")
        index.execute("BEGIN")
        index.execute(_LAYOUT)
        index.executemany("INSERT INTO judged VALUES (?, ?, ?)", sets)
        index.execute(_BY_CLAIM)
        (count,) = index.execute("SELECT COUNT(*) FROM judged").fetchone()
        index.execute("COMMIT")
    os.replace(made, path)
    return int(count)
