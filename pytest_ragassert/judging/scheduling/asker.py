"""Answers to questions: stored ones at once, others from the judge, each asked once.

The order: committed verdicts → the store → what this run already answered → single flight → the
dispatcher.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from ...config.settings import Settings
from ...errors import JudgeError, VerdictMissing
from ...runtime.canonical_json import Json, same_text
from ...storage.answers import Answer, Embedding, read_answer
from ...storage.keys import Question, question_key
from ...storage.overrides import Overrides
from ...storage.run_state.run_folder import EMBEDDING, JUDGING, RunFolder
from ..calls.event_loop import without_loop
from ..embedders.embedder import Embedder
from ..judges.judge import Judge
from ..judges.replay_only import RecordedJudge
from .answer_cache import POLL_SECONDS, AnswerCache, PartialAnswers, longer
from .conversation import Conversations
from .dispatcher import dispatcher_of
from .embeddings import Embeddings
from .in_flight import Flight, InFlight, NotPrefetched, running_prefetch
from .limits import Limits
from .replay_misses import missing
from .scheduler import Scheduler

if TYPE_CHECKING:
    from ...storage.committed.committed_verdicts import CommittedVerdicts
    from ...storage.committed.verdict_line import VerdictLine
    from ...storage.store import Store


class Asker:
    """One for a session.

    Args:
        local: the judge answers at once, in this process; it is asked directly in every mode and
            its answers are never stored.
        store: the store, or None where there is none (record-mode off).
        committed: committed verdicts, or None where none are configured.
        embedder: None where none is configured.

    Attributes:
        wanted: keys of questions that a test waited for when they were not known.
    """

    def __init__(
        self,
        settings: Settings,
        judge: Judge,
        *,
        local: bool,
        store: Store | None,
        run: RunFolder,
        committed: CommittedVerdicts | None = None,
        embedder: Embedder | None = None,
    ) -> None:
        self.settings = settings
        self.judge = judge
        self.local = local
        self._unaskable = isinstance(judge, RecordedJudge)
        self.replays = settings.record_mode == "none" or self._unaskable
        self._run = run
        self._committed = committed
        self.overrides = Overrides(committed.overrides() if committed else ())
        self._cache = AnswerCache(settings, store, run, committed)
        self._reasons = settings.store_reasons == "on"
        self.limits = Limits(settings, run)
        self.scheduler = Scheduler(run, settings.concurrency, self.limits, timeout=settings.timeout)
        self._conversations = Conversations(settings.token_budget, self._parts, self._final)
        self._dispatcher = dispatcher_of(judge, self._conversations, self.scheduler)
        self.in_flight = InFlight[Answer]()
        self.embeddings: Embeddings | None = None
        if embedder is not None:
            send = partial(self.scheduler.send, what=EMBEDDING)
            self.embeddings = Embeddings(settings, embedder, self._cache, send)
        self.wanted: set[str] = set()
        # keys of questions that failed and whose cost a test has counted
        self._counted_failures: set[str] = set()
        self._pid = os.getpid()

    # -- at once, on any thread ------------------------------------------------------------------

    def stored(self, question: Question) -> Answer | None:
        """The answer if it is known already, from the store or from this run."""
        return self._cache.get(
            question.key, partial(self._checked, question), partial(_recorded, question)
        )

    def local_answer(self, question: Question) -> Answer:
        """The local judge's answer."""
        return without_loop(self._conversations.answer_in_order(question, self.judge))

    def missing(self, question: Question) -> VerdictMissing:
        return missing(question, self.settings, self._committed, alone=self._unaskable)

    def leave_thread(self) -> None:
        self._cache.leave_thread()

    def _checked(self, question: Question, text: str, stored: bool) -> Answer | None:
        answer = read_answer(text, question, stored=stored)
        if answer is None or not question.step.fits(question.input, answer.reply):
            return None
        # one may be stored with reasons by a run that keeps them
        if not self._reasons:
            answer = replace(answer, reply=question.step.without_reasons(answer.reply))
        return answer

    def _final(self, question: Question, reply: Json) -> Json:
        """The reply as it is used and stored: the same in the first run and in every rerun."""
        return reply if self._reasons else question.step.without_reasons(reply)

    def _parts(self, question: Question) -> PartialAnswers:
        return PartialAnswers(self._cache, question, self._final)

    # -- on the loop -----------------------------------------------------------------------------

    async def answer(self, question: Question, unknown: Callable[[], None] | None = None) -> Answer:
        """The answer, asked for where it is not known, once for all that want it.

        Args:
            unknown: called where it is not known and somebody waits for it, once it is asked.

        Raises:
            JudgeError: it can't be had; the same question gives the same error for this run.
            VerdictMissing: replay, and it is not stored.
            NotPrefetched: no test waits for it, and it can't be prefetched.
        """
        self._leave_parent()
        known = await self._cache.in_thread(self.stored, question)
        if known is not None:
            return known
        if self.replays:
            raise self.missing(question)
        prefetch = running_prefetch()
        if prefetch is None:
            self.wanted.add(question.key)
        while True:
            flight = self.in_flight.join(question.key, prefetch, partial(self._fly, question))
            if unknown is not None:
                unknown()
            try:
                # one waiter that gives up must not take the answer from the others
                return await asyncio.shield(flight.task)
            except JudgeError as error:
                if error.blocked and prefetch is None and flight.prefetch is not None:
                    # it was sent while the sockets of another test were blocked
                    continue
                if prefetch is None and question.key in self._counted_failures:
                    error.usage = None
                elif prefetch is None and error.usage is not None:
                    self._counted_failures.add(question.key)
                raise
            except asyncio.CancelledError:
                if prefetch is not None and flight.task.cancelled():
                    raise NotPrefetched from None  # it was dropped, whoever asked goes on
                raise
            except NotPrefetched:
                if prefetch is not None:
                    raise

    def ended(self) -> JudgeError | None:
        """Why this run asks the judge no more; None: it may be asked."""
        return self._run.ended(JUDGING)

    async def vectors(self, embeddings: Embeddings, texts: Sequence[str]) -> list[Embedding]:
        """The texts' vectors, in order, as `Embeddings.of` gives them."""
        self._leave_parent()
        return await embeddings.of(texts)

    def _leave_parent(self) -> None:
        """After a fork: tasks, locks and connections are the parent's."""
        if self._pid != os.getpid():
            self._pid = os.getpid()
            self.in_flight = InFlight[Answer]()
            self.scheduler.forget()
            self._dispatcher.forget()
            self.judge.forget()
            if self.embeddings is not None:
                self.embeddings.forget()

    async def close(self) -> None:
        await self.in_flight.close()
        await self._dispatcher.close()
        await self.judge.close()
        if self.embeddings is not None:
            await self.embeddings.close()
        await self.scheduler.close()
        await self._cache.close()
        self.limits.close()

    async def _fly(self, question: Question, flight: Flight[Answer]) -> Answer:
        flight.begin()
        async with self._alone(flight):
            known = await self._cache.in_thread(self.stored, question)
            if known is not None:
                return known
            failed = self._run.error(question.key)
            if failed is not None:
                raise failed
            try:
                answer = await self._dispatcher.answer(question)
            except JudgeError as error:
                self.scheduler.counter.answered()
                # what a prefetch paid is counted with the test that meets the error
                paid = error.usage if flight.spent_by_prefetch else None
                if paid is not None and paid.requests:
                    await self._cache.in_thread(self._run.note_ahead, question.key, paid)
                if not (error.ends_judging or error.blocked):
                    self._run.keep_error(question.key, error, paid)
                raise
            await self._cache.in_thread(self._store, question, answer)
            self.scheduler.counter.answered()
            if flight.spent_by_prefetch:
                await self._cache.in_thread(self._run.note_ahead, question.key, answer.usage)
            return answer

    def _store(self, question: Question, answer: Answer) -> None:
        of_answer = question.key, answer.to_text(question)
        self._cache.put(of_answer, (question_key(question.key), question.to_text()))

    @contextlib.asynccontextmanager
    async def _alone(self, flight: Flight[Answer]) -> AsyncIterator[None]:
        """Let no other process ask this question meanwhile.

        Raises:
            NotPrefetched: one does, and nobody here waits for it.
        """
        flights = await self._cache.flights()
        if flights is None:
            yield
            return
        wait = POLL_SECONDS
        while not flights.acquire(flight.key):
            if not flight.waited:
                raise NotPrefetched
            await asyncio.sleep(wait)
            wait = longer(wait)
        try:
            yield
        finally:
            flights.release(flight.key)


def _recorded(question: Question, line: VerdictLine) -> Answer | None:
    """The answer in a committed line; None where it does not fit the question."""
    if (
        line.step != question.step.name
        or not line.is_by(question.judge_id, question.model)
        or not same_text(line.about, question.about)
        or not question.step.fits(question.input, line.reply)
    ):
        return None
    return Answer(line.reply, stored=True, committed=True)
