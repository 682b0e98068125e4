"""Subtests, and tests that plugins repeat: each measurement counts once, the last time."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

import pytest

from tests.loopback.server import LoopbackJudge

from .projects import Project, new_project, section

project = pytest.fixture(new_project)

# One supported, three that are not: one of them for another reason.
SUBTESTS = """
from ferry import BAD, GOOD, ODD, case
from pytest_ragassert import assert_faithful

ANSWERS = {"good": GOOD, "bad": BAD, "odd": ODD, "worse": BAD + " " + ODD}

def test_answers(subtests):
    for name, answer in ANSWERS.items():
        with subtests.test(name):
            assert_faithful(case(name, answer))
"""
UNITTEST = """
from unittest import TestCase
from ferry import BAD, GOOD, ODD, case
from pytest_ragassert import assert_faithful

ANSWERS = {"good": GOOD, "bad": BAD, "odd": ODD, "worse": BAD + " " + ODD}

class TestAnswers(TestCase):
    def test_answers(self):
        for name, answer in ANSWERS.items():
            with self.subTest(name):
                assert_faithful(case(name, answer))
"""
# The third attempt is the good one: the answers of all three differ.
THIRD = """
import pytest
from ferry import BAD, GOOD, ODD, case
from pytest_ragassert import assert_faithful

tries = []

MARK
def test_flaky():
    tries.append(1)
    assert_faithful(case("flaky", [BAD, ODD, GOOD][len(tries) - 1]))
"""


def data(project: Project) -> Mapping[str, Any]:
    """The run's results file, with the lines beside it."""
    (file,) = (project.path / "out").glob("results_*.json")
    found: Mapping[str, Any] = json.loads(file.read_text())
    lines = (project.path / "out" / "debug_claims.jsonl").read_text().splitlines()
    return {**found, "debug": [json.loads(line) for line in lines]}


def scores(project: Project) -> dict[str, float]:
    return {one["case"]: one["score"] for one in data(project)["results"]}


def outcome(result: pytest.RunResult) -> dict[str, str]:
    (line,) = [line for line in result.outlines if line.startswith("ragassert-outcome: ")]
    return dict(word.split("=") for word in line.split()[1:])


def all_that_is_kept(project: Project) -> tuple[str, ...]:
    return (
        "--ragassert-judge=offline",
        "--ragassert-artifacts=out",
        "--ragassert-baseline=good.jsonl",
        "--ragassert-update-baseline",
        "--ragassert-history=history.jsonl",
        "--ragassert-gate=mean(faithfulness, n=4) >= 0.9",
    )


def lines_of(project: Project, name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (project.path / name).read_text().splitlines()]


@pytest.mark.parametrize("source", [SUBTESTS, UNITTEST], ids=["fixture", "unittest"])
@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["alone", "workers"])
def test_every_subtest_counts(project: Project, source: str, workers: tuple[str, ...]) -> None:
    subtests(source)
    project.test(source)
    result = project.run(*workers, *all_that_is_kept(project), use=subtests(source))
    assert result.ret == 1
    assert "  ✗ mean(faithfulness, n=4) >= 0.9: 0.25 over 4 cases" in section(result)
    assert scores(project).keys() == {"good", "bad", "odd", "worse"}
    assert data(project)["metrics"]["faithfulness"]["n"] == 4
    assert {line["case"] for line in data(project)["debug"]} == {"good", "bad", "odd", "worse"}
    assert len(lines_of(project, "good.jsonl")) == 4
    assert lines_of(project, "history.jsonl")[0]["metrics"]["faithfulness"]["n"] == 4
    # each failure has its own table
    assert len(re.findall(r"^-+ ragassert -+$", result.stdout.str(), re.M)) == 3
    assert (outcome(result)["assertions"], outcome(result)["other"]) == ("1", "0")


def subtests(source: str) -> tuple[str, ...]:
    if hasattr(pytest, "Subtests"):
        return ()
    pytest.importorskip("pytest_subtests")
    return ("subtests",)


# A plugin that repeats, its mark, what it is loaded by, and the module it is.
REPEATS = {
    "rerunfailures": ("@pytest.mark.flaky(reruns=2)", "rerunfailures", "pytest_rerunfailures"),
    "retry": ("@pytest.mark.flaky(retries=2)", "pytest-retry", "pytest_retry"),
    "flaky": ("@pytest.mark.flaky(max_runs=3)", "flaky", "flaky"),
}


def repeated(
    project: Project, by: str, *args: str, source: str = THIRD, plugins: tuple[str, ...] = ()
) -> pytest.RunResult:
    mark, plugin, module = REPEATS[by]
    pytest.importorskip(module)
    project.test(source.replace("MARK", mark))
    return project.run(*args, use=(plugin, *plugins))


@pytest.mark.parametrize("by", REPEATS)
@pytest.mark.parametrize("workers", [(), ("-n", "1")], ids=["alone", "worker"])
def test_the_last_attempt_counts_and_all_are_paid_for(
    project: Project, judge: LoopbackJudge, by: str, workers: tuple[str, ...]
) -> None:
    project.judged_by(judge)
    result = repeated(
        project,
        by,
        *workers,
        "--ragassert-artifacts=out",
        "--ragassert-verdicts=verdicts.jsonl",
        "--ragassert-update-verdicts",
        "--ragassert-gate=mean(faithfulness) >= 0.9",
    )
    assert result.ret == 0, result.stdout.str()
    assert scores(project) == {"flaky": 1.0}
    assert {line["case"] for line in data(project)["debug"]} == {"flaky"}
    assert len(lines_of(project, "verdicts.jsonl")) == 2
    assert judge.count() == 6
    assert "judgements: 6 asked, 0 stored, 0 carried; tokens: " in result.stdout.str()
    assert outcome(result)["assertions"] == "0"
    assert outcome(result)["failed-by"] == "none"


@pytest.mark.parametrize("by", REPEATS)
def test_what_fails_every_time_shows_its_last_claims(project: Project, by: str) -> None:
    result = repeated(project, by, source=THIRD.replace("GOOD]", "BAD + ' ' + ODD]"))
    assert result.ret == 1
    assert result.stdout.str().count("faithfulness 0.00 < 0.80   2 claims: 1 contr") == 1
    assert outcome(result)["assertions"] == "1"
    assert outcome(result)["failed-by"] == "assertions"


@pytest.mark.parametrize("by", ["retry", "rerunfailures"])
def test_an_attempt_that_fails_otherwise_is_told_as_it_ended(project: Project, by: str) -> None:
    source = THIRD.replace(
        "assert_faithful(case", "assert len(tries) < 3\n    assert_faithful(case"
    )
    result = repeated(project, by, source=source)
    assert result.ret == 1
    assert outcome(result)["failed-by"] == "other"
    assert (outcome(result)["assertions"], outcome(result)["other"]) == ("0", "1")


@pytest.mark.parametrize("by", REPEATS)
def test_subtests_of_the_last_attempt_count(project: Project, by: str) -> None:
    source = """
        import pytest
        from ferry import BAD, GOOD, case
        from pytest_ragassert import assert_faithful

        tries = []

        MARK
        def test_both(subtests):
            tries.append(1)
            for name in ("one", "two"):
                with subtests.test(name):
                    assert_faithful(case(name, GOOD if len(tries) > 1 else BAD))
            assert len(tries) > 1
    """
    result = repeated(
        project, by, "--ragassert-artifacts=out", source=source, plugins=subtests(source)
    )
    assert scores(project) == {"one": 1.0, "two": 1.0}
    # what failed counts where pytest counts it
    failed = "failed" in result.parseoutcomes()
    assert (outcome(result)["assertions"] == "1", result.ret == 1) == (failed, failed)


def test_copies_of_a_test_are_one_test(project: Project) -> None:
    pytest.importorskip("pytest_flakefinder")
    project.test(UNITTEST.replace("worse", "bad"))
    args = ("--flake-finder", "--flake-runs=2", "--ragassert-artifacts=out")
    project.run(*args, use=("flakefinder", *subtests(UNITTEST)))
    assert scores(project).keys() == {"good", "bad", "odd"}
    assert data(project)["metrics"]["faithfulness"]["n"] == 3


def test_repeats_that_are_tests_of_their_own_count(project: Project) -> None:
    pytest.importorskip("pytest_repeat")
    project.test(THIRD.replace("MARK", "").replace("ODD", "GOOD").replace("[BAD", "[GOOD"))
    result = project.run("--count=3", "--ragassert-gate=min(faithfulness) >= 1", use=("repeat",))
    assert result.ret == 0
    assert "faithfulness             3    1.00" in result.stdout.str()
    assert "  ✓ min(faithfulness) >= 1: 1.00 over 1 case" in section(result)


@pytest.mark.parametrize("workers", [(), ("-n", "1")], ids=["alone", "worker"])
def test_soft_checks_are_failures_of_theirs(project: Project, workers: tuple[str, ...]) -> None:
    pytest.importorskip("pytest_check")
    project.test(
        """
        from ferry import BAD, GOOD, ODD, case
        from pytest_check import check
        from pytest_ragassert import assert_faithful

        def test_all():
            for name, answer in {"good": GOOD, "bad": BAD, "odd": ODD}.items():
                with check:
                    assert_faithful(case(name, answer))
        """
    )
    result = project.run(*workers, use=("check",))
    assert result.ret == 1
    assert "faithfulness             3    0.33    0.00      2" in result.stdout.str()
    for shown in ("case bad  How often", "case odd  How often"):
        assert result.stdout.str().count(shown) == 1
    assert outcome(result)["failed-by"] == "assertions"
    assert (outcome(result)["assertions"], outcome(result)["other"]) == ("1", "0")
