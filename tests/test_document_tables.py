"""Worked examples of the metrics' source documents, as far as they are right."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from pytest_ragassert import EvalCase, MetricResult
from pytest_ragassert.judging.calls.event_loop import without_loop
from pytest_ragassert.metrics.answer_quality import AnswerRelevancy, FactualAccuracy
from pytest_ragassert.metrics.composite import WEIGHTS, weighted_mean
from pytest_ragassert.metrics.contexts import ContextPrecision, ContextRecall, ContextRelevance
from pytest_ragassert.metrics.factual import FactualF1
from pytest_ragassert.metrics.faithfulness import Faithfulness
from pytest_ragassert.metrics.similarity import AnswerCorrectness
from tests.asks import ScriptedAsk, claims_reply, relevance_reply, verdicts_reply

FULL, PARTIAL, NONE, CONTRA = (
    "FULLY_SUPPORTED",
    "PARTIALLY_SUPPORTED",
    "NO_EVIDENCE",
    "CONTRADICTORY",
)
LOAN = "FHA loans allow down payments as low as 3.5%."
OTHER = "Adjustable rates usually begin low."


def measured(metric: Any, case: EvalCase, replies: Any, **options: Any) -> MetricResult:
    result: MetricResult = without_loop(metric.measure(case, ScriptedAsk(replies), **options))
    return result


def claims(answer: list[str], reference: Sequence[str] = ()) -> Any:
    """Claims named by their labels: `a0 FULLY_SUPPORTED`."""
    texts = {
        "A": [f"a{n} {label}" for n, label in enumerate(answer)],
        "R": [f"r{n} {label}" for n, label in enumerate(reference)],
    }
    return {
        "extract_claims": claims_reply(texts),
        "verify_claims": verdicts_reply(lambda claim, _: claim.split()[1]),
    }


CASE = EvalCase(question="Q?", answer="A", ground_truth_answer="R", retrieved_contexts=[LOAN])


@pytest.mark.parametrize(
    ("labels", "options", "score"),
    [
        ([FULL], {}, 1.0),
        ([FULL, NONE], {}, 0.5),
        ([FULL, PARTIAL, NONE, CONTRA], {}, 0.125),
        ([CONTRA, NONE], {}, 0.0),
        ([FULL, FULL, NONE], {"strict_mode": True}, 1 / 3),
        ([FULL, PARTIAL, NONE], {"scoring": "ratio"}, 1 / 3),
    ],
)
def test_faithfulness(labels: list[str], options: dict[str, Any], score: float) -> None:
    result = measured(Faithfulness(), CASE, claims(labels), **options)
    assert result.score == pytest.approx(score)


@pytest.mark.parametrize(
    ("ours", "theirs", "precision", "recall", "f1"),
    [
        # three of four claims right, two of three found: recall is counted over the reference
        ([FULL] * 3 + [NONE], [FULL] * 2 + [NONE], 0.75, 2 / 3, 0.7059),
        ([FULL], [FULL, NONE], 1.0, 0.5, 2 / 3),
        ([NONE], [NONE], 0.0, 0.0, 0.0),
        # what the reference does not say is not right: extra information costs precision
        ([FULL, NONE], [FULL], 0.5, 1.0, 2 / 3),
    ],
)
def test_factual_correctness(
    ours: list[str], theirs: list[str], precision: float, recall: float, f1: float
) -> None:
    result = measured(FactualF1(), CASE, claims(ours, theirs))
    assert result.details["precision"] == pytest.approx(precision)
    assert result.details["recall"] == pytest.approx(recall)
    assert result.score == pytest.approx(f1, abs=5e-5)


def test_half_of_the_contexts_bear_on_the_question() -> None:
    case = EvalCase(question="What is the least down payment?", retrieved_contexts=[LOAN, OTHER])
    replies = {"judge_passages": relevance_reply([True, False])}
    assert measured(ContextRelevance(), case, replies).score == 0.5


def test_the_credit_score_was_not_retrieved() -> None:
    result = measured(ContextRecall(), CASE, claims([], [FULL, NONE]))
    assert result.score == 0.5
    assert [claim.source for claim in result.claims] == ["reference", "reference"]


@pytest.mark.parametrize(("contexts", "score"), [([OTHER, LOAN], 0.5), ([LOAN, OTHER], 1.0)])
def test_a_relevant_context_in_second_place_halves_precision(
    contexts: list[str], score: float
) -> None:
    case = EvalCase(retrieved_contexts=contexts, ground_truth_contexts=[LOAN])
    assert measured(ContextPrecision(), case, {}).score == score


def test_precision_without_order_is_the_share_of_relevant_contexts() -> None:
    # of sixteen contexts two were relevant
    flags = [number in (1, 6) for number in range(16)]
    case = EvalCase(
        question="Q?", ground_truth_answer="R", retrieved_contexts=[f"c{n}" for n in range(16)]
    )
    replies = {"judge_passages": relevance_reply(flags)}
    assert measured(ContextPrecision(), case, replies, ranked=False).score == 2 / 16
    ranked = measured(ContextPrecision(), case, replies).score
    assert ranked == pytest.approx((1 / 2 + 2 / 7) / 2)


@pytest.mark.parametrize("score", [1.0, 0.75, 0.0])
def test_relevancy_as_rated(score: float) -> None:
    replies = {"rate_relevance": {"reason": "r", "score": score}}
    assert measured(AnswerRelevancy(), CASE, replies).score == score


@pytest.mark.parametrize(("label", "score"), [(FULL, 1.0), (CONTRA, 0.0)])
def test_a_right_number_is_correct_and_a_wrong_one_is_not_nearly_so(
    label: str, score: float
) -> None:
    assert measured(AnswerCorrectness(), CASE, claims([label], [label])).score == score


@pytest.mark.parametrize(
    ("scores", "total", "grade"),
    [((100, 100, 100), 1.0, "A"), ((80, 60, 50), 0.68, "B"), ((40, 40, 40), 0.4, "C"),
     ((20, 30, 40), 0.27, "D"), ((0, 0, 90), 0.18, "E")],
)  # fmt: skip
def test_accuracy_and_its_grade(scores: tuple[int, int, int], total: float, grade: str) -> None:
    names = ("correctness", "completeness", "consistency")
    reply = {name: {"reason": None, "score": s} for name, s in zip(names, scores, strict=True)}
    result = measured(FactualAccuracy(), CASE, {"grade_accuracy": reply})
    assert result.score == pytest.approx(total)
    assert result.grade == grade


@pytest.mark.parametrize(
    ("faithfulness", "precision", "recall", "relevancy", "score"),
    [
        (1.0, None, 1.0, 0.8327, 0.9373),
        (0.0, 0.0, 0.0, 0.8327, 0.2498),
        (None, None, None, 0.8229, 0.8229),
    ],
)
def test_the_composite(
    faithfulness: float | None,
    precision: float | None,
    recall: float | None,
    relevancy: float | None,
    score: float,
) -> None:
    given = dict(zip(WEIGHTS, (faithfulness, precision, recall, relevancy), strict=True))
    there = {name: value for name, value in given.items() if value is not None}
    assert weighted_mean(there, WEIGHTS) == pytest.approx(score, abs=5e-5)
