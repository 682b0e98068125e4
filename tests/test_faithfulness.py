"""Faithfulness: weights, options, duplicates, evidence, juries."""

from __future__ import annotations

import math
from typing import Any

import pytest

from pytest_ragassert import EvalCase, MetricResult, RagAssertWarning, Verdict, evaluate

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
)

LABELS = {"full": FULL, "part": PARTIAL, "none": NONE, "wrong": CONTRA}
# What a scripted claim is held against, so that a contradiction has its quote.
CONTEXT = "The opposite of that claim stands here."


def scripted(judge: LoopbackJudge, *labels: str) -> EvalCase:
    """A case whose claims get these labels, contradictions with a quote that proves them."""
    claims = [f"claim {number} is {label}" for number, label in enumerate(labels)]
    says_claims(judge, {"Anything at all.": claims})
    said: dict[str, Said] = {
        claim: contradicted(CONTEXT) if label == "wrong" else LABELS[label]
        for claim, label in zip(claims, labels, strict=True)
    }
    says_verdicts(judge, said)
    return case(answer="Anything at all.", retrieved_contexts=[CONTEXT])


def faithful(told: EvalCase, settings: MakeSettings, **options: Any) -> MetricResult:
    return evaluate(told, {"faithfulness": options}, settings=settings())["faithfulness"]


@pytest.mark.parametrize(
    ("labels", "options", "score"),
    [
        ("full", {}, 1.0),
        ("wrong", {}, 0.0),
        ("none", {}, 0.0),
        ("full none", {}, 0.5),
        ("full part none", {}, 0.5),
        ("full full wrong", {}, 1 / 3),
        ("full wrong wrong", {}, 0.0),
        ("full none", {"strict_mode": True}, 0.0),
        ("full full none", {"strict_mode": True}, 1 / 3),
        ("full part", {"strict_mode": True}, 0.75),
        ("full part none wrong", {"scoring": "ratio"}, 0.25),
        ("full part", {"scoring": "ratio", "strict_mode": True}, 0.5),
        ("full full wrong", {"verdict_scores": {"CONTRADICTORY": -2.0}}, 0.0),
        ("full full wrong", {"verdict_scores": {"CONTRADICTORY": 0}}, 2 / 3),
        ("full part", {"verdict_scores": {Verdict.PARTIALLY_SUPPORTED: 1}}, 1.0),
        ("full none", {"verdict_scores": {"NO_EVIDENCE": -0.5}, "strict_mode": True}, 0.25),
        ("full full", {"verdict_scores": {"FULLY_SUPPORTED": 3}}, 1.0),
        ("full none", {"verdict_scores": {}}, 0.5),
        ("full none", {"verdict_scores": None}, 0.5),
    ],
)
def test_the_score_is_the_mean_weight(
    judge: LoopbackJudge, settings: MakeSettings, labels: str, options: Any, score: float
) -> None:
    result = faithful(scripted(judge, *labels.split()), settings, **options)
    assert result.score == pytest.approx(score)
    assert [claim.verdict for claim in result.claims] == [LABELS[one] for one in labels.split()]


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"verdict_scores": {"SUPPORTED": 1}}, ValueError, "unknown verdict 'SUPPORTED'"),
        ({"verdict_scores": {"fully_supported": 1}}, ValueError, "valid are FULLY_SUPPORTED"),
        ({"verdict_scores": {"NO_EVIDENCE": True}}, ValueError, "not a number"),
        ({"verdict_scores": {"NO_EVIDENCE": "0.5"}}, ValueError, "not a number"),
        ({"verdict_scores": {"NO_EVIDENCE": None}}, ValueError, "not a number"),
        ({"verdict_scores": {"NO_EVIDENCE": math.nan}}, ValueError, "finite"),
        ({"verdict_scores": {"NO_EVIDENCE": -math.inf}}, ValueError, "finite"),
        ({"verdict_scores": {"NO_EVIDENCE": 10**400}}, ValueError, "NO_EVIDENCE"),
        ({"verdict_scores": {"NO_EVIDENCE": 0.5}, "scoring": "ratio"}, ValueError, "ratio"),
        ({"verdict_scores": {}, "scoring": "ratio"}, ValueError, "ratio"),
        ({"scoring": "RATIO"}, ValueError, "valid are weighted, ratio"),
        ({"strict_mode": "yes"}, ValueError, "strict_mode"),
        ({"strict_mode": 1}, ValueError, "strict_mode"),
        ({"aggregate": "max"}, ValueError, "valid are mean, median, min, majority"),
        ({"no_claims": "maybe"}, ValueError, "valid are fail, warn, pass"),
        ({"models": []}, ValueError, "models"),
        ({"models": ["a", "a"]}, ValueError, "twice"),
        ({"models": ["a", " "]}, ValueError, "models"),
        ({"strict": True}, TypeError, "takes no option 'strict'; did you mean strict_mode\\?"),
        ({"mode": "f1"}, TypeError, "takes no option 'mode'"),
    ],
)
def test_a_wrong_option_is_told_before_anything_is_asked(
    judge: LoopbackJudge, settings: MakeSettings, options: Any, error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words.replace("(", r"\(")):
        faithful(case(), settings, **options)
    assert judge.count() == 0


# -- the source documents' examples ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("context", "answer", "said", "score"),
    [
        # a grounded answer, and one that gives another period
        ("The team calls the project Heron.", "The project is called Heron.", FULL, 1.0),
        (
            "Goods may be sent back within 20 days.",
            "You have 50 days to send goods back.",
            contradicted("Goods may be sent back within 20 days."),
            0.0,
        ),
    ],
)
def test_examples_of_a_grounded_and_a_contradicted_answer(
    judge: LoopbackJudge,
    settings: MakeSettings,
    context: str,
    answer: str,
    said: Said,
    score: float,
) -> None:
    says_verdicts(judge, {answer: said})
    result = faithful(case(answer=answer, retrieved_contexts=[context]), settings)
    assert result.score == score


def test_example_of_a_half_invented_answer_in_chinese(
    judge: LoopbackJudge, settings: MakeSettings
) -> None:
    answer = "贷款首付最低为 3.5%，而且法律禁止付得更多。"
    says_claims(judge, {answer: ["贷款首付最低为 3.5%", "法律禁止首付高于 3.5%"]})
    context = "这种贷款首付最低为 3.5%，信用分数不限。"
    said: Said = {"verdict": "FULLY_SUPPORTED", "quote": "首付最低为 3.5%", "passage": 1}
    says_verdicts(judge, {"贷款首付最低为 3.5%": said})
    result = faithful(case(answer=answer, retrieved_contexts=[context]), settings)
    assert result.score == 0.5
    assert [claim.quote_verified for claim in result.claims] == [True, False]


# -- claims and where they stand -------------------------------------------------------------------


def test_identical_claims_merge_in_a_sentence_and_count_in_each(
    judge: LoopbackJudge, settings: MakeSettings
) -> None:
    says_claims(judge, {"Red. ": [], "Red.": ["it is red", "it is red"], "Big.": ["it is red"]})
    says_verdicts(judge, {"it is red": FULL})
    result = faithful(case(answer="Red. Big."), settings)
    assert [(claim.text, claim.sentence) for claim in result.claims] == [
        ("it is red", 0),
        ("it is red", 1),
    ]


def test_claims_know_their_place_in_the_answer(
    judge: LoopbackJudge, settings: MakeSettings
) -> None:
    told = case(answer="  🚋 runs.\n\nIt stops at the harbour. ")
    claims = faithful(told, settings).claims
    assert [claim.sentence for claim in claims] == [0, 1]
    assert told.answer is not None
    places = [told.answer[slice(*claim.span)] for claim in claims if claim.span]
    assert places == ["🚋 runs.", "It stops at the harbour."]
    assert {claim.source for claim in claims} == {"answer"}


def test_blank_chunks_keep_their_place_and_are_warned_about(
    judge: LoopbackJudge, settings: MakeSettings
) -> None:
    contexts = ["", None, " \u200b\n", "It stops at the harbour."]
    told = case(answer="It stops at the harbour.", retrieved_contexts=contexts)
    with pytest.warns(RagAssertWarning, match=r"tram-1: 3 of 4 retrieved_contexts are blank") as w:
        result = faithful(told, settings)
    assert len(w) == 1
    assert [claim.passage for claim in result.claims] == [3]
    (request,) = [r for r in judge.requests if r.step == "verify_claims"]
    assert [passage["id"] for passage in request.data["passages"]] == [4]


@pytest.mark.parametrize("contexts", [[], [""], [None, "\u200b"]])
@pytest.mark.filterwarnings("ignore::pytest_ragassert.RagAssertWarning")
def test_where_nothing_was_retrieved_nothing_is_supported(
    judge: LoopbackJudge, settings: MakeSettings, contexts: list[Any]
) -> None:
    result = faithful(case(retrieved_contexts=contexts), settings)
    assert (result.score, result.vacuous) == (0.0, False)
    assert [claim.verdict for claim in result.claims] == [NONE, NONE]
    assert (judge.count("claims"), judge.count("verdicts")) == (1, 0)


# -- quotes ----------------------------------------------------------------------------------------

ANSWER = "The tram costs 3 coins."
PASSAGES = ["Dogs ride free.", "The  tram costs 5 coins, children pay 2."]


def one_claim(
    judge: LoopbackJudge, settings: MakeSettings, said: Said, **options: Any
) -> tuple[float, Any]:
    says_verdicts(judge, {ANSWER: said})
    told = case(answer=ANSWER, retrieved_contexts=PASSAGES)
    result = evaluate(told, ["faithfulness"], settings=settings(**options))["faithfulness"]
    return result.score, result.claims[0]


def test_a_proven_contradiction_has_passage_quote_and_span(
    judge: LoopbackJudge, settings: MakeSettings
) -> None:
    score, claim = one_claim(judge, settings, contradicted("The tram costs 5 coins", 2))
    assert (score, claim.verdict, claim.label_raw) == (0.0, CONTRA, CONTRA)
    assert (claim.passage, claim.quote_verified, claim.gate_reason) == (1, True, None)
    # the passage's own words, spaced as they stand there
    assert claim.quote == "The  tram costs 5 coins"
    assert PASSAGES[1][slice(*claim.quote_span)] == claim.quote


def test_a_quote_from_another_passage_corrects_the_index(
    judge: LoopbackJudge, settings: MakeSettings
) -> None:
    _, claim = one_claim(judge, settings, contradicted("The tram costs 5 coins", 1))
    assert (claim.verdict, claim.passage, claim.quote_verified) == (CONTRA, 1, True)
    assert claim.gate_reason == "the quote is in passage 2, not 1"


@pytest.mark.parametrize(
    ("quote", "passage", "why"),
    [
        (None, None, "no quote"),
        (None, 2, "no quote"),
        ("the tram is free on Sundays", 2, "the quote is not in the passage"),
        ("The tram costs 5 coins", None, None),
        ("The tram costs 5 coins", 9, None),
        ("The tram costs 5 coins", 0, None),
    ],
)
def test_a_contradiction_counts_only_with_a_quote_that_stands_there(
    judge: LoopbackJudge,
    settings: MakeSettings,
    quote: str | None,
    passage: int | None,
    why: str | None,
) -> None:
    said = {"verdict": "CONTRADICTORY", "quote": quote, "passage": passage}
    _, claim = one_claim(judge, settings, said)
    assert claim.label_raw is CONTRA
    assert claim.verdict is (CONTRA if why is None else NONE)
    assert claim.quote_verified is (why is None)
    if why is not None:
        assert claim.gate_reason == f"judge says contradicted, {why}"
        assert claim.quote_span is None
        assert claim.unproven_contradiction


def test_a_quote_that_repeats_the_claim_is_no_evidence_against_it(
    judge: LoopbackJudge, settings: MakeSettings
) -> None:
    says_verdicts(judge, {ANSWER: contradicted("the tram costs 3 coins")})
    told = case(answer=ANSWER, retrieved_contexts=["Indeed the tram costs 3 coins."])
    (claim,) = faithful(told, settings).claims
    assert (claim.verdict, claim.label_raw, claim.quote_verified) == (NONE, CONTRA, False)
    assert "repeats the claim" in (claim.gate_reason or "")


def test_without_the_gate_the_label_stays_marked_unverified(
    judge: LoopbackJudge, settings: MakeSettings
) -> None:
    score, claim = one_claim(judge, settings, CONTRA, evidence_gate="off")
    assert (score, claim.verdict, claim.quote_verified) == (0.0, CONTRA, False)
    assert claim.gate_reason == "judge says contradicted, no quote"


def test_support_without_a_quote_stands_marked_unverified(
    judge: LoopbackJudge, settings: MakeSettings
) -> None:
    score, claim = one_claim(judge, settings, FULL)
    assert (score, claim.quote_verified, claim.passage) == (1.0, False, None)
