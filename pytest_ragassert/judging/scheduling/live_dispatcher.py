"""Sends each message of a question to the judge separately, as soon as it may be sent."""

from __future__ import annotations

from functools import partial

from ...runtime.canonical_json import Json
from ...steps.step import Step
from ...storage.answers import Answer
from ...storage.keys import Question
from ..judges.judge import Judge, Reply, Unconnected
from .conversation import Conversations
from .scheduler import Scheduler

_LEADING = "extract_claims"  # what it finds is verified


class LiveDispatcher(Unconnected):
    """A `Dispatcher` that asks at once."""

    def __init__(self, judge: Judge, conversations: Conversations, scheduler: Scheduler) -> None:
        self._judge = judge
        self._conversations = conversations
        self._scheduler = scheduler

    async def answer(self, question: Question) -> Answer:
        return await self._conversations.answer(question, partial(self._send, question))

    async def _send(self, question: Question, step: Step, message: Json) -> Reply:
        request = partial(self._judge.reply, step, message, question.model, question.sample)
        return await self._scheduler.send(request, leads=question.step.name == _LEADING)
