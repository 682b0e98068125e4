"""Returns vectors of texts: stored ones at once, others in few requests, each text embedded once.

The order is: local embedder → committed verdicts → the store → what this run embedded → everything
that is wanted at the same time, in one request.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Protocol

from ...config.settings import Settings
from ...errors import JudgeError, VerdictMissing
from ...language.escaping import visible, without_surrogates
from ...runtime.canonical_json import same_text
from ...runtime.http_mocks import intercepted
from ...storage.answers import Embedding, embedding_text, read_embedding, vector_key, vector_of
from ...storage.shared_flights import SharedFlights
from ..embedders.batching import batches, shares
from ..embedders.cosine import different_dimensions
from ..embedders.embedder import Embedded, Embedder, LocalEmbedder
from .answer_cache import POLL_SECONDS, AnswerCache, longer
from .in_flight import PrefetchScope, running_prefetch
from .replay_misses import missed_vector, recording

if TYPE_CHECKING:
    from ...storage.committed.verdict_line import VerdictLine
    from ...storage.store import Flights

# A request is sent when no new text has come for this long; judges' stored answers come one by one.
_QUIET_SECONDS = 0.005
_LONGEST_GATHERING = 0.1
# One text, or the number of texts, may be the cause: the request is tried again in halves.
_OF_ONE_TEXT = ("request", "content filter")
_MOST_HALVINGS = 16  # of one batch


class Send(Protocol):
    """Sends a request when it may be sent."""

    def __call__(self, request: Callable[[], Awaitable[Embedded]], /) -> Awaitable[Embedded]: ...


class Embeddings:
    """The embeddings of a session."""

    def __init__(
        self, settings: Settings, embedder: Embedder, cache: AnswerCache, send: Send
    ) -> None:
        self.embedder = embedder
        self._local = embedder if isinstance(embedder, LocalEmbedder) else None
        self._replays = settings.record_mode == "none"
        self._record = recording(settings)
        self._cache = cache
        self._send = send
        self._dimension: int | None = None
        self._start_empty()

    def _start_empty(self) -> None:
        self._pending: dict[str, asyncio.Future[Embedding]] = {}
        # by text: the prefetch that asks for it, while no test waits for it
        self._prefetches: dict[str, PrefetchScope] = {}
        self._gathered: list[str] = []
        self._gathering = False
        self._tasks: set[asyncio.Task[None]] = set()

    def key(self, text: str) -> str:
        return vector_key(self.embedder.id, self.embedder.model, text)

    # -- at once, on any thread ------------------------------------------------------------------

    def at_once(self, texts: Sequence[str]) -> list[Embedding] | None:
        """Return all vectors without a loop, or None if the embedder must be asked on a loop.

        Raises:
            VerdictMissing: in a replay, one is not stored.
        """
        if self._local is not None:
            return self._made_here(texts, self._local.embed_now(_writable(texts)))
        known = self._known(texts)
        lacking = [text for text in texts if text not in known]
        if lacking and self._replays:
            raise self._missing(lacking)
        return None if lacking else [known[text] for text in texts]

    def _made_here(self, texts: Sequence[str], embedded: Embedded) -> list[Embedding]:
        pairs = zip(texts, embedded.vectors, strict=True)
        return [Embedding(self.key(text), vector, local=True) for text, vector in pairs]

    def _known(self, texts: Iterable[str]) -> dict[str, Embedding]:
        """Return the vectors that are stored or were made in this run, by text."""
        by_key = {self.key(text): text for text in texts}
        found = self._cache.get_many(
            by_key,
            lambda key, text, stored: read_embedding(key, self.embedder.id, text, stored),
            lambda key, line: self._recorded(by_key[key], line),
        )
        return {by_key[key]: embedding for key, embedding in found.items()}

    def _recorded(self, text: str, line: VerdictLine) -> Embedding | None:
        """Return the vector in a committed line, or None if there is none or it belongs to another
        text.
        """
        vector = vector_of(line.reply.get("vector"))
        by = line.is_by(self.embedder.id, self.embedder.model)
        if vector is None or not by or not same_text(line.about, text):
            return None
        return Embedding(line.key, vector, stored=True, committed=True)

    def _missing(self, texts: Sequence[str]) -> VerdictMissing:
        embedder = self.embedder
        return VerdictMissing(
            f"no stored vector by {embedder.id} for {visible(texts[0])[:40]!r} "
            f"(record-mode none asks nothing); record it with: pytest {self._record}",
            {
                "missing": [
                    missed_vector(self.key(text), embedder.id, embedder.model, text)
                    for text in texts
                ],
                "known": {},
                "alone": False,
            },
        )

    # -- on the loop -----------------------------------------------------------------------------

    async def of(self, texts: Sequence[str]) -> list[Embedding]:
        """Return the vectors, in order.

        Raises:
            JudgeError: one is unavailable; the same text gives the same error in this run.
            VerdictMissing: in a replay, one is not stored.
        """
        if self._local is not None:
            return self._made_here(texts, await self.embedder.embed(_writable(texts)))
        prefetched = running_prefetch() is None and self._prefetches.keys() & set(texts)
        futures = [self._join(text) for text in texts]
        try:
            # one waiter that gives up must not take the vectors from the others
            return [await asyncio.shield(future) for future in futures]
        except JudgeError as error:
            if not (error.blocked and prefetched):
                raise
            # it was sent while the sockets of another test were blocked
            await asyncio.wait(futures)
        again = [self._join(text) for text in texts]
        return [await asyncio.shield(future) for future in again]

    def forget(self) -> None:
        """Drop everything that belongs to the parent process, after a fork."""
        self._start_empty()
        self.embedder.forget()

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self.embedder.close()

    def _join(self, text: str) -> asyncio.Future[Embedding]:
        future, prefetch = self._pending.get(text), running_prefetch()
        if future is not None and future.done():
            # it is here until the loop's next iteration
            future = None
        if prefetch is None:
            self._prefetches.pop(text, None)
        elif future is None:
            self._prefetches[text] = prefetch
        if future is None:
            future = self._pending[text] = asyncio.get_running_loop().create_future()
            future.add_done_callback(lambda done: self._remove(text, done))
            self._gathered.append(text)
            if not self._gathering:
                self._gathering = True
                task = asyncio.ensure_future(self._gather())
                self._tasks.add(task)
                task.add_done_callback(self._tasks.discard)
        return future

    def _remove(self, text: str, future: asyncio.Future[Embedding]) -> None:
        if self._pending.get(text) is future:
            del self._pending[text]
            self._prefetches.pop(text, None)
        # if nothing waits any more, nothing else looks at the error
        if not future.cancelled():
            future.exception()

    def _fail(self, texts: Iterable[str], failed: BaseException) -> None:
        for text in texts:
            future = self._pending.get(text)
            if future is None or future.done():
                continue
            if isinstance(failed, asyncio.CancelledError):
                future.cancel()
            else:
                future.set_exception(failed)

    def _resolve(self, text: str, embedding: Embedding) -> None:
        future = self._pending.get(text)
        if future is not None and not future.done():
            future.set_result(embedding)

    async def _gather(self) -> None:
        """Wait until no new text comes, then embed all of them."""
        loop = asyncio.get_running_loop()
        end, seen = loop.time() + _LONGEST_GATHERING, 0
        while len(self._gathered) != seen and loop.time() < end:
            seen = len(self._gathered)
            await asyncio.sleep(_QUIET_SECONDS)
        texts, self._gathered, self._gathering = self._gathered, [], False
        try:
            left = await self._not_known(texts)
            if self._replays:
                for text in left:
                    self._fail([text], self._missing(text))
                return
            await asyncio.gather(*map(self._batch, batches(left)))
        except BaseException as error:
            self._fail(texts, error)
            if isinstance(error, asyncio.CancelledError):
                raise

    async def _not_known(self, texts: Sequence[str]) -> list[str]:
        """Return those that must be asked for; the others have received what is known."""

        def look() -> list[Embedding | JudgeError | None]:
            known = self._known(texts)
            return [known.get(text) or self._cache.run.error(self.key(text)) for text in texts]

        left = []
        for text, found in zip(texts, await self._cache.in_thread(look), strict=True):
            if isinstance(found, Embedding):
                self._resolve(text, found)
            elif found is None or self._replays:
                left.append(text)
            else:
                self._fail([text], found)
        return left

    async def _batch(self, texts: Sequence[str]) -> None:
        """Return the texts' vectors; no other process asks for them in the meantime."""
        flights = await self._cache.flights()
        left, wait = list(texts), POLL_SECONDS
        while left:
            mine = await self._taken(flights, left)
            try:
                unknown = await self._not_known(mine) if mine else []
                if unknown:
                    await self._asked(unknown, iter(range(_MOST_HALVINGS)))
            except Exception as error:
                self._fail(mine, error)
            finally:
                self._release(flights, mine)
            taken = set(mine)
            left = [text for text in left if text not in taken]
            if left:
                # another process asks for it: its result will be there
                await asyncio.sleep(wait)
                wait = longer(wait)

    async def _taken(
        self, flights: Flights | SharedFlights | None, texts: Sequence[str]
    ) -> list[str]:
        """Return the texts that no other process asks for, after taking them."""
        if isinstance(flights, SharedFlights):
            counts = await self._cache.taken(flights, [[self.key(text)] for text in texts])
            return [text for text, count in zip(texts, counts, strict=True) if count]
        return [text for text in texts if flights is None or flights.acquire(self.key(text))]

    def _release(self, flights: Flights | SharedFlights | None, texts: Sequence[str]) -> None:
        keys = list(map(self.key, texts))
        if isinstance(flights, SharedFlights):
            self._cache.soon(flights.release_many, keys)
        elif flights is not None:
            for key in keys:
                flights.release(key)

    async def _asked(self, texts: Sequence[str], halvings: Iterator[int]) -> None:
        try:
            if intercepted() and self._prefetches.keys() >= set(texts):
                raise JudgeError("left to its own test: HTTP is intercepted", kind="blocked")
            embedded = await self._send(partial(self._embedded, texts))
        except JudgeError as error:
            if error.kind in _OF_ONE_TEXT and len(texts) > 1 and next(halvings, None) is not None:
                middle = len(texts) // 2
                await self._asked(texts[:middle], halvings)
                await self._asked(texts[middle:], halvings)
                return
            if not (error.ends_judging or error.blocked):
                for text in texts:
                    self._cache.run.keep_error(self.key(text), error)
            self._fail(texts, error)
            return
        costs = shares(embedded.usage, [len(text) for text in texts])
        made = [
            Embedding(self.key(text), vector, cost)
            for text, vector, cost in zip(texts, embedded.vectors, costs, strict=True)
        ]
        made = await self._cache.in_thread(self._keep, texts, made)
        for text, embedding in zip(texts, made, strict=True):
            if (prefetch := self._prefetches.get(text)) is not None:
                prefetch.sent.add(embedding.key)
                await self._cache.in_thread(
                    self._cache.run.note_ahead, embedding.key, embedding.usage
                )
            self._resolve(text, embedding)

    async def _embedded(self, texts: Sequence[str]) -> Embedded:
        embedded = await self.embedder.embed(_writable(texts))
        dimension = len(embedded.vectors[0])
        if self._dimension is not None and self._dimension != dimension:
            raise different_dimensions(self._dimension, dimension, self.embedder.id)
        self._dimension = dimension
        return embedded

    def _keep(self, texts: Sequence[str], made: Sequence[Embedding]) -> list[Embedding]:
        """Store vectors, and return those that count, as in `KnownAnswers.keep`."""
        by, model = self.embedder.id, self.embedder.model
        pairs = list(zip(texts, made, strict=True))
        rows = {e.key: embedding_text(e, text, by, model) for text, e in pairs}
        others = self._cache.put(*rows.items())
        counting = []
        for _, own in pairs:
            first = None
            if own.key in others:
                first = read_embedding(own.key, by, others[own.key], stored=False)
            counting.append(own if first is None else replace(first, usage=own.usage))
        return counting


def _writable(texts: Sequence[str]) -> list[str]:
    return list(map(without_surrogates, texts))
