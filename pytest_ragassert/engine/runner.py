"""A metric of a case, measured: at once where every answer is stored, else on the loop."""

from __future__ import annotations

import asyncio
import numbers
from abc import ABC, abstractmethod
from collections.abc import Callable, Coroutine, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from ..case import EvalCase
from ..config.settings import Settings
from ..errors import ConfigurationError, JudgeError, MissingFieldError, VerdictMissing, warn_caller
from ..judging.calls.event_loop import all_done, without_loop
from ..judging.calls.user_calls import error_text
from ..judging.scheduling.asker import Answers, Asker
from ..judging.scheduling.embeddings import Embeddings
from ..judging.scheduling.in_flight import running_prefetch
from ..language.escaping import is_blank, visible
from ..language.number_format import TOLERANCE
from ..metrics.metric import Metric
from ..results import MetricResult
from ..runtime.canonical_json import Json
from ..runtime.threads import apart
from ..steps.catalogue import step_named
from ..steps.evidence.evidence_check import Passage
from ..steps.step import Step
from ..storage.answers import Answer, Embedding
from ..storage.keys import Question
from ..storage.overrides import Override, Use

Result = TypeVar("Result")


@dataclass(frozen=True)
class Job:
    """A metric of a case to be measured.

    Attributes:
        name: what the metric was asked for as.
        minimum: in [0, 1].
        asserted: a score below it fails a test.
        votes: samples of each judgement.
        labels: those that pass, in place of a minimum; none: the minimum decides.
        known_failure: why it is expected to fail, so that failing fails no test.
    """

    case: EvalCase
    name: str
    metric: Metric
    options: dict[str, Any]
    minimum: float
    no_claims: str
    models: tuple[str, ...]
    votes: int = 1
    asserted: bool = False
    labels: tuple[str, ...] = ()
    known_failure: str | None = None

    @property
    def called(self) -> str:
        return f"{self.name} of case {self.case.name}"

    @property
    def characters(self) -> int:
        """Of the case's texts."""
        case = self.case
        lists = (case.retrieved_contexts, case.ground_truth_contexts, case.references)
        turns = (turn["content"] for turn in case.history)
        listed = (text for each in lists for text in each or ())
        texts = [*turns, case.question, case.answer, *listed]
        return sum(len(text) for text in texts if text is not None)


# Characters of a case's texts that are read in a few milliseconds, so that a loop may wait for it.
READ_AT_ONCE = 20_000


@dataclass
class Asked:
    """A judgement that a measurement used, or a text whose vector it used.

    Attributes:
        question: the key of the whole question; of a text its own.
        failed: there is no answer, but what was paid for it.
    """

    key: str
    question: str
    model: str
    answer: Answer | Embedding
    sample: int = 0
    step: Step | None = None
    failed: bool = False

    @property
    def embedding(self) -> bool:
        """A text's vector, no question to a judge."""
        return isinstance(self.answer, Embedding)


@dataclass
class Measured:
    """What came of a job: a result or the error that kept it from one, and what was asked.

    Attributes:
        splits: of a result: for each judgement of several votes whether they differ.
        by_hands: of a result: its claims that a person decided on, for these passages or others.
    """

    job: Job
    result: MetricResult | None = None
    error: Exception | None = None
    asked: list[Asked] = field(default_factory=list)
    splits: dict[str, bool] = field(default_factory=dict)
    by_hands: list[Use] = field(default_factory=list)


_NOT_MEASURED = (MissingFieldError, JudgeError, VerdictMissing, ConfigurationError)


class NotStored(Exception):
    """A question must go to the judge: the loop is needed."""


class _Asking(ABC):
    """What both ways of asking share: making the question, and noting what was used."""

    def __init__(self, asker: Asker, job: Job) -> None:
        self.settings: Settings = asker.settings
        self.models = job.models
        self.votes = job.votes
        self.splits: dict[str, bool] = {}
        self.asked: list[Asked] = []
        self.by_hands: list[Use] = []
        self._asker = asker

    async def __call__(
        self, step: str | Step, input: Json, *, model: str | None = None, sample: int = 0
    ) -> Json:
        question = self._asker.question(step_named(step), input, model or self.models[0], sample)
        if self._asker.local:
            answer = self._asker.local_answer(question)
            self._note(question, question.key, answer)
            return answer.reply
        answers: Answers = {}
        try:
            await self._answer(question, answers)
        except JudgeError as error:
            # counted with the measurement that paid; others that wait share the error
            usage, key = error.usage, error.usage_key or question.key
            if running_prefetch() is None:
                error.usage = None
            for known, answer in answers.items():
                if not answer.stored:
                    self._note(question, known, answer)
            if usage is not None and usage.requests:
                self._note(question, key, Answer({}, usage), failed=True)
            raise
        for key in question.keys:
            self._note(question, key, answers[key])
        return question.assembled({key: answer.reply for key, answer in answers.items()})

    def _note(self, question: Question, key: str, answer: Answer, *, failed: bool = False) -> None:
        self.asked.append(
            Asked(key, question.key, question.model, answer, question.sample, question.step, failed)
        )

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
        # nobody was asked for a local one
        self.asked += [
            Asked(one.key, one.key, model, one) for one in found.values() if not one.local
        ]
        return [found[text].vector for text in texts]

    def by_hand(self, claim: str, passages: Sequence[Passage]) -> Override | None:
        override, use = self._asker.overrides.of(claim, passages)
        if use is not None:
            self.by_hands.append(use)
        return override

    @abstractmethod
    async def _answer(self, question: Question, answers: Answers) -> None:
        """Put the answers to the question's judgements where they are wanted."""

    @abstractmethod
    async def _embedded(self, embeddings: Embeddings, texts: list[str]) -> list[Embedding]: ...


class AskAtOnce(_Asking):
    """Asks the store and the local judge only, without a loop.

    Raises:
        NotStored: another judge must be asked.
    """

    async def _answer(self, question: Question, answers: Answers) -> None:
        answers.update(self._asker.known(question))
        if len(answers) == len(question.keys):
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
    """Asks whom it takes.

    Args:
        unknown: called when something is met that is not known yet.
    """

    def __init__(self, asker: Asker, job: Job, unknown: Callable[[], None] | None = None) -> None:
        super().__init__(asker, job)
        self._unknown = unknown
        self._long = job.characters > READ_AT_ONCE

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


def measure_at_once(job: Job, asker: Asker) -> Measured | None:
    """The job done with stored answers alone; None where that can't be."""
    ask = AskAtOnce(asker, job)
    try:
        check_fields(job)
        if not job.metric.asks_only:
            return None
        draft = without_loop(job.metric.measure(job.case, ask, **job.options))
        return _finished(job, draft, ask, asker)
    except NotStored:
        return None
    except _NOT_MEASURED as error:
        return not_measured(job, error, ask.asked)


async def measure_on_loop(
    job: Job, asker: Asker, unknown: Callable[[], None] | None = None
) -> Measured:
    ask = AskOnLoop(asker, job, unknown)
    try:
        draft = await _drafted(job, ask)
        return _finished(job, draft, ask, asker)
    except _NOT_MEASURED as error:
        return not_measured(job, error, ask.asked)


async def _drafted(job: Job, ask: AskOnLoop) -> Any:
    """What the metric gives.

    Raises:
        RuntimeError: it raised what would end the task or the loop that it runs on.
    """
    try:
        return await job.metric.measure(job.case, ask, **job.options)
    except asyncio.CancelledError as error:
        # who cancels a task says so from Python 3.11 on
        if getattr(asyncio.current_task(), "cancelling", lambda: True)():
            raise
        raise RuntimeError(f"{job.called}: measure() raised CancelledError") from error
    except (GeneratorExit, SystemExit) as error:
        raise RuntimeError(f"{job.called}: measure() raised {error_text(error)}") from error


async def measure_all_on_loop(
    jobs: Sequence[Job], asker: Asker, unknown: Sequence[Callable[[], None] | None] = ()
) -> list[Measured]:
    """
    Args:
        unknown: of each job what is called when it meets something that is not known yet.
    """
    calls = unknown or [None] * len(jobs)
    # they ask in the order in which they begin: who has to ask again what follows goes first
    begun = {
        number: asyncio.ensure_future(measure_on_loop(job, asker, calls[number]))
        for number, job in sorted(enumerate(jobs), key=lambda one: -one[1].metric.rounds)
    }
    return await all_done(begun[number] for number in range(len(jobs)))


def check_fields(job: Job) -> None:
    """Warn of blank contexts.

    Raises:
        MissingFieldError: the case lacks a field that the metric needs.
    """
    for name in job.metric.missing(job.case):
        value = getattr(job.case, name)
        lacks = f"needs the field {name}, which is None"
        if value is not None or (name == "ground_truth_answer" and job.case.references):
            lacks = f"can't be measured: the {name} is empty"
        raise MissingFieldError(
            f"{job.name} {lacks} in case {job.case.name}; "
            f"fill EvalCase({name}=…) or leave the case out"
        )
    for name in job.metric.requires:
        value = getattr(job.case, name)
        if isinstance(value, list) and (blank := sum(map(is_blank, value))):
            warn_caller(
                f"case {job.case.name}: {blank} of {len(value)} {name} are blank and are left out"
            )


def not_measured(job: Job, error: Exception, asked: Sequence[Asked] = ()) -> Measured:
    if isinstance(error, JudgeError | VerdictMissing):
        error = error.about(f"{job.called} not measured")
        error.args = (visible(error.message),)
    return Measured(job, error=error, asked=list(asked))


def _finished(job: Job, draft: Any, ask: _Asking, asker: Asker) -> Measured:
    if isinstance(draft, numbers.Real) and not isinstance(draft, bool):
        draft = MetricResult(metric=job.metric.name, score=_score(job, draft))
    if not isinstance(draft, MetricResult):
        raise TypeError(
            f"metric {job.metric.name}: measure() must return a MetricResult or a number, "
            f"not {type(draft).__name__}"
        )
    to_check = not draft.vacuous or job.no_claims != "fail"
    reached = draft.score >= job.minimum - TOLERANCE
    if job.labels:
        reached = draft.label in job.labels
    # of a question several judgements may be new; texts share requests, which their vectors count
    new = {a.question: a for a in ask.asked if not a.answer.stored}
    # each assigned by itself would be checked by itself
    result = draft.model_copy(
        update={
            "minimum": None if job.labels else job.minimum,
            "passed": reached and to_check,
            "judge": judge_label(asker, job.models),
            "requests": sum(a.answer.usage.requests if a.embedding else 1 for a in new.values()),
            "stored": not new,
            "votes": 1 + max((a.sample for a in ask.asked), default=0),
            "judgements": len(ask.splits),
            "split": sum(ask.splits.values()),
        }
    )
    job.case.results[job.name] = result
    return Measured(job, result, asked=ask.asked, splits=ask.splits, by_hands=ask.by_hands)


def _score(job: Job, value: numbers.Real) -> float:
    """
    Raises:
        JudgeError: not in [0, 1], but for rounding.
    """
    score = float(value)
    if not -TOLERANCE <= score <= 1 + TOLERANCE:
        raise JudgeError(f"measure() gave {score}, no number from 0 to 1", kind="malformed")
    return min(1.0, max(0.0, score))


def judge_label(asker: Asker, models: tuple[str, ...]) -> str:
    """Who judges, for people: the models, or the judge's id where it has none."""
    return ", ".join(models) if asker.judge.uses_model else asker.judge.id
