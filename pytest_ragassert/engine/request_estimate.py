"""Counts what measuring would ask, without asking anybody.

Stored answers are used. For others, the metric continues with a likely reply, so that the questions
that follow are counted too, as an estimate.
"""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field

from ..errors import ConfigurationError, JudgeError, RagAssertWarning, VerdictMissing
from ..judging.calls.event_loop import NeedsLoop
from ..judging.calls.user_calls import error_text
from ..judging.scheduling.asker import Asker
from ..judging.scheduling.embeddings import Embeddings
from ..language.escaping import visible
from ..language.token_estimate import estimated_tokens
from ..metrics.registry import OWN
from ..runtime.canonical_json import Json, readable_json
from ..steps.reply_estimates import likely_reply, reply_tokens
from ..storage.answers import Answer, Answers, Embedding
from ..storage.keys import Question
from .asking import AskAtOnce
from .jobs import Job

# The duration of a request, if nothing is known about the endpoint.
SECONDS_A_REQUEST, TOKENS_A_SECOND = 0.5, 80.0
# Its input depends on the reply to another question.
_FOLLOWS = "verify_claims"
# Exceptions that a metric of the project may raise, other than an interrupt by the user.
_ENDS = (Exception, asyncio.CancelledError, GeneratorExit, SystemExit)


@dataclass(frozen=True)
class Planned:
    """A question that is not stored, or not completely.

    Attributes:
        requests: the number of messages that it is packed into; 0 if other questions ask for all
            of it.
        prompt, completion: estimated tokens.
        follows: whether its input depends on another reply that is not known yet.
    """

    model: str
    requests: int
    prompt: int
    completion: int
    follows: bool


@dataclass
class Plan:
    """What several jobs would ask, with each judgement once.

    Attributes:
        asked: what is asked of each question, by the question's key.
        to_ask: the keys of judgements to ask for, and whether they are estimated because a reply
            that is not known yet may change them.
        stored: the keys of stored judgements.
        carried: the keys of judgements that are carried over from others.
        likely_carried: the keys of those that are likely to be carried over.
        replies: the likely reply for each judgement to ask for, by key.
        embedded: texts to embed by request.
        partly: whether a metric may ask further questions that are not known.
    """

    asked: dict[str, Planned] = field(default_factory=dict)
    to_ask: dict[str, bool] = field(default_factory=dict)
    stored: set[str] = field(default_factory=set)
    carried: set[str] = field(default_factory=set)
    likely_carried: set[str] = field(default_factory=set)
    replies: dict[str, Json] = field(default_factory=dict)
    embedded: set[str] = field(default_factory=set)
    partly: set[str] = field(default_factory=set)

    @property
    def requests(self) -> int:
        return sum(one.requests for one in self.asked.values())

    @property
    def estimated(self) -> int:
        """The number of judgements to ask for that are estimated."""
        return sum(self.to_ask.values())

    def seconds(self, concurrency: int, per_minute: int | None = None) -> float:
        """The duration in seconds, if a request takes half a second plus a second per 80 tokens.

        Args:
            concurrency: the maximum number of requests in flight.
            per_minute: the maximum number of requests per minute.
        """
        each = [
            one.requests * SECONDS_A_REQUEST + one.completion / TOKENS_A_SECOND
            for one in self.asked.values()
        ]
        # a question that waits for another's reply can't begin before
        waits = any(one.follows for one in self.asked.values())
        longest = max(each, default=0.0) * (2 if waits else 1)
        limited = 0.0 if per_minute is None else (self.requests - 1) * 60 / per_minute
        return max(sum(each) / concurrency, longest, limited)


class Unfollowed(Exception):
    """What comes next depends on a reply that can't be guessed."""


class AskForPlan(AskAtOnce):
    """Asks nobody: adds unknown judgements to the plan, and continues with likely replies."""

    def __init__(self, asker: Asker, models: tuple[str, ...], votes: int, plan: Plan) -> None:
        super().__init__(asker, models, votes)
        self._plan = plan
        self.guesses = False

    async def _answer(self, question: Question, answers: Answers) -> None:
        """Put likely replies in place of missing answers.

        Raises:
            Unfollowed: no reply is likely.
        """
        plan = self._plan
        answers.update(self._asker.known(question))
        for key, answer in {**self._asker.beside(question, answers), **answers}.items():
            (plan.stored if answer.carried is None else plan.carried).add(key)
        unknown = [key for key in question.keys if key not in answers]
        carried = await self._likely_carried(question, unknown) if unknown else []
        plan.likely_carried.update(carried)
        if carried:
            reply = likely_reply(question.step, question.narrowed(carried).input)
            answers.update(
                (key, Answer(one)) for key, one in question.replies(carried, reply or {}).items()
            )
            unknown = [key for key in unknown if key not in answers]
        if not unknown:
            return
        keys = [key for key in unknown if key not in plan.replies]
        asked = question.narrowed(keys)
        reply = likely_reply(asked.step, asked.input) if keys else {}
        follows = self.guesses and question.step.name == _FOLLOWS
        for key in unknown:
            plan.to_ask.setdefault(key, follows)
        messages = asked.step.messages(asked.input, self.settings.token_budget) if keys else []
        plan.asked.setdefault(question.key, _planned(question, messages, reply, follows=follows))
        if reply is None:
            raise Unfollowed
        self.guesses = True
        if keys:
            plan.replies.update(question.replies(keys, reply))
        answers.update((key, Answer(plan.replies[key])) for key in unknown)

    async def _likely_carried(self, question: Question, keys: Sequence[str]) -> list[str]:
        """The keys of the judgements that are carried over unless the judge finds more in passages
        that are new to their claims; asking about these is planned."""
        waiting: set[str] = set()
        for first in self._asker.asked_first(question, keys):
            known = self._asker.known(first)
            waiting.update(one.about for one in first.judgements if one.key not in known)
            await self._answer(first, {})
        return [one.key for one in question.judgements if one.key in keys and one.about in waiting]

    async def _embedded(self, embeddings: Embeddings, texts: list[str]) -> list[Embedding]:
        for text in texts:
            if not embeddings.embedder.local and not _known(embeddings, text):
                self._plan.embedded.add(text)
        # their values do not matter, but they must have the same length
        return [Embedding(embeddings.key(text), [1.0], local=True) for text in texts]


def _planned(
    question: Question, messages: Sequence[Json], reply: Json | None, *, follows: bool
) -> Planned:
    step = question.step
    constant = estimated_tokens(step.system_message) + estimated_tokens(
        readable_json(step.sent_schema)
    )
    prompt = sum(constant + estimated_tokens(readable_json(one)) for one in messages)
    completion = reply_tokens(reply) if reply else 0
    return Planned(question.model, len(messages), prompt, completion, follows)


def _known(embeddings: Embeddings, text: str) -> bool:
    try:
        return embeddings.at_once([text]) is not None
    except VerdictMissing:
        return False


def plan_job(job: Job, asker: Asker, plan: Plan) -> None:
    """Add to the plan what the job would ask.

    Raises:
        MissingFieldError: the case lacks a field that the metric needs.
        ConfigurationError, TypeError, ValueError: it could not be measured.
        RuntimeError: a metric of the project raised an error; the message names both.
    """
    ask = AskForPlan(asker, job.models, job.votes, plan)
    if not job.metric.asks_only:
        # it may do anything, so it is measured only in tests
        plan.partly.add(job.name)
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RagAssertWarning)
        try:
            job.drafted(ask)
        except (Unfollowed, JudgeError):
            plan.partly.add(job.name)
        except _ENDS as error:
            if isinstance(error, ConfigurationError | NeedsLoop) or job.metric in OWN:
                raise
            made_up = ", on a made-up reply" if ask.guesses else ""
            raise RuntimeError(
                f"metric {visible(job.name)}: measure() raised {error_text(error)}{made_up}"
            ) from error
