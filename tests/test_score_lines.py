"""The scores of a test in short: in a line, and a line for each measurement."""

from __future__ import annotations

from pytest_ragassert.analysis.records.result_rows import counted
from pytest_ragassert.report.score_lines import in_a_line, score_lines, scores_of

from .measured import case, claim, failed, result, row


def test_each_metric_is_named_with_its_score() -> None:
    rows = [
        row(result("faithfulness", 0.92, passed=True)),
        row(result("factual_f1", 0.8333, passed=True)),
    ]
    assert in_a_line(scores_of(rows), None) == "faithfulness 0.92, factual_f1 0.83"


def test_of_several_results_the_lowest_is_named() -> None:
    rows = [row(result("faithfulness", score, passed=True)) for score in (0.9, 0.75, 1.0)]
    (score,) = scores_of(rows)
    assert (score.row["score"], score.of) == (0.75, 3)
    assert in_a_line([score], None) == "faithfulness 0.75 (lowest of 3)"


def test_what_failed_comes_first() -> None:
    rows = [row(result("faithfulness", 1.0, passed=True)), row(result("factual_f1", 0.5))]
    assert in_a_line(scores_of(rows), None) == "factual_f1 0.50, faithfulness 1.00"
    # a failure that is known, or that nobody asserted, is none
    rows[1]["quarantine"] = "known"
    assert in_a_line(scores_of(rows), None) == "faithfulness 1.00, factual_f1 0.50"


def test_a_line_of_many_metrics_stays_readable() -> None:
    scores = scores_of([row(result(f"m{n}", 1.0, passed=True)) for n in range(7)])
    assert in_a_line(scores, 4) == "m0 1.00, m1 1.00, m2 1.00, m3 1.00, 3 more"
    # one more takes no more room than to say so
    assert in_a_line(scores[:5], 4) == "m0 1.00, m1 1.00, m2 1.00, m3 1.00, m4 1.00"
    assert in_a_line(scores, None).count("1.00") == 7
    (long,) = scores_of([row(result("m" * 99, 1.0))])
    assert in_a_line([long], 4) == f"{'m' * 59}… 1.00"


def test_a_score_just_below_its_minimum_does_not_look_like_it() -> None:
    (score,) = scores_of([row(result("faithfulness", 0.79999, 0.8))])
    assert in_a_line([score], None) == "faithfulness 0.79999"


def test_what_has_no_score() -> None:
    assert scores_of([failed("faithfulness")]) == []
    assert in_a_line([], 4) == ""
    vacuous = row(result("faithfulness", 1.0, vacuous=True, reason="nothing to check"))
    assert in_a_line(scores_of([vacuous]), None) == "faithfulness vacuous"
    # it is not the lowest of those that were checked, and not counted with them
    both = [vacuous, row(result("faithfulness", 1.0, passed=True))]
    assert in_a_line(scores_of(both), None) == "faithfulness 1.00"
    known = row(result("faithfulness", 0.0, interval=(0.8, 1.0), passed=True))
    assert known["score"] is None
    assert in_a_line(scores_of([known]), None) == "faithfulness 0.80 to 1.00"
    labelled = row(result("answer_class", 1.0, None, label="CORRECT", passed=True))
    assert in_a_line(scores_of([labelled]), None) == "answer_class CORRECT"


def test_lines_by_case() -> None:
    other = case(id="dogs", question="May dogs  come?")
    supported = claim("It costs 5 euros.", "FULLY_SUPPORTED")
    rows = [
        row(result("faithfulness", 1.0, claims=[supported], reason="1 claim", passed=True)),
        row(result("faithfulness", 0.5, 0.4, passed=True), other),
        row(result("answer_class", 1.0, None, label="CORRECT", reason="CORRECT: as the reference")),
        row(result("factual_f1", 1.0, vacuous=True, reason="nothing to check"), other),
        failed("factual_recall"),
    ]
    assert score_lines(rows) == [
        "case price  What does the crossing cost?",
        "faithfulness 1.00 >= 0.70   1 claim",
        "answer_class CORRECT   as the reference",
        "case dogs  May dogs come?",
        "faithfulness 0.50 >= 0.40",
        "factual_f1 vacuous   nothing to check",
    ]
    assert score_lines([row(result("m", 1.0), case(id=None, question=None))]) == ["m 1.00 >= 0.70"]
    (name, score) = score_lines([row(result("m", 1.0, reason="r" * 300), case(question="q" * 300))])
    assert (len(name), len(score)) == (200, 200)


def test_nothing_in_them_acts_on_a_terminal() -> None:
    evil = row(result("m\x1b[2J", 1.0, reason="a\nb\x07"), case(id="\ud800", question="x\u202e"))
    assert in_a_line(scores_of([evil]), 4) == "m\\x1b[2J 1.00"
    assert score_lines([evil]) == ["case \\ud800  x\\u202e", "m\\x1b[2J 1.00 >= 0.70   a b\\x07"]


def test_a_measurement_that_a_test_repeats_counts_once() -> None:
    first = row(result("faithfulness", 0.5), identity="a")
    again = row(result("faithfulness", 0.5), identity="a", asserted=False)
    other = row(result("faithfulness", 0.4), identity="b")
    assert counted([first, again, other]) == [first, other]
    assert counted([again, first]) == [first]
