"""A question to a judge, the key its answer is stored under, and the format of stored texts."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from ..runtime.canonical_json import Json, canonical_json, digest
from ..runtime.clock import Clock
from ..steps.step import Step

# Of answers, their questions and vectors. Another one's texts are not read.
FORMAT = 2
QUESTION_SUFFIX = ".question"  # of the key of a row that holds a question
PART = "a part of a question"  # what one is about that has a message in place of an input


@dataclass(frozen=True)
class Question:
    """What is asked, of whom, with which settings: all that an answer depends on.

    Attributes:
        input: the step's input, before any packing or asking again.
        judge_id: kind and base URL, or the id configured in their place.
        sampling: temperature, top_p, seed and max_tokens as configured.
        sample: number of the sample, from 0.
        of_part: it asks a part of another question, whose message `input` holds.
    """

    step: Step
    input: Json = field(hash=False)
    judge_id: str
    model: str
    sampling: dict[str, Any] = field(hash=False)
    sample: int = 0
    of_part: bool = False

    @cached_property
    def key(self) -> str:
        """SHA-256 in hexadecimal. Key, timeouts, worker and time are no part of it."""
        return self.key_with(self.step.fingerprint)

    def key_with(self, fingerprint: str) -> str:
        """The key that the question had while its step had that fingerprint."""
        return digest({**self._how(fingerprint), "input": self.input})

    @property
    def asked(self) -> str:
        """How it is asked: SHA-256 of what the key is made of, but the input. Judgements on one
        claim can be compared where this is the same."""
        return digest(self._how(self.step.fingerprint))

    def _how(self, fingerprint: str) -> Json:
        return {
            "step": self.step.name,
            "fingerprint": fingerprint,
            "judge": self.judge_id,
            "model": self.model,
            "sampling": self.sampling,
            "sample": self.sample,
        }

    def part(self, message: Json) -> Question:
        """The part of the question that one of several messages asks, under a key of its own."""
        return Question(
            self.step,
            {"part": message},
            self.judge_id,
            self.model,
            self.sampling,
            self.sample,
            of_part=True,
        )

    @property
    def about(self) -> str:
        """What it is about, for people: the claims or the text, no passages."""
        # a part of a text is a message, which has its sentences in place of the text
        return PART if self.of_part else self.step.about(self.input)

    def to_text(self) -> str:
        """The question as it is stored beside its answer, under `question_key`."""
        return canonical_json(
            {
                "format": FORMAT,
                "step": self.step.name,
                "version": self.step.version,
                "judge": self.judge_id,
                "model": self.model,
                "sampling": self.sampling,
                "sample": self.sample,
                "input": self.input,
            }
        )


def question_key(key: str) -> str:
    """The key of the row that holds the question whose answer has `key`."""
    return f"{key}{QUESTION_SUFFIX}"


def now() -> str:
    """UTC to the second: `2026-01-31T12:00:00Z`."""
    return time_in_words(Clock.since_1970())


def time_in_words(seconds: float) -> str:
    """A time in seconds since 1970, as `now` gives it."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def format_of(text: str) -> int | None:
    """The format that a stored text says it has; None where it is none of ours, or damaged."""
    try:
        record: Any = json.loads(text)
    except (ValueError, RecursionError):
        return None
    number = record.get("format") if isinstance(record, dict) else None
    return number if type(number) is int and "step" in record else None
