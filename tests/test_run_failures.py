"""What fails a run as a whole, as failed tests: their names, their messages, and JUnit's file."""

from __future__ import annotations

import io
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast
from xml.etree import ElementTree

import pytest
from _pytest.junitxml import LogXML, bin_xml_escape
from hypothesis import given
from hypothesis import strategies as st
from junitparser import JUnitXml

from pytest_ragassert.analysis.records.results_file import RunOutcome
from pytest_ragassert.analysis.regression.conclusion import Conclusion
from pytest_ragassert.analysis.regression.gates import GateResult
from pytest_ragassert.config.gate_syntax import read_gate
from pytest_ragassert.language.escaping import visible
from pytest_ragassert.plugin.gate_reports import FailureText, report_failures
from pytest_ragassert.report.run_failures import EndedRun, RunFailure, run_failures
from pytest_ragassert.report.terminal import Screen

HELD = GateResult(read_gate("min(faithfulness) >= 0"), 0.5, 4, passed=True)
FAILS = GateResult(
    read_gate("mean(faithfulness) >= 0.9"),
    0.83,
    6,
    passed=False,
    pulling=tuple((f"case {n}", "0.50") for n in range(7)),
)
EMPTY = GateResult(read_gate("rate(wrong) <= 0.1"), None, 0, passed=False, why="nothing measured")


def ended(outcome: RunOutcome | None = None, **more: Any) -> EndedRun:
    """A red run without failed tests, by default with a gate that fails."""
    given = EndedRun(outcome or RunOutcome(gates="failed"), None, [], [], tests_failed=False)
    return replace(given, **more)


def names(of: EndedRun) -> list[str]:
    return [failure.name for failure in run_failures(of, Screen())]


@pytest.mark.parametrize("tests_failed", [False, True])
def test_each_gate_that_fails_is_one_whatever_else_failed(tests_failed: bool) -> None:
    outcome = RunOutcome(gates="failed", baseline="failed", budget="spent", verdicts="failed")
    conclusion = Conclusion(gates=(HELD, FAILS, EMPTY), outcome="failed", errors=("not written",))
    of = ended(outcome, conclusion=conclusion, tests_failed=tests_failed)
    assert names(of) == ["gate[mean(faithfulness) >= 0.9]", "gate[rate(wrong) <= 0.1]"]


def test_a_gate_says_its_value_and_what_pulls_it_down() -> None:
    first, second = run_failures(ended(conclusion=Conclusion(gates=(FAILS, EMPTY))), Screen())
    pulled = ", ".join(f"case {n} 0.50" for n in range(5)) + " and 2 more (-v names them)"
    assert first.message == f"0.83 over 6 cases; pulled down by: {pulled}"
    assert first.lines[0] == "✗ mean(faithfulness) >= 0.9: 0.83 over 6 cases"
    assert " ".join(line.strip() for line in first.lines[1:]) == f"pulled down by: {pulled}"
    assert (second.message, second.lines) == (
        "nothing measured",
        ["✗ rate(wrong) <= 0.1: nothing measured"],
    )


def test_with_verbose_lines_name_each_case_and_the_message_stays_short() -> None:
    many = replace(FAILS, pulling=tuple((f"case {n}", "0.50") for n in range(300)))
    (failure,) = run_failures(ended(conclusion=Conclusion(gates=(many,))), Screen(), verbose=True)
    assert "case 299 0.50" in failure.lines[-1]
    assert "and 295 more" in failure.message
    long = replace(FAILS, pulling=(("c" * 5_000, "0.50"),))
    (failure,) = run_failures(ended(conclusion=Conclusion(gates=(long,))), Screen())
    assert len(failure.message) == 300


@pytest.mark.parametrize(
    ("outcome", "more", "expected"),
    [
        (RunOutcome(gates="failed"), {}, ["gates"]),
        (
            RunOutcome(gates="partial"),
            {"conclusion": Conclusion(outcome="partial", must_hold=True)},
            ["gates"],
        ),
        (
            RunOutcome(gates="partial", budget="spent"),
            {"conclusion": Conclusion(outcome="partial")},
            ["budget"],
        ),
        (RunOutcome(baseline="failed"), {"conclusion": Conclusion(errors=("a",))}, ["baseline"]),
        (RunOutcome(verdicts="failed"), {"unwritten": ["why"]}, ["verdicts"]),
        (RunOutcome(budget="spent"), {}, ["budget"]),
        # pytest counts those that were skipped
        (RunOutcome(budget="spent", skipped=1), {}, []),
        (
            RunOutcome(gates="failed", baseline="failed", verdicts="failed", budget="spent"),
            {"conclusion": Conclusion(errors=("a", "b")), "unwritten": ["why"]},
            ["gates", "baseline", "verdicts", "budget"],
        ),
    ],
)
def test_what_else_fails_a_run_in_which_no_test_failed(
    outcome: RunOutcome, more: dict[str, Any], expected: list[str]
) -> None:
    of = ended(outcome, **more)
    assert names(of) == expected
    # such a test is told already
    assert names(replace(of, tests_failed=True)) == []


def test_an_outcome_that_is_not_known_fails_the_run() -> None:
    assert names(EndedRun(None, None, [], [], tests_failed=False)) == ["run"]


def test_what_was_not_written_is_said_in_full() -> None:
    conclusion = Conclusion(errors=("the first\nreason", "the second"))
    (failure,) = run_failures(ended(RunOutcome(baseline="failed"), conclusion=conclusion), Screen())
    assert failure.lines == ["the first reason", "the second"]
    assert failure.message == "the first reason; the second"


# -- JUnit -----------------------------------------------------------------------------------------


class Alone:
    """A pytest with one plugin, and nobody who prints."""

    def __init__(self, path: Path) -> None:
        self.pluginmanager = pytest.PytestPluginManager()
        self.xml = LogXML(path, None)
        self.pluginmanager.register(self.xml)
        self.session = SimpleNamespace(config=self, testsfailed=0)

    def getoption(self, name: str, default: object) -> object:
        return default

    def write(self, failures: list[RunFailure]) -> None:
        self.xml.pytest_sessionstart()
        report_failures(cast(pytest.Session, self.session), failures, lambda what: nullcontext())
        self.xml.pytest_sessionfinish()


# what an argument may hold: quotes end a text of a gate
TEXTS = st.text(st.characters(exclude_characters="\"'"), min_size=1) | st.sampled_from(
    ["::", "a::b[c]", "]]>", "<!--", "&amp;<b>", "\x00\x1b[31m", "\ud800", "\ufffe", "[", "/x.py"]
)


@given(TEXTS, TEXTS)
def test_junit_parses_whatever_a_gate_says(
    tmp_path_factory: pytest.TempPathFactory, text: str, case: str
) -> None:
    gate = read_gate(f'mean(faithfulness, kind="{text}") >= 0.9')
    held = GateResult(gate, 0.5, 1, passed=False, why=text, pulling=((case, "0.50"),))
    conclusion = Conclusion(gates=(held,))
    path = tmp_path_factory.getbasetemp() / "junit.xml"
    alone = Alone(path)
    alone.write(run_failures(ended(conclusion=conclusion), Screen()))
    assert alone.session.testsfailed == 1
    (suite,) = JUnitXml.fromfile(str(path))
    (found,) = suite
    assert (suite.tests, suite.failures, suite.errors) == (1, 1, 0)
    assert found.classname == "ragassert"
    name = ElementTree.parse(path).find(".//testcase")
    assert name is not None
    # what XML can't hold pytest writes as a number
    assert name.get("name") == bin_xml_escape(f"gate[{visible(gate.text)}]")
    (failure,) = found.result
    assert failure.text.strip()
    assert failure.message.startswith("0.50 over 1 case")


def test_the_text_shows_itself_without_colours_where_there_are_none() -> None:
    from _pytest._io import TerminalWriter

    text = FailureText(cast(Any, None), ["first", "second"])
    file = io.StringIO()
    text.toterminal(TerminalWriter(file))
    assert file.getvalue() == "first\nsecond\n"
    assert str(text) == "first\nsecond"
