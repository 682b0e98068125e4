"""Implementations of `Ask`: from the store at once, or from the judge on the event loop."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Coroutine, Iterable, Sequence
from typing import Any, TypeVar, overload

from ..config.settings import Settings
from ..errors import ConfigurationError, JudgeError
from ..judging.calls.event_loop import all_done
from ..judging.scheduling.asker import Asker
from ..judging.scheduling.embeddings import Embeddings
from ..judging.scheduling.in_flight import running_prefetch
from ..runtime.canonical_json import Json
from ..runtime.threads import apart
from ..steps.catalogue import step_named
from ..steps.evidence.evidence_check import Passage
from ..steps.own_step import Step as OwnStep
from ..steps.step import Step
from ..steps.verify_claims import VERIFY_CLAIMS
from ..storage.answers import Answer, Answers, Embedding
from ..storage.keys import Question
from ..storage.overrides import Override, Use
from .jobs import Asked

Result = TypeVar("Result")
Reply = TypeVar("Reply")

# Texts of a case with up to this many characters are read in a few milliseconds, on the loop.
READ_AT_ONCE = 20_000


class NotStored(Exception):
    """The judge must be asked, which needs the loop."""


class _Asking(ABC):
    """Shared by both implementations: making the question, and noting what was used."""

    def __init__(self, asker: Asker, models: tuple[str, ...], votes: int = 1) -> None:
        self.settings: Settings = asker.settings
        self.models = models
        self.votes = votes
        self.splits: dict[str, bool] = {}
        self.asked: list[Asked] = []
        self.by_hands: list[Use] = []
        self._asker = asker

    @overload
    async def __call__(
        self, step: OwnStep[Reply], input: Json, *, model: str | None = None
    ) -> list[Reply]: ...
    @overload
    async def __call__(
        self, step: str, input: Json, *, model: str | None = None, sample: int = 0
    ) -> Json: ...
    async def __call__(
        self, step: str | Step, input: Json, *, model: str | None = None, sample: int = 0
    ) -> Any:
        model = model or self.models[0]
        if not isinstance(step, OwnStep):
            return await self._reply(self._asker.question(step_named(step), input, model, sample))
        if sample:
            raise TypeError(f"the step {step.name} gives all samples as a list; leave sample out")
        input = step.input_of(input)
        samples = (self._asker.question(step, input, model, n) for n in range(self.votes))
        replies = await self.together(map(self._reply, samples))
        return [step.value_of(reply) for reply in replies]

    async def _reply(self, question: Question) -> Json:
        if self._asker.local:
            answer = self._asker.local_answer(question)
            self._note(question, dict.fromkeys(question.keys, answer))
            return answer.reply
        answers: Answers = {}
        try:
            await self._answer(question, answers)
        except JudgeError as error:
            # counted for the measurement that paid; others that wait for it get the same error
            usage, key = error.usage, error.usage_key or question.key
            if running_prefetch() is None:
                error.usage = None
            self._note(question, {k: one for k, one in answers.items() if not one.stored})
            if usage is not None and usage.requests:
                self._note(question, {key: Answer({}, usage)}, failed=True)
            raise
        keys = question.keys
        if len(answers) > len(keys):
            keys = (*keys, *sorted(answers.keys() - set(keys)))
        self._note(question, {key: answers[key] for key in keys})
        return question.assembled({key: reply_of(answers[key]) for key in question.keys})

    def _note(self, question: Question, answers: Answers, *, failed: bool = False) -> None:
        """Note the answers that were used.

        Args:
            answers: by key, in the order in which they are noted.
        """
        name, model = self._asker.name_of(question), question.model
        sample, step = question.sample, question.step
        claims: dict[str, str] = {}
        if step.name == VERIFY_CLAIMS.name and not question.of_part:
            claims = {one.key: one.about for one in question.judgements}
        self.asked += [
            Asked(key, name, model, answer, sample, step, failed, claims.get(key))
            for key, answer in answers.items()
        ]

    @property
    def embedder(self) -> str | None:
        embeddings = self._asker.embeddings
        return None if embeddings is None else embeddings.embedder.id

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        embeddings = self._asker.embeddings
        if embeddings is None:
            raise ConfigurationError(
                "no embedder is configured; set --ragassert-embedder: openai, or a local one: "
                'pip install "pytest-ragassert[wordllama]" and --ragassert-embedder wordllama'
            )
        if isinstance(texts, str):
            raise TypeError("embed() takes a list of texts, not one text")
        distinct = list(dict.fromkeys(texts))
        found = dict(zip(distinct, await self._embedded(embeddings, distinct), strict=True))
        model = embeddings.embedder.model or embeddings.embedder.id
        # for a local embedder, nobody was asked
        self.asked += [
            Asked(one.key, one.key, model, one) for one in found.values() if not one.local
        ]
        return [found[text].vector for text in texts]

    def by_hand(self, claim: str, passages: Sequence[Passage]) -> Override | None:
        override, use = self._asker.overrides.of(claim, passages)
        if use is not None:
            self.by_hands.append(use)
        return override

    def criterion_by_hand(self, judgement: Json) -> Override | None:
        override, use = self._asker.overrides.of_criterion(judgement)
        if use is not None:
            self.by_hands.append(use)
        return override

    @abstractmethod
    async def together(self, works: Iterable[Coroutine[Any, Any, Result]]) -> list[Result]: ...

    @abstractmethod
    async def _answer(self, question: Question, answers: Answers) -> None:
        """Put the answers to the question's judgements into `answers`, with those that decided
        whether they are carried over."""

    @abstractmethod
    async def _embedded(self, embeddings: Embeddings, texts: list[str]) -> list[Embedding]: ...


def reply_of(answer: Answer) -> Json:
    """The reply, marked with the key that it was carried over from."""
    reply: Json = answer.reply
    return reply if answer.carried is None else {**reply, "carried": answer.carried}


class AskAtOnce(_Asking):
    """Asks only the store and the local judge, without a loop.

    Raises:
        NotStored: another judge must be asked.
    """

    async def _answer(self, question: Question, answers: Answers) -> None:
        answers.update(self._asker.known(question))
        if len(answers) == len(question.keys):
            answers.update(self._asker.beside(question, answers))
            return
        if self._asker.replays:
            raise self._asker.missing(question, answers)
        raise NotStored

    async def _embedded(self, embeddings: Embeddings, texts: list[str]) -> list[Embedding]:
        found = embeddings.at_once(texts)
        if found is None:
            raise NotStored
        return found

    async def together(self, works: Iterable[Coroutine[Any, Any, Result]]) -> list[Result]:
        waiting = list(works)
        results = []
        try:
            while waiting:
                results.append(await waiting.pop(0))
        finally:
            for work in waiting:
                work.close()
        return results

    async def computed(self, work: Callable[[], Result]) -> Result:
        return work()


class AskOnLoop(_Asking):
    """Asks the judge on the loop.

    Args:
        characters: the total length of the texts that are measured.
        unknown: called when a question is met whose answer is not known yet.
    """

    def __init__(
        self,
        asker: Asker,
        models: tuple[str, ...],
        votes: int = 1,
        *,
        characters: int = 0,
        unknown: Callable[[], None] | None = None,
    ) -> None:
        super().__init__(asker, models, votes)
        self._unknown = unknown
        self._long = characters > READ_AT_ONCE

    async def _answer(self, question: Question, answers: Answers) -> None:
        await self._asker.answer(question, answers, self._unknown)

    async def _embedded(self, embeddings: Embeddings, texts: list[str]) -> list[Embedding]:
        found = await self._asker.vectors(embeddings, texts)
        if self._unknown is not None and any(not one.stored and not one.local for one in found):
            self._unknown()
        return found

    async def together(self, works: Iterable[Coroutine[Any, Any, Result]]) -> list[Result]:
        return await all_done(works)

    async def computed(self, work: Callable[[], Result]) -> Result:
        return await apart(work) if self._long else work()
