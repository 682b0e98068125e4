"""The session's section from rows: names of the documents, counts by method and by kind."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_ragassert.analysis.records.result_rows import Sent, from_text, to_text
from pytest_ragassert.analysis.records.row_types import MeasuredRow
from pytest_ragassert.report.summary import summary_lines
from pytest_ragassert.report.tally import Tally
from pytest_ragassert.report.terminal import Screen

from .measured import case, failed, recorded, result, row

TITLE = "metric                   n    mean     min  below"


def summary(*rows: MeasuredRow) -> list[str]:
    lines = summary_lines(recorded(*rows), Screen())
    assert lines[0] == "judge judge-a"
    return lines[1:]


def scored(
    metric: str, score: float, metadata: dict[str, Any] | None = None, **more: Any
) -> MeasuredRow:
    return row(result(metric, score, **more), case(metadata=metadata or {}))


@pytest.mark.parametrize(
    ("metric", "named"),
    [
        ("faithfulness", "ragas_faithfulness 62.5 %"),
        ("context_precision", "ragas_context_precision 62.5 %"),
        ("context_recall", "ragas_context_recall 62.5 %"),
        ("answer_relevancy", "ragas_answer_relevance 62.5 %"),
        ("ragas_score", "ragas_score 62.5 %"),
        ("semantic_similarity", "semantic_similarity_percentage 62.5 %"),
        ("bert_score", "bert_score_f1 0.62"),
        ("factual_f1", ""),
    ],
)
def test_documents_names_stand_beside_ours(metric: str, named: str) -> None:
    rows = [scored(metric, 0.5), scored(metric, 0.75, passed=True)]
    line = f"{metric:<20}     2    0.62    0.50      1   {named}".rstrip()
    assert summary(*rows) == [TITLE, line]


def classed(label: str, **metadata: Any) -> MeasuredRow:
    return scored("answer_class", float(label == "CORRECT"), metadata, label=label)


def test_answers_are_counted_by_method_and_question_type() -> None:
    rows = [
        classed("CORRECT", method="naive", question_type="factoid"),
        classed("WRONG", method="naive", type="list"),
        classed("DONT_KNOW", method="graph\n", question_type="factoid", type="list"),
        classed("CORRECT", method=2),
        classed("CORRECT", method=""),
    ]
    assert summary(*rows) == [
        TITLE,
        "answer_class             5    0.60    0.00      5   correct_answers_count 3, "
        "wrong_answers_count 1, dont_know_answers_count 1",
        "answers: 3 correct, 1 wrong, 1 don't know",
        "  method 2: 1 correct, 0 wrong, 0 don't know",
        "  method graph: 0 correct, 0 wrong, 1 don't know",
        "  method naive: 1 correct, 1 wrong, 0 don't know",
        "  question type factoid: 1 correct, 0 wrong, 1 don't know",
        "  question type list: 0 correct, 1 wrong, 0 don't know",
    ]


def test_grades_and_the_composite_by_method() -> None:
    graded = [scored("factual_accuracy", s, grade=g) for s, g in ((0.9, "A"), (0.5, "C"))]
    parts = [
        scored("ragas_score", score, {"method": method})
        for score, method in ((0.25, "naive"), (0.75, "naive"), (1.0, "graph"))
    ]
    # what two tests measure is one answer
    lines = summary(*graded, graded[1], *parts, scored("ragas_score", 0.0))
    assert lines[1].endswith("   factual_accuracy_percentage 63.3 %")
    assert lines[3:] == [
        "factual_accuracy grades: A 1, B 0, C 1, D 0, E 0",
        "ragas_score of method graph: mean 1.00, best 1.00, worst 1.00",
        "ragas_score of method naive: mean 0.50, best 0.75, worst 0.25",
    ]


def test_what_could_not_be_measured_names_metrics_and_fields() -> None:
    reference = failed("context_recall", "MissingFieldError", "ground_truth_answer")
    rows = [
        reference,
        failed("context_recall", "MissingFieldError", "question", "ground_truth_answer"),
        reference,
        failed("answer_class", "MissingFieldError"),
        failed("criteria", "ValueError"),
        failed("faithfulness", "VerdictMissing"),
        failed("faithfulness", "JudgeError"),
    ]
    assert summary(*rows) == [
        "judge errors (not measured): 1: 1 judge",
        "no stored verdict (not measured): 1",
        "not measurable: answer_class 1, context_recall 3 (ground_truth_answer, question), "
        "criteria 1 (ValueError: why)",
    ]


def test_vacuous_results_are_in_no_count() -> None:
    silent = scored("factual_accuracy", 1.0, vacuous=True, grade="A")
    assert summary(silent) == [
        TITLE,
        "factual_accuracy         0       -       -      -",
        "vacuous (nothing to check): 1",
    ]


def sent(*rows: MeasuredRow) -> Sent:
    return Sent(list(rows), [], {})


def test_a_tests_rows_are_those_of_its_last_try() -> None:
    tally = Tally()
    made = row(result("faithfulness"), identity="a", asked=[{"key": "k"}])
    first, second, third = ("gw0", 1), ("gw0", 2), ("gw1", 1)
    tally.add("one", first, "call", sent(made))
    tally.begin("one", second)
    assert tally.rows() == []
    tally.add("one", second, "setup", sent(made))
    tally.add("one", second, "call", sent({**made, "score": 1.0}))
    # late, of an attempt that is over
    tally.add("one", first, "teardown", sent(made))
    tally.begin("one", first)
    assert [r["score"] for r in tally.rows_of("one")] == [0.5, 1.0]
    assert [one["key"] for one in tally.spent] == ["k", "k"]
    assert [(r["nodeid"], r["score"]) for r in tally.rows()] == [("one", 1.0)]
    assert tally.rows_of("two") == []
    # another process runs it too
    tally.add("one", third, "call", sent(made))
    tally.add("one", second, "teardown", sent(made))
    assert [r["score"] for r in tally.rows()] == [0.5]
    assert len(tally.spent) == 5


def test_subtests_of_a_test_are_all_counted() -> None:
    tally = Tally()
    for number in range(3):
        tally.add(
            "one", ("gw0", 1), "call", sent(row(result("faithfulness"), identity=f"{number}"))
        )
    assert len(tally.rows()) == 3


def test_rows_of_many_tests_share_the_names_of_their_fields() -> None:
    made = sent(row(result("faithfulness")))
    one, two = (from_text(to_text(made)) for _ in range(2))
    assert one == two == made
    assert all(name is other for name, other in zip(one.rows[0], two.rows[0], strict=True))
