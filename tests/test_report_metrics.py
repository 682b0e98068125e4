"""Each metric's failure as text: what was found, where, and how it makes up the score."""

from __future__ import annotations

from textwrap import dedent
from typing import Any

import pytest

from pytest_ragassert import MetricResult
from pytest_ragassert.report.failure_report import MOST_LINES

from .measured import BICYCLES, CONTEXTS, PRICE, case, claim, judged, result, row, table


def is_printed(made: MetricResult, expected: str) -> bool:
    first = "case price  What does the crossing cost?"
    assert table(row(made)) == [first, *dedent(expected).strip("\n").splitlines()]
    return True


def test_context_recall() -> None:
    claims = [
        claim(PRICE, "FULLY_SUPPORTED", "reference", quote=PRICE, passage=1, span=(0, 27)),
        claim("The ferry needs reservations.", "NO_EVIDENCE", "reference", span=(28, 57)),
        claim(
            "Dogs are allowed.",
            "CONTRADICTORY",
            "reference",
            quote=CONTEXTS[0],
            passage=0,
            span=(58, 75),
        ),
    ]
    assert is_printed(
        result("context_recall", 1 / 3, 0.8, claims=claims, reason="3 claims: 1 contradicted"),
        """
        context_recall 0.33 < 0.80   3 claims: 1 contradicted    judge judge-a
          ✗ Dogs are allowed.                                               contradicted
              [1] "Dogs are not allowed on board."                       reference 58-75
          ? The ferry needs reservations.                            not in the contexts
              nearest [2] "The ferry runs every 40 minutes."             reference 28-57
        where it broke: 2 claims not retrieved, in no passage; check the retriever
        """,
    )


def test_context_precision_by_a_judge() -> None:
    assert is_printed(
        result("context_precision", details=judged(False, True), reason="relevant: [2]"),
        """
        context_precision 0.50 < 0.70   relevant: [2]    judge judge-a
          · [1] not relevant   it is about dogs
              "Dogs are not allowed on board."
          ✓ [2] relevant       it is about dogs
              "The ferry runs every 40 minutes. The crossing costs 9 euros."
        where it broke: 1 of 2 passages not relevant; check the retriever
        """,
    )


def test_context_precision_by_ground_truth() -> None:
    details = judged(True, False, reason=None) | {"relevance_from": "ground_truth_contexts"}
    assert is_printed(
        result("context_precision", details=details, reason="relevant: [1]"),
        """
        context_precision 0.50 < 0.70   relevant: [1], by ground_truth_contexts
          judge judge-a
          ✓ [1] relevant       "Dogs are not allowed on board."
          · [2] not relevant   "The ferry runs every 40 minutes. The crossing costs 9 e…
        where it broke: 1 of 2 passages not relevant; check the retriever
        """,
    )


def test_many_contexts_take_a_line_each() -> None:
    contexts = [f"Boat number {n} is new and it sails in the summer." for n in range(30)]
    made = result("context_relevance", 0.0, details=judged(*[False] * 30), reason="0 of 30")
    lines = table(row(made, case(retrieved_contexts=contexts)))
    assert len(lines) == MOST_LINES
    assert lines[2] == (
        '  · [1] not relevant   "Boat number 0 is new and it sails in…  it is about dogs'
    )
    assert lines[-2:] == [
        "  … 19 more contexts (-v shows all)",
        "where it broke: 30 of 30 passages not relevant; check the retriever",
    ]
    verbose = table(row(made, case(retrieved_contexts=contexts)), verbose=True)
    assert sum(line.startswith("  · [") for line in verbose) == 30


def test_a_blank_context_keeps_the_others_places() -> None:
    details = {"contexts": [{"context": 1, "relevant": False, "reason": None}]}
    made = row(result("context_relevance", details=details), case(retrieved_contexts=[" ", "B."]))
    assert table(made)[2] == '  · [2] not relevant   "B."'


def test_answer_relevancy_by_questions() -> None:
    questions = [
        {"question": "What does it cost?", "similarity": 0.91},
        {"question": "Is there a ferry?", "similarity": 0.3},
    ]
    details = {"method": "questions", "embedder": "e5", "questions": questions}
    assert is_printed(
        result("answer_relevancy", 0.605, details=details, reason="2 questions generated"),
        """
        answer_relevancy 0.60 < 0.70   2 questions generated, embeddings by e5
          judge judge-a
          0.30  Is there a ferry?
          0.91  What does it cost?
        """,
    )


def test_answer_relevancy_rated_directly() -> None:
    details = {"method": "direct", "reason": "it evades"}
    assert is_printed(
        result("answer_relevancy", details=details, reason="rated directly: it evades"),
        "answer_relevancy 0.50 < 0.70   rated directly: it evades    judge judge-a",
    )
    long = "rated directly: it names the harbour and the season, but neither a price nor a fare"
    assert is_printed(
        result("answer_relevancy", details=details, reason=long),
        """
        answer_relevancy 0.50 < 0.70    judge judge-a
          rated directly: it names the harbour and the season, but neither a price nor a
          fare
        """,
    )


def test_factual_accuracy() -> None:
    details = {
        "correctness": {"score": 40, "reason": "the price is wrong, and that was asked"},
        "completeness": {"score": 62.5, "reason": None},
        "consistency": {"score": 100, "reason": "no word against another"},
    }
    assert is_printed(
        result("factual_accuracy", 0.5875, 0.6, grade="C", details=details, reason="grade C: …"),
        """
        factual_accuracy 0.59 < 0.60   grade C    judge judge-a
          correctness     40 x 0.5  the price is wrong, and that was asked
          completeness  62.5 x 0.3
          consistency    100 x 0.2  no word against another
        """,
    )


@pytest.mark.parametrize(("near", "said"), [(0.0, "0.00 x 0.25"), (None, "not needed")])
def test_answer_correctness(near: float | None, said: str) -> None:
    claims = [
        claim("It costs 5 euros.", "CONTRADICTORY", quote=PRICE, passage=0, span=(0, 17)),
        claim(BICYCLES, "NO_EVIDENCE", "reference", span=(28, 55), reason="nothing says so"),
    ]
    details = {"f1": 0.5, "similarity": near, "weights": [0.75, 0.25]}
    assert is_printed(
        result("answer_correctness", 0.375, claims=claims, details=details, reason="F1 0.50"),
        f"""
        answer_correctness 0.38 < 0.70   2 claims: 1 contradicted, 1 no evidence
          judge judge-a
          F1 0.50 x 0.75, similarity {said}
          ✗ It costs 5 euros.                                               contradicted
              [reference] "The crossing costs 9 euros."                      answer 0-17
          ? Bicycles need reservations.                                not in the answer
              nothing says so                                            reference 28-55
        """,
    )


def test_similarities() -> None:
    assert is_printed(
        result("semantic_similarity", 0.61, 0.8, details={"embedder": "e5"}, reason="by e5"),
        """
        semantic_similarity 0.61 < 0.80   by e5    judge judge-a
          cosine 0.61 of the answer and the reference
        """,
    )
    several = result("semantic_similarity", details={"embedder": "e5", "reference": 1})
    assert table(row(several))[2] == "  cosine 0.50 of the answer and reference 2, the nearest"
    details = {"precision": 0.7, "recall": 0.6, "f1": 0.646}
    assert is_printed(
        result("bert_score", 0.646, details=details, reason="by bert"),
        """
        bert_score 0.65 < 0.70   by bert    judge judge-a
          precision 0.70, recall 0.60, f1 0.65
        """,
    )


def test_ragas_score() -> None:
    details = {
        "parts": {"faithfulness": 0.5, "context_recall": 0.0},
        "weights": {"faithfulness": 0.3, "context_recall": 0.2},
        "left_out": ["answer_relevancy"],
    }
    claims = [claim("Cats fly.", reason="no"), claim("Cows swim.", "NO_EVIDENCE", "reference")]
    assert is_printed(
        result("ragas_score", 0.3, details=details, claims=claims, reason="faithfulness 0.50"),
        """
        ragas_score 0.30 < 0.70   left out: answer_relevancy    judge judge-a
          context_recall 0.00 x 0.2
          faithfulness   0.50 x 0.3
          ? Cats fly.                                                        no evidence
              no
          ? Cows swim.                                               not in the contexts
        where it broke: 1 claim not retrieved, 1 added by the answer; check the
          retriever, then the prompt
        """,
    )


def test_answer_class_without_a_minimum() -> None:
    fields: dict[str, Any] = {"label": "WRONG", "details": {"decided_by": "judge"}}
    assert is_printed(
        result("answer_class", 0.0, None, reason="WRONG: it names another price", **fields),
        """
        answer_class WRONG   it names another price    judge judge-a
          decided by the judge
        """,
    )
    assert is_printed(
        result("answer_class", 0.0, None, reason="WRONG", **fields),
        """
        answer_class WRONG    judge judge-a
          decided by the judge
        """,
    )
    evading = {"label": "DONT_KNOW", "details": {"decided_by": "phrases"}}
    said = "DONT_KNOW: it says only that it does not know"
    assert is_printed(
        result("answer_class", 0.0, 1.0, reason=said, **evading),
        """
        answer_class 0.00 < 1.00   DONT_KNOW: it says only that it does not know
          judge judge-a
          decided by phrases, without a judge
        """,
    )
