"""Factual precision, recall and F1: numbers, references, texts without claims."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_ragassert import EvalCase, MetricResult, MissingFieldError, evaluate

from .conftest import MakeSettings
from .loopback.server import LoopbackJudge
from .replies import FULL, NONE, Said, case, contradicted, says_claims, says_verdicts

ALL = ["factual_f1", "factual_precision", "factual_recall"]


def counted(judge: LoopbackJudge, tp: int, fp: int, fn: int) -> EvalCase:
    """A case with so many claims right, invented and left out."""
    ours = [f"ours {n}" for n in range(tp + fp)]
    theirs = [f"theirs {n}" for n in range(tp + fn)]
    says_claims(judge, {"The answer.": ours, "The reference.": theirs})
    says_verdicts(judge, dict.fromkeys([*ours[:tp], *theirs[:tp]], FULL))
    return case(answer="The answer.", ground_truth_answer="The reference.")


def f1_of(told: EvalCase, settings: MakeSettings, **options: Any) -> MetricResult:
    return evaluate(told, {"factual_f1": options}, settings=settings())["factual_f1"]


@pytest.mark.parametrize(
    ("tp", "fp", "fn", "f1"),
    [
        (2, 1, 1, 2 / 3),
        (0, 3, 2, 0.0),
        (0, 0, 2, 0.0),
        (0, 2, 0, 0.0),
        (5, 0, 0, 1.0),
        (3, 1, 0, 6 / 7),
    ],
)
def test_f1_from_counts(
    judge: LoopbackJudge, settings: MakeSettings, tp: int, fp: int, fn: int, f1: float
) -> None:
    result = f1_of(counted(judge, tp, fp, fn), settings)
    assert result.score == pytest.approx(f1)
    assert not result.vacuous
    assert len(result.claims) == 2 * tp + fp + fn
    assert result.details["f1"] == result.score


def test_no_claims_on_both_sides_are_nothing_to_check(
    judge: LoopbackJudge, settings: MakeSettings
) -> None:
    result = f1_of(counted(judge, 0, 0, 0), settings)
    assert (result.score, result.vacuous, result.passed) == (1.0, True, False)
    assert "nothing to check" in result.reason
    assert judge.count("verdicts") == 0


def test_precision_and_recall_are_their_own_metrics(
    judge: LoopbackJudge, settings: MakeSettings
) -> None:
    results = evaluate(counted(judge, 1, 3, 1), ALL, settings=settings())
    scores = {name: result.score for name, result in results.items()}
    assert scores == {
        "factual_precision": 0.25,
        "factual_recall": 0.5,
        "factual_f1": pytest.approx(1 / 3),
    }
    assert results["factual_f1"].details == {
        "mode": "f1",
        "precision": 0.25,
        "recall": 0.5,
        "f1": pytest.approx(1 / 3),
    }
    assert {claim.source for claim in results["factual_precision"].claims} == {"answer"}
    assert {claim.source for claim in results["factual_recall"].claims} == {"reference"}


@pytest.mark.parametrize(
    ("metric", "tp", "fp", "fn", "vacuous"),
    [
        ("factual_precision", 0, 0, 2, True),
        ("factual_precision", 0, 2, 0, False),
        ("factual_recall", 0, 2, 0, True),
        ("factual_recall", 0, 0, 2, False),
    ],
)
def test_one_side_without_claims_is_vacuous_for_its_metric_only(
    judge: LoopbackJudge,
    settings: MakeSettings,
    metric: str,
    tp: int,
    fp: int,
    fn: int,
    vacuous: bool,
) -> None:
    result = evaluate(counted(judge, tp, fp, fn), [metric], settings=settings())[metric]
    assert result.vacuous is vacuous
    assert result.score == (1.0 if vacuous else 0.0)


def test_a_greeting_against_a_reference_with_claims_has_f1_zero(
    judge: LoopbackJudge, settings: MakeSettings
) -> None:
    told = case(answer="Hello! How can I help?")
    results = evaluate(told, ["faithfulness", "factual_f1"], settings=settings())
    assert (results["faithfulness"].vacuous, results["faithfulness"].score) == (True, 1.0)
    assert (results["factual_f1"].vacuous, results["factual_f1"].score) == (False, 0.0)
    assert [claim.verdict for claim in results["factual_f1"].claims] == [NONE, NONE]
    assert (judge.count("claims"), judge.count("verdicts")) == (2, 0)


@pytest.mark.parametrize(
    ("mode", "score", "name"),
    [
        ("f1", 1 / 3, "factual_f1"),
        ("PRECISION", 0.25, "factual_precision"),
        ("recall", 0.5, "factual_recall"),
    ],
)
def test_the_mode_chooses_what_is_reported(
    judge: LoopbackJudge, settings: MakeSettings, mode: str, score: float, name: str
) -> None:
    result = f1_of(counted(judge, 1, 3, 1), settings, mode=mode)
    assert result.score == pytest.approx(score)
    assert result.metric == name


@pytest.mark.parametrize("mode", ["f2", "", None, 1])
def test_an_unknown_mode_is_told(judge: LoopbackJudge, settings: MakeSettings, mode: Any) -> None:
    if mode is None:
        assert f1_of(counted(judge, 1, 0, 0), settings, mode=None).score == 1.0
    else:
        with pytest.raises(ValueError, match="valid are f1, precision, recall"):
            f1_of(case(), settings, mode=mode)


@pytest.mark.parametrize(
    ("right", "of", "label"),
    [
        (10, 10, "excellent"),
        (9, 10, "excellent"),
        (8, 9, "good"),
        (7, 10, "good"),
        (2, 3, "fair"),
        (1, 2, "fair"),
        (4, 9, "poor"),
        (0, 1, "poor"),
    ],
)
def test_bands(
    judge: LoopbackJudge, settings: MakeSettings, right: int, of: int, label: str
) -> None:
    wrong = of - right
    assert f1_of(counted(judge, right, wrong, wrong), settings).label == label


# -- the source document's examples ----------------------------------------------------------------

REFERENCE = "Минск — столица Беларуси. Мост построен в начале XX века."


@pytest.mark.parametrize(
    ("answer", "wrong", "score", "label"),
    [
        ("Минск — столица Беларуси. Мост построен в 1850 году.", True, 0.5, "fair"),
        ("Столица Беларуси — Минск. Мост построен в начале XX века.", False, 1.0, "excellent"),
    ],
)
def test_examples_of_a_date_that_differs_and_of_other_words(
    judge: LoopbackJudge,
    settings: MakeSettings,
    answer: str,
    wrong: bool,
    score: float,
    label: str,
) -> None:
    said: dict[str, Said] = dict.fromkeys([*_sentences(answer), *_sentences(REFERENCE)], FULL)
    if wrong:
        said["Мост построен в 1850 году."] = contradicted("Мост построен в начале XX века")
        said["Мост построен в начале XX века."] = contradicted("Мост построен в 1850 году")
    says_verdicts(judge, said)
    result = f1_of(case(answer=answer, ground_truth_answer=REFERENCE), settings)
    assert (result.score, result.details["precision"], result.details["recall"]) == (score,) * 3
    assert result.label == label
    assert sum(claim.verdict.nli == "CONTRADICTED" for claim in result.claims) == 2 * wrong


def _sentences(text: str) -> list[str]:
    return [f"{sentence.rstrip('.')}." for sentence in text.split(". ")]


# -- references ------------------------------------------------------------------------------------


def test_the_best_of_several_references_counts(
    judge: LoopbackJudge, settings: MakeSettings
) -> None:
    told = case(
        answer="The tram is red.",
        ground_truth_answer="The tram is blue.",
        ground_truth_answers=["The tram is green.", "The tram is red.", "The tram is blue."],
    )
    result = f1_of(told, settings)
    assert (result.score, result.details["reference"]) == (1.0, 2)
    assert told.references[2] == "The tram is red."


def test_references_in_the_list_alone_are_enough(
    judge: LoopbackJudge, settings: MakeSettings
) -> None:
    told = case(answer="Red it is.", ground_truth_answer=None, ground_truth_answers=["Red it is."])
    result = f1_of(told, settings)
    assert (result.score, "reference" in result.details) == (1.0, False)


@pytest.mark.parametrize("blank", ["", "   \n\t", " \u200b", "\u00ad\ufeff"])
@pytest.mark.parametrize("metric", ["faithfulness", *ALL])
def test_a_blank_answer_is_not_measured(
    judge: LoopbackJudge, settings: MakeSettings, metric: str, blank: str
) -> None:
    with pytest.raises(MissingFieldError, match=r"the answer is empty in case tram-1"):
        evaluate(case(answer=blank), [metric], settings=settings())
    assert judge.count() == 0


@pytest.mark.parametrize(
    ("metric", "field"),
    [
        ("faithfulness", "answer"),
        ("faithfulness", "retrieved_contexts"),
        ("factual_f1", "answer"),
        ("factual_f1", "ground_truth_answer"),
        ("factual_precision", "ground_truth_answer"),
        ("factual_recall", "answer"),
    ],
)
def test_a_missing_field_is_named_with_the_metric(
    judge: LoopbackJudge, settings: MakeSettings, metric: str, field: str
) -> None:
    with pytest.raises(MissingFieldError, match=rf"{metric}.*{field}.*tram-1"):
        evaluate(case(**{field: None}), [metric], settings=settings())
    assert judge.count() == 0


def test_a_blank_reference_is_not_measured(judge: LoopbackJudge, settings: MakeSettings) -> None:
    with pytest.raises(MissingFieldError, match="ground_truth_answer is empty"):
        f1_of(case(ground_truth_answer=" "), settings)
    assert judge.count() == 0


def test_the_question_is_used_where_there_is_one_and_not_needed(
    judge: LoopbackJudge, settings: MakeSettings
) -> None:
    assert f1_of(case(question=None), settings).score == 1.0
    assert {r.data["question"] for r in judge.requests if r.step == "extract_claims"} == {None}
