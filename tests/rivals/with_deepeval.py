"""DeepEval on scripted verdicts, run by DeepEval's own Python: scenes come as JSON on stdin."""

from __future__ import annotations

import contextlib
import json
import sys
from typing import Any

from deepeval.metrics import (
    ContextualPrecisionMetric,
    ContextualRecallMetric,
    ContextualRelevancyMetric,
    FaithfulnessMetric,
)
from deepeval.models import DeepEvalBaseLLM
from deepeval.test_case import LLMTestCase

METRICS = {
    "faithfulness": FaithfulnessMetric,
    "context_precision": ContextualPrecisionMetric,
    "context_recall": ContextualRecallMetric,
    "context_relevance": ContextualRelevancyMetric,
}
# Its faithfulness says "borderline" of what the contexts neither say nor deny, and of half-truths.
FAITHFUL = {"FULLY_SUPPORTED": "yes", "CONTRADICTORY": "no"}


class Script(DeepEvalBaseLLM):  # type: ignore[misc]  # DeepEval is not there for mypy
    """Says what the scene says, in the shape that is asked for."""

    def __init__(self, scene: dict[str, Any]) -> None:
        self._metric, self._says, self._passage = scene["metric"], scene["says"], 0
        super().__init__("scripted")

    def load_model(self) -> Script:
        return self

    def get_model_name(self) -> str:
        return "scripted"

    def generate(self, prompt: str, schema: Any) -> Any:
        return schema.model_validate(self._reply(schema.__name__))

    async def a_generate(self, prompt: str, schema: Any) -> Any:
        return self.generate(prompt, schema)

    def _reply(self, wanted: str) -> dict[str, Any]:
        if wanted == "Truths":
            return {"truths": ["a truth"]}
        if wanted == "Claims":
            return {"claims": [f"claim {n}" for n in range(len(self._says["answer"]))]}
        return {"verdicts": [{"reason": "scripted", **verdict} for verdict in self._verdicts()]}

    def _verdicts(self) -> list[dict[str, str]]:
        if self._metric == "faithfulness":
            said = self._says["answer"]
            return [{"verdict": FAITHFUL.get(label, "borderline")} for label in said]
        if self._metric == "context_recall":
            return [_yes(label == "FULLY_SUPPORTED") for label in self._says["reference"]]
        if self._metric == "context_precision":
            return [_yes(any(flags)) for flags in self._says["relevant"]]
        flags = self._says["relevant"][self._passage]
        self._passage += 1
        return [{"statement": f"statement {n}", **_yes(flag)} for n, flag in enumerate(flags)]


def _yes(flag: bool) -> dict[str, str]:
    return {"verdict": "yes" if flag else "no"}


def score(scene: dict[str, Any]) -> float | None:
    if scene["metric"] not in METRICS:
        return None
    metric = METRICS[scene["metric"]](
        model=Script(scene), include_reason=False, async_mode=False, threshold=0.5
    )
    passages = [f"passage {n}" for n in range(len(scene["says"].get("relevant", [0])))]
    case = LLMTestCase(
        input="the question",
        actual_output="the whole answer",
        expected_output="the whole reference",
        retrieval_context=passages,
    )
    return float(metric.measure(case, _show_indicator=False))


def main() -> None:
    scenes = json.load(sys.stdin)
    with contextlib.redirect_stdout(sys.stderr):
        scores = [score(scene) for scene in scenes]
    print(json.dumps(scores))


if __name__ == "__main__":
    main()
