"""The base class of all steps: name, version, constant instructions, a literal schema, and a
reader.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar

from ..language.escaping import is_blank
from ..runtime.canonical_json import Json, canonical_json, digest

_DIGITS = re.compile("[0-9]{1,9}")


@dataclass(frozen=True)
class Reading:
    """The contents of a reply: `reply` in its normal form, and the ids that it left out.

    Attributes:
        unread: labels that the reply used for ids left out and that are unknown; a message ends
            with this text.
    """

    reply: Json
    missing: tuple[int, ...] = ()
    unread: str = ""


@dataclass(frozen=True)
class Step(ABC):
    """A kind of question.

    Instructions and schema are literals: their fingerprint is part of the key of every stored
    verdict, so a changed word makes every question be asked again.

    Attributes:
        former: fingerprints of earlier versions, by which their verdicts are recognized.
        wanted_proof: a paragraph that is added to the instructions when one id is asked again for
            its proof.
        kept_whole: earlier versions of the store kept the reply to a whole question.
    """

    wanted_proof: ClassVar[str] = ""
    kept_whole: ClassVar[bool] = False

    name: str
    version: int
    instructions: str
    schema: Json = field(hash=False)
    former: tuple[str, ...] = ()

    @cached_property
    def fingerprint(self) -> str:
        """The SHA-256 of instructions and schema, in hexadecimal."""
        return digest({"instructions": self.instructions, "schema": self.schema})

    def instructed(self, paragraph: str) -> Step:
        """Return the step with one more paragraph of instructions, for asking the same question
        again.

        The fingerprint does not change: what is stored is the answer to the question, however often
        it was asked.
        """
        more = replace(self, instructions=f"{self.instructions}\n\n{paragraph}")
        more.__dict__["fingerprint"] = self.fingerprint
        return more

    @property
    def mark(self) -> str:
        """The version and the beginning of the fingerprint; it differs if a judge is asked
        differently.
        """
        return f"v{self.version} {self.fingerprint[:12]}"

    @property
    def system_message(self) -> str:
        return f"ragassert step: {self.name} v{self.version}\n{self.instructions}"

    @property
    def sent_schema(self) -> Json:
        """The schema in the form that an endpoint gets."""
        return self.schema

    @property
    def key_of_reply(self) -> str:
        """The one key that a reply's JSON object must have."""
        return str(self.schema["required"][0])

    # -- the judgements of a question, which are stored and asked for each by itself ---------------

    def judgement_inputs(self, input: Json) -> list[Json]:
        """Return the inputs of the judgements that a question asks for, in order.

        Each contains everything that its judgement depends on, and is an input of this step too:
        `about` and `fits` accept it. Two equal inputs are the same judgement.
        """
        return [input]

    def canonical_inputs(self, input: Json, inputs: Sequence[Json]) -> Iterable[str]:
        """Return those inputs as `canonical_json`, from which their keys are computed.

        Args:
            inputs: the inputs from `judgement_inputs`.
        """
        return map(canonical_json, inputs)

    def narrowed(self, input: Json, places: Sequence[int]) -> Json:
        """Return the input that asks only for the judgements at these places."""
        return input

    def judgement_replies(self, input: Json, reply: Json, places: Sequence[int]) -> list[Json]:
        """Return what a reply says about the judgements at these places, each in its stored form.

        Args:
            input: the whole input.
            reply: the reply to the input narrowed to these places, or to the whole input.
        """
        return [reply]

    def assembled(self, input: Json, replies: Sequence[Json]) -> Json:
        """Return the replies to all judgements of an input, in order, as one reply to it."""
        return replies[0]

    def passages(self, input: Json) -> dict[str, str]:
        """Return the texts that its judgements name by hash, by hash.

        Args:
            input: a question's input, whole or narrowed.
        """
        return {}

    def passage_set(self, input: Json) -> list[str]:
        """Return the hashes of the passages that a judgement is about or made against, sorted."""
        return []

    def without_passages(self, reply: Json) -> Json:
        """Return a judgement's reply without hashes of passages; the given reply is not changed."""
        return reply

    def kept(self, reply: Json, *, reasons: bool, passages: bool) -> Json:
        """Return a judgement's reply with what a project keeps of it; the given reply is not
        changed.

        Args:
            reasons: whether to keep the judge's own explanation.
            passages: whether to keep the hashes of passages.
        """
        reply = reply if reasons else self.without_reasons(reply)
        return reply if passages else self.without_passages(reply)

    # -- how they are asked for --------------------------------------------------------------------

    @abstractmethod
    def messages(self, input: Json, budget: int) -> list[Json]:
        """Return the user messages that together ask `input`, each within `budget` estimated
        tokens.

        Args:
            input: a question's input, whole or narrowed.
        """

    @abstractmethod
    def read(self, message: Json, value: Any, whole: Json | None = None) -> Reading:
        """Read the judge's JSON value as a reply to `message`.

        Args:
            whole: the message of which this one asks the rest; what answers the former is ignored.

        Raises:
            ReplyError: it can't be read.
            VoidReply: it answers something that was not asked.
        """

    @abstractmethod
    def only(self, message: Json, ids: tuple[int, ...]) -> Json:
        """Return the same message for these ids alone."""

    @abstractmethod
    def halves(self, message: Json) -> tuple[Json, Json] | None:
        """Return two messages that ask for half of the answer each, or None if it can't be
        halved.
        """

    def shorter(self, message: Json) -> tuple[Json, ...] | None:
        """Return messages of less text that together ask the same, or None if it can't be
        divided.
        """
        return self.halves(message)

    def rejoined(self, message: Json, replies: list[Json]) -> Json:
        """Return the replies to `shorter` messages as one reply to the message."""
        return self.joined(replies)

    @abstractmethod
    def joined(self, replies: list[Json]) -> Json:
        """Return replies that each answer different ids as one reply."""

    @abstractmethod
    def merged(self, input: Json, replies: list[Json]) -> Json:
        """Return the replies to `messages` as one reply to `input`."""

    @abstractmethod
    def answers(self, message: Json, reply: Any) -> bool:
        """Whether a stored part is complete: a reply to this message in its normal form."""

    def fits(self, input: Json, reply: Any) -> bool:
        """Whether a stored reply is complete: made by this step for this input.

        Args:
            input: a judgement's input, or that of a whole question if earlier versions kept its
                reply.
        """
        return self.answers(input, reply)

    @abstractmethod
    def is_whole(self, reply: Any) -> bool:
        """Whether it is this step's reply to a judgement in its normal form, whatever was asked."""

    def is_kept_whole(self, reply: Any) -> bool:
        """The same for a whole question's reply, which earlier versions of the store kept."""
        return False

    def asked(self, message: Json) -> list[int]:
        """Return the ids that a reply must cover; none if it has no ids."""
        return []

    def without_reasons(self, reply: Json) -> Json:
        """Return a normal reply with null for the judge's explanations; the given reply is not
        changed.

        Args:
            reply: the reply to a message, a whole question or a judgement.
        """
        return reply

    def unproven(self, message: Json, reply: Json) -> dict[int, str]:
        """Return the ids for which a reply does not prove what it has to prove, and what is
        missing.
        """
        return {}

    def proves(self, message: Json, reply: Json) -> bool:
        """Whether the reply to such an id, asked again alone, brings the proof."""
        return False

    def of_less(self, reply: Json) -> Json:
        """Return a reply, marked as one to less text than the question has."""
        return reply

    def of_messages(self, input: Json, reply: Json, budget: int) -> Json:
        """Return a reply to a whole question, marked if it came from several messages of less text
        each; earlier versions did not mark it.
        """
        return reply

    def said(self, reply: Json, id: int) -> Json:
        """Return what a judge said about one id, or nothing."""
        return {}

    def replaced(self, reply: Json, other: Json) -> Json:
        """Return the reply with parts of the other one instead of its own."""
        return other

    @abstractmethod
    def about(self, input: Json) -> str:
        """Return what the question is about, for people: the claims or the text, without
        passages.
        """


def with_history(message: Json, input: Json) -> Json:
    """Return the message with the input's earlier turns before its question, if it has both."""
    turns = input.get("history")
    return {"history": turns, **message} if turns and "question" in message else message


def id_of(value: Any) -> int | None:
    """Return an id as a judge writes it: a whole number, or its digits."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, str) and _DIGITS.fullmatch(value.strip()):
        return int(value)
    return None


def text_of(value: Any) -> str | None:
    """Return a text, trimmed, or None if it is blank or not a text."""
    return None if not isinstance(value, str) or is_blank(value) else value.strip()


def strict_object(**properties: Json) -> Json:
    """Return a JSON schema in the subset that every strict structured output accepts."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def array_of(items: Json) -> Json:
    return {"type": "array", "items": items}


def nullable(schema: Json) -> Json:
    return {"anyOf": [schema, {"type": "null"}]}


STRING: Json = {"type": "string"}
INTEGER: Json = {"type": "integer"}
NUMBER: Json = {"type": "number"}
BOOLEAN: Json = {"type": "boolean"}
