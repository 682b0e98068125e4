"""The kinds of question a judge is asked: instructions, reply schema, and how replies are read."""

from __future__ import annotations

from ..errors import ConfigurationError
from .extract_claims import EXTRACT_CLAIMS
from .step import Step
from .verify_claims import VERIFY_CLAIMS

STEPS: dict[str, Step] = {step.name: step for step in (EXTRACT_CLAIMS, VERIFY_CLAIMS)}


def step_named(step: str | Step) -> Step:
    """The step itself, by name where it is a name."""
    if isinstance(step, Step):
        return step
    if step not in STEPS:
        raise ConfigurationError(f"unknown step {step!r}; known are {', '.join(STEPS)}")
    return STEPS[step]
