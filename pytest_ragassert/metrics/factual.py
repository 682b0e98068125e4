"""Factual correctness: answer and reference answer, checked against each other by claims."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, get_args

from ..case import EvalCase
from ..judgements import Verdict
from ..language.number_format import TOLERANCE
from ..results import ClaimVerdict, MetricResult
from .claims import (
    aggregated,
    best_of,
    claims_of,
    need_references,
    need_text,
    reference_claims,
    summary_of,
    supported_share,
    unasked,
    vacuous_result,
    verdicts_on,
)
from .ensemble import Aggregate, check_aggregate
from .metric import (
    ANSWER_IN_REFERENCE,
    REFERENCE_IN_ANSWER,
    Ask,
    Assertion,
    Expectation,
    Metric,
    Movement,
)

Mode = Literal["f1", "precision", "recall"]
MODES = get_args(Mode)
_BANDS = ((0.9, "excellent"), (0.7, "good"), (0.5, "fair"))


@dataclass(frozen=True)
class _Side:
    """One direction: the claims of one text, checked against the other by each model."""

    by_model: dict[str, list[ClaimVerdict]]

    @property
    def empty(self) -> bool:
        return not any(self.by_model.values())


class FactualCorrectness(Metric):
    """Precision: supported answer claims / answer claims, against the reference. Recall: supported
    reference claims / reference claims, against the answer. F1: their harmonic mean, 0 if both are
    0.

    The formula of ragas' FactualCorrectness. If a case has several references, the best one counts.
    `ground_truth_claims` replace the claims of the reference; without a reference, precision checks
    the answer against all of them.
    """

    requires = ("answer", "ground_truth_answer")
    needs = "`answer`, and `ground_truth_answer` or `ground_truth_claims`"
    in_place_of: ClassVar[Mapping[str, str]] = {"ground_truth_answer": "ground_truth_claims"}
    asks_only = True
    rounds = 2
    refuses_blank = True
    default_min = 0.7

    mode: ClassVar[Mode]
    evaluate_only = ("mode",)

    def moved_by(self, case: EvalCase) -> Mapping[str, Movement]:
        return {"verify_claims": "alike"}

    async def measure(
        self, case: EvalCase, ask: Ask, *, mode: Mode | None = None, aggregate: Aggregate = "mean"
    ) -> MetricResult:
        direction = self.mode if mode is None else _known(mode)
        check_aggregate(aggregate)
        name = f"factual_{direction}"
        answer = need_text(case, name, "answer", case.answer)
        references = need_references(case, name)
        results = await ask.together(
            self._against(case, ask, answer, reference, direction, aggregate)
            for reference in references
        )
        return best_of(results)

    async def _against(
        self, case: EvalCase, ask: Ask, answer: str, reference: str, mode: str, aggregate: str
    ) -> MetricResult:
        name = f"factual_{mode}"
        precision, recall = await _both_sides(ask, case, answer, reference, mode)
        sides = [side for side in (precision, recall) if side is not None]
        if all(side.empty for side in sides):
            return vacuous_result(name, _SILENT[mode])

        def score(verdicts: Sequence[ClaimVerdict]) -> float:
            shares = [_share(verdicts, s) for s in _SOURCES if mode == "f1" or s == _SOURCE[mode]]
            return shares[0] if mode != "f1" else harmonic_mean(*shares)

        joined = {m: [v for side in sides for v in side.by_model[m]] for m in ask.models}
        value, claims, scores = aggregated(joined, score, aggregate)
        return MetricResult(
            metric=name,
            score=value,
            claims=claims,
            reason=_reason(claims, mode),
            label=band(value),
            by_model=scores,
            details={"mode": mode, **_figures(claims, mode)},
        )


class FactualF1(FactualCorrectness):
    """The answer says what the reference says: harmonic mean of factual precision and recall.

    Args:
        min: in [0, 1]. Default: the case's own minimum, or else `ragassert_min_factual_f1`, or else
            0.7.
        mode: `"precision"` or `"recall"` measures that alone, and reports it under that name.
        no_claims, models, votes, aggregate: as in `assert_faithful`.

    Raises:
        RagAssertionError, JudgeError, VerdictMissing: as in `assert_faithful`.
        MissingFieldError: the case lacks `answer`, or both `ground_truth_answer` and
            `ground_truth_claims`.
    """

    name = "factual_f1"
    mode = "f1"
    sides = (
        ANSWER_IN_REFERENCE,
        REFERENCE_IN_ANSWER,
    )
    asserted_by = (Assertion("assert_factual_f1", "answer and reference say the same"),)

    def expected(
        self,
        case: EvalCase,
        *,
        min: float | None = None,
        mode: Literal["f1", "precision", "recall"] = "f1",
        **options: Any,
    ) -> Expectation:
        return Expectation(case, f"factual_{_known(mode)}", min, options)


class FactualPrecision(FactualCorrectness):
    """What the answer claims is right: supported answer claims / answer claims, by the reference.

    Arguments and errors as in `assert_factual_f1`.
    """

    name = "factual_precision"
    mode = "precision"
    sides = (ANSWER_IN_REFERENCE,)
    asserted_by = (
        Assertion("assert_factual_precision", "what the answer claims is in the reference"),
    )


class FactualRecall(FactualCorrectness):
    """The answer leaves nothing out: supported reference claims / reference claims, by the answer.

    A case's `ground_truth_claims` replace the claims that the judge finds in the reference, and
    count by their weights. Arguments and errors as in `assert_factual_f1`.
    """

    name = "factual_recall"
    mode = "recall"
    sides = (REFERENCE_IN_ANSWER,)
    asserted_by = (Assertion("assert_factual_recall", "what the reference says is in the answer"),)


_SOURCES = ("answer", "reference")
_SOURCE = {"precision": "answer", "recall": "reference"}
_SILENT = {
    "precision": "the answer makes",
    "recall": "the reference makes",
    "f1": "answer and reference make",
}


async def _both_sides(
    ask: Ask, case: EvalCase, answer: str, reference: str, mode: str
) -> tuple[_Side | None, _Side | None]:
    """The sides of precision and recall that the mode needs."""
    wanted = []
    if mode != "recall":
        wanted.append(claims_of(ask, case, answer, "answer"))
    if mode != "precision":
        wanted.append(reference_claims(ask, case, reference))
    extracted = await ask.together(wanted)
    if mode == "precision":
        return _Side(await _verified(ask, extracted[0], reference)), None
    if mode == "recall":
        return None, _Side(await _verified(ask, extracted[0], answer))
    ours, theirs = extracted
    if not ours or not theirs:
        # a text without claims supports no claim of the other: F1 is 0 without asking
        silent = "answer" if not ours else "reference"
        why = f"the {silent} makes no factual claim"
        return (
            _Side({model: unasked(ours, why) for model in ask.models}),
            _Side({model: unasked(theirs, why) for model in ask.models}),
        )
    precision, recall = await ask.together(
        [_verified(ask, ours, reference), _verified(ask, theirs, answer)]
    )
    return _Side(precision), _Side(recall)


async def _verified(ask: Ask, claims: list[Any], text: str) -> dict[str, list[ClaimVerdict]]:
    if not claims:
        return {model: [] for model in ask.models}
    return await verdicts_on(ask, claims, [(0, text)])


def _share(claims: Sequence[ClaimVerdict], source: str) -> float:
    """Supported claims of a text / its claims; 0 if it has none."""
    own = [claim for claim in claims if claim.source == source]
    return supported_share(own) if own else 0.0


def _reason(claims: list[ClaimVerdict], mode: str) -> str:
    """`precision 1/2, recall 0/1; 3 claims: …`; for one direction the claims alone."""
    if mode != "f1":
        return summary_of(claims)
    shares = []
    for name, source in _SOURCE.items():
        own = [claim for claim in claims if claim.source == source]
        right = sum(claim.verdict is Verdict.FULLY_SUPPORTED for claim in own)
        weighted = any(claim.weight is not None for claim in own)
        by_weight = f", {supported_share(own):.2f} by weight" if weighted else ""
        shares.append(f"{name} {right}/{len(own)}{by_weight}")
    return f"{', '.join(shares)}; {summary_of(claims)}"


def _figures(claims: Sequence[ClaimVerdict], mode: str) -> dict[str, float]:
    precision, recall = _share(claims, "answer"), _share(claims, "reference")
    if mode == "f1":
        f1 = harmonic_mean(precision, recall)
        return {"precision": precision, "recall": recall, "f1": f1}
    return {mode: precision if mode == "precision" else recall}


def harmonic_mean(precision: float, recall: float) -> float:
    """F1 of precision and recall, each in [0, 1]; 0 if both are 0."""
    total = precision + recall
    return 2 * precision * recall / total if total else 0.0


def band(score: float) -> str:
    """The band of a score in [0, 1]: excellent, good, fair or poor."""
    return next((word for least, word in _BANDS if score >= least - TOLERANCE), "poor")


def _known(mode: str) -> str:
    if not isinstance(mode, str) or mode.lower() not in MODES:
        raise ValueError(f"mode is {mode!r}; valid are {', '.join(MODES)}")
    return mode.lower()
