"""The offline judge itself: reads a question and answers in the wire format."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ....config.options import OFFLINE_ID
from ....errors import ConfigurationError
from ....steps.write_case import WRITE_CASE
from ....steps.write_personas import WRITE_PERSONAS
from .answer_judgement import accuracy_of_answer, kind_of_answer, relevance_of_answer
from .claim_extraction import claims_of
from .claim_verdicts import verdicts_on
from .criteria import checks_of
from .follow_up import Asked, read_question, with_part
from .passage_relevance import relevance_of_passages

if TYPE_CHECKING:
    from ....steps.step import Step


class OfflineJudge:
    """A judge that answers every step except those that write texts: `generate_questions`,
    `write_case` and `write_personas`, which need a model.

    It reads English, German, Russian and Chinese. Of other languages it uses the words and numbers
    that it can find without knowing the language. It compares words, not meaning.
    """

    id = OFFLINE_ID

    def run(self, step: Step, input: dict[str, Any]) -> str:
        """Return the reply as JSON text.

        Raises:
            ConfigurationError: this judge does not answer the step, or words can't decide the
                question.
        """
        answer = _ANSWERS.get(step.name)
        if answer is not None:
            return json.dumps(answer(input))
        if step.name == "generate_questions":
            raise ConfigurationError(
                "the offline judge can't answer the step 'generate_questions', which needs a "
                'model; answer_relevancy(method="direct") works offline'
            )
        if step.name in (WRITE_CASE.name, WRITE_PERSONAS.name):
            raise ConfigurationError(
                f"the offline judge can't answer the step {step.name!r}, which needs a model: "
                "add --judge openai --model MODEL, and --base-url URL for an endpoint other than "
                "OpenAI's"
            )
        raise ConfigurationError(
            f"the offline judge can't answer the step {step.name!r}, which your project defines: "
            "it needs a model (--ragassert-judge openai --ragassert-model MODEL, and "
            "--ragassert-base-url URL for another endpoint) or a judge of your own "
            "(pytest_ragassert_make_judge)"
        )


def _question(asked: dict[str, Any]) -> Asked:
    return read_question(asked["question"] or "", asked.get("history", ()))


_ANSWERS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "extract_claims": lambda asked: {
        "claims": with_part(_question(asked), list(claims_of(asked["sentences"])))
    },
    "verify_claims": lambda asked: {"verdicts": verdicts_on(asked["passages"], asked["claims"])},
    "judge_passages": lambda asked: {
        "passages": relevance_of_passages(_question(asked), asked["reference"], asked["passages"])
    },
    "rate_relevance": lambda asked: relevance_of_answer(_question(asked), asked["answer"]),
    "grade_accuracy": lambda asked: accuracy_of_answer(
        _question(asked), asked["reference"], asked["answer"]
    ),
    "classify_answer": lambda asked: kind_of_answer(
        _question(asked), asked["reference"], asked["answer"]
    ),
    "check_criteria": lambda asked: {"checks": checks_of(asked["answer"], asked["criteria"])},
}
