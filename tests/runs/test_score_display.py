"""Scores of tests that pass on the terminal: after their result with -v, and with -rA."""

from __future__ import annotations

import re

import pytest

from .projects import PASSING, Project, new_project
from .test_repeats import REPEATS, SUBTESTS, repeated, subtests

project = pytest.fixture(new_project)

MANY = """
import pytest
from ferry import BAD, GOOD, ODD, case
from pytest_ragassert import assert_factual_f1, assert_faithful, evaluate

def test_two_metrics():
    both = case("both", ground_truth_answer=GOOD)
    assert_faithful(both)
    assert_factual_f1(both)

def test_three_cases():
    for name, answer in {"good": GOOD, "half": GOOD + " " + ODD, "good too": GOOD}.items():
        assert_faithful(case(name, answer), min=0.5)

def test_fails():
    assert_faithful(case("bad", BAD))

@pytest.mark.xfail(reason="why")
def test_xpass():
    assert_faithful(case("xpass"))

@pytest.mark.xfail(reason="why")
def test_xfail():
    assert_faithful(case("xfail", BAD))

@pytest.mark.rag_xfail(metric="faithfulness", reason="known")
def test_known():
    assert_faithful(case("known", BAD))

@pytest.fixture
def measured():
    assert_faithful(case("measured"))

def test_in_setup(measured):
    pass

@pytest.fixture
def broken():
    assert_faithful(case("broken", BAD))

def test_error(broken):
    pass

def test_skipped():
    assert_faithful(case("skipped"))
    pytest.skip("why")

def test_others():
    pass
"""
SCORES = {
    "test_two_metrics": "PASSED faithfulness 1.00, factual_f1 1.00",
    "test_three_cases": "PASSED faithfulness 0.50 (lowest of 3)",
    "test_fails": "FAILED faithfulness 0.00",
    "test_xpass": "XPASS faithfulness 1.00",
    "test_xfail": "XFAIL faithfulness 0.00",
    "test_known": "XFAIL faithfulness 0.00",
    "test_in_setup": "PASSED faithfulness 1.00",
    "test_error": "ERROR faithfulness 0.00",
    "test_skipped": "SKIPPED faithfulness 1.00",
    "test_others": "PASSED",
}


def words(result: pytest.RunResult) -> dict[str, str]:
    """What stands behind each test's name, or with workers before it; without the reason."""
    found = {}
    for line in result.outlines:
        if alone := re.match(
            r"test_it\.py::(\w+) ([A-Z]+.*?)(?: \((?:\w+: )?(?:why|known)\))? *\[ *\d+%\]$", line
        ):
            found[alone[1]] = alone[2]
        elif worker := re.match(r"\[gw\d\] \[ *\d+%\] ([A-Z]+.*) test_it\.py::(\w+) *$", line):
            found[worker[2]] = worker[1]
    return found


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["alone", "workers"])
def test_scores_stand_behind_the_result(project: Project, workers: tuple[str, ...]) -> None:
    project.test(MANY)
    project.set(COLUMNS="100")
    without = project.run(*workers, "-q")
    assert "PASSED" not in without.stdout.str()
    result = project.run(*workers, "-v")
    assert words(result) == SCORES
    # categories and counts are pytest's
    assert result.parseoutcomes() == without.parseoutcomes()


def test_the_colours_are_those_of_the_result(project: Project) -> None:
    project.test(PASSING)
    result = project.run("-v", "--color=yes")
    assert "\x1b[32mPASSED faithfulness 1.00\x1b[0m" in result.stdout.str()


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["alone", "workers"])
def test_lists_of_passed_tests_tell_scores(project: Project, workers: tuple[str, ...]) -> None:
    project.test(MANY)
    result = project.run(*workers, "-rA")
    text = result.stdout.str()
    assert "PASSED test_it.py::test_two_metrics - faithfulness 1.00, factual_f1 1.00" in text
    assert "PASSED test_it.py::test_others\n" in text
    assert "XPASS test_it.py::test_xpass - why" in text
    assert "FAILED test_it.py::test_fails - faithfulness 0.00 < 0.80: case bad" in text
    _, _, passes = text.partition("= PASSES =")
    result.stdout.fnmatch_lines(
        [
            "*= PASSES =*",
            "*_ test_two_metrics _*",
            "*- ragassert -*",
            "case both  How often does the ferry run?",
            "faithfulness 1.00 >= 0.80   1 claim: 1 supported",
            "factual_f1 1.00 >= 0.70   precision 1/1, recall 1/1; 2 claims: 2 supported",
        ]
    )
    assert (
        "case half  How often does the ferry run?\nfaithfulness 0.50 >= 0.50   2 claims" in passes
    )
    assert "case xpass" in text.partition("= XPASSES =")[2]
    # a failure shows its claims, and its scores once
    failures = text.partition("= FAILURES =")[2].partition("= PASSES =")[0]
    assert failures.count("faithfulness 0.00 < 0.80   1 claim: 1 contradicted") == 1


def test_reports_are_afterwards_as_they_were(project: Project) -> None:
    project.test(PASSING)
    project.pytester.makeconftest(
        """
        def pytest_unconfigure(config):
            terminal = config.pluginmanager.get_plugin("terminalreporter")
            print("\\nLEFT", [report.longrepr for report in terminal.stats["passed"]])
        """
    )
    assert "LEFT [None, None]" in project.run("-rA").outlines


def test_few_lists_tell_them(project: Project) -> None:
    project.test(PASSING)
    assert "PASSED test_it.py::test_dogs - faithfulness 1.00" in project.run("-rp").outlines
    for args in ([], ["-ra"], ["-rA", "--show-capture=no", "-rN"]):
        assert "faithfulness 1.00" not in project.run(*args).stdout.str()


def test_of_many_metrics_the_first_are_named(project: Project) -> None:
    project.test(
        """
        from ferry import GOOD, case
        from pytest_ragassert import evaluate

        METRICS = ["faithfulness", "factual_f1", "factual_precision", "factual_recall",
                   "context_recall", "context_precision", "context_relevance"]

        def test_it():
            evaluate(case("one", ground_truth_answer=GOOD), METRICS)
        """
    )
    project.set(COLUMNS="200")
    (line,) = words(project.run("-v")).values()
    assert re.fullmatch(r"PASSED( \w+ \d\.\d\d,){4} 3 more", line)
    (line,) = words(project.run("-vv")).values()
    assert re.fullmatch(r"PASSED( \w+ \d\.\d\d,){6} \w+ \d\.\d\d", line)


@pytest.mark.parametrize("workers", [(), ("-n", "1")], ids=["alone", "worker"])
def test_subtests_have_scores_of_their_own(project: Project, workers: tuple[str, ...]) -> None:
    project.test(SUBTESTS)
    result = project.run(*workers, "-v", use=subtests(SUBTESTS))
    text = result.stdout.str()
    for name, score in {"good": "1.00", "bad": "0.00", "odd": "0.00", "worse": "0.00"}.items():
        assert re.search(rf"\[{name}\] .*(SUBPASS|SUBFAIL)?.*faithfulness {score}", text), name
    assert re.search(r"(PASSED|FAILED) faithfulness 0\.00 \(lowest of 4\)", text)
    # those that failed have shown theirs
    assert text.count("case good  How often") == 0


@pytest.mark.parametrize("by", REPEATS)
@pytest.mark.parametrize("workers", [(), ("-n", "1")], ids=["alone", "worker"])
def test_each_attempt_has_its_own(project: Project, by: str, workers: tuple[str, ...]) -> None:
    result = repeated(project, by, *workers, "-v", "-rA")
    text = result.stdout.str()
    assert "PASSED faithfulness 1.00" in text
    assert "PASSED test_it.py::test_flaky - faithfulness 1.00" in text
    assert text.partition("= PASSES =")[2].count("case flaky  How often") == 1
    if by == "rerunfailures":
        assert text.count("RERUN faithfulness 0.00") == 2


def test_texts_do_nothing_there(project: Project) -> None:
    project.test(
        r"""
        from ferry import case
        from pytest_ragassert import assert_faithful

        def test_evil():
            evil = "\x1b[2J\r\n::error::\ud800\u202e"
            assert_faithful(case(evil, question=evil))
        """
    )
    project.set(GITHUB_ACTIONS="true", PYTHONIOENCODING="ascii")
    result = project.run("-v", "-rA", "-n", "1")
    result.assert_outcomes(passed=1)
    assert "case \\x1b[2J ::error::\\ud800\\u202e  \\x1b[2J" in result.stdout.str()


def test_without_a_terminal_nothing_is_missing(project: Project) -> None:
    project.test(PASSING)
    assert project.run("-p", "no:terminal", "--junitxml=out.xml").ret == 0
    assert "evals.scores.faithfulness.value" in (project.path / "out.xml").read_text()
