"""What every store of verdicts promises; `open_store` gives one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from types import TracebackType
from typing import Protocol

from .contents import Row
from .judged_claims import JudgedClaim, found_in, judged_sets_in
from .judged_sets import JudgedSet
from .keys import QUESTION_SUFFIX


class Flights(Protocol):
    """Single flight: of all processes that share the store, one at a time has a key.

    Whoever has a key asks its question; the others wait, and then find the answer in the store.
    """

    def acquire(self, name: str, /) -> bool:
        """Take the key if nobody has it, in this process neither; does not wait."""

    def release(self, name: str, /) -> None:
        """Give it back. What a process has that dies is free within seconds."""


class Store(Protocol):
    """Texts by key, shared by threads and processes. A context manager, which closes it.

    A key is 64 hexadecimal digits, with `.question` behind it where the text is a question, and
    `.passage` where it is a passage. All texts under one key are about the same question; the one
    that was put last stays, and nothing is evicted. What one process has put, all processes get
    from the moment that `put` returns.

    `get` to `flights` are a run's, and never raise. Trouble costs speed and no test: a notice
    says so, each once, and what can't be had counts as not stored. They may block, for a
    network or another writer: no event loop waits for them.

    `exists` to `delete` are for commands. Reading makes no store and changes no text. All raise
    UnreadableStore where the store can't be used.

    Whoever writes a store inherits from this class: what has a body here can be kept.
    """

    @property
    def place(self) -> str:
        """Where it lies, for people; without credentials."""

    def get(self, key: str) -> str | None: ...

    def get_many(self, keys: Iterable[str]) -> dict[str, str]:
        """Those of the texts that are there, by key."""
        found = ((key, self.get(key)) for key in keys)
        return {key: text for key, text in found if text is not None}

    def put(self, key: str, text: str) -> None:
        self.put_many([(key, text)])

    def put_many(self, texts: Sequence[tuple[str, str]]) -> None:
        """Put the texts, each with its key before it: all or none, also where the process dies."""

    def flights(self) -> Flights | None:
        """Single flight; None where this store has none, so that only the processes of one run
        share a request."""

    def exists(self) -> bool:
        """Whether there is a store; `get` and `put` make one where there is none."""

    def row(self, key: str) -> Row | None: ...

    def rows(self, suffix: str = "") -> Iterator[Row]:
        """The rows whose keys end with a suffix, by key: damaged ones too, with their trouble."""

    def keys(self, prefix: str = "") -> list[str]:
        """The keys that begin with hexadecimal digits, sorted."""

    def judged_claims(
        self, *, id: str = "", about: Set[str] = frozenset(), asked: str = ""
    ) -> list[JudgedClaim]:
        """The claims that stored questions ask for and that fit all that is given, by id and key.

        A store may keep an index for this, which must not slow `put` down. Look for several claims
        at once: that costs little more than one.

        Args:
            id: the first digits of a claim's id.
            about: `text_hash` of each claim that is looked for.
            asked: `Question.asked`.
        """
        return found_in(self.rows(QUESTION_SUFFIX), id, about, asked)

    def judged_sets(self) -> Iterator[JudgedSet]:
        """The sets of passages that claims were judged against; some perhaps twice, or carried
        over. From any thread.
        """
        return judged_sets_in(self.rows())

    def problems(self) -> list[str]:
        """What is wrong with the store itself, beside its rows; reads all of it."""
        return []

    def delete(self, rows: Sequence[Row]) -> None:
        """Delete rows that `row` or `rows` gave; one that is gone already is no error."""

    def leave_thread(self) -> None:
        """Close what the calling thread has open, as it ends; the store stays in use."""
        return

    def close(self) -> None:
        """Close what the calling thread has open; its flights are given back."""

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
