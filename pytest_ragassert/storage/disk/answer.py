"""An answer as it is stored: JSON text, never anything that has to be unpickled."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import Any

from ...runtime.canonical_json import Json, canonical_json, same_text
from ...usage import Usage, read_usage
from ..keys import Question
from ..record import FORMAT


@dataclass(frozen=True)
class Answer:
    """A whole, validated reply.

    Attributes:
        stored: it was there before this run began.
        committed: it comes from committed verdicts.
        served: the model's name as the endpoint gave it.
        when: it was answered, in UTC to the second: `2026-01-31T12:00:00Z`; empty where unknown.
    """

    reply: Json
    usage: Usage = field(default_factory=Usage)
    served: str | None = None
    stored: bool = False
    when: str = ""
    committed: bool = False

    def to_text(self, question: Question) -> str:
        return canonical_json(
            {
                "format": FORMAT,
                "key": question.key,
                "step": question.step.name,
                "fingerprint": question.step.fingerprint,
                "judge": question.judge_id,
                "model": question.model,
                "sample": question.sample,
                "about": question.about,
                "reply": self.reply,
                "usage": asdict(self.usage),
                "served": self.served,
                "when": self.when,
            }
        )


def read_answer(text: str, question: Question, *, stored: bool) -> Answer | None:
    """The answer in a stored text; None where it is damaged or does not fit the question."""
    try:
        record: Any = json.loads(text)
        if record["format"] != FORMAT or not is_answer_to(question, record):
            return None
        reply = record["reply"]
        usage = read_usage(record["usage"])
        served, when = record["served"], record["when"]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    if not isinstance(when, str) or not (served is None or isinstance(served, str)):
        return None
    return Answer(reply, usage, served, stored, when)


def is_answer_to(question: Question, record: Json) -> bool:
    """Whether a record answers this question, by all that it says of it.

    Raises:
        KeyError: it says too little.
    """
    # what the first versions stored has no key in it
    if "key" in record and record["key"] != question.key:
        return False
    judge, model = question.judge_id, question.model
    # what was imported has one name for both
    judges = ((judge, model), (f"{judge} {model}", ""))
    return (
        record["step"] == question.step.name
        and record["fingerprint"] == question.step.fingerprint
        and (record["judge"], record["model"]) in judges
        and same_text(record["about"], question.about)
    )
