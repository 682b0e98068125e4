"""Votes: what several samples of one judgement become, by each metric and in every order."""

from __future__ import annotations

import itertools
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from pytest_ragassert import EvalCase, MetricResult, Settings
from pytest_ragassert.judging.calls.event_loop import without_loop
from pytest_ragassert.metrics.answer_class import AnswerClass
from pytest_ragassert.metrics.answer_quality import AnswerRelevancy, FactualAccuracy
from pytest_ragassert.metrics.composite import RagasScore
from pytest_ragassert.metrics.contexts import ContextPrecision, ContextRecall, ContextRelevance
from pytest_ragassert.metrics.factual import FactualF1, FactualRecall
from pytest_ragassert.metrics.faithfulness import Faithfulness
from pytest_ragassert.metrics.similarity import AnswerCorrectness
from pytest_ragassert.metrics.votes import median_of
from tests.asks import Reply, ScriptedAsk, claims_reply, relevance_reply

FULL, PARTIAL, NONE, CONTRA = (
    "FULLY_SUPPORTED",
    "PARTIALLY_SUPPORTED",
    "NO_EVIDENCE",
    "CONTRADICTORY",
)
WORST_FIRST = [CONTRA, NONE, PARTIAL, FULL]
PASSAGE = "The ferry runs every 40 minutes. The crossing costs 9 euros."
CLAIM = "The crossing costs 5 euros."
QUOTE, OTHER_QUOTE = "The crossing costs 9 euros.", "The ferry runs every 40 minutes."
CASE = EvalCase(question="Q?", answer="A", ground_truth_answer="R", retrieved_contexts=[PASSAGE])


def said(label: str, quote: str | None = QUOTE, reason: str = "so") -> dict[str, Any]:
    """A sample's verdict on the one claim."""
    one = {"id": 1, "reason": reason, "passage": 1, "quote": quote, "verdict": label}
    return {"verdicts": [{**one, "confidence": None}]}


def measured(metric: Any, ask: ScriptedAsk, case: EvalCase = CASE, **options: Any) -> MetricResult:
    result: MetricResult = without_loop(metric.measure(case, ask, **options))
    return result


def voted(*samples: dict[str, Any], **more: Any) -> MetricResult:
    """Faithfulness of an answer with one claim."""
    replies: dict[str, Reply] = {
        "extract_claims": claims_reply({"A": [CLAIM]}),
        "verify_claims": [*samples],
    }
    return measured(Faithfulness(), ScriptedAsk(replies, votes=len(samples), **more))


# -- claims ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("labels", "verdict", "score"),
    [
        ([FULL, FULL, CONTRA], FULL, 1.0),
        ([CONTRA, FULL, FULL], FULL, 1.0),
        ([PARTIAL, FULL], PARTIAL, 0.5),
        ([FULL, NONE, PARTIAL], NONE, 0.0),
        ([FULL, FULL, CONTRA, CONTRA], CONTRA, 0.0),
        ([PARTIAL, PARTIAL, FULL, CONTRA], PARTIAL, 0.5),
    ],
)
def test_most_votes_decide_a_claim_and_ties_go_to_the_worse(
    labels: list[str], verdict: str, score: float
) -> None:
    result = voted(*map(said, labels))
    assert (result.claims[0].verdict.value, result.score) == (verdict, score)
    assert result.claims[0].votes == Counter(labels)


def test_one_vote_says_nothing_of_votes() -> None:
    assert voted(said(FULL)).claims[0].votes == {}


def test_a_contradiction_that_no_quote_proves_votes_for_no_evidence() -> None:
    invented = said(CONTRA, "The crossing is free of charge.")
    (claim,) = voted(said(CONTRA), invented, invented).claims
    assert (claim.verdict.value, claim.votes) == (NONE, {CONTRA: 1, NONE: 2})
    assert (claim.label_raw.value, claim.quote_verified) == (CONTRA, False)
    (claim,) = voted(said(CONTRA), said(CONTRA), invented).claims
    assert (claim.verdict.value, claim.quote_verified) == (CONTRA, True)


def test_the_evidence_is_that_of_the_lowest_sample_that_is_right_and_proves_it() -> None:
    invented = "The crossing is free of charge."
    samples = [
        said(NONE, OTHER_QUOTE, "0"),
        said(FULL, invented, "1"),
        said(FULL, QUOTE, "2"),
        said(FULL, OTHER_QUOTE, "3"),
    ]
    (claim,) = voted(*samples).claims
    assert (claim.verdict.value, claim.quote, claim.reason) == (FULL, QUOTE, "2")
    (claim,) = voted(*samples[:2], said(FULL, None, "2")).claims
    assert (claim.verdict.value, claim.quote_verified, claim.reason) == (FULL, False, "1")
    # one of its quotes is enough
    mixed = said(FULL, None, "1")
    mixed["verdicts"][0]["evidence"] = [{"passage": 1, "quote": q} for q in (invented, QUOTE)]
    (claim,) = voted(samples[0], mixed, said(FULL, OTHER_QUOTE, "2")).claims
    assert (claim.quote, claim.quote_verified, claim.reason) == (QUOTE, False, "1")


LABELS = st.lists(st.sampled_from(WORST_FIRST), min_size=1, max_size=7)


@hypothesis_settings(deadline=None)
@given(LABELS, st.randoms(use_true_random=False))
def test_the_order_of_samples_changes_no_verdict_score_or_split(
    labels: list[str], rng: Any
) -> None:
    mixed = rng.sample(labels, len(labels))
    one, other = voted(*map(said, labels)), voted(*map(said, mixed))
    changed = {"reason": None, "quote": None}
    assert one.score == other.score
    assert one.claims[0].model_copy(update=changed) == other.claims[0].model_copy(update=changed)


@hypothesis_settings(deadline=None)
@given(st.sampled_from(WORST_FIRST), st.integers(1, 7))
def test_votes_that_agree_are_one_vote(label: str, count: int) -> None:
    one, many = voted(said(label)), voted(*[said(label)] * count)
    alike = many.claims[0].model_copy(update={"votes": {}})
    assert (many.score, alike) == (one.score, one.claims[0])


@hypothesis_settings(deadline=None)
@given(LABELS, st.data())
def test_a_vote_changed_to_the_winner_changes_no_winner(labels: list[str], data: Any) -> None:
    winner = voted(*map(said, labels)).claims[0].verdict.value
    place = data.draw(st.integers(0, len(labels) - 1))
    labels[place] = winner
    assert voted(*map(said, labels)).claims[0].verdict.value == winner
    assert winner in labels


@hypothesis_settings(deadline=None)
@given(LABELS)
def test_no_verdict_with_fewer_votes_wins_and_none_that_is_better_with_as_many(
    labels: list[str],
) -> None:
    winner = voted(*map(said, labels)).claims[0].verdict.value
    for other in set(labels) - {winner}:
        fewer = labels.count(other) < labels.count(winner)
        as_many = labels.count(other) == labels.count(winner)
        worse = WORST_FIRST.index(winner) < WORST_FIRST.index(other)
        assert fewer or (as_many and worse)


def test_identical_claims_of_two_sentences_are_one_judgement() -> None:
    replies: dict[str, Reply] = {
        "extract_claims": claims_reply({"A": [CLAIM, CLAIM]}),
        "verify_claims": [said(FULL), said(NONE)],
    }
    ask = ScriptedAsk(replies, votes=2)
    result = measured(Faithfulness(), ask)
    assert [claim.votes for claim in result.claims] == [{FULL: 1, NONE: 1}] * 2
    assert list(ask.splits.values()) == [True]


# -- what is sampled -------------------------------------------------------------------------------

FLAGS = relevance_reply([True])
VERDICT = said(FULL)
GRADES = {
    name: {"reason": name, "score": 80} for name in ("correctness", "completeness", "consistency")
}
ALL: dict[str, Reply] = {
    "extract_claims": claims_reply({"A": [CLAIM], "R": [QUOTE]}),
    "verify_claims": VERDICT,
    "judge_passages": FLAGS,
    "generate_questions": {"questions": ["Q?"]},
    "rate_relevance": {"reason": "so", "score": 1},
    "grade_accuracy": GRADES,
    "classify_answer": {"reason": "so", "label": "CORRECT"},
}


@pytest.mark.parametrize(
    ("metric", "sampled", "once"),
    [
        (Faithfulness(), ["verify_claims"], ["extract_claims"]),
        (FactualF1(), ["verify_claims"] * 2, ["extract_claims"] * 2),
        (FactualRecall(), ["verify_claims"], ["extract_claims"]),
        (ContextRecall(), ["verify_claims"], ["extract_claims"]),
        (ContextRelevance(), ["judge_passages"], []),
        (ContextPrecision(), ["judge_passages"], []),
        (FactualAccuracy(), ["grade_accuracy"], []),
        (AnswerClass(), ["classify_answer"], []),
        (AnswerRelevancy(), ["rate_relevance"], []),
        (AnswerCorrectness(), ["verify_claims"] * 2, ["extract_claims"] * 2),
        (
            RagasScore(),
            ["verify_claims"] * 2 + ["judge_passages", "rate_relevance"],
            ["extract_claims"] * 2,
        ),
    ],
    ids=lambda given: getattr(given, "name", None),
)
def test_judgements_are_sampled_and_what_is_judged_is_made_once(
    metric: Any, sampled: list[str], once: list[str]
) -> None:
    ask = ScriptedAsk(ALL, votes=3)
    measured(metric, ask)
    expected = [(step, "m", 0) for step in once]
    expected += [(step, "m", sample) for step in sampled for sample in range(3)]
    assert sorted(ask.samples) == sorted(expected)


def test_questions_are_generated_once() -> None:
    ask = ScriptedAsk(ALL, votes=3, vectors={"Q?": [1.0]})
    assert measured(AnswerRelevancy(), ask).score == 1
    assert ask.samples == [("generate_questions", "m", 0)]


def test_where_nothing_is_asked_there_are_no_votes() -> None:
    ask = ScriptedAsk(ALL, votes=3)
    (claim,) = measured(Faithfulness(), ask, EvalCase(answer="A", retrieved_contexts=[])).claims
    assert (claim.votes, ask.splits) == ({}, {})
    told = CASE.model_copy(update={"ground_truth_contexts": [PASSAGE]})
    assert measured(ContextPrecision(), ask, told).details["contexts"] == [
        {"context": 0, "relevant": True, "reason": None}
    ]


# -- contexts, labels, scores ----------------------------------------------------------------------

TWO = EvalCase(question="Q?", retrieved_contexts=["one", "two"])


@pytest.mark.parametrize(
    ("samples", "relevant", "votes"),
    [
        (["10", "10", "01"], [True, False], [[2, 1], [1, 2]]),
        (["10", "11"], [True, False], [[2, 0], [1, 1]]),
        (["11", "11", "11"], [True, True], [[3, 0], [3, 0]]),
    ],
)
def test_votes_on_a_context(
    samples: list[str], relevant: list[bool], votes: list[list[int]]
) -> None:
    flags = [[flag == "1" for flag in sample] for sample in samples]
    ask = ScriptedAsk({"judge_passages": [*map(relevance_reply, flags)]}, votes=len(samples))
    result = measured(ContextRelevance(), ask, TWO)
    found = result.details["contexts"]
    assert [one["relevant"] for one in found] == relevant
    assert result.score == sum(relevant) / 2
    each = [[one["votes"].get(word, 0) for word in ("relevant", "not relevant")] for one in found]
    assert each == votes
    assert list(ask.splits.values()) == [0 not in vote for vote in votes]


def label(word: str, reason: str = "so") -> dict[str, Any]:
    return {"reason": reason, "label": word}


@pytest.mark.parametrize(
    ("labels", "winner"),
    [
        (["CORRECT", "WRONG", "CORRECT"], "CORRECT"),
        (["CORRECT", "WRONG"], "WRONG"),
        (["CORRECT", "DONT_KNOW"], "DONT_KNOW"),
        (["CORRECT", "DONT_KNOW", "WRONG"], "WRONG"),
    ],
)
def test_votes_on_a_label(labels: list[str], winner: str) -> None:
    replies = [label(word, f"sample {n}") for n, word in enumerate(labels)]
    ask = ScriptedAsk({"classify_answer": replies}, votes=len(labels))
    result = measured(AnswerClass(), ask)
    assert (result.label, result.score) == (winner, float(winner == "CORRECT"))
    assert result.reason == f"{winner}: sample {labels.index(winner)}"
    assert result.details["votes"] == Counter(labels)
    assert list(ask.splits.values()) == [True]


@pytest.mark.parametrize(
    ("scores", "median"), [([1, 0, 0.5], 0.5), ([1, 0.5], 0.5), ([0, 1, 1, 0.25], 0.25)]
)
def test_of_ratings_the_lower_median_counts(scores: list[float], median: float) -> None:
    replies = [{"reason": f"rated {score}", "score": score} for score in scores]
    ask = ScriptedAsk({"rate_relevance": replies}, votes=len(scores))
    result = measured(AnswerRelevancy(), ask)
    assert (result.score, result.reason) == (median, f"rated directly: rated {median}")
    assert result.details["votes"] == scores
    assert ask.splits == {}


def test_of_each_graded_criterion_the_median_counts() -> None:
    def graded(*scores: int) -> dict[str, Any]:
        names = ("correctness", "completeness", "consistency")
        return {n: {"reason": f"{n} {s}", "score": s} for n, s in zip(names, scores, strict=True)}

    replies: Reply = [graded(100, 0, 50), graded(60, 40, 50), graded(80, 20, 100)]
    result = measured(FactualAccuracy(), ScriptedAsk({"grade_accuracy": replies}, votes=3))
    assert result.score == pytest.approx((0.5 * 80 + 0.3 * 20 + 0.2 * 50) / 100)
    assert result.details["completeness"] == {
        "score": 20,
        "reason": "completeness 20",
        "votes": [0, 40, 20],
    }


@given(st.lists(st.integers(0, 4), min_size=1, max_size=9))
def test_the_median_is_a_vote_with_at_most_half_of_the_others_on_each_side(
    votes: list[int],
) -> None:
    middle = median_of(votes, float)
    assert sum(vote < middle for vote in votes) * 2 < len(votes)
    assert sum(vote > middle for vote in votes) * 2 <= len(votes)


# -- several models --------------------------------------------------------------------------------


def by_model(said_by: dict[str, list[str]]) -> Any:
    """Replies in the models' own order of labels, one for each of their samples."""
    turns = {model: itertools.cycle(labels) for model, labels in said_by.items()}
    return lambda input, model: said(next(turns[model]))


SAID_BY = {"a": [FULL, FULL, CONTRA], "b": [NONE, FULL, NONE], "c": [FULL, FULL, FULL]}


@pytest.mark.parametrize(
    ("aggregate", "score"), [("mean", 2 / 3), ("median", 1.0), ("min", 0.0), ("majority", 1.0)]
)
def test_each_model_has_its_own_majority_and_then_the_models_are_joined(
    aggregate: str, score: float
) -> None:
    ask = ScriptedAsk(
        {"extract_claims": claims_reply({"A": [CLAIM]}), "verify_claims": by_model(SAID_BY)},
        models=tuple(SAID_BY),
        votes=3,
    )
    result = measured(Faithfulness(), ask, aggregate=aggregate)
    assert result.by_model == {"a": 1.0, "b": 0.0, "c": 1.0}
    assert result.score == pytest.approx(score)
    assert result.claims[0].verdict.value == FULL
    assert result.claims[0].votes == {FULL: 6, NONE: 2, CONTRA: 1}
    assert ask.samples[0] == ("extract_claims", "a", 0)
    # a judgement is a model's: that models differ is no flip
    assert sorted(ask.splits.values()) == [False, True, True]


def test_models_of_one_vote_each_split_nothing() -> None:
    ask = ScriptedAsk(
        {
            "extract_claims": claims_reply({"A": [CLAIM]}),
            "verify_claims": by_model({"a": [FULL], "b": [NONE]}),
        },
        models=("a", "b"),
    )
    result = measured(Faithfulness(), ask)
    assert (result.claims[0].verdict.value, result.claims[0].votes) == (NONE, {})
    assert ask.splits == {}


def test_models_votes_on_labels_and_contexts_are_added() -> None:
    turns = {"a": itertools.cycle(["CORRECT", "WRONG"]), "b": itertools.repeat("CORRECT")}
    ask = ScriptedAsk(
        {"classify_answer": lambda input, model: label(next(turns[model]))},
        models=("a", "b"),
        votes=2,
    )
    result = measured(AnswerClass(), ask)
    assert (result.label, result.by_model) == ("WRONG", {"a": 0.0, "b": 1.0})
    assert result.details["votes"] == {"CORRECT": 3, "WRONG": 1}
    flags = {"a": [True, False], "b": [False, False]}
    ask = ScriptedAsk({"judge_passages": relevance_reply(flags)}, models=("a", "b"), votes=2)
    (first, second) = measured(ContextRelevance(), ask, TWO).details["contexts"]
    assert (first["relevant"], first["votes"]) == (False, {"relevant": 2, "not relevant": 2})
    assert second["votes"] == {"not relevant": 4}
    assert list(ask.splits.values()) == [False] * 4


# -- settings --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "first", "others"),
    [
        ({}, 0.0, 0.7),
        ({"temperature": 1.0}, 1.0, 1.0),
        ({"temperature": 0.5}, 0.5, 0.7),
        ({"vote_temperature": 0.0}, 0.0, 0.0),
        ({"temperature": 1.0, "vote_temperature": 0.5}, 1.0, 0.5),
    ],
)
def test_votes_beyond_the_first_have_a_temperature_of_their_own(
    options: dict[str, float], first: float, others: float
) -> None:
    settings = Settings(**options)
    assert [settings.temperature_of(n) for n in range(3)] == [first, others, others]


@pytest.mark.parametrize(
    ("option", "value"),
    [
        *(("votes", value) for value in (0, True, "3", 2.5, None)),
        *(("vote_temperature", value) for value in (-0.1, 2.1, float("nan"), "warm")),
    ],
)
def test_settings_that_no_vote_can_have(option: str, value: Any) -> None:
    with pytest.raises(ValueError, match=f"settings: {option}: "):
        Settings(**{option: value})
