"""The composite score: weights, parts that are left out, and the documents' own figures."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_ragassert import EvalCase, MetricResult, applicable_metrics
from pytest_ragassert.errors import MissingFieldError
from pytest_ragassert.judging.calls.event_loop import without_loop
from pytest_ragassert.metrics.composite import WEIGHTS, RagasScore, weighted_mean
from tests.asks import ScriptedAsk, claims_reply, relevance_reply, verdicts_reply

SHARES = st.floats(0, 1)


def composite(case: EvalCase, rating: float = 1.0, **options: Any) -> MetricResult:
    replies: dict[str, Any] = {
        "extract_claims": claims_reply({"A": ["true", "false"], "R": ["true"], "one": ["true"]}),
        "verify_claims": verdicts_reply({"true": "FULLY_SUPPORTED", "false": "NO_EVIDENCE"}),
        "judge_passages": relevance_reply([True, False]),
        "rate_relevance": {"reason": None, "score": rating},
    }
    result: MetricResult = without_loop(RagasScore().measure(case, ScriptedAsk(replies), **options))
    return result


WHOLE: dict[str, Any] = {
    "question": "Q?",
    "answer": "A",
    "ground_truth_answer": "R",
    "retrieved_contexts": ["one", "two"],
}


def test_all_four_parts() -> None:
    result = composite(EvalCase(**WHOLE), 0.5)
    assert result.details["parts"] == {
        "faithfulness": 0.5,
        "context_precision": 1.0,
        "context_recall": 1.0,
        "answer_relevancy": 0.5,
    }
    assert result.score == pytest.approx(0.3 * 0.5 + 0.2 + 0.2 + 0.3 * 0.5)
    assert result.details["left_out"] == []


def test_a_part_that_was_not_measured_is_left_out_and_the_weights_sum_to_1() -> None:
    # the documented example: 100, none, 100 and 83.27 make 93.73
    scores = {"faithfulness": 1.0, "context_recall": 1.0, "answer_relevancy": 0.8327}
    assert weighted_mean(scores, WEIGHTS) == pytest.approx(0.9373, abs=5e-5)
    other = {"faithfulness": 0.0, "context_precision": 0.0, "context_recall": 0.0}
    assert weighted_mean({**other, "answer_relevancy": 0.8327}, WEIGHTS) == pytest.approx(
        0.2498, abs=5e-5
    )
    assert weighted_mean({"answer_relevancy": 0.8229}, WEIGHTS) == pytest.approx(0.8229)


def test_what_the_case_lacks_is_left_out_and_named() -> None:
    case = EvalCase(question="Q?", answer="A", retrieved_contexts=["one"])
    result = composite(case, 0.5)
    assert result.details["left_out"] == ["context_precision", "context_recall"]
    assert result.score == pytest.approx((0.3 * 0.5 + 0.3 * 0.5) / 0.6)
    assert "left out: context_precision, context_recall" in result.reason


def test_a_part_with_nothing_to_check_is_left_out() -> None:
    result = composite(EvalCase(**{**WHOLE, "answer": "silent"}), 0.5)
    assert result.details["left_out"] == ["faithfulness"]
    assert result.score == pytest.approx((0.2 + 0.2 + 0.3 * 0.5) / 0.7)


def test_a_case_without_any_part_can_not_be_measured() -> None:
    assert RagasScore().missing(EvalCase(answer="A")) == (
        "retrieved_contexts",
        "question",
        "ground_truth_answer",
    )
    assert RagasScore().missing(EvalCase(question="Q?", answer="A")) == ()
    with pytest.raises(MissingFieldError, match=r"none of its parts .* something to check"):
        composite(EvalCase(answer="silent", retrieved_contexts=["one"]))


@given(st.dictionaries(st.sampled_from(list(WEIGHTS)), SHARES, min_size=1))
def test_the_mean_lies_between_its_parts(scores: dict[str, float]) -> None:
    mean = weighted_mean(scores, WEIGHTS)
    assert min(scores.values()) - 1e-9 <= mean <= max(scores.values()) + 1e-9
    assert 0 <= mean <= 1


def test_weights_replace_the_default_ones_and_0_leaves_out() -> None:
    result = composite(EvalCase(**WHOLE), 0.5, weights={"faithfulness": 0, "context_recall": 0})
    assert result.score == pytest.approx((0.2 + 0.3 * 0.5) / 0.5)
    assert result.details["left_out"] == []


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ({"recall": 1}, "unknown part 'recall'"),
        ({"faithfulness": -1}, "faithfulness is -1"),
        ({"faithfulness": float("nan")}, "faithfulness is nan"),
        ({"faithfulness": "1"}, "faithfulness is '1'"),
        ({"faithfulness": 10**400}, "not a number from 0"),
        ({"faithfulness": 1e308}, "faithfulness is 1e"),
        (dict.fromkeys(WEIGHTS, 0), "their sum is 0"),
        ([0.3], "a dict of numbers by metric"),
    ],
)
def test_weights_are_checked(weights: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        composite(EvalCase(**WHOLE), weights=weights)


def test_which_metrics_a_case_has_the_fields_for() -> None:
    # without a reference three of the six metrics of answers and contexts are left
    found = applicable_metrics(EvalCase(question="Q?", answer="A", retrieved_contexts=["one"]))
    six = {"faithfulness", "context_relevance", "context_recall", "context_precision"}
    six |= {"answer_relevancy", "answer_correctness"}
    assert six & set(found) == {"faithfulness", "context_relevance", "answer_relevancy"}
    assert found.missing["context_recall"] == ("ground_truth_answer",)
    assert found.missing["context_precision"] == ("ground_truth_answer",)
    assert "ragas_score" in found
    # a judge has nothing to look at in a blank text; where it may be wrong by itself it counts
    blank = applicable_metrics(EvalCase(question="Q?", answer=" ", ground_truth_answer="R"))
    assert set(blank) == {"semantic_similarity", "bert_score", "answer_class"}
    assert blank.missing["ragas_score"] == ("answer",)
    with pytest.raises(TypeError, match="a case must be an EvalCase, not dict"):
        applicable_metrics({})  # type: ignore[arg-type]
