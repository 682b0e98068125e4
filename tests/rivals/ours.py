"""Our metrics on scripted verdicts."""

from __future__ import annotations

from typing import Any

from pytest_ragassert import EvalCase
from pytest_ragassert.judging.calls.event_loop import without_loop
from pytest_ragassert.metrics.registry import Registry
from tests.asks import ScriptedAsk, claims_reply, relevance_reply, verdicts_reply

from .scenes import Scene

QUESTION, ANSWER, REFERENCE = "the question", "the whole answer", "the whole reference"


def score(scene: Scene) -> float | None:
    """None: nothing to measure."""
    says = scene.says
    claims = {
        f"{side} claim {n}": label
        for side in ("answer", "reference")
        for n, label in enumerate(says.get(side, ()))
    }
    of_text = {
        text: [claim for claim in claims if claim.startswith(side)]
        for side, text in (("answer", ANSWER), ("reference", REFERENCE))
    }
    flags = says.get("relevant", [[True]])
    generated = {f"generated {n}": v for n, v in enumerate(says.get("generated", ()))}
    vectors = {ANSWER: says.get("vectors", {}).get("answer"), QUESTION: says.get("question")}
    vectors |= {REFERENCE: says.get("vectors", {}).get("reference"), **generated}
    ask = ScriptedAsk(
        {
            "extract_claims": claims_reply(of_text),
            "verify_claims": verdicts_reply(claims),
            "judge_passages": relevance_reply([any(flag) for flag in flags]),
            "generate_questions": {"questions": list(generated)},
        },
        vectors=vectors,
    )
    case = EvalCase(
        question=QUESTION,
        answer=ANSWER,
        ground_truth_answer=REFERENCE,
        retrieved_contexts=[f"passage {n}" for n in range(len(flags))],
    )
    metric: Any = Registry()[scene.metric]
    result = without_loop(metric.measure(case, ask, **scene.options))
    return None if result.vacuous else float(result.score)
