"""The interface of every store of verdicts; `open_store` returns one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from types import TracebackType
from typing import Protocol

from .contents import Row
from .judged_claims import JudgedClaim, found_in, judged_sets_in
from .judged_sets import JudgedSet
from .keys import QUESTION_SUFFIX


class Flights(Protocol):
    """Single flight: of all processes that share the store, only one at a time has a key.

    The process with the key asks its question; the others wait, and then find the answer in the
    store.
    """

    def acquire(self, name: str, /) -> bool:
        """Take the key, without waiting, if no process or thread has it."""

    def release(self, name: str, /) -> None:
        """Give it back. The keys of a process that dies are freed within seconds."""


class Store(Protocol):
    """Texts by key, shared by threads and processes. As a context manager, it closes itself.

    A key is 64 hexadecimal digits, followed by `.question` if the text is a question, and by
    `.passage` if it is a passage. All texts under one key are about the same question; the one that
    was put last remains, and nothing is evicted. What one process has put is available to all
    processes from the moment that `put` returns.

    Attributes:
        networked: whether reading takes a round trip over a network, so that no event loop waits
            for it.

    A run uses `get` to `flights`, which never raise. Trouble costs time but fails no test: a notice
    reports it once, and what can't be read counts as not stored. They may block, for a network or
    another writer, so no event loop waits for them.

    Commands use `exists` to `delete`. Reading creates no store and changes no text. All of these
    raise UnreadableStore if the store can't be used.

    Every store inherits from this class. A method with a body need not be overridden.
    """

    networked: bool = False

    @property
    def place(self) -> str:
        """Where it is, for people; without credentials."""

    def get(self, key: str) -> str | None: ...

    def get_many(self, keys: Iterable[str]) -> dict[str, str]:
        """Return those of the texts that exist, by key."""
        found = ((key, self.get(key)) for key in keys)
        return {key: text for key, text in found if text is not None}

    def put(self, key: str, text: str) -> None:
        self.put_many([(key, text)])

    def put_many(self, texts: Sequence[tuple[str, str]]) -> None:
        """Put the texts, given as pairs of key and text: all or none, even if the process dies."""

    def put_first(self, texts: Sequence[tuple[str, str]]) -> Mapping[str, str]:
        """Put the texts of a run, unless another machine has answered the same question meanwhile.

        Of several sound answers, a store that machines share keeps the first, so that all have the
        same. One that was carried over is replaced.

        Returns:
            The answers that remain instead of those in `texts`, by key.
        """
        self.put_many(texts)
        return {}

    def flights(self) -> Flights | None:
        """Return single flight; None if this store has none, so that only the processes of one run
        share a request.
        """

    def exists(self) -> bool:
        """Whether there is a store; `get` and `put` create one if there is none."""

    def row(self, key: str) -> Row | None: ...

    def rows_under(self, keys: Sequence[str]) -> Iterator[Row]:
        """Return the rows of those of the keys that exist."""
        return (row for row in map(self.row, keys) if row is not None)

    def rows(self, suffix: str = "") -> Iterator[Row]:
        """Return the rows whose keys end with a suffix, by key, including damaged ones with their
        trouble.
        """

    def keys(self, prefix: str = "") -> list[str]:
        """Return the keys that begin with hexadecimal digits, sorted."""

    def judged_claims(
        self, *, id: str = "", about: Set[str] = frozenset(), asked: str = ""
    ) -> list[JudgedClaim]:
        """Return the claims in stored questions that match all arguments, by id and key.

        A store may keep an index for this, which must not slow down `put`. Look for several claims
        at once, which takes little longer than one.

        Args:
            id: the first digits of a claim's id.
            about: `text_hash` of each claim to find.
            asked: `Question.asked`.
        """
        return found_in(self.rows(QUESTION_SUFFIX), id, about, asked)

    def judged_sets(self) -> Iterator[JudgedSet]:
        """Return the sets of passages that claims were judged against, possibly repeated or carried
        over. May be called from any thread.
        """
        return judged_sets_in(self.rows())

    def moment(self) -> float | None:
        """Return the present time by the clock that machines which share the store have in common,
        in seconds; None if machines do not share it, or it can't be reached.
        """
        return None

    def judged_sets_before(self, moment: float, about: Set[str], asked: str) -> Iterable[JudgedSet]:
        """Return the sets of passages that claims were judged against before a moment. A store with
        a `moment` finds them without reading all of it.

        Args:
            moment: as `moment` returned it, in any process of the run.
            about: `text_hash` of each claim.
            asked: `Question.asked`.
        """
        return ()

    def parts(self) -> Sequence[Store]:
        """Return the stores that it consists of, for commands that treat each on its own."""
        return (self,)

    def problems(self) -> list[str]:
        """Return what is wrong with the store itself, apart from its rows; this reads all of it."""
        return []

    def replace_many(self, texts: Sequence[tuple[str, str]]) -> None:
        """Put the texts for a command. The store on disk reports trouble with a notice."""
        self.put_many(texts)

    def delete(self, rows: Sequence[Row]) -> None:
        """Delete rows that `row` or `rows` returned; a row that no longer exists is not an
        error.
        """

    def settle(self) -> bool:
        """Finish at the end of a run's tests what would otherwise wait until the store is closed.

        Returns:
            Whether a shared store is configured and is not used.
        """
        return False

    def leave_thread(self) -> None:
        """Close what the calling thread has open, because it ends; the store remains in use."""
        return

    def close(self) -> None:
        """Close what the calling thread has open, and give its flights back."""

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
        /,
    ) -> None:
        self.close()
