"""The composite metric `ragas_score`: four metrics of a case combined into one score."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from ..case import EvalCase
from ..errors import MissingFieldError
from ..results import MetricResult
from .answer_quality import AnswerRelevancy
from .contexts import ContextPrecision, ContextRecall
from .ensemble import Aggregate, check_aggregate
from .faithfulness import Faithfulness
from .findings import Finding, Headline, Line, Printed
from .metric import ANSWER_IN_CONTEXTS, REFERENCE_IN_CONTEXTS, Ask, Assertion, Metric, Movement
from .option_checks import is_weight

WEIGHTS: Mapping[str, float] = {
    "faithfulness": 0.30,
    "context_precision": 0.20,
    "context_recall": 0.20,
    "answer_relevancy": 0.30,
}
_PARTS: tuple[tuple[Metric, Mapping[str, Any]], ...] = (
    (Faithfulness(), {"scoring": "ratio"}),
    (ContextPrecision(), {}),
    (ContextRecall(), {}),
    (AnswerRelevancy(), {}),
)


class RagasScore(Metric):
    """The composite: .30 faithfulness, .20 context precision, .20 recall, .30 answer relevancy.

    Parts whose fields the case lacks are left out, and the result names them.

    Args:
        weights: weights by part, instead of the default ones.
        min, models, votes, aggregate: as in `assert_context_relevance`; default minimum 0.7.

    Raises:
        RagAssertionError, JudgeError, VerdictMissing: as in `assert_context_relevance`.
        MissingFieldError: for every part, the case lacks a field.
    """

    name = "ragas_score"
    requires = ("answer",)
    default_min = 0.7
    document_name = ("ragas_score", 100)
    counts = "methods"
    asserted_by = (
        Assertion(
            "assert_ragas_score",
            "the weighted mean of faithfulness, context precision, context recall and relevancy",
        ),
    )
    needs = "what its parts need; a part that lacks fields is left out"
    sides = (ANSWER_IN_CONTEXTS, REFERENCE_IN_CONTEXTS)
    asks_only = True
    rounds = 2
    refuses_blank = True

    @property
    def may_lack_claims(self) -> bool:
        return False  # a part without claims is left out

    def missing(self, case: EvalCase) -> tuple[str, ...]:
        if self.lacks(case, "answer"):
            return ("answer",)  # without an answer, the parts on retrieval would give a good score
        lacking = [part.missing(case) for part, _ in _PARTS]
        return () if not all(lacking) else tuple(dict.fromkeys(name for n in lacking for name in n))

    def moved_by(self, case: EvalCase) -> Mapping[str, Movement]:
        return {name: how for part, _ in _PARTS for name, how in part.moved_by(case).items()}

    def headline(self, row: Printed) -> Headline:
        if "parts" not in row["details"]:
            return row["reason"]
        left_out = ", ".join(row["details"].get("left_out", ()))
        return f"left out: {left_out}" if left_out else ""

    def findings(self, row: Printed) -> list[Finding]:
        parts, weights = row["details"].get("parts", {}), row["details"].get("weights", {})
        widest = max(map(len, parts), default=0)
        return [
            Line(f"{name:<{widest}} {parts[name]:.2f} x {weights.get(name, 0):g}")
            for name in sorted(parts)
        ]

    async def measure(
        self,
        case: EvalCase,
        ask: Ask,
        *,
        weights: Mapping[str, float] | None = None,
        aggregate: Aggregate = "mean",
    ) -> MetricResult:
        """Σ w·s / Σ w over faithfulness (ratio), context precision, context recall, answer
        relevancy.

        The composite of GraphRAG evaluations. A part whose fields the case lacks, or that has
        nothing to check, is left out and named; the weights of the others are scaled to sum to 1.
        """
        check_aggregate(aggregate)
        weighed = _weights(weights)
        wanted = [(p, o) for p, o in _PARTS if not p.missing(case) and weighed[p.name]]
        results = await ask.together(
            part.measure(case, ask, aggregate=aggregate, **options)
            for part, options in sorted(wanted, key=lambda one: -one[0].rounds)
        )
        by_name = {result.metric: result for result in results if not result.vacuous}
        parts = {part.name: by_name[part.name] for part, _ in wanted if part.name in by_name}
        if not parts:
            raise MissingFieldError(
                f"{self.name} can't be measured in case {case.name}: none of its parts "
                f"({', '.join(weighed)}) has the fields it needs and something to check"
            )
        score = weighted_mean({name: r.score for name, r in parts.items()}, weighed)
        left_out = [name for name in weighed if name not in parts and weighed[name]]
        models = {model for result in parts.values() for model in result.by_model}
        return MetricResult(
            metric=self.name,
            score=score,
            claims=[claim for result in parts.values() for claim in result.claims],
            reason=_reason(parts, left_out),
            by_model={
                model: weighted_mean(
                    {name: r.by_model.get(model, r.score) for name, r in parts.items()}, weighed
                )
                for model in ask.models
                if model in models
            },
            details={
                "parts": {name: result.score for name, result in parts.items()},
                "weights": {name: weighed[name] for name in parts},
                "left_out": left_out,
            },
        )


def weighted_mean(scores: Mapping[str, float], weights: Mapping[str, float]) -> float:
    """Σ w·s / Σ w over the available scores, in [0, 1]; their weights have a positive sum."""
    total = math.fsum(weights[name] for name in scores)
    return min(1.0, math.fsum(weights[name] * score for name, score in scores.items()) / total)


def _reason(parts: Mapping[str, MetricResult], left_out: list[str]) -> str:
    said = ", ".join(f"{name} {result.score:.2f}" for name, result in parts.items())
    return said + (f"; left out: {', '.join(left_out)}" if left_out else "")


def _weights(given: Mapping[str, float] | None) -> dict[str, float]:
    weights = dict(WEIGHTS)
    if not isinstance(given, Mapping | None):
        raise ValueError(f"weights must be a dict of numbers by metric, not {given!r}")
    for name, weight in (given or {}).items():
        if name not in WEIGHTS:
            raise ValueError(f"weights: unknown part {name!r}; valid are {', '.join(WEIGHTS)}")
        if not is_weight(weight):
            raise ValueError(f"weights: {name} is {weight!r}, not a number from 0")
        weights[name] = float(weight)
    if not any(weights.values()):
        raise ValueError("weights: their sum is 0")
    return weights
