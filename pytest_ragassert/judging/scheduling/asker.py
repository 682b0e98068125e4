"""Answers to questions: stored ones at once, others from the judge, each asked once.

The order: committed verdicts → disk cache → what this run already answered → single flight → the
judge.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import (
    AsyncIterator,
    Awaitable,
    Callable,
    Collection,
    Coroutine,
    Iterable,
    Sequence,
)
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from ...config.settings import Settings
from ...errors import JudgeError, VerdictMissing
from ...runtime.canonical_json import Json, same_text
from ...steps.step import Step
from ...storage.answers import Answer, Embedding, read_answer
from ...storage.keys import Question, now, question_key
from ...storage.overrides import Overrides
from ...storage.run_state.run_folder import EMBEDDING, JUDGING, RunFolder
from ..embedders.embedder import Embedder
from ..judges.judge import Judge, Reply
from ..judges.replay_only import RecordedJudge
from .answer_cache import POLL_SECONDS, Shelf, longer
from .conversation import Exchange
from .counters import Counts
from .embeddings import Embeddings
from .follow_ups import with_proof
from .in_flight import Ahead, Errand, LeftToItsTest, running_ahead
from .limits import Limits
from .partial_answers import KeptParts
from .replay_misses import missing
from .scheduler import Dispatch

if TYPE_CHECKING:
    from ...storage.committed.committed_verdicts import CommittedVerdicts
    from ...storage.committed.verdict_line import VerdictLine
    from ...storage.store import Store

Result = TypeVar("Result")
_LEADING = "extract_claims"  # what it finds is verified
_LEAST_BUDGET = 500  # estimated tokens of a message, below which nothing is packed


class Asker:
    """One for a session.

    Args:
        local: the judge answers at once, in this process; it is asked directly in every mode and
            its answers are never stored.
        disk: the store, or None where there is none (record-mode off).
        committed: committed verdicts, or None where none are configured.
        embedder: None where none is configured.
    """

    def __init__(
        self,
        settings: Settings,
        judge: Judge,
        *,
        local: bool,
        disk: Store | None,
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
        self._shelf = Shelf(settings, disk, run, committed)
        self._reasons = settings.store_reasons == "on"
        self.limits = Limits(settings, run)
        self.counts = Counts()
        self.embeddings: Embeddings | None = None
        if embedder is not None:
            send = partial(self._dispatched, EMBEDDING)
            self.embeddings = Embeddings(settings, embedder, self._shelf, send)
        self._dispatch: Dispatch | None = None
        self._asking: dict[str, Errand[Answer]] = {}
        self._dropped: set[asyncio.Task[Answer]] = set()
        # keys of questions that were not known when somebody wanted their answers
        self.wanted: set[str] = set()
        # keys of questions that failed and whose cost was told to somebody
        self._paid_in_vain: set[str] = set()
        self._budgets: dict[str, int] = {}
        self._pid = os.getpid()

    # -- at once, on any thread ------------------------------------------------------------------

    def stored(self, question: Question) -> Answer | None:
        """The answer if it is known already, from the disk or from this run."""
        return self._shelf.found(
            question.key, partial(self._checked, question), partial(_recorded, question)
        )

    def local_answer(self, question: Question) -> Answer:
        """The local judge's answer."""
        exchange = Exchange(question.step, partial(self._to_judge, question))
        reply = without_loop(self._whole(question, exchange))
        return Answer(self._used(question, reply), exchange.usage)

    def missing(self, question: Question) -> VerdictMissing:
        return missing(question, self.settings, self._committed, alone=self._unaskable)

    def leave_thread(self) -> None:
        self._shelf.leave_thread()

    def _checked(self, question: Question, text: str, stored: bool) -> Answer | None:
        answer = read_answer(text, question, stored=stored)
        if answer is None or not question.step.fits(question.input, answer.reply):
            return None
        # one may be stored with reasons by a run that keeps them
        if not self._reasons:
            answer = replace(answer, reply=question.step.without_reasons(answer.reply))
        return answer

    def _used(self, question: Question, reply: Json) -> Json:
        """The reply as it is used and kept: the same in the first run and in every rerun."""
        return reply if self._reasons else question.step.without_reasons(reply)

    # -- on the loop -----------------------------------------------------------------------------

    async def answer(self, question: Question, unknown: Callable[[], None] | None = None) -> Answer:
        """The answer, asked for where it is not known, once for all that want it.

        Args:
            unknown: called where it is not known and somebody waits for it, once it is asked.

        Raises:
            JudgeError: it can't be had; the same question gives the same error for this run.
            VerdictMissing: replay, and it is not stored.
            LeftToItsTest: nobody waits for it, and it is not to be asked ahead.
        """
        self._leave_parent()
        known = await self._shelf.aside(self.stored, question)
        if known is not None:
            return known
        if self.replays:
            raise self.missing(question)
        ahead = running_ahead()
        if ahead is None:
            self.wanted.add(question.key)
        while True:
            errand = self._errand(question, ahead)
            if unknown is not None:
                unknown()
            try:
                # one waiter that gives up must not take the answer from the others
                return await asyncio.shield(errand.task)
            except JudgeError as error:
                if error.blocked and ahead is None and errand.ahead is not None:
                    # it went out while the sockets of another test were blocked
                    continue
                if ahead is None and question.key in self._paid_in_vain:
                    error.usage = None
                elif ahead is None and error.usage is not None:
                    self._paid_in_vain.add(question.key)
                raise
            except asyncio.CancelledError:
                if ahead is not None and errand.task.cancelled():
                    raise LeftToItsTest from None  # it was dropped, whoever asked goes on
                raise
            except LeftToItsTest:
                if ahead is not None:
                    raise

    def _errand(self, question: Question, ahead: Ahead | None) -> Errand[Answer]:
        """The one that brings the answer; from now on it is waited for, unless it is ahead."""
        errand = self._asking.get(question.key)
        # one that is over may stand there until the loop's next turn, and brings the same again
        if errand is None or errand.task.done():
            errand = self._asking[question.key] = Errand(question.key, ahead)
            errand.task = asyncio.ensure_future(self._flight(question, errand))
            errand.task.add_done_callback(partial(self._returned, errand))
        elif ahead is None:
            errand.waited = True
        return errand

    def _returned(self, errand: Errand[Answer], task: asyncio.Task[Answer]) -> None:
        self._dropped.discard(task)
        if self._asking.get(errand.key) is errand:
            del self._asking[errand.key]
        # where nobody waits any more, nobody else looks at the error
        if not task.cancelled():
            task.exception()

    def drop(self, aheads: Collection[Ahead]) -> None:
        """Ask no more of these, but for what went out or is waited for."""
        for errand in list(self._asking.values()):
            if errand.ahead in aheads and not errand.waited and not errand.sent:
                # one who comes to wait for it now asks anew
                del self._asking[errand.key]
                self._dropped.add(errand.task)
                errand.task.cancel()

    async def settle(self, seconds: float) -> None:
        """Let what was asked ahead and went out come, where it comes within so long."""
        asked = self._asking.values()
        coming = [errand.task for errand in asked if errand.ahead is not None and errand.sent]
        if coming:
            await asyncio.wait(coming, timeout=seconds)

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
            self._asking, self._dropped = {}, set()
            self._dispatch = None
            self.judge.forget()
            if self.embeddings is not None:
                self.embeddings.forget()

    async def close(self) -> None:
        tasks = [*self._dropped, *(errand.task for errand in self._asking.values())]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self.judge.close()
        if self.embeddings is not None:
            await self.embeddings.close()
        if self._dispatch is not None:
            await self._dispatch.close()
        await self._shelf.close()
        self.limits.close()

    async def _flight(self, question: Question, errand: Errand[Answer]) -> Answer:
        errand.begin()
        async with self._alone(errand):
            known = await self._shelf.aside(self.stored, question)
            if known is not None:
                return known
            failed = self._run.error(question.key)
            if failed is not None:
                raise failed
            try:
                answer = await self._asked(question)
            except JudgeError as error:
                # what is paid ahead is counted with the test that meets the error
                paid = error.usage if errand.spent_ahead else None
                if paid is not None and paid.requests:
                    await self._shelf.aside(self._run.note_ahead, question.key, paid)
                if not (error.ends_judging or error.blocked):
                    self._run.keep_error(question.key, error, paid)
                raise
            if errand.spent_ahead:
                await self._shelf.aside(self._run.note_ahead, question.key, answer.usage)
            return answer

    async def _asked(self, question: Question) -> Answer:
        exchange = Exchange(
            question.step,
            partial(self._asked_of_judge, question),
            parts=KeptParts(self._shelf, question, self._used),
            too_long=partial(self._learn_length, question.model),
        )
        try:
            reply = await self._whole(question, exchange)
        except JudgeError as error:
            error.usage = exchange.usage
            self.counts.answered()
            raise
        reply = self._used(question, reply)
        answer = Answer(reply, exchange.usage, exchange.served, when=now())
        await self._shelf.aside(self._keep, question, answer)
        self.counts.answered()
        return answer

    async def _whole(self, question: Question, exchange: Exchange) -> Json:
        """The reply to the whole question, packed into as many messages as its size needs."""
        budget = self.settings.token_budget
        budget = min(budget, self._budgets.get(question.model, budget))
        messages = question.step.messages(question.input, budget)
        if len(messages) == 1 or self.local:
            replies = [await exchange.ask(message) for message in messages]
        else:
            replies = await all_done(exchange.ask_part(message) for message in messages)
        whole = question.step.merged(question.input, replies)
        if self.local:
            return whole
        return await with_proof(
            question, exchange, whole, list(zip(messages, replies, strict=True))
        )

    def _learn_length(self, model: str, refused: int) -> None:
        """An endpoint refused a message of so many estimated tokens: later ones are packed less."""
        room = max(_LEAST_BUDGET, refused // 2)
        self._budgets[model] = min(room, self._budgets.get(model, room))

    def _keep(self, question: Question, answer: Answer) -> None:
        of_answer = question.key, answer.to_text(question)
        self._shelf.keep(of_answer, (question_key(question.key), question.to_text()))

    async def _to_judge(self, question: Question, step: Step, message: Json) -> Reply:
        return await self.judge.reply(step, message, question.model, question.sample)

    async def _asked_of_judge(self, question: Question, step: Step, message: Json) -> Reply:
        leads = question.step.name == _LEADING
        request = partial(self._to_judge, question, step, message)
        return await self._dispatched(JUDGING, request, leads=leads)

    async def _dispatched(
        self, what: str, request: Callable[[], Awaitable[Result]], *, leads: bool = False
    ) -> Result:
        if self._dispatch is None:
            self._dispatch = Dispatch(
                self._run,
                self.settings.concurrency,
                self.limits,
                timeout=self.settings.timeout,
            )

        async def counted() -> Result:
            with self.counts.flight():
                return await request()

        return await self._dispatch.send(counted, what, leads=leads)

    @contextlib.asynccontextmanager
    async def _alone(self, errand: Errand[Answer]) -> AsyncIterator[None]:
        """No other process asks this question meanwhile.

        Raises:
            LeftToItsTest: one does, and nobody here waits for it.
        """
        flights = await self._shelf.flights()
        if flights is None:
            yield
            return
        wait = POLL_SECONDS
        while not flights.acquire(errand.key):
            if not errand.waited:
                raise LeftToItsTest
            await asyncio.sleep(wait)
            wait = longer(wait)
        try:
            yield
        finally:
            flights.release(errand.key)


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


async def all_done(works: Iterable[Awaitable[Result]]) -> list[Result]:
    """The results of all; when all have ended, the first error in order."""
    results = await asyncio.gather(*works, return_exceptions=True)
    for result in results:
        if isinstance(result, BaseException):
            raise result
    return results  # type: ignore[return-value]  # the errors were raised


def without_loop(work: Coroutine[Any, Any, Result]) -> Result:
    """The result of a coroutine that never waits."""
    try:
        work.send(None)
    except StopIteration as end:
        return end.value  # type: ignore[no-any-return]  # StopIteration is not generic
    work.close()
    raise RuntimeError("a coroutine that needs a loop was run without one")
