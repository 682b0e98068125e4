"""Answers and vectors in stored form: JSON text, never anything that has to be unpickled."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from typing import Any

from ..runtime.canonical_json import Json, canonical_json, digest, same_text
from ..usage import Usage, counts_of, read_usage
from .keys import FORMAT, FORMATS, Question, now

EMBED_TEXT = "embed_text"
# `json.loads` first tests the type of its argument
_RECORD = json.JSONDecoder()


@dataclass(frozen=True)
class Answer:
    """A complete, validated reply.

    Attributes:
        stored: it was there before this run began.
        committed: it comes from committed verdicts.
        served: the model's name as the endpoint reported it.
        when: the time of the answer, in UTC to the second: `2026-01-31T12:00:00Z`; empty if
            unknown.
        carried: the key of the judgement from which it was carried over; None: it was asked for.
    """

    reply: Json
    usage: Usage = field(default_factory=Usage)
    served: str | None = None
    stored: bool = False
    when: str = ""
    committed: bool = False
    carried: str | None = None

    def to_text(
        self, question: Question, *, names_passages: bool = True, of_format: int = FORMAT
    ) -> str:
        """Return the answer in its stored form.

        Args:
            names_passages: the hashes of the passages that the judgement was made against.
            of_format: 2 if it answers a whole question with several judgements.
        """
        return canonical_json(
            {
                "format": of_format,
                "key": question.key,
                "step": question.step.name,
                "fingerprint": question.step.fingerprint,
                "judge": question.judge_id,
                "model": question.model,
                "sample": question.sample,
                "asked": question.asked,
                "about": question.about,
                "passages": question.passages if names_passages else [],
                **({} if self.carried is None else {"from": self.carried}),
                "reply": self.reply,
                "usage": counts_of(self.usage),
                "served": self.served,
                "when": self.when,
            }
        )


Answers = dict[str, Answer]  # to judgements, by key


def read_answer(text: str, question: Question, *, stored: bool) -> Answer | None:
    """Return the answer in a stored text, or None if it is damaged or does not match the
    question.
    """
    try:
        record: Any
        record, end = _RECORD.raw_decode(text)
        if end != len(text):
            return None
        if record["format"] not in FORMATS or not is_answer_to(question, record):
            return None
        reply = record["reply"]
        usage = read_usage(record["usage"])
        served, when, carried = record["served"], record["when"], record.get("from")
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    if not isinstance(when, str):
        return None
    if not (served is None or isinstance(served, str)):
        return None
    if not (carried is None or isinstance(carried, str)):
        return None
    return Answer(reply, usage, served, stored, when, carried=carried)


def is_answer_to(question: Question, record: Json) -> bool:
    """Whether a record answers this question, according to all of its fields.

    Raises:
        KeyError: a field is missing.
    """
    # what the first versions stored does not contain its key
    if "key" in record and record["key"] != question.key:
        return False
    return (
        record["step"] == question.step.name
        # unknown for an imported answer to a project's own step, but the key includes it
        and record["fingerprint"] in (question.step.fingerprint, "")
        and _is_by(question.judge_id, question.model, record)
        and same_text(record["about"], question.about)
    )


def _is_by(judge: str, model: str, record: Json) -> bool:
    if record["judge"] == judge and record["model"] == model:
        return True
    # imported answers have one name for both
    return bool(record["judge"] == f"{judge} {model}" and record["model"] == "")


# -- vectors ---------------------------------------------------------------------------------------


def vector_key(embedder: str, model: str, text: str) -> str:
    """Return the key of a vector: SHA-256 in hexadecimal over everything that the vector depends
    on.
    """
    return digest({"step": EMBED_TEXT, "embedder": embedder, "model": model, "text": text})


@dataclass(frozen=True)
class Embedding:
    """The vector of a text.

    Attributes:
        usage: its share of the cost of the request.
        stored: it was there before this run began.
        committed: it comes from committed verdicts.
        local: it was made in this process, where it costs nothing and is not stored.
    """

    key: str
    vector: list[float]
    usage: Usage = field(default_factory=Usage)
    stored: bool = False
    local: bool = False
    committed: bool = False


def embedding_text(embedding: Embedding, text: str, embedder: str, model: str) -> str:
    """Return a record like an answer's, with the vector as its reply and the text as its
    subject.
    """
    return canonical_json(
        {
            "format": FORMAT,
            "step": EMBED_TEXT,
            "judge": embedder,
            "model": model,
            "about": text,
            "reply": {"vector": embedding.vector},
            "usage": counts_of(embedding.usage),
            "when": now(),
        }
    )


def read_embedding(key: str, embedder: str, text: str, stored: bool) -> Embedding | None:
    """Return the vector in a stored text, or None if it is damaged or belongs to another text."""
    try:
        record: Any = json.loads(text)
        made_by = record["format"], record["step"], record["judge"]
        if made_by[0] not in FORMATS or made_by[1:] != (EMBED_TEXT, embedder):
            return None
        if not is_under(key, record):
            return None
        vector, usage = vector_of(record["reply"]["vector"]), read_usage(record["usage"])
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    return None if vector is None else Embedding(key, vector, usage, stored)


def is_under(key: str, record: Any) -> bool:
    """Whether the key is that of the record's embedder and text."""
    return vector_key(record["judge"], record["model"] or "", record["about"]) == key


def vector_of(numbers: Any) -> list[float] | None:
    """Return the vector, or None if it is not a list of finite numbers."""
    if not isinstance(numbers, list) or not numbers:
        return None
    if not all(type(number) in (int, float) for number in numbers):
        return None
    try:
        vector = [float(number) for number in numbers]
    except OverflowError:
        return None
    return vector if all(map(math.isfinite, vector)) else None
