"""Answers the judgements of questions: stored ones at once, others from the judge, each one once.

The order is: committed verdicts → the store → what this run already answered → single flight → the
dispatcher.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from typing import TYPE_CHECKING

from ...config.settings import Settings
from ...errors import JudgeError, VerdictMissing
from ...runtime.canonical_json import Json, digest
from ...steps.step import Step
from ...storage.answers import Answer, Answers, Embedding
from ...storage.keys import Question
from ...storage.overrides import Overrides
from ...storage.run_state.run_folder import EMBEDDING, JUDGING, RunFolder
from ...storage.sources import Sources
from ...usage import Usage
from ..calls.event_loop import all_done, without_loop
from ..embedders.embedder import Embedder
from ..judges.judge import Judge
from ..judges.replay_only import RecordedJudge
from .answer_cache import AnswerCache, Result
from .conversation import Conversations
from .dispatcher import dispatcher_of
from .embeddings import Embeddings
from .in_flight import (
    Flight,
    InFlight,
    NotPrefetched,
    PrefetchScope,
    running_flight,
    running_prefetch,
)
from .known_answers import KnownAnswers, all_stored
from .limits import Limits
from .replay_misses import missing
from .scheduler import Scheduler
from .single_flight import SingleFlight

if TYPE_CHECKING:
    from ...storage.committed.committed_verdicts import CommittedVerdicts
    from ...storage.committed.verdict_line import VerdictLine
    from ...storage.store import Store

_MOST_WAYS = 256  # of asking: steps, models and samples


class Asker:
    """The asker of a session.

    Args:
        local: the judge answers at once, in this process; it is asked directly in every mode and
            its answers are never stored.
        store: the store, or None if there is none (record-mode off).
        committed: committed verdicts, or None if none are configured.
        embedder: None if none is configured.

    Attributes:
        wanted: keys of judgements that a test waited for when they were not known.
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
        self._known = KnownAnswers(
            settings, self._cache, Sources(run, store, committed), self.overrides, local=local
        )
        self.limits = Limits(settings, run)
        self.scheduler = Scheduler(run, settings.concurrency, self.limits, timeout=settings.timeout)
        self._conversations = Conversations(
            settings.token_budget, self._known.parts, self._known.final
        )
        self._dispatcher = dispatcher_of(judge, self._conversations, self.scheduler)
        self.in_flight = InFlight[Answers]()
        self._single = SingleFlight(self._cache)
        self.embeddings: Embeddings | None = None
        if embedder is not None:
            send = partial(self.scheduler.send, what=EMBEDDING)
            self.embeddings = Embeddings(settings, embedder, self._cache, send)
        self.wanted: set[str] = set()
        self._ways = lru_cache(maxsize=_MOST_WAYS)(self._way)
        # keys of failed questions whose cost was counted with a test
        self._counted_failures: set[str] = set()
        self._pid = os.getpid()

    # -- at once, on any thread ------------------------------------------------------------------

    def question(self, step: Step, input: Json, model: str, sample: int) -> Question:
        """Return the question to this judge, with the session's settings."""
        return self._ways(step, model, sample).with_input(input)

    def _way(self, step: Step, model: str, sample: int) -> Question:
        """Return what all questions of a step to a model have in common."""
        settings, judge = self.settings, self.judge
        return Question(
            step=step,
            input={},
            judge_id=judge.id,
            model=model if judge.uses_model else "",
            sampling={
                "temperature": settings.temperature_of(sample),
                "top_p": settings.top_p,
                "seed": settings.seed,
                "max_tokens": settings.max_tokens,
                **(settings.request_marks if judge.uses_model else {}),
            },
            sample=sample,
        )

    def known(
        self, question: Question, keys: Collection[str] | None = None, *, fresh: bool = False
    ) -> Answers:
        """Return those of its judgements that are already known, as in `KnownAnswers.of`."""
        return self._known.of(question, keys, fresh=fresh)

    def beside(self, question: Question, answers: Answers) -> Answers:
        """Return the answers that decided what was carried over, as in `KnownAnswers.beside`."""
        return self._known.beside(question, answers)

    def asked_first(self, question: Question, keys: Collection[str]) -> list[Question]:
        """Return what is asked before these of its judgements, as in `KnownAnswers.asked_first`."""
        return self._known.asked_first(question, keys)

    def keep_nothing(self) -> None:
        """Store nothing from now on, including answers that are known in another form."""
        self._cache.keeps = False

    def look_up(
        self,
        keys: Collection[str],
        of_text: Callable[[str, str, bool], Result | None],
        of_line: Callable[[str, VerdictLine], Result | None],
    ) -> dict[str, Result]:
        """Return what is known under keys without their questions; arguments as in
        `AnswerCache.get_many`.
        """
        return self._cache.get_many(keys, of_text, of_line)

    def name_of(self, question: Question) -> str:
        """Return a name for the judgements that were asked together. If there are committed
        verdicts, it is the key under which an earlier version may have committed the answer to
        all of them.
        """
        return question.name if self._committed is None else question.key

    def local_answer(self, question: Question) -> Answer:
        """Return the local judge's answer."""
        return without_loop(self._conversations.answer_in_order(question, self.judge))

    def missing(self, question: Question, known: Collection[str]) -> VerdictMissing:
        """Return the error for judgements that a replay lacks.

        Args:
            known: keys of its judgements that are known.
        """
        return missing(question, known, self.settings, self._committed, alone=self._unaskable)

    def leave_thread(self) -> None:
        self._cache.leave_thread()

    # -- on the loop -----------------------------------------------------------------------------

    async def answer(
        self, question: Question, answers: Answers, unknown: Callable[[], None] | None = None
    ) -> None:
        """Return the answers to its judgements. Unknown ones are asked once for everyone who wants
        them.

        Args:
            answers: receives them, together with those `beside` them; if one is unavailable, it
                receives those that are available.
            unknown: called if one is not known and a test waits for it, once it is asked.

        Raises:
            JudgeError: one is unavailable; the same question gives the same error in this run.
            VerdictMissing: in a replay, one is not stored.
            NotPrefetched: no test waits for it, and it can't be prefetched.
        """
        self._leave_parent()
        try:
            await self._answered(question, answers, unknown)
        except JudgeError as error:
            await self._add_beside(question, answers)
            # others share the error: nothing else runs until the caller has seen it
            self._count_once(error, running_prefetch())
            raise
        await self._add_beside(question, answers)

    async def _add_beside(self, question: Question, answers: Answers) -> None:
        if not all_stored(question, answers):
            answers.update(await self._cache.in_thread(self.beside, question, answers))

    async def _answered(
        self, question: Question, answers: Answers, unknown: Callable[[], None] | None = None
    ) -> None:
        """Return the same without those beside them.

        Raises:
            JudgeError: its cost may have been counted already.
            VerdictMissing: as in `answer`.
            NotPrefetched: as in `answer`.
        """
        answers.update(await self._cache.in_thread(self.known, question))
        keys = [key for key in question.keys if key not in answers]
        if keys and self.replays:
            raise self.missing(question, answers)
        prefetch = running_prefetch()
        if prefetch is None:
            self.wanted.update(keys)
        while keys:
            flights = self.in_flight.join(keys, prefetch, partial(self._fly, question))
            if (outer := running_flight()) is not None:
                outer.need(flights)
            if unknown is not None:
                unknown()
            errors = []
            for flight in flights:
                try:
                    landed = await self._landed(flight, prefetch)
                except JudgeError as error:
                    # what failed together with others' judgements may well succeed without them
                    if set(flight.keys) <= set(keys):
                        errors.append(error)
                else:
                    answers.update((key, landed[key]) for key in keys if key in landed)
            if errors:
                raise _last_paid(errors)
            keys = [key for key in keys if key not in answers]

    async def _landed(self, flight: Flight[Answers], prefetch: PrefetchScope | None) -> Answers:
        """Return the answers of a flight; none if it was a prefetch and a test has to ask again."""
        try:
            # one waiter that gives up must not take the answers from the others
            return await asyncio.shield(flight.task)
        except JudgeError as error:
            if error.blocked and prefetch is None and flight.prefetch is not None:
                # it was sent while the sockets of another test were blocked
                return {}
            raise
        except asyncio.CancelledError:
            if prefetch is not None and flight.task.cancelled():
                raise NotPrefetched from None  # it was dropped; whoever asked continues
            raise
        except NotPrefetched:
            if prefetch is not None:
                raise
            return {}

    def _count_once(self, error: JudgeError, prefetch: PrefetchScope | None) -> None:
        """Remove from the error the cost that was already counted with a test."""
        if prefetch is None and error.usage is not None and error.usage_key is not None:
            if error.usage_key in self._counted_failures:
                error.usage = None
            self._counted_failures.add(error.usage_key)

    def ended(self) -> JudgeError | None:
        """Why this run no longer asks the judge, or None if it may be asked."""
        return self._run.ended(JUDGING)

    async def vectors(self, embeddings: Embeddings, texts: Sequence[str]) -> list[Embedding]:
        """Return the texts' vectors, in order, as `Embeddings.of`."""
        self._leave_parent()
        return await embeddings.of(texts)

    def _leave_parent(self) -> None:
        """After a fork, drop tasks, locks and connections, which belong to the parent process."""
        if self._pid != os.getpid():
            self._pid = os.getpid()
            self.in_flight = InFlight[Answers]()
            self._single.forget()
            self.scheduler.forget()
            self._dispatcher.forget()
            self.judge.forget()
            if self.embeddings is not None:
                self.embeddings.forget()

    async def close(self) -> None:
        await self.in_flight.close()
        await self._single.close()
        await self._dispatcher.close()
        await self.judge.close()
        if self.embeddings is not None:
            await self.embeddings.close()
        await self.scheduler.close()
        await self._cache.close()
        self.limits.close()

    async def _fly(self, question: Question, flight: Flight[Answers]) -> Answers:
        flight.begin()
        async with self._single.alone(flight.keys, lambda: flight.waited):
            look = partial(self.known, question, flight.keys, fresh=True)
            known = await self._cache.in_thread(look)
            keys = [key for key in flight.keys if key not in known]
            if keys and await self._asked_first(question, keys):
                known.update(await self._cache.in_thread(self.known, question, keys))
                keys = [key for key in keys if key not in known]
            if not keys:
                return known
            failed = self._run.error(_together(keys))
            if failed is not None:
                failed.usage_key = _together(keys)
                raise failed
            return {**known, **await self._asked(question, keys, flight)}

    async def _asked_first(self, question: Question, keys: Collection[str]) -> bool:
        """Return whether anything was asked that decides which judgements are carried over.

        All other judgements wait for it, so that they are asked together with those that are not
        carried over.
        """
        first = await self._cache.in_thread(self._known.asked_first, question, keys)
        # each has fewer passages, so no two wait for each other
        await all_done(self._answered(one, {}) for one in first)
        return bool(first)

    async def _asked(
        self, question: Question, keys: Sequence[str], flight: Flight[Answers]
    ) -> Answers:
        """Return the dispatcher's answers. The first judgement carries the cost."""
        try:
            answer = await self._dispatcher.answer(question.narrowed(keys))
        except JudgeError as error:
            self.scheduler.counter.answered(len(keys))
            error.usage_key = _together(keys)
            # the cost of a prefetch is counted with the test that meets the error
            paid = error.usage if flight.spent_by_prefetch else None
            if paid is not None and paid.requests:
                await self._cache.in_thread(self._run.note_ahead, error.usage_key, paid)
            if not (error.ends_judging or error.blocked):
                self._run.keep_error(error.usage_key, error, paid)
            raise
        answers = {
            key: replace(
                answer,
                reply=self._known.kept(question, reply),
                usage=answer.usage if key == keys[0] else Usage(),
            )
            for key, reply in question.replies(keys, answer.reply).items()
        }
        answers = await self._cache.in_thread(self._known.keep, question, answers)
        self.scheduler.counter.answered(len(keys))
        if flight.spent_by_prefetch:
            await self._cache.in_thread(self._run.note_ahead, keys[0], answer.usage)
        return answers


def _together(keys: Sequence[str]) -> str:
    """Return a key for judgements that are asked together: their error belongs to none of them
    alone.
    """
    return keys[0] if len(keys) == 1 else digest(sorted(keys))


def _last_paid(errors: Sequence[JudgeError]) -> JudgeError:
    """Return the last of several flights' errors whose cost must still be counted. The last flight
    is the question's own; others wait for the flights that it joined.
    """
    paid = [error for error in errors if error.usage is not None and error.usage.requests]
    return paid[-1] if paid else errors[0]
