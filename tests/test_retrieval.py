"""Retrieval by ids: trec_eval's values, what a failure names, and what asks nobody."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st

from pytest_ragassert import (
    EvalCase,
    MetricResult,
    RagAssertionError,
    aio,
    assert_hit_rate,
    assert_map,
    assert_mrr,
    assert_ndcg,
    assert_rag,
    assert_retrieval_precision,
    assert_retrieval_recall,
    evaluate,
)
from pytest_ragassert.errors import MissingFieldError
from pytest_ragassert.judging.calls.event_loop import without_loop
from pytest_ragassert.metrics.registry import OWN
from tests.asks import ScriptedAsk

NAMES = ("retrieval_recall", "retrieval_precision", "hit_rate", "mrr", "ndcg", "map")
METRICS = {metric.name: metric for metric in OWN if metric.name in NAMES}
# trec_eval's measure of the same value, at a cut and over the whole ranking; it has no cut of the
# reciprocal rank, which a ranking that ends there has.
AT_CUT = {
    "retrieval_recall": "recall",
    "retrieval_precision": "P",
    "hit_rate": "success",
    "ndcg": "ndcg_cut",
    "map": "map_cut",
}
WHOLE = {
    "retrieval_recall": "set_recall",
    "retrieval_precision": "set_P",
    "mrr": "recip_rank",
    "ndcg": "ndcg",
    "map": "map",
}

IDS = st.sampled_from([f"d{number}" for number in range(12)])
RANKINGS = st.lists(IDS, max_size=20)
# Of grades that are all negative trec_eval writes beyond its memory.
GRADES = st.dictionaries(IDS, st.integers(-2, 4), min_size=1).filter(
    lambda grades: max(grades.values()) >= 0
)


def measured(name: str, ids: Any, truth: Any, k: int | None = None) -> MetricResult:
    case = EvalCase(id="c1", retrieved_context_ids=ids, ground_truth_context_ids=truth)
    ask = ScriptedAsk()
    result = without_loop(METRICS[name].measure(case, ask, k=k))
    assert ask.asked == []
    return result


def trec_eval(ids: list[str], grades: dict[str, int], measure: str) -> float:
    once = list(dict.fromkeys(ids))
    run = {id: float(len(once) - rank) for rank, id in enumerate(once)}
    evaluator = pytrec_eval.RelevanceEvaluator({"q": grades}, {measure})
    ((_, value),) = evaluator.evaluate({"q": run})["q"].items()
    return float(value)


@given(RANKINGS, GRADES, st.integers(1, 15))
def test_a_score_at_a_cut_is_trec_evals(ids: list[str], grades: dict[str, int], k: int) -> None:
    for name, measure in AT_CUT.items():
        expected = trec_eval(ids, grades, f"{measure}.{k}")
        assert measured(name, ids, grades, k).score == pytest.approx(expected, abs=1e-9), name
    cut = list(dict.fromkeys(ids))[:k]
    first = trec_eval(cut, grades, "recip_rank")
    assert measured("mrr", ids, grades, k).score == pytest.approx(first, abs=1e-9)


@given(RANKINGS, GRADES)
def test_a_score_without_a_cut_is_trec_evals(ids: list[str], grades: dict[str, int]) -> None:
    for name, measure in WHOLE.items():
        expected = trec_eval(ids, grades, measure)
        assert measured(name, ids, grades).score == pytest.approx(expected, abs=1e-9), name
    found = trec_eval(ids, grades, "success.100")
    assert measured("hit_rate", ids, grades).score == found


@given(RANKINGS, st.lists(IDS, min_size=1), st.none() | st.integers(1, 15))
def test_a_list_of_ids_is_grades_of_1(ids: list[str], right: list[str], k: int | None) -> None:
    for name in NAMES:
        graded = measured(name, ids, dict.fromkeys(right, 1), k)
        assert measured(name, ids, right, k) == graded


@given(RANKINGS, GRADES, st.none() | st.integers(1, 15))
def test_a_repeated_id_is_dropped_before_ranks_and_cut(
    ids: list[str], grades: dict[str, int], k: int | None
) -> None:
    for name in NAMES:
        once = measured(name, list(dict.fromkeys(ids)), grades, k)
        assert measured(name, ids, grades, k) == once


@given(
    st.lists(st.none() | IDS | st.text(max_size=3), max_size=60),
    st.dictionaries(IDS, st.floats(-1e300, 1e300), min_size=1),
    st.none() | st.integers(1, 70),
)
def test_any_ranking_has_a_score_from_0_to_1_and_says_where_each_id_is(
    ids: list[str | None], grades: dict[str, float], k: int | None
) -> None:
    for name in NAMES:
        result = measured(name, ids, grades, k)
        details = result.details
        listed = [*details["missed"], *details["found"]]
        more = details["more"].get("missed", 0) + details["more"].get("found", 0)
        assert len(listed) + more == details["relevant"]
        ranks = [one["rank"] for one in (*details["found"], *details["instead"])]
        assert len(set(ranks)) == len(ranks)
        assert all(rank <= min(k or 99, details["retrieved"]) for rank in ranks)
        assert not k or all(one["rank"] is None or one["rank"] > k for one in details["missed"])


def test_values_by_hand() -> None:
    ids, right = ["x", "a", "y", "b"], ["a", "b", "c"]
    assert measured("retrieval_recall", ids, right).score == pytest.approx(2 / 3)
    assert measured("retrieval_precision", ids, right).score == 0.5
    assert measured("retrieval_precision", ids, right, 8).score == 0.25
    assert measured("hit_rate", ids, right, 1).score == 0
    assert measured("mrr", ids, right).score == 0.5
    assert measured("map", ids, right).score == (1 / 2 + 2 / 4) / 3
    assert measured("ndcg", ["b", "a"], {"a": 3, "b": 1}).score == pytest.approx(
        (1 + 3 / 1.5849625) / (3 + 1 / 1.5849625)
    )


def test_what_was_missed_and_what_came_instead() -> None:
    result = measured(
        "retrieval_recall", ["x", "a", None, "b"], {"a": 1, "b": 2, "c": 3, "d": 0}, 3
    )
    assert result.reason == "1 of 3 relevant ids in the first 3 of 4"
    assert result.details == {
        "k": 3,
        "relevant": 3,
        "retrieved": 4,
        "missed": [{"id": "c", "rank": None, "grade": 3}, {"id": "b", "rank": 4, "grade": 2}],
        "instead": [{"id": "x", "rank": 1}, {"id": None, "rank": 3}],
        "found": [{"id": "a", "rank": 2, "grade": 1}],
        "more": {},
    }
    assert result.pretty().splitlines() == [
        "retrieval_recall 0.33   1 of 3 relevant ids in the first 3 of 4",
        "  missed   c (grade 3) not retrieved, b (grade 2) at rank 4",
        "  instead  x at rank 1, one without an id at rank 3",
        "  found    a (grade 1) at rank 2",
    ]


@pytest.mark.parametrize("metric", ["retrieval_precision", "retrieval_recall", "hit_rate"])
@pytest.mark.parametrize("k", [3, 10])
def test_the_reason_names_a_cut_behind_the_last_rank(metric: str, k: int) -> None:
    result = measured(metric, ["a", "x", "y"], ["a"], k)
    assert result.reason == f"1 of 1 relevant id in 3, k={k}"
    assert (result.score == 1) == (metric != "retrieval_precision")


@pytest.mark.parametrize(
    ("metric", "right", "said"),
    [
        ("mrr", ["c", "d"], "2 of 2 relevant ids in 7; first relevant at rank 3"),
        ("mrr", ["z"], "0 of 1 relevant id in 7"),
        ("ndcg", ["c"], "1 of 1 relevant id in 7; relevant at rank 3"),
        ("ndcg", ["z"], "0 of 1 relevant id in 7"),
        ("map", ["c", "e"], "2 of 2 relevant ids in 7; relevant at ranks 3, 5"),
        ("map", "abcdefg", "7 of 7 relevant ids in 7; relevant at ranks 1, 2, 3, 4, 5 and 2 more"),
        ("retrieval_recall", ["c"], "1 of 1 relevant id in 7"),
    ],
)
def test_where_ranks_count_the_reason_names_them(
    metric: str, right: Sequence[str], said: str
) -> None:
    assert measured(metric, list("abcdefg"), list(right)).reason == said


def test_of_many_ids_twenty_are_kept_and_the_rest_counted() -> None:
    result = measured("map", [f"x{n}" for n in range(1000)], [f"r{n}" for n in range(30)])
    assert {name: len(result.details[name]) for name in ("missed", "instead", "found")} == {
        "missed": 20,
        "instead": 20,
        "found": 0,
    }
    assert result.details["more"] == {"missed": 10, "instead": 980}
    assert "r19 not retrieved and 10 more" in result.pretty()


def test_nothing_retrieved_and_nothing_relevant_score_0() -> None:
    for name in NAMES:
        assert measured(name, [], ["a"]).score == 0
        assert measured(name, ["a"], {"a": 0, "b": -1}).score == 0
    assert measured("mrr", [], ["a"]).reason == "0 of 1 relevant id: nothing was retrieved"
    assert measured("mrr", ["a"], {"a": 0}).reason == "no id has a grade above 0"


# -- as assertions ---------------------------------------------------------------------------------

ASSERTIONS = {
    assert_retrieval_recall: 0.8,
    assert_retrieval_precision: 0.5,
    assert_hit_rate: 1.0,
    assert_mrr: 0.5,
    assert_ndcg: 0.7,
    assert_map: 0.5,
}


def a_case(ids: Any = ("a",), truth: Any = ("a",), **fields: Any) -> EvalCase:
    return EvalCase(
        id="c1", retrieved_context_ids=list(ids), ground_truth_context_ids=truth, **fields
    )


@pytest.mark.parametrize("assertion", ASSERTIONS)
def test_an_assertion_has_its_minimum_and_its_cut(assertion: Any) -> None:
    result = assertion(a_case())
    assert (result.score, result.minimum) == (1.0, ASSERTIONS[assertion])
    assert (result.requests, result.claims) == (0, [])
    late = a_case(["x", "y", "a"])
    with pytest.raises(RagAssertionError, match=r"case c1 \(0 of 1 relevant id in the first 2 of"):
        assertion(late, k=2)
    assert assertion(late, k=2, min=0).passed
    named = a_case(["x"], minimums={result.metric: 0.0})
    assert assertion(named).minimum == 0
    assert asyncio.run(getattr(aio, assertion.__name__)(a_case(), k=1)).metric == result.metric


def test_several_at_once_and_evaluate() -> None:
    assert_rag(
        a_case(), retrieval_recall=1, retrieval_precision=1, hit_rate=1, mrr=1, ndcg=1, map=1
    )
    results = evaluate(a_case(["x", "a"]), {name: {"k": 1} for name in NAMES})
    assert {name: result.score for name, result in results.items()} == dict.fromkeys(NAMES, 0.0)


@pytest.mark.parametrize("k", [0, -1, True, 2.0, "3"])
def test_a_cut_is_a_whole_number_from_1(k: Any) -> None:
    with pytest.raises(
        ValueError, match=r"^k must be a whole number of ranks from 1, or None for all,"
    ):
        assert_map(a_case(), k=k)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"ground_truth_context_ids": ["a"]}, "mrr needs the field retrieved_context_ids, which"),
        ({"retrieved_context_ids": ["a"]}, "mrr needs the field ground_truth_context_ids, which"),
        (
            {"retrieved_context_ids": ["a"], "ground_truth_context_ids": []},
            "mrr can't be measured: the ground_truth_context_ids is empty in case c1",
        ),
        (
            {"retrieved_context_ids": [], "ground_truth_context_ids": {}},
            "mrr can't be measured: the ground_truth_context_ids is empty in case c1",
        ),
    ],
)
def test_a_case_without_ids_is_not_measured(fields: dict[str, Any], said: str) -> None:
    with pytest.raises(MissingFieldError, match=f"^{said}"):
        assert_mrr(EvalCase(id="c1", **fields))


def test_contexts_without_an_id_keep_their_rank_and_are_warned_of() -> None:
    with pytest.warns(UserWarning, match="case c1: 2 of 3 retrieved_context_ids are blank and c"):
        assert assert_mrr(a_case([None, " ", "a"]), min=0).score == 1 / 3


def test_ids_of_documents_are_ranked() -> None:
    documents = [{"page_content": "one", "id": "x"}, {"page_content": "two", "id": 7}]
    case = EvalCase(retrieved_contexts=documents, ground_truth_context_ids=[7])
    assert assert_mrr(case).score == 0.5
