"""Facts that cases state, in runs: asked, planned, stored and replayed without an extraction."""

from __future__ import annotations

import json

import pytest

from pytest_ragassert.analysis.records.read_results import read_results
from pytest_ragassert.analysis.regression.rejudging import questions_of
from tests.loopback.server import LoopbackJudge
from tests.test_html_page import data_in

from .projects import Project, new_project, section

project = pytest.fixture(new_project)

TESTS = """
import pytest
from ferry import GOOD, case
from pytest_ragassert import assert_context_recall, assert_factual_recall

FACTS = [GOOD, {"text": "The crossing costs 5 euros.", "weight": 3}]
CASES = [case(f"c{n}", f"Boat {n}. {GOOD}", ground_truth_claims=FACTS) for n in range(3)]

@pytest.mark.rag_cases(CASES, metrics=["factual_recall", "context_recall"])
def test_facts(rag_case):
    assert assert_factual_recall(rag_case, min=0.25).score == 0.25
    assert_context_recall(rag_case, min=0.25)
"""


def test_only_verdicts_are_asked_for_and_replayed(project: Project, judge: LoopbackJudge) -> None:
    project.test(TESTS)
    project.judged_by(judge)
    planned = section(project.run("--ragassert-plan"), "ragassert plan")
    # a fact against the contexts, which are the same for all, and against each of the answers
    assert "judgements: 8 to ask, 0 stored, 0 carried (4 requests)" in planned
    assert not judge.requests
    verdicts = ("--ragassert-verdicts=v.jsonl", "--ragassert-update-verdicts")
    run = project.run(*verdicts, "--ragassert-artifacts=out", "--ragassert-html=it.html")
    run.assert_outcomes(passed=3)
    assert {one.step for one in judge.requests} == {"verify_claims"}
    asked = len(judge.requests)
    stored = section(project.run("--ragassert-plan"), "ragassert plan")
    assert "judgements: 0 to ask, 8 stored, 0 carried" in stored
    replayed = project.run(*verdicts[:1], "--ragassert-record-mode=none", "-n", "2")
    replayed.assert_outcomes(passed=3)
    assert len(judge.requests) == asked
    (path,) = (project.path / "out").glob("results_*.json")
    results = json.loads(path.read_text(encoding="utf-8"))
    (texts, *_) = results["cases"].values()
    facts = ["The ferry runs every 40 minutes.", "The crossing costs 5 euros."]
    assert texts["ground_truth_claims"] == [facts[0], {"text": facts[1], "weight": 3}]
    assert [one["weight"] for one in results["results"][0]["claims"]] == [1, 3]
    data = data_in((project.path / "it.html").read_text(encoding="utf-8"))
    (cases,) = (chunk for name, chunk in data.items() if name != "index")
    assert [one["weight"] for one in cases[0]["results"][0]["claims"]] == [1, 3]
    again = questions_of(read_results(path), "gpt-4o-mini")
    assert again[0].case.ground_truth_claims == texts["ground_truth_claims"]


def test_another_fact_is_another_reference(project: Project, judge: LoopbackJudge) -> None:
    project.test(TESTS)
    project.judged_by(judge)
    baseline = "--ragassert-baseline=b.jsonl"
    project.run(baseline, "--ragassert-update-baseline").assert_outcomes(passed=3)
    asked = len(judge.requests)
    project.test(TESTS.replace("costs 5", "costs 9").replace(".score == 0.25", ""))
    changed = project.run(baseline)
    changed.assert_outcomes(passed=3)
    new = [claim["text"] for one in judge.requests[asked:] for claim in one.data["claims"]]
    assert set(new) == {"The crossing costs 9 euros."}
    assert any("references changed" in line for line in section(changed))


@pytest.mark.parametrize(("least", "passed"), [("0.25", 3), ("0.5", 0)])
def test_weights_decide_what_a_replay_lacks(
    project: Project, judge: LoopbackJudge, least: str, passed: int
) -> None:
    test = TESTS.replace("    assert_context_recall(rag_case, min=0.25)\n", "")
    project.test(test)
    project.judged_by(judge)
    project.run("--ragassert-verdicts=v.jsonl", "--ragassert-update-verdicts")
    # a fact of three quarters of the weight is not judged
    project.test(
        test.replace("costs 5", "takes 9").replace("min=0.25).score == 0.25", f"min={least})")
    )
    replayed = project.run("--ragassert-verdicts=v.jsonl", "--ragassert-record-mode=none")
    replayed.assert_outcomes(passed=passed, failed=3 - passed)
    assert any(line.startswith("3 of 6 claims known, 3 not judged") for line in replayed.outlines)
    assert not any("sentence" in line for line in replayed.outlines)


PRECISION = """
import pytest
from ferry import GOOD, case
from pytest_ragassert import assert_factual_precision

@pytest.mark.parametrize("n", range(2))
def test_precision(n):
    assert_factual_precision(case(f"c{n}", ground_truth_claims=[GOOD, "It is red."]))
"""


def test_facts_that_changed_are_a_reference_that_changed(
    project: Project, judge: LoopbackJudge
) -> None:
    project.test(PRECISION)
    project.judged_by(judge)
    project.run("--ragassert-verdicts=v.jsonl", "--ragassert-update-verdicts")
    project.test(PRECISION.replace("It is red.", "It is blue."))
    replayed = project.run("--ragassert-verdicts=v.jsonl", "--ragassert-record-mode=none")
    assert any("the reference changed" in line for line in replayed.outlines)
