"""The judge steps, by name."""

from __future__ import annotations

from ..errors import ConfigurationError
from .check_criteria import CHECK_CRITERIA
from .classify_answer import CLASSIFY_ANSWER
from .extract_claims import EXTRACT_CLAIMS
from .generate_questions import GENERATE_QUESTIONS
from .grade_accuracy import GRADE_ACCURACY
from .judge_passages import JUDGE_PASSAGES
from .rate_relevance import RATE_RELEVANCE
from .step import Step
from .verify_claims import VERIFY_CLAIMS
from .write_case import WRITE_CASE
from .write_personas import WRITE_PERSONAS

STEPS: dict[str, Step] = {
    step.name: step
    for step in (
        EXTRACT_CLAIMS,
        VERIFY_CLAIMS,
        JUDGE_PASSAGES,
        GENERATE_QUESTIONS,
        RATE_RELEVANCE,
        GRADE_ACCURACY,
        CLASSIFY_ANSWER,
        CHECK_CRITERIA,
        WRITE_CASE,
        WRITE_PERSONAS,
    )
}


def step_named(step: str | Step) -> Step:
    """Return the step with that name, or the step itself."""
    if isinstance(step, Step):
        return step
    if step not in STEPS:
        raise ConfigurationError(f"unknown step {step!r}; known are {', '.join(STEPS)}")
    return STEPS[step]
