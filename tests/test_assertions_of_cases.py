"""Assertions on contexts, whole answers and several metrics, by the judge on loopback."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

import pytest_ragassert as ra
from pytest_ragassert import EvalCase, RagAssertionError, aio
from tests.loopback.server import LoopbackJudge

Asserting = Callable[..., None]
GOOD: dict[str, Any] = {
    "question": "How often does the ferry run?",
    "answer": "The ferry runs every 40 minutes.",
    "ground_truth_answer": "The ferry runs every 40 minutes.",
    "retrieved_contexts": ["The ferry runs every 40 minutes.", "Bread is baked at night."],
}


def a_case(**fields: Any) -> EvalCase:
    return EvalCase(**{**GOOD, **fields})


@pytest.mark.parametrize(
    "name",
    ["context_relevance", "context_recall", "context_precision", "answer_relevancy",
     "answer_correctness", "factual_accuracy", "ragas_score"],
)  # fmt: skip
def test_each_assertion_reports_under_its_metrics_name(
    judge: LoopbackJudge, asserting: Asserting, name: str
) -> None:
    asserting()
    case = a_case()
    result = getattr(ra, f"assert_{name}")(case, min=0.0)
    assert (result.metric, result.passed) == (name, True)
    assert case.results[name] is result
    again = asyncio.run(getattr(aio, f"assert_{name}")(a_case(), min=0.0))
    assert again.score == result.score


def test_similarity_needs_an_embedder_and_has_one(
    judge: LoopbackJudge, asserting: Asserting
) -> None:
    asserting(embedder="openai")
    assert ra.assert_semantic_similarity(a_case()).score == pytest.approx(1)
    with pytest.raises(RagAssertionError, match=r"semantic_similarity 0\.\d+ < 0\.80"):
        ra.assert_semantic_similarity(a_case(ground_truth_answer="Bread is baked at night."))


def test_a_case_with_all_six_metrics_asks_nine_questions_and_one_embedding_request(
    judge: LoopbackJudge, asserting: Asserting
) -> None:
    asserting(embedder="openai")
    six: dict[str, Any] = dict.fromkeys(
        ["faithfulness", "factual_f1", "context_recall", "context_precision", "context_relevance",
         "answer_relevancy"],
        0.0,
    )  # fmt: skip
    chunks = [f"The ferry runs every 40 minutes, says notice {n}." for n in range(5)]
    told = a_case(retrieved_contexts=chunks, ground_truth_answer="It runs every 40 minutes.")
    ra.assert_rag(told, **six)
    steps = [request.step for request in judge.requests]
    embeddings = [r for r in judge.requests if "input" in r.body]
    assert len(embeddings) == 1
    assert len(steps) - len(embeddings) == 9
    ra.assert_rag(told.fresh(), **six)
    assert len(judge.requests) == 10


def test_ground_truth_contexts_save_a_question(judge: LoopbackJudge, asserting: Asserting) -> None:
    asserting()
    told = a_case(ground_truth_contexts=["The ferry runs every 40 minutes."])
    assert ra.assert_context_precision(told).score == 1
    assert judge.requests == []


@pytest.mark.parametrize(
    ("answer", "label"),
    [
        ("The ferry runs every 40 minutes.", "CORRECT"),
        ("The ferry runs every 55 minutes.", "WRONG"),
        ("I don't know.", "DONT_KNOW"),
    ],
)
def test_answers_are_classed(
    judge: LoopbackJudge, asserting: Asserting, answer: str, label: str
) -> None:
    asserting()
    told = a_case(answer=answer)
    for assertion, passing in (
        (ra.assert_correct, {"CORRECT"}),
        (ra.assert_not_evasive, {"CORRECT", "WRONG"}),
    ):
        if label in passing:
            assert assertion(told).label == label
        else:
            with pytest.raises(RagAssertionError, match=f"answer_class {label}"):
                assertion(told)
    assert len(judge.requests) == (label != "DONT_KNOW")


def test_a_least_grade_stands_for_its_score(judge: LoopbackJudge, asserting: Asserting) -> None:
    asserting()
    assert ra.assert_factual_accuracy(a_case(), min_grade="A").minimum == 0.8
    with pytest.raises(ValueError, match="mean the same; give one of them"):
        ra.assert_factual_accuracy(a_case(), min=0.5, min_grade="B")
    with pytest.raises(ValueError, match="min_grade is 'F'; valid are A, B, C, D, E"):
        ra.assert_factual_accuracy(a_case(), min_grade="F")  # type: ignore[arg-type]


def test_all_metrics_that_fail_stand_in_one_error(
    judge: LoopbackJudge, asserting: Asserting
) -> None:
    asserting()
    told = a_case(answer="The ferry runs every 55 minutes.")
    with pytest.raises(RagAssertionError) as failed:
        ra.assert_rag(told, faithfulness=0.8, factual_f1=0.7, context_recall=0.5)
    assert [result.metric for result in failed.value.results] == ["faithfulness", "factual_f1"]
    message = str(failed.value)
    assert message.startswith("faithfulness 0.00 < 0.80, factual_f1 0.00 < 0.70: case ")
    assert "faithfulness: 1 claim: 1 " in message
    assert "; factual_f1: " in message
    assert "\n" not in message


def test_without_thresholds_three_metrics_are_measured(
    judge: LoopbackJudge, asserting: Asserting
) -> None:
    asserting()
    evaluation = ra.assert_rag(a_case())
    assert list(evaluation) == ["faithfulness", "context_relevance", "answer_relevancy"]
    with pytest.raises(TypeError, match="unknown metric 'truth'"):
        ra.assert_rag(a_case(), truth=1.0)
    assert list(asyncio.run(aio.assert_rag(a_case()))) == list(evaluation)
