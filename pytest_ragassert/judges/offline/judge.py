"""The judge itself: reads a question, answers in the wire format."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ...errors import ConfigurationError
from ...options import OFFLINE_ID
from .claims import claims_of
from .verdicts import verdicts_on

if TYPE_CHECKING:
    from ...steps.step import Step


class OfflineJudge:
    """Answers `extract_claims` and `verify_claims`; other steps need a model.

    It reads English, German, Russian and Chinese, and other languages as far as words and numbers
    go without knowing them. It compares words, not meaning.
    """

    id = OFFLINE_ID

    def run(self, step: Step, input: dict[str, Any]) -> str:
        """The reply as JSON text.

        Raises:
            ConfigurationError: the step is one that this judge does not answer.
        """
        if step.name == "extract_claims":
            return json.dumps({"claims": list(claims_of(input["sentences"]))})
        if step.name == "verify_claims":
            return json.dumps({"verdicts": verdicts_on(input["passages"], input["claims"])})
        raise ConfigurationError(
            f"the offline judge does not answer the step {step.name!r}; configure a model for it"
        )
