"""A store on disk in front of one that machines share.

What is on disk takes no round trip. What only the shared store has is written to disk when it is
read. What only the disk has, because it was asked before the store was shared, is added to the
shared store when the run that used it ends.
"""

from __future__ import annotations

import os
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence, Set
from heapq import merge
from operator import attrgetter
from typing import NamedTuple

from .contents import Row, UnreadableStore, content_in, named_passages
from .judged_claims import JudgedClaim
from .judged_sets import JudgedSet
from .keys import PASSAGE_SUFFIX, is_answer_key, question_key
from .redis.redis_store import RedisStore
from .shared_flights import SharedFlights
from .store import Flights, Store

_MOST_AT_ONCE = 200  # answers that are added to the shared store together


class TieredStore(Store):
    """Both stores as one.

    Args:
        fills: whether what only the disk has is added to the shared store when it is used.
    """

    networked = True

    def __init__(self, disk: Store, shared: RedisStore, *, fills: bool) -> None:
        self._disk = disk
        self._shared = shared
        self._fills = fills
        self._pid = os.getpid()
        # keys of answers that came from disk, and may not be in the shared store
        self._used: dict[str, None] = {}
        self._fetched: set[str] = set()  # keys that this process got from the shared store

    @property
    def place(self) -> str:
        return f"{self._shared.place}, cached in {self._disk.place}"

    def parts(self) -> Sequence[Store]:
        return (self._disk, self._shared)

    # -- for a run -------------------------------------------------------------------------------

    def get(self, key: str) -> str | None:
        return self.get_many([key]).get(key)

    def get_many(self, keys: Iterable[str]) -> dict[str, str]:
        wanted = list(keys)
        found = self._disk.get_many(wanted)
        if self._fills:
            own = found.keys() - self._fetched
            self._used.update(dict.fromkeys(filter(is_answer_key, own)))
        missing = [key for key in wanted if key not in found]
        if not missing:
            return found
        shared = self._shared.get_many(missing)
        self._fetched.update(shared)
        sound = [(key, text) for key, text in shared.items() if content_in(key, text).is_sound]
        if sound:
            self._disk.put_many(sound)
        return found | shared

    def put_many(self, texts: Sequence[tuple[str, str]]) -> None:
        self._shared.put_many(texts)
        self._disk.put_many(texts)

    def put_first(self, texts: Sequence[tuple[str, str]]) -> Mapping[str, str]:
        remaining = self._shared.put_first(texts)
        self._disk.put_many([(key, remaining.get(key, text)) for key, text in texts])
        return remaining

    def flights(self) -> Flights | None:
        local = self._disk.flights()
        if self._shared.is_usable:
            return TieredFlights(local, self._shared.flights())
        return local

    def moment(self) -> float | None:
        return self._shared.moment()

    def judged_sets(self) -> Iterator[JudgedSet]:
        # those of the shared store are found by claim
        return self._disk.judged_sets()

    def judged_sets_before(self, moment: float, about: Set[str], asked: str) -> Iterable[JudgedSet]:
        return self._shared.judged_sets_before(moment, about, asked)

    # -- for commands ----------------------------------------------------------------------------

    def exists(self) -> bool:
        return self._disk.exists() or self._shared.exists()

    def row(self, key: str) -> Row | None:
        return next((row for row in (_row_in(store, key) for store in self.parts()) if row), None)

    def rows(self, suffix: str = "") -> Iterator[Row]:
        """Return the rows of both, by key; of two with one key, the one on disk, as in a run."""
        each = [_rows_in(store, suffix) for store in self.parts()]
        last = None
        try:
            for row in merge(*each, key=attrgetter("key")):
                if row.key != last:
                    last = row.key
                    yield row
        finally:
            for rows in each:
                rows.close()

    def keys(self, prefix: str = "") -> list[str]:
        return sorted({key for store in self.parts() for key in store.keys(prefix)})

    def judged_claims(
        self, *, id: str = "", about: Set[str] = frozenset(), asked: str = ""
    ) -> list[JudgedClaim]:
        each = (store.judged_claims(id=id, about=about, asked=asked) for store in self.parts())
        return sorted({claim for some in each for claim in some})

    def problems(self) -> list[str]:
        return [problem for store in self.parts() for problem in store.problems()]

    def delete(self, rows: Sequence[Row]) -> None:
        self._disk.delete([row.handle.row for row in rows if row.handle.store is self._disk])
        # what is on disk is usually there, too
        self._shared.delete(rows)

    # -- its ends --------------------------------------------------------------------------------

    def settle(self) -> bool:
        self._fill()
        self._shared.contact()
        return self._shared.is_unused

    def leave_thread(self) -> None:
        self._disk.leave_thread()

    def close(self) -> None:
        self._fill()
        self._shared.close()
        self._disk.close()

    def _fill(self) -> None:
        """Add to the shared store what came from disk and is not there; a child process leaves this
        to its parent.
        """
        if not self._used or self._pid != os.getpid():
            return
        lacking = self._shared.lacking(list(self._used))
        for start in range(0, len(lacking), _MOST_AT_ONCE):
            self._shared.put_first(self._with_others(lacking[start : start + _MOST_AT_ONCE]))
        self._used = {}

    def _with_others(self, keys: Sequence[str]) -> list[tuple[str, str]]:
        """Return the rows of answers on disk, together with their questions and passages."""
        answers = self._disk.get_many(keys)
        sound = {key: text for key, text in answers.items() if content_in(key, text).is_sound}
        questions = self._disk.get_many(map(question_key, sound))
        passages = self._disk.get_many(self._passages_of(questions))
        return [*sound.items(), *questions.items(), *passages.items()]

    def _passages_of(self, questions: Mapping[str, str]) -> list[str]:
        """Return the keys of the passages on disk that questions name by hash."""
        contents = (content_in(key, text) for key, text in questions.items())
        hashes = {hash for content in contents for hash in named_passages(content)}
        try:
            keys = (key for hash in sorted(hashes) for key in self._disk.keys(hash))
            return [key for key in keys if key.endswith(PASSAGE_SUFFIX)]
        except UnreadableStore:
            return []  # a notice reports it


class _Handle(NamedTuple):
    """Which store has a row."""

    store: Store
    row: Row


def _row_in(store: Store, key: str) -> Row | None:
    row = store.row(key)
    return None if row is None else row._replace(handle=_Handle(store, row))


def _rows_in(store: Store, suffix: str) -> Generator[Row, None, None]:
    return (row._replace(handle=_Handle(store, row)) for row in store.rows(suffix))


class TieredFlights(SharedFlights):
    """Single flight on this machine, by the operating system's locks, and between machines.

    Each key is first taken here, which takes no round trip.

    Args:
        local: None if there are no locks on this machine.
    """

    def __init__(self, local: Flights | None, shared: SharedFlights) -> None:
        self._local = local
        self._shared = shared

    def acquire_in_order(self, groups: Sequence[Sequence[str]], /) -> list[int]:
        here = [self._taken_here(group) for group in groups]
        if not any(here):
            return [0] * len(groups)
        taken = self._shared.acquire_in_order(here)
        for names, count in zip(here, taken, strict=True):
            # keys are taken in order, first here and then between machines: one that was taken here
            # only would make others wait out of order
            self._release_here(names[count:])
        return taken

    def release_many(self, names: Sequence[str], /) -> None:
        self._shared.release_many(names)
        self._release_here(names)

    def _taken_here(self, names: Sequence[str]) -> Sequence[str]:
        if self._local is not None:
            for at, name in enumerate(names):
                if not self._local.acquire(name):
                    return names[:at]
        return names

    def _release_here(self, names: Sequence[str]) -> None:
        if self._local is not None:
            for name in names:
                self._local.release(name)
