"""The base of all steps: name, version, constant instructions, a literal schema, and a reader."""

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
    """What a reply said: `reply` in its normal form, and the ids it left out.

    Attributes:
        unread: what was said of ids left out and is no known label, to end a message with.
    """

    reply: Json
    missing: tuple[int, ...] = ()
    unread: str = ""


@dataclass(frozen=True)
class Step(ABC):
    """A kind of question.

    Instructions and schema are literals: their fingerprint stands in the key of every stored
    verdict, so a changed word asks everything again.

    Attributes:
        former: fingerprints of earlier versions, by which their verdicts are known.
        wanted_proof: a paragraph of the instructions where one id is asked again for its proof.
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
        """SHA-256 over instructions and schema, in hexadecimal."""
        return digest({"instructions": self.instructions, "schema": self.schema})

    def instructed(self, paragraph: str) -> Step:
        """The step with one more paragraph of instructions, to ask the same question again.

        The fingerprint stays: what is stored is the answer to the question, however often that was
        asked.
        """
        more = replace(self, instructions=f"{self.instructions}\n\n{paragraph}")
        more.__dict__["fingerprint"] = self.fingerprint
        return more

    @property
    def mark(self) -> str:
        """Version and the fingerprint's beginning: differs where a judge is asked otherwise."""
        return f"v{self.version} {self.fingerprint[:12]}"

    @property
    def system_message(self) -> str:
        return f"ragassert step: {self.name} v{self.version}\n{self.instructions}"

    @property
    def sent_schema(self) -> Json:
        """The schema as an endpoint gets it."""
        return self.schema

    @property
    def key_of_reply(self) -> str:
        """The one key that a reply's JSON object must have."""
        return str(self.schema["required"][0])

    # -- the judgements of a question, which are stored and asked for each by itself ---------------

    def judgement_inputs(self, input: Json) -> list[Json]:
        """The inputs of the judgements that a question asks for, in order.

        Each has all that its judgement depends on, and is an input of this step too: `about` and
        `fits` take it. Two that are equal are the same judgement.
        """
        return [input]

    def canonical_inputs(self, input: Json, inputs: Sequence[Json]) -> Iterable[str]:
        """Those inputs as `canonical_json`, of which their keys are made.

        Args:
            inputs: as `judgement_inputs` gives them.
        """
        return map(canonical_json, inputs)

    def narrowed(self, input: Json, places: Sequence[int]) -> Json:
        """The input that asks for the judgements at these places alone; all of them: the input."""
        return input

    def judgement_replies(self, input: Json, reply: Json, places: Sequence[int]) -> list[Json]:
        """What a reply says of the judgements at these places, each as it is stored.

        Args:
            input: the whole one.
            reply: to the input that was narrowed to these places, or to the whole one.
        """
        return [reply]

    def assembled(self, input: Json, replies: Sequence[Json]) -> Json:
        """The replies to all judgements of an input, in order, as one reply to it."""
        return replies[0]

    def passages(self, input: Json) -> dict[str, str]:
        """The texts that its judgements name by hash, by it.

        Args:
            input: a question's, whole or narrowed.
        """
        return {}

    def passage_set(self, input: Json) -> list[str]:
        """The hashes of the passages that a judgement is about or made against, sorted."""
        return []

    def without_passages(self, reply: Json) -> Json:
        """A reply to a judgement without hashes of passages; the given one stays."""
        return reply

    def kept(self, reply: Json, *, reasons: bool, passages: bool) -> Json:
        """A reply to a judgement with what a project keeps of it; the given one stays.

        Args:
            reasons: the judge's own words on why.
            passages: their hashes.
        """
        reply = reply if reasons else self.without_reasons(reply)
        return reply if passages else self.without_passages(reply)

    # -- how they are asked for --------------------------------------------------------------------

    @abstractmethod
    def messages(self, input: Json, budget: int) -> list[Json]:
        """The user messages that together ask `input`, each within `budget` estimated tokens.

        Args:
            input: a question's, whole or narrowed.
        """

    @abstractmethod
    def read(self, message: Json, value: Any, whole: Json | None = None) -> Reading:
        """The judge's JSON value as a reading of what `message` asked.

        Args:
            whole: the message that this one asks the rest of; what answers it is passed over.

        Raises:
            ReplyError, VoidReply
        """

    @abstractmethod
    def only(self, message: Json, ids: tuple[int, ...]) -> Json:
        """The same message for these ids alone."""

    @abstractmethod
    def halves(self, message: Json) -> tuple[Json, Json] | None:
        """Two messages that ask for half of the answer each; None where it can't be halved."""

    def shorter(self, message: Json) -> tuple[Json, ...] | None:
        """Messages of less text that together ask the same; None where it can't be cut."""
        return self.halves(message)

    def rejoined(self, message: Json, replies: list[Json]) -> Json:
        """The replies to `shorter` messages as one reply to the message."""
        return self.joined(replies)

    @abstractmethod
    def joined(self, replies: list[Json]) -> Json:
        """Replies that each answer other ids, as one."""

    @abstractmethod
    def merged(self, input: Json, replies: list[Json]) -> Json:
        """The replies to `messages`, as one reply to `input`."""

    @abstractmethod
    def answers(self, message: Json, reply: Any) -> bool:
        """Whether a stored part is whole: a reply to this message in its normal form."""

    def fits(self, input: Json, reply: Any) -> bool:
        """Whether a stored reply is whole: made by this step for this input.

        Args:
            input: a judgement's; a whole question's, where earlier versions kept the reply to it.
        """
        return self.answers(input, reply)

    @abstractmethod
    def is_whole(self, reply: Any) -> bool:
        """Whether it is this step's reply to a judgement in its normal form, whatever was asked."""

    def is_kept_whole(self, reply: Any) -> bool:
        """The same of a whole question's reply, where earlier versions of the store kept those."""
        return False

    def asked(self, message: Json) -> list[int]:
        """The ids of which a reply must say something; none where it may say what it likes."""
        return []

    def without_reasons(self, reply: Json) -> Json:
        """A normal reply with null for the judge's own words on why; the given one stays.

        Args:
            reply: to a message, a whole question or a judgement.
        """
        return reply

    def unproven(self, message: Json, reply: Json) -> dict[int, str]:
        """The ids of which a reply says what it has to prove and doesn't, and what is lacking."""
        return {}

    def proves(self, message: Json, reply: Json) -> bool:
        """Whether a reply to such an id, asked again alone, brings the proof."""
        return False

    def of_less(self, reply: Json) -> Json:
        """A reply, marked as one to less text than the question has."""
        return reply

    def of_messages(self, input: Json, reply: Json, budget: int) -> Json:
        """A reply to a whole question, marked where it came from several messages of less text
        each, as earlier versions did not."""
        return reply

    def said(self, reply: Json, id: int) -> Json:
        """What a judge said of one id; nothing where it said nothing."""
        return {}

    def replaced(self, reply: Json, other: Json) -> Json:
        """The reply with what the other one says in place of its own."""
        return other

    @abstractmethod
    def about(self, input: Json) -> str:
        """What the question is about, for people: the claims or the text, no passages."""


def with_history(message: Json, input: Json) -> Json:
    """The message with the input's earlier turns before its question, where it has both."""
    turns = input.get("history")
    return {"history": turns, **message} if turns and "question" in message else message


def id_of(value: Any) -> int | None:
    """An id as a judge writes it: a whole number, or its digits."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, str) and _DIGITS.fullmatch(value.strip()):
        return int(value)
    return None


def text_of(value: Any) -> str | None:
    """A text that says something, trimmed; None otherwise."""
    return None if not isinstance(value, str) or is_blank(value) else value.strip()


def strict_object(**properties: Json) -> Json:
    """A JSON schema in the subset that strict structured output takes everywhere."""
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
