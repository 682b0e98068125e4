"""A question to a judge, and the key its answer is stored under."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from ..steps.canonical import digest
from ..steps.step import Json, Step


@dataclass(frozen=True)
class Question:
    """What is asked, of whom, with which settings: all that an answer depends on.

    Attributes:
        input: the step's input, before any packing or asking again.
        judge_id: kind and base URL, or the id configured in their place.
        sampling: temperature, top_p, seed and max_tokens as configured.
        sample: number of the sample, from 0.
    """

    step: Step
    input: Json = field(hash=False)
    judge_id: str
    model: str
    sampling: dict[str, Any] = field(hash=False)
    sample: int = 0

    @cached_property
    def key(self) -> str:
        """SHA-256 in hexadecimal. Key, timeouts, worker and time are no part of it."""
        return digest(
            {
                "step": self.step.name,
                "fingerprint": self.step.fingerprint,
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
        )
