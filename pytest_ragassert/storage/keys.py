"""A question to a judge, and the key its answer is stored under."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from ..runtime.canonical_json import Json, canonical_json, digest
from ..steps.step import Step
from .record import FORMAT

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
        return digest(
            {
                "step": self.step.name,
                "fingerprint": fingerprint,
                "judge": self.judge_id,
                "model": self.model,
                "sampling": self.sampling,
                "sample": self.sample,
                "input": self.input,
            }
        )

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
