"""What measuring would ask, counted without asking anybody.

What is stored is used. For what is not, the metric goes on with a reply that is likely, so that
what it would ask next is counted too, as an estimate.
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

# How long a request takes, where nothing is known of the endpoint.
SECONDS_A_REQUEST, TOKENS_A_SECOND = 0.5, 80.0
# Its input is what a reply to another question says.
_FOLLOWS = "verify_claims"
# What a metric of the project may raise, without anybody having ended the run.
_ENDS = (Exception, asyncio.CancelledError, GeneratorExit, SystemExit)


@dataclass(frozen=True)
class Planned:
    """A question that is not stored, or not all of it.

    Attributes:
        requests: messages that it is packed into; none where other questions ask for all of it.
        prompt, completion: estimated tokens.
        follows: what it asks depends on another reply that is not there yet.
    """

    model: str
    requests: int
    prompt: int
    completion: int
    follows: bool


@dataclass
class Plan:
    """What several jobs would ask, each judgement once.

    Attributes:
        asked: what of each question is asked, by its key.
        to_ask: keys of judgements that are asked for, and whether they are estimated: a reply that
            is not there yet may say otherwise.
        stored: keys of judgements that are there.
        carried: of those that are carried over from others.
        likely_carried: the same, unless what is asked first says otherwise.
        replies: what is likely to be replied, by the key of each judgement that is asked for.
        embedded: texts that would be embedded by request.
        partly: what a metric would ask after these is not known.
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
        """How many of the judgements to ask for are estimated."""
        return sum(self.to_ask.values())

    def seconds(self, concurrency: int, per_minute: int | None = None) -> float:
        """How long it takes, as if a request took half a second and a second for 80 tokens.

        Args:
            concurrency: requests in flight.
            per_minute: requests a minute at most.
        """
        each = [
            one.requests * SECONDS_A_REQUEST + one.completion / TOKENS_A_SECOND
            for one in self.asked.values()
        ]
        # one who waits for another's reply can't begin before
        waits = any(one.follows for one in self.asked.values())
        longest = max(each, default=0.0) * (2 if waits else 1)
        limited = 0.0 if per_minute is None else (self.requests - 1) * 60 / per_minute
        return max(sum(each) / concurrency, longest, limited)


class _Unfollowed(Exception):
    """What comes next depends on a reply that nobody can guess."""


class _AskForPlan(AskAtOnce):
    """Asks nobody: plans what is not known, and goes on with what is likely to be replied."""

    def __init__(self, asker: Asker, job: Job, plan: Plan) -> None:
        super().__init__(asker, job)
        self._plan = plan
        self.guesses = False

    async def _answer(self, question: Question, answers: Answers) -> None:
        """
        Raises:
            _Unfollowed: no reply is likely.
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
            raise _Unfollowed
        self.guesses = True
        if keys:
            plan.replies.update(question.replies(keys, reply))
        answers.update((key, Answer(plan.replies[key])) for key in unknown)

    async def _likely_carried(self, question: Question, keys: Sequence[str]) -> list[str]:
        """The keys of those that are carried over unless passages that are new to their claims say
        more of them, which is planned to be asked first."""
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
        # what becomes of them is of no interest; they only have to fit together
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
        MissingFieldError: the case lacks what the metric needs.
        ConfigurationError, TypeError, ValueError: it could not be measured.
        RuntimeError: a metric of the project raised an error; names both.
    """
    ask = _AskForPlan(asker, job, plan)
    if not job.metric.asks_only:
        # it may do anything: it is measured in tests alone
        plan.partly.add(job.name)
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RagAssertWarning)
        try:
            job.drafted(ask)
        except (_Unfollowed, JudgeError):
            plan.partly.add(job.name)
        except _ENDS as error:
            if isinstance(error, ConfigurationError | NeedsLoop) or job.metric in OWN:
                raise
            made_up = ", on a made-up reply" if ask.guesses else ""
            raise RuntimeError(
                f"metric {visible(job.name)}: measure() raised {error_text(error)}{made_up}"
            ) from error
