"""A project that asserts evidence: what it prints, what it stores, the same with workers."""

from __future__ import annotations

import json

import pytest

from tests.loopback.server import LoopbackJudge

from .projects import Project, new_project, section

project = pytest.fixture(new_project)

TESTS = """
from ferry import BAD, GOOD, ODD, case
from pytest_ragassert import assert_evidence

def test_good():
    assert_evidence(case("good"), require_evidence_for_correct=True)

def test_bad():
    assert_evidence(case("bad", " ".join([ODD, GOOD, BAD])))

def test_fixture(ragassert):
    ragassert.assert_evidence(case("fixture"), min=1.0)
"""

SHOWN = [
    "*case bad  How often does the ferry run?",
    "*evidence 0.50 < 0.80   3 sentences: 1 incorrect, 1 uncertain, 1 correct*",
    "*The crossing costs 5 euros.*incorrect, high",
    '*[[]2] "The crossing costs 9 euros."*answer 61-88',
    "*Bicycles need reservations.*uncertain, medium",
]


@pytest.mark.parametrize("args", [(), ("-n", "2")], ids=["serial", "workers"])
def test_a_failure_shows_spans_and_a_rerun_asks_nothing(
    project: Project, judge: LoopbackJudge, args: tuple[str, ...]
) -> None:
    project.test(TESTS)
    project.judged_by(judge)
    result = project.run("--ragassert-artifacts=found", *args)
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(SHOWN)
    (line,) = [line for line in section(result) if line.startswith("evidence ")]
    assert line.split()[1:] == ["3", "0.83", "0.50", "1"]
    (file,) = (project.path / "found").glob("results_*.json")
    records = {record["case"]: record for record in json.loads(file.read_text())["results"]}
    spans = records["bad"]["details"]["spans"]
    assert [span["label"] for span in spans] == ["uncertain", "incorrect"]
    assert [claim["label_final"] for claim in records["bad"]["claims"]] == [
        "uncertain",
        "correct",
        "incorrect",
    ]
    asked = judge.count()
    project.run(*args).stdout.fnmatch_lines(SHOWN)
    assert judge.count() == asked


def test_the_ini_has_its_minimum(project: Project, judge: LoopbackJudge) -> None:
    project.test(TESTS)
    project.judged_by(judge)
    project.run("-o", "ragassert_min_evidence=0.5").assert_outcomes(passed=3)
