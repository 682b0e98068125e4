"""The base class of steps about one text as a whole: one message, no ids, nothing to halve."""

from __future__ import annotations

import math
import re
from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

from ..runtime.canonical_json import Json, canonical_json
from .replies.schema import ReplyError, VoidReply
from .step import Reading, Step, text_of, with_history

_DIGITS = re.compile(r"[0-9]{1,3}(?:\.[0-9]{1,20})?")


class WholeStep(Step):
    """Input: the texts named in `takes`, sent unchanged, and `history` if there is a question."""

    takes: ClassVar[tuple[str, ...]]

    @abstractmethod
    def reply_of(self, message: Json, value: Any) -> Json:
        """Return the judge's JSON value in its normal form.

        Raises:
            ReplyError: it can't be read.
            VoidReply: it answers something that was not asked.
        """

    def messages(self, input: Json, budget: int) -> list[Json]:
        return [with_history({name: input[name] for name in self.takes}, input)]

    def read(self, message: Json, value: Any, whole: Json | None = None) -> Reading:
        return Reading(self.reply_of(message, value))

    def only(self, message: Json, ids: tuple[int, ...]) -> Json:
        return message

    def halves(self, message: Json) -> tuple[Json, Json] | None:
        return None

    def joined(self, replies: list[Json]) -> Json:
        return replies[-1]

    def merged(self, input: Json, replies: list[Json]) -> Json:
        return self.joined(replies)

    def answers(self, message: Json, reply: Any) -> bool:
        try:
            normal = self.reply_of(message, reply)
        except ReplyError:
            return False
        # 1 and True, 1 and 1.0 are equal
        return normal == reply and canonical_json(normal) == canonical_json(reply)

    def is_whole(self, reply: Any) -> bool:
        return self.answers({}, reply)

    def about(self, input: Json) -> str:
        return str(input[self.takes[0]])


def score_in(value: Any, key: str, largest: int) -> Json:
    """Return the object `{"reason", "score"}` with a score from 0 to `largest`, wherever `key`
    names it.

    Raises:
        VoidReply: there is no such score.
    """
    said = value if isinstance(value, dict) else {"score": value}
    score = _number(said.get("score"))
    if score is None or not 0 <= score <= largest:
        raise VoidReply(f"{key} is not a number from 0 to {largest}: {said.get('score')!r:.40}")
    return {"reason": text_of(said.get("reason")), "score": abs(float(score))}


def _number(value: Any) -> int | float | None:
    """Return a JSON number, or the number that a text of digits means."""
    if isinstance(value, str):
        return float(value) if _DIGITS.fullmatch(value := value.strip()) else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if isinstance(value, int) or math.isfinite(value) else None


def object_of(value: Any) -> Json:
    """Return the reply as an object.

    Raises:
        VoidReply: it is not an object.
    """
    if not isinstance(value, dict):
        raise VoidReply(f"the reply is not an object: {value!r:.40}")
    return value


def item_text(item: Any, called: str, names: Sequence[str]) -> str | None:
    """Return an item of a list of texts, trimmed, or None if it is blank.

    Args:
        called: what an item is ("a question"), for the error.
        names: the fields in which an item that is an object may have its text.

    Raises:
        ReplyError: it is not a text.
    """
    if isinstance(item, dict):
        item = next((item[name] for name in names if name in item), item)
    if item is not None and not isinstance(item, str):
        raise ReplyError(f"{called} is not a text: {item!r:.40}")
    return text_of(item)
