"""The parts of a question too long for one message, so that a stop in between loses none."""

from __future__ import annotations

from collections.abc import Callable

from ...runtime.canonical_json import Json
from ...storage.answers import Answer, read_answer
from ...storage.keys import Question, now
from .answer_cache import Shelf


class KeptParts:
    """The parts of one question, on the shelf under keys of their own."""

    def __init__(
        self, shelf: Shelf, question: Question, used: Callable[[Question, Json], Json]
    ) -> None:
        self._shelf, self._question, self._used = shelf, question, used

    async def found(self, part: Json) -> Json | None:
        of = self._question.part(part)

        def read(text: str, stored: bool) -> Json | None:
            answer = read_answer(text, of, stored=stored)
            if answer is None or not of.step.answers(part, answer.reply):
                return None
            return self._used(of, answer.reply)

        return await self._shelf.aside(self._shelf.found, of.key, read)

    async def keep(self, part: Json, reply: Json) -> None:
        of = self._question.part(part)
        answer = Answer(self._used(of, reply), when=now())
        await self._shelf.aside(self._shelf.keep, (of.key, answer.to_text(of)))
