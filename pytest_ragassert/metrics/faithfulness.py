"""The metric `faithfulness`: the answer's claims, checked against the retrieved contexts."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Literal

from ..case import EvalCase
from ..judgements import Verdict
from ..results import ClaimVerdict, MetricResult
from ..steps.evidence.evidence_check import passages_of
from .claims import (
    claims_of,
    claims_result,
    need_text,
    vacuous_result,
    verdicts_on,
)
from .ensemble import Aggregate, check_aggregate, clamped
from .metric import ANSWER_IN_CONTEXTS, Ask, Assertion, Metric, Movement
from .option_checks import check_flag

WEIGHTS: Mapping[Verdict, float] = {
    Verdict.FULLY_SUPPORTED: 1.0,
    Verdict.PARTIALLY_SUPPORTED: 0.5,
    Verdict.NO_EVIDENCE: 0.0,
    Verdict.CONTRADICTORY: -1.0,
}
SCORINGS = ("weighted", "ratio")


class Faithfulness(Metric):
    """The answer says only what the retrieved contexts say.

    Score: Σ weight / n over the answer's claims, clamped to [0, 1]; weights 1 (fully supported),
    0.5 (partly supported), 0 (no evidence), -1 (contradicted), as in the axion metric of this name.

    Args:
        min: in [0, 1]. Default: the case's own minimum, or else `ragassert_min_faithfulness`, or
            else 0.8.
        strict_mode: whether "no evidence" weighs -1 instead of 0.
        verdict_scores: weights by verdict, instead of the default ones.
        scoring: `"ratio"`: fully supported claims / n, ragas' formula.
        no_claims: what happens if the answer makes no claims: `"fail"`, `"pass"` or `"warn"`.
            Default: `ragassert_no_claims`, or else `"fail"`.
        models: the models that judge; the first one extracts the claims, all verify them. Default:
            all configured models.
        votes: how many samples of each verdict each model gives; the majority counts, and the
            worse verdict wins a tie. Default: `ragassert_votes`, or else 1.
        aggregate: how the models' scores are combined.

    Raises:
        RagAssertionError: the score is below `min`, or there is nothing to check.
        JudgeError, VerdictMissing: the judge could not decide.
        MissingFieldError: the case lacks `answer` or `retrieved_contexts`.
    """

    name = "faithfulness"
    requires = ("answer", "retrieved_contexts")
    default_min = 0.8
    document_name = ("ragas_faithfulness", 100)
    asserted_by = (Assertion("assert_faithful", "the contexts support the answer's claims"),)
    sides = (ANSWER_IN_CONTEXTS,)
    asks_only = True
    rounds = 2
    refuses_blank = True

    def moved_by(self, case: EvalCase) -> Mapping[str, Movement]:
        return {"verify_claims": "alike"}

    async def measure(
        self,
        case: EvalCase,
        ask: Ask,
        *,
        strict_mode: bool = False,
        verdict_scores: Mapping[str, float] | None = None,
        scoring: Literal["weighted", "ratio"] = "weighted",
        aggregate: Aggregate = "mean",
    ) -> MetricResult:
        """Σ weight / n over the answer's claims, clamped to [0, 1].

        The weights are those of the axion metric of this name (1, 0.5, 0, -1). `scoring="ratio"` is
        ragas' formula: fully supported claims / n.
        """
        weights = _weights(strict_mode, verdict_scores, scoring)
        check_aggregate(aggregate)
        answer = need_text(case, self.name, "answer", case.answer)
        passages = passages_of(case.retrieved_contexts)
        claims = await claims_of(ask, case, answer, "answer")
        if not claims:
            return vacuous_result(self.name, "the answer makes")

        def score(verdicts: Sequence[ClaimVerdict]) -> float:
            return clamped(sum(weights[v.verdict] for v in verdicts) / len(verdicts))

        by_model = await verdicts_on(ask, claims, passages)
        details = {"scoring": scoring, "strict_mode": strict_mode}
        return claims_result(self.name, by_model, score, aggregate, details)


def _weights(
    strict_mode: bool, verdict_scores: Mapping[str, float] | None, scoring: str
) -> dict[Verdict, float]:
    check_flag("strict_mode", strict_mode)
    if scoring not in SCORINGS:
        raise ValueError(f"scoring is {scoring!r}; valid are {', '.join(SCORINGS)}")
    if scoring == "ratio":
        if verdict_scores is not None:
            raise ValueError('verdict_scores has no effect with scoring="ratio"; give one of them')
        return {verdict: float(verdict is Verdict.FULLY_SUPPORTED) for verdict in Verdict}
    weights = dict(WEIGHTS)
    if strict_mode:
        weights[Verdict.NO_EVIDENCE] = -1.0
    if not isinstance(verdict_scores, Mapping | None):
        raise ValueError(f"verdict_scores must be a dict of weights, not {verdict_scores!r}")
    for name, weight in (verdict_scores or {}).items():
        if name not in Verdict.__members__:
            valid = ", ".join(Verdict.__members__)
            raise ValueError(f"verdict_scores: unknown verdict {name!r}; valid are {valid}")
        if isinstance(weight, bool) or not isinstance(weight, int | float):
            raise ValueError(f"verdict_scores: {name} is {weight!r}, not a number")
        weights[Verdict(name)] = _finite(name, weight)
    return weights


def _finite(name: str, weight: float) -> float:
    try:
        value = float(weight)
    except OverflowError:
        value = math.inf
    if not math.isfinite(value):
        raise ValueError(f"verdict_scores: {name} is not a finite number")
    return value
