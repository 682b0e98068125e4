"""What metrics say of labelled answers, from rows made by hand."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_ragassert.analysis.records.claims_jsonl import error_cases
from pytest_ragassert.analysis.records.evidence_figures import evidence_figures
from pytest_ragassert.analysis.records.ground_truth import ground_truth, said_of, truth_figures
from pytest_ragassert.analysis.records.row_types import MeasuredRow

from .measured import case, claim, failed, result, row


def judged(metric: str, passed: bool, truth: str | None, **fields: Any) -> MeasuredRow:
    return row(result(metric, float(passed), passed=passed, **fields), case(label=truth))


@pytest.mark.parametrize(
    ("metric", "passed", "fields", "said"),
    [
        ("faithfulness", True, {}, "correct"),
        ("faithfulness", False, {}, "incorrect"),
        ("a_plugin_s_own", False, {}, "incorrect"),
        ("faithfulness", False, {"vacuous": True}, None),
        ("answer_class", False, {"label": "WRONG"}, "incorrect"),
        ("answer_class", True, {"label": "WRONG"}, "incorrect"),
        ("answer_class", False, {"label": "CORRECT"}, "correct"),
        ("answer_class", True, {"label": "DONT_KNOW"}, None),
        ("context_relevance", False, {}, None),
        ("answer_relevancy", True, {}, None),
    ],
)
def test_what_a_metric_says(
    metric: str, passed: bool, fields: dict[str, Any], said: str | None
) -> None:
    assert said_of(judged(metric, passed, "correct", **fields)) == said


def test_a_measurement_counts_once_and_an_unlabelled_one_not() -> None:
    twice = judged("faithfulness", False, "incorrect")
    again: MeasuredRow = {**twice, "nodeid": "again"}
    rows = [twice, again, judged("faithfulness", True, None)]
    figures = truth_figures(rows)["faithfulness"]
    assert (figures.tp, figures.fn, figures.fp, figures.tn) == (1, 0, 0, 0)
    assert (figures.decided, figures.abstained, figures.coverage) == (1, 0, 1)
    assert figures.balanced_accuracy is None


def test_what_could_not_be_measured_is_abstained_from() -> None:
    error: MeasuredRow = {**failed("faithfulness", "JudgeError"), "truth": "correct", "nodeid": "n"}
    rows = [error, judged("faithfulness", True, "correct", vacuous=True)]
    figures = truth_figures(rows)["faithfulness"]
    assert (figures.decided, figures.abstained, figures.coverage) == (0, 2, 0)
    assert list(error_cases(rows, "r")) == []


def test_the_top_span_is_incorrect_before_it_is_severe() -> None:
    given = [("uncertain", "high"), ("incorrect", "low"), ("incorrect", "medium")]
    spans = [
        {"start": n, "end": n + 5, "text": f"text{n}", "label": label, "severity": severity}
        for n, (label, severity) in enumerate(given)
    ]
    wrong = judged("evidence", False, "correct", details={"spans": spans})
    (found,) = error_cases([{**wrong, "nodeid": "n"}], "r")
    assert found.top_span is not None
    assert found.top_span.text == "text2"


def test_labels_are_counted_by_case() -> None:
    rows = [judged(metric, True, "correct") for metric in ("faithfulness", "factual_f1")]
    rows.append(row(result("faithfulness"), case(id="other", label="incorrect")))
    rows.append(row(result("faithfulness"), case(id="third")))
    assert ground_truth(rows) == {"correct": 1, "incorrect": 1, "unlabelled": 1}
    assert ground_truth([]) == {}


def test_quotes_that_do_not_cover_their_claims() -> None:
    claims = [
        claim("It costs 9.", "FULLY_SUPPORTED", quote="costs nine", passage=1, coverage_ok=False),
        claim("It costs 8.", "FULLY_SUPPORTED", quote="costs 8", passage=0, coverage_ok=True),
        claim("It is red.", "CONTRADICTORY"),
    ]
    one = row(result("faithfulness", claims=claims), case())
    figures = evidence_figures([one, {**one, "nodeid": "again"}])["faithfulness"]
    assert figures.covering == {"yes": 1, "no": 1}
    assert (figures.claims, figures.verified, figures.labels["incorrect"]) == (3, 2, 1)
    assert figures.passages is not None
    assert (figures.passages.n, figures.passages.max) == (1, 2)
    assert figures.quote_chars is not None
    assert (figures.quote_chars.min, figures.quote_chars.mean) == (7, 8.5)
    assert evidence_figures([row(result("bert_score"), case())]) == {}
