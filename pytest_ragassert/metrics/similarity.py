"""Metrics of meaning: embeddings of answer and reference, alone and combined with claims."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ..case import EvalCase
from ..judgements import Verdict
from ..judging.embedders.cosine import cosine
from ..language.escaping import is_blank
from ..results import MetricResult
from .ensemble import Aggregate, check_aggregate, clamped
from .factual import FactualF1
from .findings import ClaimCounts, Finding, Headline, Line, Printed
from .metric import (
    ANSWER_IN_REFERENCE,
    REFERENCE_IN_ANSWER,
    Ask,
    Assertion,
    Expectation,
    Metric,
    Movement,
)
from .option_checks import is_weight

WEIGHTS = (0.75, 0.25)  # of F1 and similarity


class SemanticSimilarity(Metric):
    """Answer and reference mean the same: max(0, cos) of their embeddings. Default minimum 0.8.

    Raises:
        ConfigurationError: no embedder is configured.
        MissingFieldError: the case lacks `answer` or `ground_truth_answer`.
        RagAssertionError, JudgeError, VerdictMissing: as in `assert_context_relevance`.
    """

    name = "semantic_similarity"
    requires = ("answer", "ground_truth_answer")
    default_min = 0.8
    document_name = ("semantic_similarity_percentage", 100)
    asserted_by = (
        Assertion("assert_semantic_similarity", "answer and reference have similar embeddings"),
    )
    asks_judge = False
    asks_only = True

    def findings(self, row: Printed) -> list[Finding]:
        best = row["details"].get("reference")
        which = "the reference" if best is None else f"reference {best + 1}, the nearest"
        return [Line(f"cosine {row['score']:.2f} of the answer and {which}")]

    async def measure(self, case: EvalCase, ask: Ask) -> MetricResult:
        """max(0, cos) of the embeddings of answer and reference; 0 if one of them is blank.

        If a case has several references, the most similar one counts.
        """
        near = await similarity(ask, case.answer or "", case.references)
        if near is None:
            return MetricResult(metric=self.name, score=0.0, reason="a text is blank")
        details: dict[str, Any] = {"embedder": ask.embedder, "cosine": near.cosine}
        if len(case.references) > 1:
            details["reference"] = near.reference
        return MetricResult(
            metric=self.name,
            score=near.score,
            reason=f"embeddings by {ask.embedder}",
            details=details,
        )


class AnswerCorrectness(Metric):
    """The answer says what the reference says and means the same: 0.75 · F1 + 0.25 · similarity.

    Args:
        weights: the weights of F1 and similarity, two numbers from 0 with a positive sum.
        min, no_claims, models, votes, aggregate: as in `assert_factual_f1`; default minimum 0.7.

    Raises:
        ConfigurationError: similarity is needed and no embedder is configured.
        RagAssertionError, JudgeError, VerdictMissing, MissingFieldError: as in
            `assert_factual_f1`.
    """

    name = "answer_correctness"
    requires = ("answer", "ground_truth_answer")
    default_min = 0.7
    asserted_by = (Assertion("assert_answer_correctness", "0.75 factual F1 + 0.25 similarity"),)
    sides = (ANSWER_IN_REFERENCE, REFERENCE_IN_ANSWER)
    asks_only = True
    rounds = 2
    refuses_blank = True

    def expected(
        self,
        case: EvalCase,
        *,
        min: float | None = None,
        weights: Sequence[float] | None = None,
        **options: Any,
    ) -> Expectation:
        return super().expected(case, min=min, weights=weights, **options)

    def moved_by(self, case: EvalCase) -> Mapping[str, Movement]:
        # the reference with the best F1 counts, which may be a less similar one
        return {"verify_claims": "alike" if len(case.references) == 1 else "freely"}

    def headline(self, row: Printed) -> Headline:
        return ClaimCounts() if "f1" in row["details"] else row["reason"]

    def findings(self, row: Printed) -> list[Finding]:
        details = row["details"]
        if "f1" not in details:
            return []
        factual, semantic = details["weights"]
        near = details["similarity"]
        similarity = "not needed" if near is None else f"{near:.2f} x {semantic:g}"
        return [Line(f"F1 {details['f1']:.2f} x {factual:g}, similarity {similarity}")]

    async def measure(
        self,
        case: EvalCase,
        ask: Ask,
        *,
        weights: Sequence[float] = WEIGHTS,
        aggregate: Aggregate = "mean",
    ) -> MetricResult:
        """0.75 · factual F1 + 0.25 · semantic similarity, ragas' formula with two exceptions.

        If a claim is contradicted, the similarity term is 0: a wrong number in an otherwise equal
        sentence scores 0, not .23. If all claims are supported both ways, the score is 1. Neither
        needs an embedder.
        """
        check_aggregate(aggregate)
        factual, semantic = normalised(weights)
        f1 = await FactualF1().measure(case, ask, aggregate=aggregate)
        if f1.vacuous:
            return f1.model_copy(update={"metric": self.name})
        references = case.references
        if len(references) > 1:
            references = [references[f1.details["reference"]]]
        near: float | None = None
        said = "not needed"
        if f1.score == 1.0 or not semantic:
            pass
        elif any(claim.verdict is Verdict.CONTRADICTORY for claim in f1.claims):
            near, said = 0.0, "not counted because of a contradiction"
        else:
            found = await similarity(ask, case.answer or "", references)
            near = found.score if found else 0.0
            said = f"{near:.2f}"

        def combined(score: float) -> float:
            if score == 1.0 and all_supported:
                return 1.0
            return min(1.0, factual * score + semantic * (near or 0.0))

        all_supported = all(c.verdict is Verdict.FULLY_SUPPORTED for c in f1.claims)
        return MetricResult(
            metric=self.name,
            score=combined(f1.score),
            claims=f1.claims,
            reason=f"F1 {f1.score:.2f}, similarity {said}; {f1.reason}",
            by_model={model: combined(score) for model, score in f1.by_model.items()},
            details={"f1": f1.score, "similarity": near, "weights": [factual, semantic]}
            | {name: f1.details[name] for name in ("reference",) if name in f1.details},
        )


class Near(NamedTuple):
    """The most similar of an answer's references, and how similar it is."""

    cosine: float  # in [-1, 1]
    reference: int  # its index

    @property
    def score(self) -> float:
        """max(0, cos), in [0, 1]."""
        return clamped(self.cosine)


async def similarity(ask: Ask, answer: str, references: Sequence[str]) -> Near | None:
    """The cosine of the embeddings; None if the answer or every reference is blank."""
    texts = [text for text in references if not is_blank(text)]
    if is_blank(answer) or not texts:
        return None
    ours, *theirs = await ask.embed([answer, *texts])
    cosines = [cosine(ours, vector) for vector in theirs]
    best = max(range(len(cosines)), key=cosines.__getitem__)
    return Near(cosines[best], references.index(texts[best]))


def normalised(weights: Sequence[float]) -> tuple[float, float]:
    """Scale two weights to the sum 1.

    Raises:
        ValueError: they are not two numbers from 0 with a positive sum.
    """
    valid = isinstance(weights, list | tuple) and len(weights) == 2
    if not valid or not all(map(is_weight, weights)) or sum(weights) <= 0:
        raise ValueError(
            f"weights must be two numbers from 0 with a positive sum, of F1 and similarity, "
            f"not {weights!r}"
        )
    whole = float(sum(weights))
    return float(weights[0]) / whole, float(weights[1]) / whole
