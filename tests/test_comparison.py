"""Two runs compared: means, cases and claims; the answer's change told from the judgement's."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_ragassert.analysis.records.measurement import (
    MeasuredClaim,
    Measurement,
    measurements_of,
)
from pytest_ragassert.analysis.regression.comparison import Change, compared
from pytest_ragassert.report.comparison_lines import change_lines, comparison_lines
from pytest_ragassert.report.terminal import Screen

FULL, NONE, BAD = "FULLY_SUPPORTED", "NO_EVIDENCE", "CONTRADICTORY"
SCREEN = Screen(80)


def of(case: str, score: float | None, *claims: tuple[str, str], **more: Any) -> Measurement:
    made = tuple(MeasuredClaim("answer", text, verdict) for text, verdict in claims)
    given_inputs = {"answer": "a1", "contexts": "c1", **more.pop("inputs", {})}
    metric, judge = more.pop("metric", "faithfulness"), more.pop("judge", "judge-a")
    return Measurement(case, metric, judge, score, claims=made, inputs=given_inputs, **more)


def lines(before: list[Measurement], after: list[Measurement], **more: Any) -> list[str]:
    return comparison_lines(compared(before, after), SCREEN, against="b.jsonl", **more)


def test_flipped_new_and_vanished_claims() -> None:
    before = of("c", 1.0, ("A.", FULL), ("B.", FULL), ("C.", NONE), ("Twice.", FULL))
    after = of(
        "c", 0.0, ("A.", BAD), ("B. ", FULL), ("D.", NONE), ("Twice.", FULL), ("Twice.", BAD)
    )
    changes = Change(before, after).claims
    assert [(was, now.text, now.verdict) for was, now in changes.flipped] == [(FULL, "A.", BAD)]
    assert [claim.text for claim in changes.new] == ["D.", "Twice."]
    assert [claim.text for claim in changes.vanished] == ["C."]
    assert changes.same == 2


def test_a_changed_answer_is_told_from_a_changed_judgement() -> None:
    before = of("c", 1.0, ("A.", FULL))
    judged = Change(before, of("c", 0.0, ("A.", BAD)))
    assert change_lines(judged, SCREEN) == [
        "  c  faithfulness 1.00 -> 0.00  (the same texts, judged differently)",
        "      supported -> contradicted: A.",
    ]
    answered = Change(before, of("c", 0.0, ("B.", BAD), inputs={"answer": "a2", "contexts": "c2"}))
    assert change_lines(answered, SCREEN) == [
        "  c  faithfulness 1.00 -> 0.00  (answer and contexts changed)",
        "      vanished (supported): A.",
        "      new (contradicted): B.",
    ]
    other = Change(before, of("c", 0.0, judge="judge-b"))
    assert "(the same texts, another judge)" in change_lines(other, SCREEN)[0]


@pytest.mark.parametrize("of_run", ["before", "after"])
def test_what_was_carried_over_is_no_flip_and_no_agreement(of_run: str) -> None:
    before = of("c", 1.0, *((f"{name}.", FULL) for name in "ABCDE"))
    after = of("c", 0.5, ("A.", BAD), *((f"{name}.", FULL) for name in "BCDE"))

    def rate(carried: str) -> float | None:
        """Where the verdicts on these claims were carried over in one of the runs."""
        runs = {"before": before, "after": after}
        claims = tuple(c._replace(carried=c.text[0] in carried) for c in runs[of_run].claims)
        runs[of_run] = replace(runs[of_run], claims=claims)
        found = compared([runs["before"]], [runs["after"]]).metrics["faithfulness"]
        (change,) = found.changes
        assert change.claims.flipped_by_judge == ("A" not in carried)
        assert change.claims.same == 4 - len(set(carried) - {"A"})
        return found.flip_rate

    assert rate("A") == 0
    assert 0 < (rate("") or 0) < (rate("BC") or 0)
    assert rate("ABCDE") is None
    # the same measurement, carried over in one test and asked for in another
    again = replace(after, claims=tuple(c._replace(carried=True) for c in after.claims))
    assert compared([before], [after, again]).metrics["faithfulness"].changes


def by_hand(one: Measurement, *texts: str) -> Measurement:
    claims = tuple(c._replace(by_hand=c.by_hand or c.text in texts) for c in one.claims)
    return replace(one, claims=claims)


def test_what_a_person_decides_is_no_judgement_of_the_judge_s() -> None:
    before = of("c", 0.5, ("A.", BAD), ("B.", FULL))
    after = by_hand(of("c", 1.0, ("A.", FULL), ("B.", FULL)), "A.")
    for one, other in ((before, after), (after, before)):
        change = Change(one, other)
        (head, line) = change_lines(change, SCREEN)
        assert head.endswith("(the same texts, overridden)")
        assert ", overridden: A." in line
        assert compared([one], [other]).metrics["faithfulness"].flip_rate == 0
        assert not [line for line in lines([one], [other]) if "asked again" in line]
    both = by_hand(of("c", 0.5, ("A.", FULL), ("B.", BAD)), "A.")
    assert change_lines(Change(before, both), SCREEN)[0].endswith(
        "(the same texts, judged differently and overridden)"
    )
    # one of one judgement flipped; the person's is none
    assert compared([before], [both]).metrics["faithfulness"].flip_rate == 0.5
    alone = by_hand(of("c", 1.0, ("A.", FULL)), "A.")
    assert compared([of("c", 0.0, ("A.", BAD))], [alone]).metrics["faithfulness"].flip_rate is None


def test_a_label_is_shown_where_there_are_no_claims() -> None:
    change = Change(
        of("c", 1.0, metric="answer_class", label="CORRECT"),
        of("c", 0.0, metric="answer_class", label="DONT_KNOW"),
    )
    assert change_lines(change, SCREEN) == [
        "  c  answer_class 1.00 -> 0.00 CORRECT -> DONT_KNOW  (the same texts, judged",
        "    differently)",
    ]


def test_cases_without_a_pair_are_named() -> None:
    before = [of("kept", 1.0), of("old", 1.0), of("old", 1.0, metric="factual_f1")]
    after = [of("kept", 1.0), of("new", 1.0), of("silent", 1.0, vacuous=True), of("lost", None)]
    assert lines(before, after)[-3:] == [
        "nothing changed",
        "without a baseline: 1: new",
        "in the baseline, not measured now: 1: old (factual_f1, faithfulness)",
    ]
    assert lines([], [of("new", 1.0)]) == [
        "against b.jsonl: 0 cases compared",
        "without a baseline: 1: new",
    ]


def test_two_results_of_one_case_are_compared_with_nothing() -> None:
    after = [of("c", 1.0), of("c", 0.5), of("d", 1.0)]
    found = compared([of("c", 1.0), of("d", 1.0)], after)
    assert found.ambiguous == (("c", "faithfulness", "judge-a"),)
    assert [change.after.case for change in found.changes] == ["d"]
    assert lines([of("c", 1.0)], after)[-1] == (
        "not compared, because one case has two results: 1: c (faithfulness)"
    )


def test_other_judges_are_compared_only_where_that_is_asked_for() -> None:
    before, after = [of("c", 1.0)], [of("c", 0.0, judge="judge-b")]
    assert compared(before, after).cases == 0
    assert [c.difference for c in compared(before, after, judges_too=False).changes] == [-1.0]


def test_the_means_have_intervals_and_what_could_be_seen() -> None:
    before = [of(f"c{n}", 1.0, ("A.", FULL), ("B.", FULL)) for n in range(40)]
    worse = [of(f"c{n}", 0.5, ("A.", FULL), ("B.", BAD)) for n in range(8)]
    shown = lines(before, worse + before[8:])
    assert shown[:5] == [
        "against b.jsonl: 40 cases compared",
        "metric                  n before  after  change    95% interval  visible drop",
        "faithfulness           40   1.00   0.90  -0.100   -0.163 -0.050         0.115",
        "  visible drop: the smallest drop that 9 of 10 such runs distinguish from chance",
        "  faithfulness: when asked again, the judge flips 5.3 % of its judgements",
    ]
    few = lines(before[:5], before[:5])
    assert few[2] == "faithfulness            5   1.00   1.00   0.000               -             -"
    still = compared(before, before).metrics["faithfulness"]
    # four cases of 40, each by one claim of two
    assert still.smallest_drop() == pytest.approx(4 * 0.5 / 40)
    assert still.flip_rate == 0


def test_much_is_cut_unless_more_is_wanted() -> None:
    many = [
        of(f"c{n}", 1.0, *((f"Claim {m} {'x' * 200}", FULL) for m in range(7))) for n in range(9)
    ]
    after = [
        of(f"c{n}", 0.0, *((f"Claim {m} {'x' * 200}", BAD) for m in range(7))) for n in range(9)
    ]
    short, long = lines(many, after), lines(many, after, verbose=True)
    assert "  … 4 more (-v shows all)" in short
    assert "      … 2 more claims (-v shows all)" in short
    assert all(len(line) <= 80 for line in short)
    assert not any("-v shows" in line for line in long)
    assert sum("Claim 6" in line for line in long) == 9


def test_untrusted_texts_are_harmless() -> None:
    change = Change(
        of("c\x1b[2J", 1.0, ("A\x1b[31m\n", FULL)), of("c\x1b[2J", 0.0, ("A\x1b[31m\n", BAD))
    )
    shown = change_lines(change, Screen(80, "ascii"))
    assert all(line.isascii() and line.isprintable() for line in shown)


cases = st.dictionaries(st.sampled_from("abcdef"), st.sampled_from([0.0, 0.5, 1.0]), max_size=6)


@given(cases, cases)
def test_comparing_backwards_turns_every_sign(
    before: dict[str, float], after: dict[str, float]
) -> None:
    old = [of(case, score) for case, score in before.items()]
    new = [of(case, score) for case, score in after.items()]
    there, back = compared(old, new), compared(new, old)
    assert [c.difference for c in there.changes] == [-c.difference for c in back.changes]
    assert {one.case for one in there.without} == {one.case for one in back.gone}
    assert there.cases + len(there.without) == len(new)


# -- from rows -------------------------------------------------------------------------------------


def row(**fields: Any) -> dict[str, Any]:
    plain: dict[str, Any] = {
        "nodeid": "t.py::test_a", "case": None, "question": "Q?", "metric": "faithfulness",
        "score": 1.0, "vacuous": False, "judge": "j", "claims": [], "error": None, "minimum": 0.8,
        "asserted": False, "metadata": {}, "inputs": {"question": "q1"}, "identity": "1",
    }  # fmt: skip
    return {**plain, **fields}


def test_a_case_without_an_id_is_called_by_its_test() -> None:
    rows = [
        row(),
        row(metric="factual_f1", identity="2"),
        row(inputs={"question": "q2"}, identity="3"),
        row(nodeid="t.py::test_b", identity="4"),
    ]
    names = [one.case for one in measurements_of(rows)]
    assert names == ["t.py::test_a", "t.py::test_a", "t.py::test_a #2", "t.py::test_b"]


def test_the_same_measurement_counts_once_with_its_assertion_s_minimum() -> None:
    twice = [row(), row(nodeid="t.py::test_b", asserted=True)]
    for rows in (twice, twice[::-1]):
        (one,) = measurements_of(rows)
        assert (one.test, one.minimum) == ("t.py::test_b", 0.8)


def test_what_was_not_measured_has_no_score() -> None:
    (one,) = measurements_of([row(score=None, error={"type": "JudgeError"})])
    assert not one.counts
    with pytest.raises(ValueError, match=r"faithfulness was not measured"):
        _ = one.value


def test_lines_of_a_judge_that_says_nothing_now_are_passed_over() -> None:
    before = [of("a", 1.0, judge="old"), of("b", 1.0, judge="old"), of("a", 1.0, judge="new")]
    found = compared(before, [of("a", 1.0, judge="new")])
    assert [change.after.case for change in found.changes] == ["a"]
    assert (found.without, found.gone) == ((), ())
    # where nothing was measured, all of it is gone
    assert len(compared(before, []).gone) == 3


INPUTS = {"question": "q", "answer": "a", "references": "r", "contexts": "c"}


@pytest.mark.parametrize(
    ("changed", "same"),
    [
        ({"question": "other"}, True),
        ({"answer": "other", "references": "other", "contexts": "other"}, True),
        ({"question": "other", "answer": "other", "references": "other"}, False),
    ],
)
def test_a_case_of_which_nothing_is_as_it_was_is_another(
    changed: dict[str, str], same: bool
) -> None:
    found = compared([of("a", 1.0, inputs=INPUTS)], [of("a", 1.0, inputs={**INPUTS, **changed})])
    assert len(list(found.changes)) == int(same)
    assert (len(found.without), len(found.gone)) == ((0, 0) if same else (1, 1))
