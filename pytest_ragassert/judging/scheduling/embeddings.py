"""Vectors for texts: stored ones at once, others in few requests, each text embedded once.

The order: local embedder → committed verdicts → disk cache → what this run embedded → what is
wanted side by side, in one request.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Protocol

from ...config.settings import Settings
from ...errors import JudgeError, VerdictMissing
from ...language.sanitize import visible, without_surrogates
from ...runtime.canonical_json import same_text
from ...runtime.http_mocks import intercepted
from ...storage.answers import Embedding, embedding_text, read_embedding, vector_key, vector_of
from ..embedders.batching import batches, shares
from ..embedders.cosine import of_two_embedders
from ..embedders.embedder import Embedded, Embedder, LocalEmbedder
from .answer_cache import POLL_SECONDS, Shelf, longer
from .in_flight import Ahead, running_ahead
from .replay_misses import missed_vector, recording

if TYPE_CHECKING:
    from ...storage.committed.verdict_line import VerdictLine

# A request goes out when no new wish came for so long; stored answers of judges come one by one.
_QUIET_SECONDS = 0.005
_LONGEST_GATHERING = 0.1
# One text alone may be to blame, or the number of texts: its request is tried again in halves.
_OF_ONE_TEXT = ("request", "content filter")
_MOST_HALVINGS = 16  # of one batch


class Send(Protocol):
    """Sends a request when its turn has come."""

    def __call__(self, request: Callable[[], Awaitable[Embedded]], /) -> Awaitable[Embedded]: ...


class Embeddings:
    """One for a session."""

    def __init__(self, settings: Settings, embedder: Embedder, shelf: Shelf, send: Send) -> None:
        self.embedder = embedder
        self._local = embedder if isinstance(embedder, LocalEmbedder) else None
        self._replays = settings.record_mode == "none"
        self._record = recording(settings)
        self._shelf = shelf
        self._send = send
        self._dimension: int | None = None
        self._start_empty()

    def _start_empty(self) -> None:
        self._wished: dict[str, asyncio.Future[Embedding]] = {}
        # of wishes that nobody waits for, who prepares by them
        self._ahead: dict[str, Ahead] = {}
        self._gathered: list[str] = []
        self._gathering = False
        self._tasks: set[asyncio.Task[None]] = set()

    def key(self, text: str) -> str:
        return vector_key(self.embedder.id, self.embedder.model, text)

    # -- at once, on any thread ------------------------------------------------------------------

    def at_once(self, texts: Sequence[str]) -> list[Embedding] | None:
        """All vectors without a loop; None where the embedder must be asked on one.

        Raises:
            VerdictMissing: replay, and one is not stored.
        """
        if self._local is not None:
            return self._made_here(texts, self._local.embed_now(_writable(texts)))
        found = []
        for text in texts:
            known = self._known(text)
            if known is None:
                if self._replays:
                    raise self._missing(text)
                return None
            found.append(known)
        return found

    def _made_here(self, texts: Sequence[str], embedded: Embedded) -> list[Embedding]:
        pairs = zip(texts, embedded.vectors, strict=True)
        return [Embedding(self.key(text), vector, local=True) for text, vector in pairs]

    def _known(self, text: str) -> Embedding | None:
        """The vector where it is stored, or was made in this run."""
        key = self.key(text)
        read = partial(read_embedding, key, self.embedder.id)
        return self._shelf.found(key, read, partial(self._recorded, text))

    def _recorded(self, text: str, line: VerdictLine) -> Embedding | None:
        """The vector in a committed line; None where there is none, or it is another text's."""
        vector = vector_of(line.reply.get("vector"))
        by = line.is_by(self.embedder.id, self.embedder.model)
        if vector is None or not by or not same_text(line.about, text):
            return None
        return Embedding(line.key, vector, stored=True, committed=True)

    def _missing(self, text: str) -> VerdictMissing:
        return VerdictMissing(
            f"no stored vector by {self.embedder.id} for {visible(text)[:40]!r} "
            f"(record-mode none asks nothing); record it with: pytest {self._record}",
            missed_vector(self.key(text), self.embedder.id, self.embedder.model, text),
        )

    # -- on the loop -----------------------------------------------------------------------------

    async def of(self, texts: Sequence[str]) -> list[Embedding]:
        """The vectors, in order.

        Raises:
            JudgeError: one can't be had; the same text gives the same error for this run.
            VerdictMissing: replay, and one is not stored.
        """
        if self._local is not None:
            return self._made_here(texts, await self.embedder.embed(_writable(texts)))
        ahead = self._ahead.keys() & set(texts) if running_ahead() is None else set()
        wishes = [self._wish(text) for text in texts]
        try:
            # one waiter that gives up must not take the vectors from the others
            return [await asyncio.shield(wish) for wish in wishes]
        except JudgeError as error:
            if not (error.blocked and ahead):
                raise
            # it went out while the sockets of another test were blocked
            await asyncio.wait(wishes)
        again = [self._wish(text) for text in texts]
        return [await asyncio.shield(wish) for wish in again]

    def forget(self) -> None:
        """Drop what belongs to the parent process, after a fork."""
        self._start_empty()
        self.embedder.forget()

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self.embedder.close()

    def _wish(self, text: str) -> asyncio.Future[Embedding]:
        wish, ahead = self._wished.get(text), running_ahead()
        if wish is not None and wish.done():
            # it stands there until the loop's next turn
            wish = None
        if ahead is None:
            self._ahead.pop(text, None)
        elif wish is None:
            self._ahead[text] = ahead
        if wish is None:
            wish = self._wished[text] = asyncio.get_running_loop().create_future()
            wish.add_done_callback(lambda done: self._done(text, done))
            self._gathered.append(text)
            if not self._gathering:
                self._gathering = True
                task = asyncio.ensure_future(self._gather())
                self._tasks.add(task)
                task.add_done_callback(self._tasks.discard)
        return wish

    def _done(self, text: str, wish: asyncio.Future[Embedding]) -> None:
        if self._wished.get(text) is wish:
            del self._wished[text]
            self._ahead.pop(text, None)
        # where nobody waits any more, nobody else looks at the error
        if not wish.cancelled():
            wish.exception()

    def _settle(self, texts: Iterable[str], failed: BaseException) -> None:
        for text in texts:
            wish = self._wished.get(text)
            if wish is None or wish.done():
                continue
            if isinstance(failed, asyncio.CancelledError):
                wish.cancel()
            else:
                wish.set_exception(failed)

    def _grant(self, text: str, embedding: Embedding) -> None:
        wish = self._wished.get(text)
        if wish is not None and not wish.done():
            wish.set_result(embedding)

    async def _gather(self) -> None:
        """Waits until no new wish comes, then sees to all of them."""
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
                    self._settle([text], self._missing(text))
                return
            await asyncio.gather(*map(self._batch, batches(left)))
        except BaseException as error:
            self._settle(texts, error)
            if isinstance(error, asyncio.CancelledError):
                raise

    async def _not_known(self, texts: Sequence[str]) -> list[str]:
        """Those that must be asked for; the others have got what there is."""

        def look() -> list[Embedding | JudgeError | None]:
            return [self._known(text) or self._shelf.run.error(self.key(text)) for text in texts]

        left = []
        for text, found in zip(texts, await self._shelf.aside(look), strict=True):
            if isinstance(found, Embedding):
                self._grant(text, found)
            elif found is None or self._replays:
                left.append(text)
            else:
                self._settle([text], found)
        return left

    async def _batch(self, texts: Sequence[str]) -> None:
        """The texts' vectors; no other process asks for them meanwhile."""
        flights = await self._shelf.flights()
        left, wait = list(texts), POLL_SECONDS
        while left:
            mine = [text for text in left if flights is None or flights.acquire(self.key(text))]
            try:
                unknown = await self._not_known(mine) if mine else []
                if unknown:
                    await self._asked(unknown, iter(range(_MOST_HALVINGS)))
            except Exception as error:
                self._settle(mine, error)
            finally:
                if flights is not None:
                    for text in mine:
                        flights.release(self.key(text))
            taken = set(mine)
            left = [text for text in left if text not in taken]
            if left:
                # another process is at it: what it got will be there
                await asyncio.sleep(wait)
                wait = longer(wait)

    async def _asked(self, texts: Sequence[str], halvings: Iterator[int]) -> None:
        try:
            if intercepted() and self._ahead.keys() >= set(texts):
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
                    self._shelf.run.keep_error(self.key(text), error)
            self._settle(texts, error)
            return
        costs = shares(embedded.usage, [len(text) for text in texts])
        made = [
            Embedding(self.key(text), vector, cost)
            for text, vector, cost in zip(texts, embedded.vectors, costs, strict=True)
        ]
        await self._shelf.aside(self._keep, texts, made)
        for text, embedding in zip(texts, made, strict=True):
            if (ahead := self._ahead.get(text)) is not None:
                ahead.sent.add(embedding.key)
                await self._shelf.aside(self._shelf.run.note_ahead, embedding.key, embedding.usage)
            self._grant(text, embedding)

    async def _embedded(self, texts: Sequence[str]) -> Embedded:
        embedded = await self.embedder.embed(_writable(texts))
        dimension = len(embedded.vectors[0])
        if self._dimension is not None and self._dimension != dimension:
            raise of_two_embedders(self._dimension, dimension, self.embedder.id)
        self._dimension = dimension
        return embedded

    def _keep(self, texts: Sequence[str], made: Sequence[Embedding]) -> None:
        by, model = self.embedder.id, self.embedder.model
        pairs = zip(texts, made, strict=True)
        self._shelf.keep(*((e.key, embedding_text(e, text, by, model)) for text, e in pairs))


def _writable(texts: Sequence[str]) -> list[str]:
    return list(map(without_surrogates, texts))
