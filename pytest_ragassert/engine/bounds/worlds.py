"""The known judgements of a measurement, and worlds in which the missing ones are assumed."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterable, Mapping
from typing import Any, NamedTuple, TypeVar

from ...errors import VerdictMissing
from ...judgements import Met, Verdict
from ...judging.scheduling.asker import Asker
from ...metrics.metric import Movement
from ...runtime.canonical_json import Json, canonical_json
from ...steps.check_criteria import CHECK_CRITERIA
from ...steps.evidence.evidence_check import Passage, checked_quotes, lacks_proof
from ...steps.evidence.passage_hashes import text_hash
from ...steps.judge_passages import JUDGE_PASSAGES
from ...steps.verify_claims import VERIFY_CLAIMS, numbered_passages
from ...storage.answers import Answer, Answers
from ...storage.keys import Question
from ...storage.overrides import Use
from ..asking import AskAtOnce, reply_of
from ..jobs import Job

Result = TypeVar("Result")

# The possible decisions of a judge, by step; those of other steps can't be listed. With the first
# choice, a metric asks for everything that it may ever ask for.
CHOICES: Mapping[str, tuple[Any, ...]] = {
    VERIFY_CLAIMS.name: (
        Verdict.NO_EVIDENCE,
        Verdict.CONTRADICTORY,
        Verdict.PARTIALLY_SUPPORTED,
        Verdict.FULLY_SUPPORTED,
    ),
    JUDGE_PASSAGES.name: (False, True),
    CHECK_CRITERIA.name: (Met.NO, Met.UNCLEAR, Met.YES),
}
# The reason of an assumed judgement, which no judge gives.
ASSUMED = "\x00assumed"
# Returns what is assumed of a missing judgement.
World = Callable[[Question], Any]


class CannotAssume(Exception):
    """A world needs a judgement that can't be assumed."""


class Item(NamedTuple):
    """What is judged, regardless of model and sample: a claim against passages, a passage, or a
    criterion."""

    step: str
    input: str


class Vote(NamedTuple):
    """One judgement on an item.

    Attributes:
        said: the decision, in words that differ if metrics treat it differently; None: it is
            missing.
    """

    model: str
    sample: int
    key: str
    said: str | None


class Survey:
    """The judgements of a measurement, as far as they are known.

    Attributes:
        known: the known judgements, by key, with their question, including those that decided what
            was carried over.
        missing: the missing part of each question.
        votes: the judgements on each item, by key.
    """

    def __init__(self, asker: Asker, movements: Mapping[str, Movement]) -> None:
        self._asker = asker
        self._movements = movements
        self._answers: dict[str, tuple[Question, Answers]] = {}
        self.known: dict[str, tuple[Question, Answer]] = {}
        self.missing: list[VerdictMissing] = []
        self.votes: dict[Item, dict[str, Vote]] = {}

    def look_up(self, question: Question) -> tuple[Question, Answers]:
        """What is known of a question; it is looked up once.

        Raises:
            VerdictMissing: a missing judgement can't be assumed.
        """
        if question.key not in self._answers:
            answers = self._asker.known(question)
            self._answers[question.key] = question, answers
            used = {**answers, **self._asker.beside(question, answers)}
            self.known.update((key, (question, one)) for key, one in used.items())
            if len(answers) < len(question.keys):
                self.missing.append(self._asker.missing(question, answers))
            if question.step.name in self._movements:
                self._note(question, answers)
        question, answers = self._answers[question.key]
        if len(answers) < len(question.keys) and question.step.name not in self._movements:
            raise self._asker.missing(question, answers)
        return question, answers

    def _note(self, question: Question, answers: Answers) -> None:
        passages = _passages_of(question)
        for one in question.judgements:
            said = None
            if one.key in answers:
                said = _said(one, answers[one.key].reply, passages)
            item = Item(question.step.name, canonical_json(one.input))
            vote = Vote(question.model, question.sample, one.key, said)
            self.votes.setdefault(item, {})[one.key] = vote


class AskInWorld(AskAtOnce):
    """Answers with what is known, and with what a world assumes for the rest.

    Attributes:
        questions: the keys of the questions that were asked.
        by_hands: the claims with an override.
    """

    by_hands: list[Use]

    def __init__(self, asker: Asker, job: Job, survey: Survey, world: World) -> None:
        super().__init__(asker, job.models, job.votes)
        self._survey = survey
        self._world = world
        self.questions: set[str] = set()

    async def _reply(self, asked: Question) -> Json:
        question, answers = self._survey.look_up(asked)
        self.questions.add(question.key)
        replies = {key: reply_of(answer) for key, answer in answers.items()}
        passages = _passages_of(question)
        for one in question.judgements:
            if one.key not in replies:
                replies[one.key] = _assumed(one, self._world(one), passages)
        return question.assembled(replies)

    async def together(self, works: Iterable[Coroutine[Any, Any, Result]]) -> list[Result]:
        """Run all to their end, so that everything that is missing is found."""
        results: list[Result] = []
        errors: list[VerdictMissing] = []
        for work in works:
            try:
                results.append(await work)
            except VerdictMissing as missing:
                errors.append(missing)
        if errors:
            raise errors[0]
        return results


def _passages_of(question: Question) -> list[Passage]:
    """The passages that claims are checked against, with 0-based indices."""
    if question.step.name != VERIFY_CLAIMS.name:
        return []
    return numbered_passages(question.input)


def _said(judgement: Question, reply: Json, passages: list[Passage]) -> str:
    """The decision; for a claim, also whether the quotes prove it."""
    if judgement.step.name == JUDGE_PASSAGES.name:
        return str(reply["relevant"])
    if judgement.step.name == CHECK_CRITERIA.name:
        return str(reply["met"])
    return f"{reply['verdict']} {_proves(judgement.input['claim'], reply, passages)}"


def _assumed(judgement: Question, choice: Any, passages: list[Passage]) -> Json:
    """The reply of a judge that decides so, with a quote that proves it.

    Raises:
        CannotAssume: there is no such quote.
    """
    if judgement.step.name == JUDGE_PASSAGES.name:
        return {"relevant": choice, "reason": ASSUMED}
    if judgement.step.name == CHECK_CRITERIA.name:
        return {"reason": ASSUMED, "quote": None, "met": choice.value}
    reply: Json = {
        "verdict": choice.value,
        "reason": ASSUMED,
        "confidence": None,
        "evidence": [],
    }
    if choice not in (Verdict.FULLY_SUPPORTED, Verdict.CONTRADICTORY):
        return reply
    for _, text in passages:
        whole = text.strip()
        # a passage that only repeats the claim does not disprove it, but a part of it may
        for quote in (whole, whole.rpartition(" ")[0]):
            proven = {**reply, "evidence": [{"passage": text_hash(text), "quote": quote}]}
            if quote and _proves(judgement.input["claim"], proven, passages):
                return proven
    raise CannotAssume


def _proves(claim: str, reply: Json, passages: list[Passage]) -> bool:
    # which passage the reply names makes no difference: quotes are searched for in all of them
    quotes = [{"passage": None, "quote": one["quote"]} for one in reply["evidence"]]
    return lacks_proof(checked_quotes({**reply, "evidence": quotes}, claim, passages)) is None
