"""What holds of every claim metric: scores in range, juries, results, reports."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from pytest_ragassert import EvalCase, MetricResult, Settings, Verdict, evaluate
from pytest_ragassert.judging.calls.event_loop import without_loop
from pytest_ragassert.metrics.claims import majority
from pytest_ragassert.metrics.ensemble import AGGREGATES, Aggregate
from pytest_ragassert.metrics.factual import band, harmonic_mean
from pytest_ragassert.metrics.faithfulness import Faithfulness
from pytest_ragassert.metrics.registry import Registry
from pytest_ragassert.results import ClaimVerdict
from pytest_ragassert.runtime.canonical_json import Json
from pytest_ragassert.steps.evidence.evidence_check import Passage

from .conftest import MakeSettings
from .loopback.server import LoopbackJudge
from .replies import (
    CONTRA,
    FULL,
    NONE,
    PARTIAL,
    Said,
    case,
    contradicted,
    says_claims,
    says_verdicts,
    verdict,
)

CONTEXT = "The opposite of that claim stands here."


class Answers:
    """Asks nobody: claims of a text and verdicts of a model as a test gives them."""

    settings = Settings(judge="offline")

    def __init__(self, claims: Mapping[str, list[str]], said: Mapping[str, list[Said]]) -> None:
        self.models = tuple(said)
        self.votes = 1
        self.splits: dict[str, bool] = {}
        self._claims = claims
        self._said = said

    async def __call__(
        self, step: Any, input: Json, *, model: str | None = None, sample: int = 0
    ) -> Any:
        if step == "extract_claims":
            sentence = {"id": 1, "text": input["text"], "start": 0, "end": len(input["text"])}
            claims = [{"sentence": 1, "text": text} for text in self._claims[input["text"]]]
            return {"sentences": [sentence], "claims": claims}
        said = self._said[model or self.models[0]]
        ids = [claim["id"] for claim in input["claims"]]
        given = itertools.islice(itertools.cycle(said), len(ids))
        return {"verdicts": [verdict(id, one) for id, one in zip(ids, given, strict=True)]}

    embedder: str | None = None

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        raise AssertionError("no claim metric embeds")

    def by_hand(self, claim: str, passages: Sequence[Passage]) -> None:
        return None

    def criterion_by_hand(self, judgement: Json) -> None:
        return None

    async def computed(self, work: Callable[[], Any]) -> Any:
        return work()

    async def together(self, works: Iterable[Coroutine[Any, Any, Any]]) -> list[Any]:
        return [await work for work in works]


VERDICTS: st.SearchStrategy[Said] = st.sampled_from(
    [FULL, PARTIAL, NONE, CONTRA, contradicted(CONTEXT)]
)
SAID = st.dictionaries(
    st.sampled_from("abc"), st.lists(VERDICTS, min_size=1, max_size=6), min_size=1, max_size=3
)
WEIGHTS = st.dictionaries(
    st.sampled_from(list(Verdict.__members__)),
    st.floats(allow_nan=False, allow_infinity=False) | st.integers(-5, 5),
)
OPTIONS = st.one_of(
    st.just({"scoring": "ratio"}),
    st.fixed_dictionaries({"verdict_scores": WEIGHTS, "strict_mode": st.booleans()}),
)
EACH_AGGREGATE = st.sampled_from(AGGREGATES)
NUMBERS = st.integers(0, 5)


@hypothesis_settings(max_examples=40, deadline=None)
@given(SAID, OPTIONS, EACH_AGGREGATE, NUMBERS)
def test_any_verdicts_and_weights_give_a_faithfulness_from_0_to_1(
    said: dict[str, list[Said]], options: dict[str, Any], aggregate: Aggregate, count: int
) -> None:
    ask = Answers({"A": [f"claim {n}" for n in range(count)]}, said)
    told = EvalCase(answer="A", retrieved_contexts=[CONTEXT])
    work = Faithfulness().measure(told, ask, aggregate=aggregate, **options)
    result = without_loop(work)
    assert 0 <= result.score <= 1
    assert result.vacuous is (count == 0)
    assert len(result.claims) == count
    assert all(0 <= score <= 1 for score in result.by_model.values())


@hypothesis_settings(max_examples=40, deadline=None)
@given(SAID, st.sampled_from(["f1", "precision", "recall"]), EACH_AGGREGATE, NUMBERS, NUMBERS)
def test_any_verdicts_give_a_factual_score_from_0_to_1(
    said: dict[str, list[Said]], mode: str, aggregate: Aggregate, ours: int, theirs: int
) -> None:
    claims = {"A": [f"our {n}" for n in range(ours)], "R": [f"their {n}" for n in range(theirs)]}
    told = EvalCase(answer="A", ground_truth_answer="R")
    ask = Answers(claims, said)
    metric = Registry()[f"factual_{mode}"]
    result = without_loop(metric.measure(told, ask, aggregate=aggregate))
    assert 0 <= result.score <= 1
    checked = {"f1": ours + theirs, "precision": ours, "recall": theirs}[mode]
    assert result.vacuous is (checked == 0)
    assert len(result.claims) == checked


@pytest.mark.parametrize(
    ("precision", "recall", "f1"),
    [(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.5, 0.5, 0.5), (1.0, 0.5, 2 / 3), (1.0, 1.0, 1.0)],
)
def test_harmonic_mean(precision: float, recall: float, f1: float) -> None:
    assert harmonic_mean(precision, recall) == harmonic_mean(recall, precision)
    assert harmonic_mean(precision, recall) == pytest.approx(f1)


@pytest.mark.parametrize(("score", "word"), [(0.9, "excellent"), (0.7, "good"), (0.5, "fair")])
def test_a_band_begins_at_its_number_whatever_the_rounding(score: float, word: str) -> None:
    assert band(score) == band(score - 1e-12) == word
    assert band(score - 0.001) != word


# -- juries ----------------------------------------------------------------------------------------


def voted(*labels: Verdict) -> Verdict:
    votes = {
        f"model {n}": [ClaimVerdict(text="A", verdict=label, label_raw=label)]
        for n, label in enumerate(labels)
    }
    return majority(votes)[0].verdict


@pytest.mark.parametrize(
    ("votes", "elected"),
    [
        ([FULL], FULL),
        ([FULL, FULL, CONTRA], FULL),
        ([CONTRA, FULL, CONTRA], CONTRA),
        ([FULL, PARTIAL], PARTIAL),
        ([NONE, CONTRA], CONTRA),
        ([CONTRA, NONE], CONTRA),
        ([FULL, PARTIAL, NONE], NONE),
        ([FULL, FULL, NONE, NONE], NONE),
        ([PARTIAL, FULL, FULL, PARTIAL, CONTRA], PARTIAL),
    ],
)
def test_most_votes_win_and_ties_go_to_the_worse(votes: list[Verdict], elected: Verdict) -> None:
    assert voted(*votes) is elected


JURY = ("judge-a", "judge-b", "judge-c")


@pytest.mark.parametrize(
    ("aggregate", "score"), [("mean", 0.5), ("median", 0.5), ("min", 0.0), ("majority", 0.5)]
)
def test_a_jury_verifies_the_first_models_claims(
    judge: LoopbackJudge, settings: MakeSettings, aggregate: Aggregate, score: float
) -> None:
    says_claims(judge, {"Anything.": ["one", "two"]})
    said = {"judge-a": (FULL, FULL), "judge-b": (FULL, NONE), "judge-c": (NONE, NONE)}
    for model, labels in said.items():
        says_verdicts(judge, dict(zip(("one", "two"), labels, strict=True)), model)
    told = case(answer="Anything.")
    options = {"models": list(JURY), "aggregate": aggregate}
    result = evaluate(told, {"faithfulness": options}, settings=settings())["faithfulness"]
    assert result.score == score
    assert result.by_model == {"judge-a": 1.0, "judge-b": 0.5, "judge-c": 0.0}
    assert [claim.verdict for claim in result.claims] == [FULL, NONE]
    assert result.judge == "judge-a, judge-b, judge-c"
    assert result.requests == 4
    asked = [(r.step, r.body["model"]) for r in judge.requests]
    assert sorted(asked) == [("extract_claims", "judge-a"), *(("verify_claims", m) for m in JURY)]


def test_the_median_of_three_is_the_middle(judge: LoopbackJudge, settings: MakeSettings) -> None:
    for model, label in zip(JURY, (FULL, FULL, NONE), strict=True):
        says_verdicts(judge, {"Anything.": label}, model)
    told = case(answer="Anything.")
    chosen = settings(model=JURY)
    results = {
        aggregate: evaluate(told, ["faithfulness"], settings=chosen, aggregate=aggregate)
        for aggregate in ("mean", "median", "min", "majority")
    }
    scores = {aggregate: result["faithfulness"].score for aggregate, result in results.items()}
    assert scores == {"mean": pytest.approx(2 / 3), "median": 1.0, "min": 0.0, "majority": 1.0}


def test_one_model_has_no_scores_by_model(judge: LoopbackJudge, settings: MakeSettings) -> None:
    result = evaluate(case(), ["faithfulness"], settings=settings(), models=["judge-b"])
    assert (result["faithfulness"].by_model, result["faithfulness"].judge) == ({}, "judge-b")
    assert {r.body["model"] for r in judge.requests} == {"judge-b"}


def test_a_jury_on_f1(judge: LoopbackJudge, settings: MakeSettings) -> None:
    says_verdicts(judge, {"Anything.": FULL}, "judge-a")
    says_verdicts(judge, {}, "judge-b")
    told = case(answer="Anything.", ground_truth_answer="Anything.")
    result = evaluate(told, ["factual_f1"], settings=settings(model=JURY[:2]))["factual_f1"]
    assert (result.score, result.by_model) == (0.5, {"judge-a": 1.0, "judge-b": 0.0})


# -- results ---------------------------------------------------------------------------------------


def test_a_result_is_left_in_the_case(judge: LoopbackJudge, settings: MakeSettings) -> None:
    told = case()
    results = evaluate(told, ["faithfulness", "factual_f1"], settings=settings())
    assert told.results == results
    assert told.results["faithfulness"].passed
    assert told.results["faithfulness"].minimum == 0.8


def test_the_minimum_of_case_settings_and_metric(
    judge: LoopbackJudge, settings: MakeSettings
) -> None:
    told = case(retrieved_contexts=["It stops at the harbour."])

    def minimum_and_outcome(told: EvalCase, **options: Any) -> tuple[float | None, bool | None]:
        result = evaluate(told, ["faithfulness"], settings=settings(**options))["faithfulness"]
        assert result.score == 0.5
        return result.minimum, result.passed

    own = told.model_copy(update={"minimums": {"faithfulness": 0.3}})
    assert minimum_and_outcome(told) == (0.8, False)
    assert minimum_and_outcome(told, minimums={"faithfulness": 0.5}) == (0.5, True)
    assert minimum_and_outcome(own, minimums={"faithfulness": 0.9}) == (0.3, True)


def test_pretty_is_the_claim_table(judge: LoopbackJudge, settings: MakeSettings) -> None:
    contexts = ["The tram runs every 15 minutes on weekdays. It is \x1b[31mred."]
    told = case(retrieved_contexts=contexts)
    text = evaluate(told, ["faithfulness"], settings=settings())["faithfulness"].pretty()
    head, *lines = text.splitlines()
    assert head.startswith("faithfulness 0.00 < 0.80")
    assert "2 claims: 1 contradicted, 1 no evidence" in head
    assert "The tram runs every 12 minutes" in lines[0]
    assert "contradicted" in lines[0]
    assert '[1] "The tram runs every 15 minutes' in text
    assert text.index("every 12 minutes") < text.index("stops at the harbour")
    assert "\x1b" not in text


@pytest.mark.parametrize("score", [float("nan"), float("inf"), -0.1, 1.1])
def test_a_result_never_holds_a_score_out_of_range(score: float) -> None:
    with pytest.raises(ValueError, match="score"):
        MetricResult(metric="m", score=score)
    result = MetricResult(metric="m", score=0.5)
    with pytest.raises(ValueError, match="score"):
        result.score = score


def test_other_vocabularies_are_views_of_a_verdict() -> None:
    assert [verdict.nli for verdict in Verdict] == [
        "SUPPORTED",
        "NEUTRAL",
        "NEUTRAL",
        "CONTRADICTED",
    ]
