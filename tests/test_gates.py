"""Gates: how they are read, where a broken one is pointed at, and what they say of a run."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_ragassert.analysis.records.measurement import Measurement
from pytest_ragassert.analysis.regression.comparison import compared
from pytest_ragassert.analysis.regression.gates import GateResult, evaluated_gates, unknown_metric
from pytest_ragassert.config.gate_syntax import Gate, GateSyntaxError, read_gate, read_gates
from pytest_ragassert.report.gate_lines import gate_lines
from pytest_ragassert.report.terminal import Screen

scores = st.lists(st.floats(0, 1), min_size=1, max_size=30)


def measured(
    case: str, score: float | None, metric: str = "faithfulness", **more: Any
) -> Measurement:
    return Measurement(case, metric, "judge-a", score, identity=f"{case} {metric}", **more)


def several(*values: float, metric: str = "faithfulness", **more: Any) -> list[Measurement]:
    return [measured(f"c{n}", value, metric, **more) for n, value in enumerate(values)]


def answers(*labels: str) -> list[Measurement]:
    return [
        measured(f"c{n}", float(label == "CORRECT"), "answer_class", label=label)
        for n, label in enumerate(labels)
    ]


def held(text: str, measurements: list[Measurement], **more: Any) -> GateResult:
    (one,) = evaluated_gates([read_gate(text)], measurements, **more)
    return one


@pytest.mark.parametrize(
    ("text", "gate"),
    [
        ("mean(faithfulness) >= 0.85", {"function": "mean", "name": "faithfulness", "bound": 0.85}),
        ("p10( factual_f1 )>=.5", {"function": "p10", "percentile": 10, "bound": 0.5}),
        ("p99.5(x) < 1", {"percentile": 99.5, "relation": "<"}),
        ("rate(Dont_Know) <= 5e-2", {"name": "dont_know", "bound": 0.05, "of_labels": True}),
        ("count(wrong) <= 2", {"bound": 2, "wants_more": False}),
        ("drop(faithfulness, level=0.9) <= 0.02", {"of_changes": True, "level": 0.9}),
        ("plain_drop(my.metric-2) < 0.1", {"name": "my.metric-2", "function": "plain_drop"}),
        ("mean(f, question_type=\"multi-hop\", n=50) >= 0.7",
         {"where": {"question_type": "multi-hop"}, "least": 50}),
        ("mean(f, hops=2, 'n'='x', lang=de) > 0", {"where": {"hops": "2", "n": "x", "lang": "de"}}),
        ('mean(f, топик="о; ценах, (да)") > 0', {"where": {"топик": "о; ценах, (да)"}}),
    ],
)  # fmt: skip
def test_a_gate_is_read(text: str, gate: dict[str, Any]) -> None:
    read = read_gate(text)
    assert {name: getattr(read, name) for name in gate} == gate
    assert read.text == text


def test_several_gates_stand_on_lines_or_behind_semicolons() -> None:
    text = 'mean(f, a="x;y") >= 0; min(f) > 0\n\n max(f) <= 1 ;'
    assert [gate.function for gate in read_gates(text)] == ["mean", "min", "max"]


@pytest.mark.parametrize(
    ("text", "place", "problem"),
    [
        ("", "", "a function is expected"),
        ("mean(faithfulness >= 0.85", "mean(faithfulness ", "')' is expected"),
        ("mean faithfulness >= 0.85", "mean ", "'(' is expected"),
        ("median(f) > 1", "", "no function 'median'; known are mean, min"),
        ("p101(f) > 1", "", "no function 'p101'"),
        ("mean() > 1", "mean(", "a metric is expected"),
        ("mean(f) = 1", "mean(f) ", ">= or <= is expected"),
        ("mean(f) == 1", "mean(f) ", ">= or <= is expected"),
        ("mean(f) >= ", "mean(f) >=", "a number is expected"),
        ("mean(f) >= x", "mean(f) >= ", "a number is expected"),
        ("mean(f) >= nan", "mean(f) >= ", "a number is expected"),
        ("mean(f) >= 1e999", "mean(f) >= ", "a number is expected"),
        ("mean(f) >= 85", "mean(f) >= ", "mean is a number from 0 to 1"),
        ("mean(f) >= 0.8 %", "mean(f) >= 0.8 ", "'%' is not allowed here"),
        ("mean(f) >= 0.8 and", "mean(f) >= 0.8 ", "nothing more is expected"),
        ("mean(f, a=) > 0", "mean(f, a=", "a text or a number is expected"),
        ("mean(f, a) > 0", "mean(f, a", "'=' is expected"),
        ('mean(f, a="x) > 0', "mean(f, a=", "the text that begins here does not end"),
        ("mean(f, a=1, a=2) > 0", "mean(f, a=1, ", "a is given twice"),
        ("mean(f, n=1, n=2) > 0", "mean(f, n=1, ", "n is given twice"),
        ("mean(f, n=0) > 0", "mean(f, n=", "n is a whole number of measured cases, from 1"),
        ("mean(f, n=1.5) > 0", "mean(f, n=", "n is a whole number"),
        ("mean(f, level=0.9) > 0", "mean(f, ", "level applies only to drop, not to mean"),
        ("drop(f, level=1) <= 0", "drop(f, level=", "level is a number between 0 and 1"),
        ("drop(f) >= 0.1", "drop(f) ", "drop takes <= or <"),
        ("count(wrong) <= 1.5", "count(wrong) <= ", "a count is a whole number from 0"),
        ("count(bad) <= 1", "count(", "no label 'bad'; known are correct, wrong, dont_know"),
        ("mean(f) >= 0.8\u200b", "mean(f) >= 0.8", "is not allowed here"),
    ],
)
def test_a_broken_gate_is_pointed_at(text: str, place: str, problem: str) -> None:
    with pytest.raises(GateSyntaxError) as caught:
        read_gate(text)
    assert problem in str(caught.value)
    assert caught.value.at == len(place)
    _, shown, arrow = str(caught.value).split("\n")
    assert (shown, arrow) == (f"  {text}", " " * (2 + len(place)) + "^")


@given(st.text(alphabet="mean(p1f0).,=<>\"' n;-\n", max_size=25))
def test_any_text_is_a_gate_or_pointed_at(text: str) -> None:
    places = []
    try:
        assert read_gate(read_gate(text).text) == read_gate(text.strip())
    except GateSyntaxError as error:
        places.append(error.at)
    assert all(0 <= at <= len(text) for at in places)


@given(scores, st.sampled_from(["mean", "min", "max", "p10"]), st.floats(0, 1))
def test_a_gate_fails_by_what_it_blames(values: list[float], function: str, bound: float) -> None:
    one = held(f"{function}(faithfulness) >= {bound:.6f}", several(*values))
    assert one.value is not None
    assert one.passed == (one.value >= one.gate.bound - 1e-9)
    assert bool(one.pulling) == (not one.passed)
    assert {case for case, _ in one.pulling} <= {
        f"c{n}" for n, value in enumerate(values) if value < one.gate.bound
    }


def test_the_cases_that_pull_it_down_come_worst_first() -> None:
    one = held("mean(faithfulness) >= 0.9", several(0.9, 0.25, 1.0, 0.0, 0.25))
    assert one.pulling == (("c3", "0.00"), ("c1", "0.25"), ("c4", "0.25"))
    high = held("max(faithfulness) <= 0.5", several(0.6, 0.1, 0.9))
    assert high.pulling == (("c2", "0.90"), ("c0", "0.60"))


def test_rounding_does_not_fail_a_gate() -> None:
    values = several(*[0.1] * 3)
    assert held("mean(faithfulness) >= 0.1", values).passed
    assert held("mean(faithfulness) <= 0.1", values).passed
    assert not held("mean(faithfulness) > 0.1000001", values).passed


def test_labels_are_counted() -> None:
    given_answers = answers("CORRECT", "WRONG", "DONT_KNOW", "WRONG")
    assert held("count(wrong) <= 2", given_answers).passed
    few = held("count(wrong) <= 1", given_answers)
    assert (few.value, few.n, few.pulling) == (2, 4, (("c1", "wrong"), ("c3", "wrong")))
    assert held("rate(dont_know) <= 0.25", given_answers).value == 0.25
    right = held("rate(correct) >= 0.5", given_answers)
    assert [case for case, _ in right.pulling] == ["c1", "c2", "c3"]


def test_metadata_choose_the_cases() -> None:
    cases = [
        measured("a", 1.0, metadata={"type": "multi-hop", "hops": 2, "hard": True}),
        measured("b", 0.0, metadata={"type": "factoid", "hops": 1, "hard": False}),
        measured("c", 0.5),
    ]
    assert held('mean(faithfulness, type="multi-hop") >= 1', cases).passed
    assert held("mean(faithfulness, hops=1) >= 0", cases).value == 0
    assert held("mean(faithfulness, hard=true) >= 0", cases).value == 1
    none = held("mean(faithfulness, type=other) >= 0", cases)
    assert not none.passed
    assert none.why == "nothing measured with type='other', of 3 cases"


@pytest.mark.parametrize(
    "text",
    ["mean(faithfulness) >= 0", "count(wrong) <= 9", "rate(wrong) <= 1", "p5(faithfulness) <= 1",
     "drop(faithfulness) <= 1", "plain_drop(faithfulness) <= 1"],
)  # fmt: skip
def test_nothing_measured_never_passes(text: str) -> None:
    nothing = [measured("a", 1.0, vacuous=True), measured("b", None)]
    nothing += [measured("c", None, "answer_class")]
    for comparison in (None, compared(nothing, nothing)):
        one = held(text, nothing, comparison=comparison)
        assert not one.passed
        assert one.value is None


def test_a_misspelt_metric_is_guessed() -> None:
    assert held("mean(faithfulnes) >= 0", several(1)).why == (
        "nothing measured; did you mean faithfulness?"
    )


def test_fewer_cases_than_n_fail() -> None:
    assert held("mean(faithfulness, n=3) >= 0", several(1, 1, 1)).passed
    few = held("mean(faithfulness, n=4) >= 0", several(1, 1, 1))
    assert (few.passed, few.why) == (False, "3 measured cases, fewer than n = 4")


class Apart(Measurement):
    """One that is compared with no other."""

    def __eq__(self, other: object) -> bool:
        raise AssertionError("each measurement is looked at once")

    __hash__ = Measurement.__hash__


@pytest.mark.parametrize("gate", ["rate(wrong) <= 0.1", "rate(correct) >= 0.9", "count(wrong) < 1"])
def test_no_measurement_is_compared_with_the_others(gate: str) -> None:
    labels = ["CORRECT", "WRONG"] * 20
    values: list[Measurement] = [
        Apart(case=f"c{n}", metric="answer_class", judge="j", score=1.0, label=label)
        for n, label in enumerate(labels)
    ]
    failed = held(gate, values)
    assert not failed.passed
    assert failed.pulling == tuple((f"c{n}", "wrong") for n in range(1, 40, 2))


def test_what_a_run_writes_for_the_first_time_is_no_drop() -> None:
    new, gate = several(*[0.1] * 8), "drop(faithfulness, n=7) <= 0"
    for function in ("drop", "plain_drop"):
        text = gate.replace("drop", function)
        first = held(text, new, comparison=compared((), new), writes=True)
        assert (first.passed, first.value) == (True, None)
        assert first.why == "this run writes the baseline, which has too few of its cases yet"
        assert not held(text, new, comparison=compared((), new)).passed
    # some of the cases were there before
    grown = compared(several(*[1.0] * 3), new)
    assert held(gate, new, comparison=grown, writes=True).passed
    # all were, and too few
    few = several(0.1, 0.1)
    assert not held(gate, few, comparison=compared(several(1, 1), few), writes=True).passed
    # and enough of them
    worse = compared(several(*[1.0] * 8), new)
    assert not held(gate, new, comparison=worse, writes=True).passed


@pytest.mark.parametrize(
    ("gate", "told"),
    [
        ("mean(faithfulness) >= 0", None),
        ("rate(wrong) <= 1", None),
        ("mean(faithfullness) >= 0", "did you mean faithfulness?"),
        ("drop(faithfulnes) <= 0", "did you mean faithfulness?"),
        ("mean(zzz) >= 0", "known are faithfulness, ragas_score"),
    ],
)
def test_a_metric_that_there_is_not(gate: str, told: str | None) -> None:
    name = gate[gate.index("(") + 1 : gate.index(")")]
    wanted = told and f"the gate {gate!r}: no metric is called {name!r}; {told}"
    assert unknown_metric([read_gate(gate)], ["faithfulness", "ragas_score"]) == wanted


def test_a_drop_counts_only_where_its_interval_excludes_zero() -> None:
    before, same = several(*[1.0] * 20), several(*[1.0] * 20)
    after = several(*[0.5] * 2, *[1.0] * 18)
    against = compared(before, after)
    chance = held("drop(faithfulness) <= 0.02", after, comparison=against)
    assert chance.passed
    assert "includes 0: may be chance" in chance.why
    plain = held("plain_drop(faithfulness) <= 0.02", after, comparison=against)
    assert not plain.passed
    assert plain.value == pytest.approx(0.05)
    assert plain.pulling == (("c0", "1.00 -> 0.50"), ("c1", "1.00 -> 0.50"))

    worse = several(*[0.5] * 8, *[1.0] * 12)
    real = held("drop(faithfulness) <= 0.02", worse, comparison=compared(before, worse))
    assert (real.passed, len(real.pulling)) == (False, 8)
    allowed = held("drop(faithfulness) <= 0.2", worse, comparison=compared(before, worse))
    assert allowed.passed
    gain = held("drop(faithfulness) <= 0", same, comparison=compared(worse, same))
    assert gain.passed
    assert gain.value == pytest.approx(-0.2)


def test_where_nothing_changed_no_interval_is_said() -> None:
    same = several(*[1.0] * 10)
    one = held("drop(faithfulness) <= 0.02", same, comparison=compared(same, same))
    assert (one.passed, one.value, one.why) == (True, 0, "no score changed")
    assert not any("-0.00" in line for line in gate_lines([one], Screen()))


def test_levels_are_said_as_they_are() -> None:
    before, after = several(*[1.0] * 20), several(*[0.5] * 2, *[1.0] * 18)
    gate = "drop(faithfulness, level=0.975) <= 0.02"
    assert held(gate, after, comparison=compared(before, after)).why.startswith("97.5% interval ")


def test_cases_that_pull_are_shown_below_the_bound() -> None:
    one = held("min(faithfulness) >= 0.8", several(0.797, 0.7999, 1.0))
    assert one.pulling == (("c0", "0.797"), ("c1", "0.7999"))
    before, after = several(0.801, 1.0), several(0.799, 1.0)
    against = compared(before, after)
    dropped = held("plain_drop(faithfulness) <= 0.0005", after, comparison=against)
    assert dropped.pulling == (("c0", "0.801 -> 0.799"),)


def test_a_level_below_takes_a_smaller_drop_for_real() -> None:
    before, after = several(*[1.0] * 20), several(*[0.5] * 3, *[1.0] * 17)
    against = compared(before, after)
    assert held("drop(faithfulness) <= 0", after, comparison=against).passed
    assert not held("drop(faithfulness, level=0.8) <= 0", after, comparison=against).passed


def test_too_few_cases_for_an_interval_fail() -> None:
    before, after = several(*[1.0] * 5), several(*[0.0] * 5)
    one = held("drop(faithfulness) <= 0.5", after, comparison=compared(before, after))
    assert not one.passed
    assert one.why == (
        "an interval at level 0.95 needs 6 cases; plain_drop uses the difference alone"
    )
    same = held("drop(faithfulness) <= 0.5", before, comparison=compared(before, before))
    assert not same.passed, "without an interval nothing is said of a drop"


def test_the_lines_put_failing_gates_first_and_name_cases() -> None:
    values = several(*[n / 20 for n in range(10)])
    gates = [read_gate(t) for t in ("min(faithfulness) >= 0", "mean(faithfulness) >= 0.226")]
    lines = gate_lines(evaluated_gates(gates, values), Screen(70))
    assert lines == [
        "1 of 2 gates fails, so the run fails",
        "  ✗ mean(faithfulness) >= 0.226: 0.225 over 10 cases",
        "      pulled down by: c0 0.00, c1 0.05, c2 0.10, c3 0.15, c4 0.20",
        "  ✓ min(faithfulness) >= 0: 0.00 over 10 cases",
    ]
    more = gate_lines(evaluated_gates([read_gate("mean(faithfulness) >= 1")], values), Screen(200))
    assert more[-1].endswith("and 5 more (-v names them)")
    hostile = [measured("e\x1b[31m", 0.0)]
    text = "\n".join(gate_lines(evaluated_gates(gates, hostile), Screen(80, "ascii")))
    assert text.isascii()
    assert "\x1b" not in text


def test_a_gate_is_a_value() -> None:
    assert read_gate("mean(f) > 0") == read_gate("mean(f) > 0")
    assert isinstance(read_gate("mean(f) > 0"), Gate)
