"""Metrics of the answer as a whole: relevancy, accuracy, similarity, correctness, class."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_ragassert import EvalCase, MetricResult
from pytest_ragassert.errors import MissingFieldError
from pytest_ragassert.judging.calls.event_loop import without_loop
from pytest_ragassert.metrics.answer_class import AnswerClass
from pytest_ragassert.metrics.answer_quality import AnswerRelevancy, FactualAccuracy, grade_of
from pytest_ragassert.metrics.factual import harmonic_mean
from pytest_ragassert.metrics.similarity import AnswerCorrectness, SemanticSimilarity, normalised
from tests.asks import ScriptedAsk, claims_reply, verdicts_reply

FULL, NONE, CONTRA = "FULLY_SUPPORTED", "NO_EVIDENCE", "CONTRADICTORY"
CASE = EvalCase(question="Q?", answer="A", ground_truth_answer="R")
POINTS = st.integers(0, 100)


def measured(metric: Any, ask: ScriptedAsk, case: EvalCase = CASE, **options: Any) -> MetricResult:
    result: MetricResult = without_loop(metric.measure(case, ask, **options))
    return result


# -- relevancy -------------------------------------------------------------------------------------

VECTORS = {"Q?": [1.0, 0.0], "same": [2.0, 0.0], "near": [1.0, 1.0], "away": [-1.0, 0.0]}


@pytest.mark.parametrize(
    ("questions", "score"),
    [
        (["same"], 1.0),
        (["same", "near"], (1 + math.sqrt(0.5)) / 2),
        (["same", "away"], 0.5),
        (["away"], 0.0),
        ([], 0.0),
    ],
)
def test_relevancy_is_the_mean_similarity_of_generated_questions(
    questions: list[str], score: float
) -> None:
    ask = ScriptedAsk({"generate_questions": {"questions": questions}}, vectors=VECTORS)
    result = measured(AnswerRelevancy(), ask)
    assert result.score == pytest.approx(score)
    assert result.details["method"] == "questions"
    assert [one["question"] for one in result.details["questions"]] == questions
    assert ask.inputs == [{"answer": "A", "n": 3}]
    assert ask.embedded == ([["Q?", *questions]] if questions else [])


def test_without_an_embedder_relevancy_is_rated_directly() -> None:
    ask = ScriptedAsk({"rate_relevance": {"reason": "so", "score": 0.75}})
    result = measured(AnswerRelevancy(), ask)
    assert (result.score, result.details) == (0.75, {"method": "direct", "reason": "so"})
    with_embedder = ScriptedAsk({"rate_relevance": {"reason": None, "score": 0.5}}, vectors=VECTORS)
    assert measured(AnswerRelevancy(), with_embedder, method="direct").score == 0.5
    assert with_embedder.embedded == []


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "both"}, "method is 'both'; valid are auto, questions, direct"),
        ({"n": 0}, "n must be a whole number of questions from 1, not 0"),
        ({"n": True}, "not True"),
        ({"aggregate": "best"}, "aggregate is 'best'"),
    ],
)
def test_options_of_relevancy_are_checked(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        measured(AnswerRelevancy(), ScriptedAsk(), **options)


def test_each_model_generates_its_own_questions_and_all_are_embedded_at_once() -> None:
    def reply(input: Any, model: str) -> Any:
        return {"questions": {"a": ["same"], "b": ["near", "same"]}[model]}

    ask = ScriptedAsk({"generate_questions": reply}, models=("a", "b"), vectors=VECTORS)
    result = measured(AnswerRelevancy(), ask, aggregate="min")
    assert result.by_model == {"a": 1.0, "b": pytest.approx((1 + math.sqrt(0.5)) / 2)}
    assert result.score == result.by_model["b"]
    assert ask.embedded == [["Q?", "same", "near"]]


# -- accuracy --------------------------------------------------------------------------------------


def graded(
    correctness: float, completeness: float, consistency: float, **more: Any
) -> MetricResult:
    reply = {
        "correctness": {"reason": "c", "score": correctness},
        "completeness": {"reason": None, "score": completeness},
        "consistency": {"reason": "k", "score": consistency},
        **more,
    }
    return measured(FactualAccuracy(), ScriptedAsk({"grade_accuracy": reply}))


@given(POINTS, POINTS, POINTS)
def test_accuracy_is_the_weighted_sum_and_never_the_judges_own_total(
    correctness: int, completeness: int, consistency: int
) -> None:
    result = graded(correctness, completeness, consistency, final_score=1)
    wanted = (0.5 * correctness + 0.3 * completeness + 0.2 * consistency) / 100
    assert result.score == pytest.approx(wanted)
    assert 0 <= result.score <= 1
    if correctness < 100:
        assert graded(correctness + 1, completeness, consistency).score > result.score
    assert result.grade == grade_of(result.score)


@pytest.mark.parametrize(
    ("score", "grade"),
    [(1.0, "A"), (0.8, "A"), (0.7999, "B"), (0.6, "B"), (0.4, "C"), (0.2, "D"), (0.19, "E")],
)
def test_a_grade_begins_at_its_number(score: float, grade: str) -> None:
    assert grade_of(score) == grade
    assert grade_of(max(0.0, score - 1e-12)) == grade


def test_accuracy_keeps_scores_and_reasons() -> None:
    result = graded(100, 50, 0)
    assert result.score == pytest.approx(0.65)
    assert result.details == {
        "correctness": {"score": 100.0, "reason": "c"},
        "completeness": {"score": 50.0, "reason": None},
        "consistency": {"score": 0.0, "reason": "k"},
    }


# -- similarity ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reference", "score"), [([1.0, 0.0], 1.0), ([0.0, 1.0], 0.0), ([-1.0, 0.0], 0.0), ([0, 0], 0)]
)
def test_similarity_is_a_cosine_that_is_never_negative(
    reference: list[float], score: float
) -> None:
    result = measured(SemanticSimilarity(), ScriptedAsk(vectors={"A": [1.0, 0.0], "R": reference}))
    assert result.score == score
    assert result.details["cosine"] == (-1.0 if reference[0] < 0 else score)


@pytest.mark.parametrize(("answer", "reference"), [(" ", "R"), ("A", "\n"), ("", "")])
def test_blank_texts_are_not_similar_and_not_embedded(answer: str, reference: str) -> None:
    told = EvalCase(answer=answer, ground_truth_answer=reference)
    assert measured(SemanticSimilarity(), ScriptedAsk(vectors={}), told).score == 0


def test_the_nearest_reference_counts() -> None:
    told = EvalCase(answer="A", ground_truth_answers=["far", "R"])
    ask = ScriptedAsk(vectors={"A": [1.0, 0.0], "far": [0.0, 1.0], "R": [1.0, 1.0]})
    result = measured(SemanticSimilarity(), ask, told)
    assert result.score == pytest.approx(math.sqrt(0.5))
    assert result.details["reference"] == 1


# -- correctness -----------------------------------------------------------------------------------


def correctness(
    ours: list[str], theirs: list[str], cosine: float | None = None, **options: Any
) -> MetricResult:
    """Claims of answer and reference by their labels; an embedder only where a cosine is given."""
    claims = {
        "A": [f"a{n} {label}" for n, label in enumerate(ours)],
        "R": [f"r{n} {label}" for n, label in enumerate(theirs)],
    }
    replies = {
        "extract_claims": claims_reply(claims),
        "verify_claims": verdicts_reply(lambda claim, _: claim.split()[1]),
    }
    vectors = None
    if cosine is not None:
        vectors = {"A": [1.0, 0.0], "R": [cosine, math.sqrt(1 - cosine * cosine)]}
    return measured(AnswerCorrectness(), ScriptedAsk(replies, vectors=vectors), **options)


LABELS = st.lists(st.sampled_from([FULL, NONE]), min_size=1, max_size=4)
SHARES = st.floats(0, 1)


@given(LABELS, LABELS, SHARES)
def test_correctness_is_three_parts_f1_and_one_part_similarity(
    ours: list[str], theirs: list[str], cosine: float
) -> None:
    result = correctness(ours, theirs, cosine)
    f1 = harmonic_mean(ours.count(FULL) / len(ours), theirs.count(FULL) / len(theirs))
    wanted = 1.0 if f1 == 1 else 0.75 * f1 + 0.25 * cosine
    assert result.score == pytest.approx(wanted, abs=1e-6)


def test_a_contradicted_claim_takes_the_similarity_away_and_needs_no_embedder() -> None:
    assert correctness([CONTRA], [CONTRA]).score == 0
    assert correctness([FULL, CONTRA], [FULL]).score == pytest.approx(0.75 * 2 / 3)


def test_all_supported_both_ways_is_1_and_needs_no_embedder() -> None:
    result = correctness([FULL, FULL], [FULL])
    assert (result.score, result.details["similarity"]) == (1.0, None)


@pytest.mark.parametrize(
    ("weights", "expected"),
    [((0.75, 0.5), (0.6, 0.4)), ([3, 1], (0.75, 0.25)), ((1, 0), (1.0, 0.0)), ((0, 2), (0, 1))],
)
def test_weights_are_normalised(weights: Any, expected: tuple[float, float]) -> None:
    assert normalised(weights) == pytest.approx(expected)
    score = correctness([FULL, NONE], [FULL], 0.5, weights=weights).score
    assert score == pytest.approx(expected[0] * 2 / 3 + expected[1] * 0.5)


@pytest.mark.parametrize(
    "weights",
    [(0, 0), (-1, 2), (1,), (1, 2, 3), (math.nan, 1), (math.inf, 1), "11", (True, 1), None],
)
def test_weights_that_are_none_are_refused(weights: Any) -> None:
    with pytest.raises(ValueError, match="two numbers from 0 with a positive sum"):
        correctness([FULL], [NONE], 0.5, weights=weights)


def test_nothing_claimed_on_both_sides_is_vacuous() -> None:
    result = correctness([], [])
    assert (result.metric, result.vacuous) == ("answer_correctness", True)


# -- class -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "answer",
    ["I don't know.", "Das weiß ich leider nicht.", "我不知道。", "Unknown", "N/A", "none", " ", "",
     "Je ne sais pas.", "No lo sé.", "لا أعرف", "わかりません", "Not sure.", "Cannot determine.",
     "I don't have enough information.", "No data"],
)  # fmt: skip
def test_not_knowing_is_told_without_asking(answer: str) -> None:
    ask = ScriptedAsk()
    told = EvalCase(question="Q?", answer=answer, ground_truth_answer="R")
    result = measured(AnswerClass(), ask, told)
    assert (result.label, result.score, ask.asked) == ("DONT_KNOW", 0, [])


@pytest.mark.parametrize(
    "answer",
    ["The Tomb of the Unknown Soldier", "It runs every 45 minutes, as far as I know.",
     "I don't know why some say otherwise, but it runs every 40 minutes.", "None of the dogs",
     "Unknown Pleasures", "No data is stored on the server.", "Thanks!"],
)  # fmt: skip
def test_an_answer_that_says_more_is_judged(answer: str) -> None:
    ask = ScriptedAsk({"classify_answer": {"reason": "so", "label": "CORRECT"}})
    told = EvalCase(question="Q?", answer=answer, ground_truth_answer="R")
    result = measured(AnswerClass(), ask, told)
    assert (result.label, result.score, len(ask.asked)) == ("CORRECT", 1, 1)
    assert ask.inputs == [{"question": "Q?", "reference": "R", "answer": answer}]


@pytest.mark.parametrize(
    ("votes", "label"),
    [
        (["CORRECT", "CORRECT", "WRONG"], "CORRECT"),
        (["CORRECT", "WRONG"], "WRONG"),
        (["CORRECT", "DONT_KNOW"], "DONT_KNOW"),
        (["WRONG", "DONT_KNOW"], "WRONG"),
    ],
)
def test_models_vote_and_the_worse_label_wins_a_tie(votes: list[str], label: str) -> None:
    models = tuple(map(str, range(len(votes))))

    def reply(input: Any, model: str) -> Any:
        return {"reason": None, "label": votes[int(model)]}

    result = measured(AnswerClass(), ScriptedAsk({"classify_answer": reply}, models=models))
    assert result.label == label
    assert result.by_model == {m: float(v == "CORRECT") for m, v in zip(models, votes, strict=True)}


@pytest.mark.parametrize("metric", [AnswerRelevancy(), FactualAccuracy(), AnswerCorrectness()])
def test_a_blank_answer_is_a_missing_field(metric: Any) -> None:
    told = EvalCase(question="Q?", answer=" ", ground_truth_answer="R")
    with pytest.raises(MissingFieldError, match="the answer is empty"):
        measured(metric, ScriptedAsk(vectors={}), told)
