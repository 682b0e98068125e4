"""Answers to the judgements of questions: stored ones at once, others from the judge, each once.

The order: committed verdicts → the store → what this run already answered → single flight → the
dispatcher.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from typing import TYPE_CHECKING

from ...config.settings import Settings
from ...errors import JudgeError, VerdictMissing
from ...runtime.canonical_json import Json, digest, same_text
from ...steps.step import Step
from ...storage.answers import Answer, Embedding, read_answer
from ...storage.judgement_rows import rows_of
from ...storage.keys import Question
from ...storage.overrides import Overrides
from ...storage.run_state.run_folder import EMBEDDING, JUDGING, RunFolder
from ...usage import Usage
from ..calls.event_loop import without_loop
from ..embedders.embedder import Embedder
from ..judges.judge import Judge
from ..judges.replay_only import RecordedJudge
from .answer_cache import POLL_SECONDS, AnswerCache, PartialAnswers, longer
from .conversation import Conversations
from .dispatcher import dispatcher_of
from .embeddings import Embeddings
from .former_answers import answer_in_line, answer_in_text, is_kept_whole, split
from .in_flight import Flight, InFlight, NotPrefetched, PrefetchScope, running_prefetch
from .limits import Limits
from .replay_misses import missing
from .scheduler import Scheduler

if TYPE_CHECKING:
    from ...storage.committed.committed_verdicts import CommittedVerdicts
    from ...storage.committed.verdict_line import VerdictLine
    from ...storage.store import Flights, Store

_MOST_WAYS = 256  # of asking: steps, models and samples
Answers = dict[str, Answer]  # to judgements, by key


class Asker:
    """One for a session.

    Args:
        local: the judge answers at once, in this process; it is asked directly in every mode and
            its answers are never stored.
        store: the store, or None where there is none (record-mode off).
        committed: committed verdicts, or None where none are configured.
        embedder: None where none is configured.

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
        self._reasons = settings.store_reasons == "on"
        self._names_passages = settings.store_passages == "on"
        self.limits = Limits(settings, run)
        self.scheduler = Scheduler(run, settings.concurrency, self.limits, timeout=settings.timeout)
        self._conversations = Conversations(settings.token_budget, self._parts, self._final)
        self._dispatcher = dispatcher_of(judge, self._conversations, self.scheduler)
        self.in_flight = InFlight[Answers]()
        self.embeddings: Embeddings | None = None
        if embedder is not None:
            send = partial(self.scheduler.send, what=EMBEDDING)
            self.embeddings = Embeddings(settings, embedder, self._cache, send)
        self.wanted: set[str] = set()
        self._ways = lru_cache(maxsize=_MOST_WAYS)(self._way)
        # keys of what failed and whose cost a test has counted
        self._counted_failures: set[str] = set()
        self._pid = os.getpid()

    # -- at once, on any thread ------------------------------------------------------------------

    def question(self, step: Step, input: Json, model: str, sample: int) -> Question:
        """The question to this judge, with the settings of the session."""
        return self._ways(step, model, sample).with_input(input)

    def _way(self, step: Step, model: str, sample: int) -> Question:
        """What all questions of a step to a model have in common."""
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

    def known(self, question: Question, keys: Collection[str] | None = None) -> Answers:
        """Those of its judgements that are known already, from the store or from this run.

        Args:
            keys: of the judgements that are looked for; None: of all.
        """
        judgements = {
            one.key: one for one in question.judgements if keys is None or one.key in keys
        }
        found = self._cache.get_many(
            judgements,
            lambda key, text, stored: self._checked(judgements[key], text, stored),
            lambda key, line: self._recorded(judgements[key], line),
        )
        if len(found) < len(judgements) and is_kept_whole(question):
            found.update(self._former(question, judgements.keys() - found.keys()))
        return found

    def _former(self, question: Question, keys: Collection[str]) -> Answers:
        """What an earlier version kept of these judgements; it is kept anew, each by itself."""
        whole = self._cache.get(
            question.key,
            lambda text, stored: answer_in_text(question, text, stored=stored),
            lambda line: answer_in_line(question, line),
        )
        if whole is None:
            return {}
        answers = {
            key: replace(one, reply=self._kept(question, one.reply))
            for key, one in split(question, whole, keys, self.settings.token_budget).items()
        }
        rows = self._rows(question, answers)
        self._cache.store_converted(rows)
        self._cache.keep_to_commit(row for row in rows if row[0] in answers)
        return answers

    def _recorded(self, judgement: Question, line: VerdictLine) -> Answer | None:
        """The answer in a judgement's committed line; None where it does not fit."""
        answer = _recorded(judgement, line)
        if answer is not None and not line.asked:
            # an earlier version wrote it, and this one writes more
            text = answer.to_text(judgement, names_passages=self._names_passages)
            self._cache.keep_to_commit([(judgement.key, text)])
        return answer

    def local_answer(self, question: Question) -> Answer:
        """The local judge's answer."""
        return without_loop(self._conversations.answer_in_order(question, self.judge))

    def missing(self, question: Question, known: Collection[str]) -> VerdictMissing:
        """
        Args:
            known: keys of its judgements that are known.
        """
        return missing(question, known, self.settings, self._committed, alone=self._unaskable)

    def leave_thread(self) -> None:
        self._cache.leave_thread()

    def _checked(self, question: Question, text: str, stored: bool) -> Answer | None:
        answer = read_answer(text, question, stored=stored)
        if answer is None or not question.step.fits(question.input, answer.reply):
            return None
        if self._reasons and self._names_passages:
            return answer
        # one may be stored with more by a run that keeps it
        return replace(answer, reply=self._kept(question, answer.reply))

    def _kept(self, question: Question, reply: Json) -> Json:
        """The reply to a judgement as it is used and stored: the same in the first run and in every
        rerun."""
        reply = self._final(question, reply)
        return reply if self._names_passages else question.step.without_passages(reply)

    def _final(self, question: Question, reply: Json) -> Json:
        """The same of a message's reply, or of a whole question's."""
        return reply if self._reasons else question.step.without_reasons(reply)

    def _parts(self, question: Question) -> PartialAnswers:
        return PartialAnswers(self._cache, question, self._final)

    # -- on the loop -----------------------------------------------------------------------------

    async def answer(
        self, question: Question, answers: Answers, unknown: Callable[[], None] | None = None
    ) -> None:
        """The answers to its judgements; those not known are asked for, once for all that want
        them.

        Args:
            answers: where they are put; where one can't be had, those that can.
            unknown: called where one is not known and somebody waits for it, once it is asked.

        Raises:
            JudgeError: one can't be had; the same question gives the same error for this run.
            VerdictMissing: replay, and one is not stored.
            NotPrefetched: no test waits for it, and it can't be prefetched.
        """
        self._leave_parent()
        answers.update(await self._cache.in_thread(self.known, question))
        keys = [key for key in question.keys if key not in answers]
        if keys and self.replays:
            raise self.missing(question, answers)
        prefetch = running_prefetch()
        if prefetch is None:
            self.wanted.update(keys)
        while keys:
            flights = self.in_flight.join(keys, prefetch, partial(self._fly, question))
            if unknown is not None:
                unknown()
            errors = []
            for flight in flights:
                try:
                    landed = await self._landed(flight, prefetch)
                except JudgeError as error:
                    # what failed together with others' judgements may well succeed without these
                    if set(flight.keys) <= set(keys):
                        errors.append(error)
                else:
                    answers.update((key, landed[key]) for key in keys if key in landed)
            if errors:
                raise self._counted_once(_last_paid(errors), prefetch)
            keys = [key for key in keys if key not in answers]

    async def _landed(self, flight: Flight[Answers], prefetch: PrefetchScope | None) -> Answers:
        """What a flight brings; nothing where it was a prefetch, and a test has to ask anew."""
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
                raise NotPrefetched from None  # it was dropped, whoever asked goes on
            raise
        except NotPrefetched:
            if prefetch is not None:
                raise
            return {}

    def _counted_once(self, error: JudgeError, prefetch: PrefetchScope | None) -> JudgeError:
        """The error, without what it cost where a test has counted that."""
        if prefetch is None and error.usage is not None and error.usage_key is not None:
            if error.usage_key in self._counted_failures:
                error.usage = None
            self._counted_failures.add(error.usage_key)
        return error

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
            self.in_flight = InFlight[Answers]()
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

    async def _fly(self, question: Question, flight: Flight[Answers]) -> Answers:
        flight.begin()
        async with self._alone(flight):
            known = await self._cache.in_thread(self.known, question, flight.keys)
            keys = [key for key in flight.keys if key not in known]
            if not keys:
                return known
            failed = self._run.error(_together(keys))
            if failed is not None:
                failed.usage_key = _together(keys)
                raise failed
            return {**known, **await self._asked(question, keys, flight)}

    async def _asked(
        self, question: Question, keys: Sequence[str], flight: Flight[Answers]
    ) -> Answers:
        """What the dispatcher answers; what it cost is that of the first judgement."""
        try:
            answer = await self._dispatcher.answer(question.narrowed(keys))
        except JudgeError as error:
            self.scheduler.counter.answered()
            error.usage_key = _together(keys)
            # what a prefetch paid is counted with the test that meets the error
            paid = error.usage if flight.spent_by_prefetch else None
            if paid is not None and paid.requests:
                await self._cache.in_thread(self._run.note_ahead, error.usage_key, paid)
            if not (error.ends_judging or error.blocked):
                self._run.keep_error(error.usage_key, error, paid)
            raise
        answers = {
            key: replace(
                answer,
                reply=self._kept(question, reply),
                usage=answer.usage if key == keys[0] else Usage(),
            )
            for key, reply in question.replies(keys, answer.reply).items()
        }
        await self._cache.in_thread(self._store, question, answers)
        self.scheduler.counter.answered()
        if flight.spent_by_prefetch:
            await self._cache.in_thread(self._run.note_ahead, keys[0], answer.usage)
        return answers

    def _store(self, question: Question, answers: Answers) -> None:
        self._cache.put(*self._rows(question, answers))

    def _rows(self, question: Question, answers: Answers) -> list[tuple[str, str]]:
        return rows_of(question, answers, names_passages=self._names_passages)

    @contextlib.asynccontextmanager
    async def _alone(self, flight: Flight[Answers]) -> AsyncIterator[None]:
        """Let no other process ask for these judgements meanwhile.

        Raises:
            NotPrefetched: one does, and nobody here waits for them.
        """
        flights = await self._cache.flights()
        with contextlib.ExitStack() as held:
            if flights is not None:
                # all in one order, so that no two processes wait for each other
                for key in sorted(flight.keys):
                    await self._acquire(flights, key, flight)
                    held.callback(flights.release, key)
            yield

    async def _acquire(self, flights: Flights, key: str, flight: Flight[Answers]) -> None:
        wait = POLL_SECONDS
        while not flights.acquire(key):
            if not flight.waited:
                raise NotPrefetched
            await asyncio.sleep(wait)
            wait = longer(wait)


def _together(keys: Sequence[str]) -> str:
    """A key for judgements that are asked for together: their error is none of each alone."""
    return keys[0] if len(keys) == 1 else digest(sorted(keys))


def _last_paid(errors: Sequence[JudgeError]) -> JudgeError:
    """Of what several flights failed with, one whose cost must be counted; the last one is the
    question's own, and others wait for the flights that it joined."""
    paid = [error for error in errors if error.usage is not None and error.usage.requests]
    return paid[-1] if paid else errors[0]


def _recorded(question: Question, line: VerdictLine) -> Answer | None:
    """The answer in a judgement's committed line; None where it does not fit."""
    if (
        line.step != question.step.name
        or not line.is_by(question.judge_id, question.model)
        or not same_text(line.about, question.about)
        or not question.step.fits(question.input, line.reply)
    ):
        return None
    return Answer(line.reply, stored=True, committed=True, carried=line.source)
