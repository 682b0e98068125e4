"""Annotations of GitHub Actions: what they say, in which order, and that they are what they are."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from pytest_ragassert.analysis.records.failed_tests import FailedTest
from pytest_ragassert.analysis.regression.conclusion import Conclusion
from pytest_ragassert.analysis.regression.gates import GateResult
from pytest_ragassert.config.gate_syntax import read_gate
from pytest_ragassert.language.escaping import visible
from pytest_ragassert.report.annotations import MOST, Place, annotation_lines

from .measured import case, claim, failed, recorded, result, row
from .test_ci_log import hostile, prefixes

ESCAPES = ("%", "0A", "%25", "%0D", ",", ":")
texts = st.one_of(
    hostile, st.text(max_size=30), st.lists(st.sampled_from(ESCAPES), max_size=9).map("".join)
)
PLACES = {f"t::{n}": Place(f"tests/test_{n}.py", n + 1) for n in range(20)}


class Command(NamedTuple):
    name: str
    properties: dict[str, str]
    text: str


def read(line: str) -> Command:
    """As `ActionCommand.TryParseV2` of actions/runner."""
    assert line.startswith("::")
    end = line.index("::", 2)
    name, _, said = line[2:end].partition(" ")
    properties = {}
    for pair in filter(None, said.split(",")):
        key, _, value = pair.partition("=")
        for escape, character in (("%3A", ":"), ("%2C", ",")):
            value = value.replace(escape, character)
        properties[key] = _unescaped(value)
    return Command(name, properties, _unescaped(line[end + 2 :]))


def _unescaped(text: str) -> str:
    for escape, character in (("%0D", "\r"), ("%0A", "\n"), ("%25", "%")):
        text = text.replace(escape, character)
    return text


def test_a_failed_case_is_annotated_where_its_test_stands() -> None:
    claims = [
        claim("It costs 5 euros.", "CONTRADICTORY", quote="The crossing costs 9 euros.", passage=1),
        claim("Half of them, 50%: really, swim.", "NO_EVIDENCE"),
        claim("It is a ferry.", "FULLY_SUPPORTED"),
    ]
    made = row(result("faithfulness", 0.33, claims=claims), case(id="a:1,2"), nodeid="t::3")
    (line,) = annotation_lines(recorded(made), {"t::3": Place("tests/a,b/test_it.py", 12)}.get)
    assert line == (
        "::error file=tests/a%2Cb/test_it.py,line=12,"
        "title=faithfulness 0.33 < 0.70%3A case a%3A1%2C2::"
        "What does the crossing cost?%0A"
        'contradicted: It costs 5 euros.%0A  [2] "The crossing costs 9 euros."%0A'
        "no evidence: Half of them, 50%25: really, swim."
    )
    assert read(line).properties["file"] == "tests/a,b/test_it.py"


def test_the_worst_ten() -> None:
    rows = [
        row(result("faithfulness", n / 40), case(id=f"c{n}"), nodeid=f"t::{n}")
        for n in reversed(range(12))
    ]
    unmeasured = {**failed("factual_f1"), "nodeid": "t::15"}
    gate = GateResult(read_gate("mean(faithfulness) >= 0.9"), 0.1, 3, False)
    run = replace(
        recorded(*rows, unmeasured),  # type: ignore[arg-type]
        conclusion=Conclusion(gates=(gate, replace(gate, passed=True))),
    )
    said = [read(line) for line in annotation_lines(run, PLACES.get)]
    assert len(said) == MOST == 10
    assert {one.name for one in said} == {"error"}
    assert said[0].properties == {"title": "gate not met"}
    assert said[0].text == "mean(faithfulness) >= 0.9: 0.10 over 3 cases"
    assert [one.properties["file"] for one in said[1:]] == [f"tests/test_{n}.py" for n in range(9)]
    assert said[1].properties["line"] == "1"


def test_a_gate_names_cases_and_tests_and_no_place() -> None:
    rows = [
        row(
            result("faithfulness", 0.1, passed=True, claims=[claim(f"It costs {n} euros.")]),
            case(id=f"c{n}"),
            nodeid=f"t::{n}",
        )
        for n in range(5)
    ]
    held = GateResult(
        read_gate("mean(faithfulness) >= 0.9"),
        *(0.1, 5, False),
        pulling=tuple((f"c{n}", "0.10") for n in range(5)),
    )
    run = replace(recorded(*rows), conclusion=Conclusion(gates=(held,)))
    (line,) = annotation_lines(run, PLACES.get)
    assert read(line).properties == {"title": "gate not met"}
    assert read(line).text.splitlines() == [
        "mean(faithfulness) >= 0.9: 0.10 over 5 cases",
        "pulled down by:",
        *(
            said
            for n in range(3)
            for said in (f"  c{n} 0.10, t::{n}", f"  no evidence: It costs {n} euros.")
        ),
        "… 2 more",
    ]


def test_what_was_not_measured_comes_last() -> None:
    unmeasured = {**failed("factual_f1"), "nodeid": "t::15"}
    below = row(result("faithfulness", 0.1), nodeid="t::1")
    run = recorded(unmeasured, below)  # type: ignore[arg-type]
    first, last = (read(line) for line in annotation_lines(run, PLACES.get))
    assert first.properties["file"] == "tests/test_1.py"
    assert last.properties["title"] == "factual_f1 not measured: case price"
    assert last.text == "why"


def test_a_test_that_did_not_fail_is_not_annotated() -> None:
    """As one whose failure a subtest of it, or a plugin, took back."""
    assert annotation_lines(recorded(row(result("faithfulness", 0.1))), lambda nodeid: None) == []
    caught = replace(
        recorded(row(result("faithfulness", 0.1), nodeid="t::1")),
        failed_tests=[FailedTest(nodeid="t::1", ends=["other"], message="assert 0")],
    )
    (line,) = annotation_lines(caught, PLACES.get)
    assert read(line).properties["title"] == "t::1 failed"
    assert read(line).text == "assert 0"
    passed = row(result("faithfulness", 1.0, passed=True), nodeid="t::1")
    assert annotation_lines(recorded(passed), PLACES.get) == []


def test_other_failures_are_named_last() -> None:
    unmeasured = {**failed("factual_f1"), "nodeid": "t::2"}
    tests = [
        FailedTest(nodeid=nodeid, ends=["other"], message=f"why, {nodeid}")
        for nodeid in ("sub/t.py", "t::2", "t::3")
    ]
    run = replace(recorded(unmeasured), failed_tests=tests)  # type: ignore[arg-type]
    places = {**PLACES, "sub/t.py": Place("sub/t.py", None)}
    said = [read(line) for line in annotation_lines(run, places.get)]
    assert [one.properties for one in said] == [
        {"file": "tests/test_2.py", "line": "3", "title": "factual_f1 not measured: case price"},
        {"file": "sub/t.py", "title": "sub/t.py failed"},
        {"file": "tests/test_3.py", "line": "4", "title": "t::3 failed"},
    ]
    assert [one.text for one in said] == ["why", "why, sub/t.py", "why, t::3"]


@given(texts)
def test_whatever_a_text_is_it_is_one_command(text: str) -> None:
    claims = [claim(f"3 {text} x", "NO_EVIDENCE", gate_reason=f"4 {text} x")]
    of_case = case(id=f"1 {text} x", question=f"2 {text} x", retrieved_contexts=[])
    made = row(result(f"m {text} x", 0.1, claims=claims), of_case, nodeid="t::1")
    (line,) = annotation_lines(recorded(made), {"t::1": Place(f"5{text}.py", 7)}.get)
    assert len(line.splitlines()) == 1
    assert not prefixes(line)
    command = read(line)
    assert command.name == "error"
    assert command.properties.keys() == {"file", "line", "title"}
    assert command.properties["line"] == "7"
    shown = command.text.replace("\\[", "[")
    for said in f"2 {text} x", f"3 {text} x", f"4 {text} x":
        assert visible(said).replace("\\[", "[")[:200] in shown
    assert visible(f"1 {text} x")[:50].replace("\\[", "[") in command.properties["title"].replace(
        "\\[", "["
    )


def test_long_texts_are_cut() -> None:
    long = "word " * 1_000
    claims = [claim(long, "NO_EVIDENCE") for _ in range(50)]
    made = row(result("faithfulness", 0.1, claims=claims), case(id=long, question=long))
    (line,) = annotation_lines(recorded(made), {"test": Place("a.py", 1)}.get)
    assert len(line) < 3_000
    assert re.search("%0A… 47 more$", line)
