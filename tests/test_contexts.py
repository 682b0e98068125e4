"""Context relevance, recall and precision: their formulas, and what they ask."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_ragassert import EvalCase, MetricResult
from pytest_ragassert.errors import MissingFieldError
from pytest_ragassert.judging.calls.event_loop import without_loop
from pytest_ragassert.metrics.contexts import (
    ContextPrecision,
    ContextRecall,
    ContextRelevance,
    average_precision,
)
from tests.asks import ScriptedAsk, claims_reply, relevance_reply, verdicts_reply

FLAGS = st.lists(st.booleans(), max_size=8)
FULL, NONE, CONTRA = "FULLY_SUPPORTED", "NO_EVIDENCE", "CONTRADICTORY"


def contexts(count: int) -> list[str]:
    return [f"context {number}" for number in range(count)]


def a_case(count: int = 3, **fields: Any) -> EvalCase:
    given = {"question": "Q?", "ground_truth_answer": "R", "retrieved_contexts": contexts(count)}
    return EvalCase(**{**given, **fields})


def relevance(flags: Any, models: tuple[str, ...] = ("m",), **options: Any) -> MetricResult:
    count = len(next(iter(flags.values())) if isinstance(flags, dict) else flags)
    ask = ScriptedAsk({"judge_passages": relevance_reply(flags)}, models=models)
    return without_loop(ContextRelevance().measure(a_case(count), ask, **options))


def precision(flags: list[bool], **options: Any) -> MetricResult:
    ask = ScriptedAsk({"judge_passages": relevance_reply(flags)})
    return without_loop(ContextPrecision().measure(a_case(len(flags)), ask, **options))


@pytest.mark.parametrize(
    ("flags", "average", "share"),
    [
        ([1, 0, 1, 0], 5 / 6, 0.5),
        ([0, 1, 0, 1], 0.5, 0.5),
        ([0, 0, 0], 0.0, 0.0),
        ([1, 1, 1, 1], 1.0, 1.0),
        ([0, 0, 0, 1], 0.25, 0.25),
        ([], 0.0, 0.0),
    ],
)
def test_precision_by_rank_and_by_share(flags: list[int], average: float, share: float) -> None:
    given = [bool(flag) for flag in flags]
    assert precision(given).score == pytest.approx(average)
    assert precision(given, ranked=False).score == pytest.approx(share)


@given(FLAGS)
def test_average_precision_is_in_range_and_exact_at_its_ends(flags: list[bool]) -> None:
    score = average_precision(flags)
    assert 0 <= score <= 1
    assert (score == 0) is (not any(flags))
    # all relevant ones first, and only then
    assert (score == 1) is (any(flags) and flags == sorted(flags, reverse=True))


@given(FLAGS.filter(lambda flags: len(flags) > 1), st.data())
def test_a_relevant_context_further_ahead_never_lowers_precision(
    flags: list[bool], data: st.DataObject
) -> None:
    at = data.draw(st.integers(1, len(flags) - 1))
    if flags[at] and not flags[at - 1]:
        ahead = flags.copy()
        ahead[at - 1], ahead[at] = True, False
        assert average_precision(ahead) > average_precision(flags)


@given(FLAGS)
def test_relevance_is_the_share_of_relevant_contexts_in_any_order(flags: list[bool]) -> None:
    result = relevance(flags)
    assert result.score == (sum(flags) / len(flags) if flags else 0)
    assert relevance(flags[::-1]).score == result.score


def test_relevance_says_which_contexts_and_asks_without_the_reference() -> None:
    ask = ScriptedAsk({"judge_passages": relevance_reply([True, False])})
    told = a_case(retrieved_contexts=["good", "", "bad", None])
    result = without_loop(ContextRelevance().measure(told, ask))
    assert result.details["contexts"] == [
        {"context": 0, "relevant": True, "reason": "because 1"},
        {"context": 2, "relevant": False, "reason": "because 3"},
    ]
    assert result.reason == "1 of 2 contexts relevant"
    assert ask.inputs == [
        {
            "question": "Q?",
            "reference": None,
            "passages": [{"id": 1, "text": "good"}, {"id": 3, "text": "bad"}],
        }
    ]


def test_nothing_retrieved_scores_0_without_a_question() -> None:
    ask = ScriptedAsk({"extract_claims": claims_reply({"R": ["one"]})})
    told = a_case(0)
    for metric in (ContextRelevance(), ContextPrecision()):
        result = without_loop(metric.measure(told, ask))
        assert (result.score, result.vacuous) == (0, False)
    assert ask.asked == []
    recall = without_loop(ContextRecall().measure(told, ask))
    assert (recall.score, len(recall.claims), len(ask.asked)) == (0, 1, 1)


@pytest.mark.parametrize(
    ("aggregate", "score"), [("mean", 2 / 3), ("median", 0.5), ("min", 0.5), ("majority", 0.5)]
)
def test_models_are_joined_and_a_majority_counts_by_context(aggregate: str, score: float) -> None:
    flags = {"a": [True, True], "b": [True, False], "c": [True, False]}
    result = relevance(flags, models=("a", "b", "c"), aggregate=aggregate)
    assert result.score == pytest.approx(score)
    assert result.by_model == {"a": 1.0, "b": 0.5, "c": 0.5}
    assert [one["relevant"] for one in result.details["contexts"]] == [True, False]


def test_models_that_tie_on_a_context_count_as_not_relevant() -> None:
    result = relevance({"a": [True], "b": [False]}, models=("a", "b"), aggregate="majority")
    assert result.score == 0


# -- relevance from ground-truth contexts ----------------------------------------------------------

LONG = "The ferry runs every 40 minutes."


@pytest.mark.parametrize(
    ("retrieved", "truth", "same"),
    [
        (LONG, LONG, True),
        ("the Ferry  runs every 40 minutes.", LONG, True),
        (f"Timetable. {LONG} In winter it rests.", LONG, True),
        (LONG, f"Timetable. {LONG} In winter it rests.", True),
        ("ferry", "The ferry runs.", False),
        ("ferry", "ferry", True),
        ("The ferry runs every 30 minutes.", LONG, False),
    ],
)
def test_ground_truth_contexts_decide_relevance_without_asking(
    retrieved: str, truth: str, same: bool
) -> None:
    ask = ScriptedAsk()
    told = EvalCase(retrieved_contexts=[retrieved, "other"], ground_truth_contexts=[truth])
    result = without_loop(ContextPrecision().measure(told, ask))
    assert result.score == float(same)
    assert ask.asked == []
    assert result.details["relevance_from"] == "ground_truth_contexts"


def test_precision_without_ground_truth_contexts_needs_question_and_reference() -> None:
    metric = ContextPrecision()
    assert metric.missing(EvalCase(retrieved_contexts=["a"])) == ("question", "ground_truth_answer")
    assert metric.missing(EvalCase(ground_truth_contexts=["a"])) == ("retrieved_contexts",)
    assert metric.missing(EvalCase(retrieved_contexts=[], ground_truth_contexts=["a"])) == ()
    assert metric.missing(a_case(ground_truth_answer=None, ground_truth_answers=["R"])) == ()
    with pytest.raises(MissingFieldError, match="question is empty"):
        without_loop(metric.measure(a_case(question=" "), ScriptedAsk()))


# -- recall ----------------------------------------------------------------------------------------


@given(st.lists(st.sampled_from([FULL, NONE, CONTRA, "PARTIALLY_SUPPORTED"]), max_size=6))
def test_recall_is_the_share_of_reference_claims_that_are_fully_supported(
    labels: list[str],
) -> None:
    said = {f"claim {number}": label for number, label in enumerate(labels)}
    replies = {
        "extract_claims": claims_reply({"R": list(said)}),
        "verify_claims": verdicts_reply(said),
    }
    result = without_loop(ContextRecall().measure(a_case(), ScriptedAsk(replies)))
    assert result.vacuous is (not labels)
    assert all(claim.source == "reference" for claim in result.claims)
    if labels:
        assert result.score == pytest.approx(labels.count(FULL) / len(labels))


def test_the_best_of_several_references_counts() -> None:
    replies = {
        "extract_claims": claims_reply({"R": ["no"], "S": ["yes"]}),
        "verify_claims": verdicts_reply({"no": NONE, "yes": FULL}),
    }
    told = a_case(ground_truth_answers=["R", "S"])
    result = without_loop(ContextRecall().measure(told, ScriptedAsk(replies)))
    assert (result.score, result.details["reference"]) == (1.0, 1)


@pytest.mark.parametrize("metric", [ContextRelevance(), ContextRecall(), ContextPrecision()])
def test_an_unknown_aggregate_is_refused(metric: Any) -> None:
    with pytest.raises(ValueError, match="aggregate is 'best'; valid are mean, median"):
        without_loop(metric.measure(a_case(), ScriptedAsk(), aggregate="best"))


def test_ranked_is_true_or_false() -> None:
    with pytest.raises(ValueError, match="ranked must be True or False, not 'yes'"):
        precision([True], ranked="yes")
