"""Returns answers by key from committed verdicts, the store and the run's folder, with locks
between processes.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

from ...config.settings import Settings
from ...errors import ConfigurationError
from ...runtime.canonical_json import Json
from ...runtime.clock import Clock
from ...runtime.threads import DiskThread
from ...storage.answers import Answer, read_answer
from ...storage.contents import PRUNE, REPAIR
from ...storage.files.locks import LOCKS, LockFile, leave_lock_file, lock_file
from ...storage.keys import FORMATS, Question, format_of, is_answer_key, now
from ...storage.run_state.run_folder import RunFolder

if TYPE_CHECKING:
    from ...storage.committed.committed_verdicts import CommittedVerdicts
    from ...storage.committed.verdict_line import VerdictLine
    from ...storage.shared_flights import SharedFlights
    from ...storage.store import Flights, Store

Result = TypeVar("Result")

POLL_SECONDS = 0.005
_LONGEST_POLL_SECONDS = 0.05
_NETWORK_THREADS = 8  # round trips at the same time
_LACKED_SECONDS = 2.0
_MOST_LACKED = 10_000


class AnswerCache:
    """Texts by key; one cache for a session.

    Args:
        store: the store, or None if there is none (record-mode off).
        committed: committed verdicts, or None if none are configured.

    Attributes:
        keeps: whether anything is stored or kept for the run.
    """

    def __init__(
        self,
        settings: Settings,
        store: Store | None,
        run: RunFolder,
        committed: CommittedVerdicts | None = None,
    ) -> None:
        self.store = store
        self.run = run
        self.keeps = True
        self._asks_again = settings.record_mode == "all"
        self._replays = settings.record_mode == "none"
        self._updates = settings.update_verdicts is not None
        self._committed = None if settings.record_mode in ("all", "off") else committed
        self._locks: LockFile | None = None
        self._no_locks = False
        # keys that a shared store lacks, and until when it need not be asked for them again
        self._lacked: dict[str, float] = {}
        # reads and writes that the loop must not wait for
        self._thread: DiskThread | None = None
        self._pid = os.getpid()

    def get(
        self,
        key: str,
        read: Callable[[str, bool], Result | None],
        of_line: Callable[[VerdictLine], Result | None] | None = None,
    ) -> Result | None:
        """Return what is known under a key, as in `get_many`."""
        line_read = None if of_line is None else lambda _, line: of_line(line)
        found = self.get_many([key], lambda _, text, stored: read(text, stored), line_read)
        return found.get(key)

    def get_many(
        self,
        keys: Iterable[str],
        read: Callable[[str, str, bool], Result | None],
        of_line: Callable[[str, VerdictLine], Result | None] | None = None,
        *,
        fresh: bool = False,
    ) -> dict[str, Result]:
        """Return what is known under each key, from committed verdicts, the store or this run.

        Args:
            fresh: ask a shared store for keys that it lacked a moment ago, too.
            read: converts a key, its text, and whether the text was there before this run began;
                returns None if the text is damaged.
            of_line: converts a key and its committed line, or returns None if the line does not
                match; None: there are no committed lines of this kind.

        Raises:
            ConfigurationError: in a replay, a committed line is damaged.
        """
        wanted = list(keys)
        found = {} if of_line is None else self._committed_ones(wanted, of_line)
        left = [key for key in wanted if key not in found]
        asked = left if fresh else self._not_just_asked(left)
        if asked and self.store is not None and not self._asks_again:
            texts = self.store.get_many(asked)
            if self.store.networked:
                end = Clock.now() + _LACKED_SECONDS
                self._lacked.update((key, end) for key in asked if key not in texts)
            # answers are kept in the run's folder first: one that is there was made in this run
            made_now = self.run.answered(texts)
            for key, text in texts.items():
                result = read(key, text, key not in made_now)
                if result is not None:
                    found[key] = result
                else:
                    self.run.add_notice(_why_unread(text, self.store.networked))
        for key in left:
            if key not in found and (own := self.run.answer(key)) is not None:
                result = read(key, own, False)
                if result is not None:
                    found[key] = result
        return found

    def _not_just_asked(self, keys: Sequence[str]) -> Sequence[str]:
        """Return the keys without those that a shared store lacked a moment ago."""
        if not self._lacked:
            return keys
        now = Clock.now()
        if len(self._lacked) > _MOST_LACKED:
            self._lacked = {key: end for key, end in self._lacked.copy().items() if end > now}
        return [key for key in keys if self._lacked.get(key, now) <= now]

    def _committed_ones(
        self, keys: Sequence[str], of_line: Callable[[str, VerdictLine], Result | None]
    ) -> dict[str, Result]:
        if self._committed is None:
            return {}
        found = {}
        for key, line in self._committed.lines_under(keys).items():
            result = of_line(key, line)
            if result is not None:
                found[key] = result
            else:
                self._damaged(key)
        return found

    def _damaged(self, key: str) -> None:
        assert self._committed is not None
        what = (
            f"{self._committed.path}: the reply of {key[:12]} does not answer its question; "
            "correct or delete the line (python -m pytest_ragassert verdicts verify)"
        )
        if self._replays:
            raise ConfigurationError(what)
        self.run.add_notice(f"{what}; the line is ignored")

    def put(self, *texts: tuple[str, str]) -> Mapping[str, str]:
        """Store texts, or keep them for the run.

        Args:
            texts: pairs of key and text; what must not be lost comes first.

        Returns:
            The answers that another machine put first and that remain, as in `Store.put_first`.
        """
        if not self.keeps:
            return {}
        rest = []
        for key, text in texts:
            self._lacked.pop(key, None)
            if is_answer_key(key):
                self.run.keep_answer(key, text)
            else:
                rest.append((key, text))
        if rest:
            # nothing looks for these before the run's end
            self.run.keep_together(rest)
        if self.store is None:
            return {}
        if self._asks_again:
            self.store.put_many(texts)
            return {}
        others = self.store.put_first(texts)
        for key, text in others.items():
            # the answers of a run are the ones that count
            self.run.keep_answer(key, text)
        return others

    def replace(self, texts: Sequence[tuple[str, str]]) -> None:
        """Store texts instead of what remained when they were put, and does not fit.

        Args:
            texts: pairs of key and text.
        """
        for key, text in texts:
            if is_answer_key(key):
                self.run.keep_answer(key, text)
        if self.store is not None:
            self.store.put_many(texts)

    def store_converted(self, texts: Sequence[tuple[str, str]]) -> None:
        """Store answers that were there before in another form, if this run may store anything.

        Args:
            texts: pairs of key and text.
        """
        if self.store is not None and self.keeps and not self._replays:
            for key, text in texts:
                # before others find them there
                self.run.keep_converted(key, text)
            self.store.put_first(texts)

    def is_converted(self, key: str) -> bool:
        """Whether the store has an answer under this key only since this run began, having been
        there before in another form."""
        return self.run.converted(key) is not None

    def keep_to_commit(self, texts: Iterable[tuple[str, str]]) -> None:
        """Keep the same for the end of a run that updates the committed verdicts, even if the
        store does not accept it."""
        if self.keeps and self._updates:
            for key, text in texts:
                self.run.keep_converted(key, text)

    def leave_thread(self) -> None:
        if self.store is not None:
            self.store.leave_thread()

    async def in_thread(self, work: Callable[..., Result], *args: object) -> Result:
        """Return the result of `work`, which runs on the store's own thread."""
        executor = self._own_thread()
        return await asyncio.get_running_loop().run_in_executor(executor, work, *args)

    def soon(self, work: Callable[..., object], *args: object) -> None:
        """Do work on the store's own thread, without waiting for it."""
        self._own_thread().submit(work, *args)

    def _own_thread(self) -> DiskThread:
        self._leave_parent()
        if self._thread is None:
            networked = self.store is not None and self.store.networked
            threads = _NETWORK_THREADS if networked else 1
            self._thread = DiskThread(leave=self.leave_thread, threads=threads)
        return self._thread

    async def flights(self) -> Flights | SharedFlights | None:
        """Return the store's single flight, or the run's, or None if neither is available."""
        return await self.in_thread(self._flights)

    async def taken(self, flights: SharedFlights, groups: Sequence[Sequence[str]]) -> list[int]:
        """Take keys of each group, as in `SharedFlights.acquire_in_order`, off the loop."""
        taking = asyncio.ensure_future(self.in_thread(flights.acquire_in_order, groups))
        try:
            return await asyncio.shield(taking)
        except asyncio.CancelledError:

            def give_back(done: asyncio.Future[list[int]]) -> None:
                if not done.cancelled() and done.exception() is None:
                    for names, count in zip(groups, done.result(), strict=True):
                        self.soon(flights.release_many, names[:count])

            taking.add_done_callback(give_back)
            raise

    async def close(self) -> None:
        self._leave_parent()
        if self._thread is not None:
            if self.store is not None:
                await self.in_thread(self.store.close)
            self._thread.shutdown()
        if self._locks is not None:
            leave_lock_file(self._locks)

    def _leave_parent(self) -> None:
        """After a fork, drop the thread and the locks, which belong to the parent process."""
        if self._pid != os.getpid():
            self._pid = os.getpid()
            self._locks = self._thread = None

    def _flights(self) -> Flights | SharedFlights | None:
        of_store = self.store.flights() if self.store is not None and self._locks is None else None
        if of_store is not None:
            return of_store
        if self._locks is None and not self._no_locks:
            try:
                self._locks = lock_file(self.run.make() / LOCKS)
            except OSError as error:
                self._no_locks = True
                self.run.add_notice(
                    f"no lock file can be created ({error}); "
                    "processes of this run may ask the same question twice"
                )
        return self._locks


class PartialAnswers:
    """Stores replies to parts of a question too long for one message, in case the run stops."""

    def __init__(
        self, cache: AnswerCache, question: Question, final: Callable[[Question, Json], Json]
    ) -> None:
        self._cache, self._question, self._final = cache, question, final

    async def get(self, part: Json) -> Json | None:
        own = self._question.part(part)

        def read(text: str, stored: bool) -> Json | None:
            answer = read_answer(text, own, stored=stored)
            if answer is None or not own.step.answers(part, answer.reply):
                return None
            return self._final(own, answer.reply)

        return await self._cache.in_thread(self._cache.get, own.key, read)

    async def put(self, part: Json, reply: Json) -> None:
        own = self._question.part(part)
        answer = Answer(self._final(own, reply), when=now())
        await self._cache.in_thread(self._cache.put, (own.key, answer.to_text(own)))


def _why_unread(text: str, networked: bool) -> str:
    number = format_of(text)
    if number in (None, *FORMATS):
        return (
            "the verdict store contains a verdict that is damaged or does not answer its question; "
            f"it counts as not stored. Look for more with: {REPAIR}"
            + f"; remove damaged ones from the shared store with: {PRUNE}"
            * networked
        )
    return (
        f"the verdict store contains verdicts of another version (format {number}, this one reads "
        f"{' and '.join(map(str, FORMATS))}); they count as not stored. Record new ones with: "
        "pytest --ragassert-record-mode=new_episodes"
    )


def longer(wait: float) -> float:
    """Return the next wait for another process's lock, in seconds."""
    return min(wait * 1.5, _LONGEST_POLL_SECONDS)
