"""Retrieval by ids in runs: reports, gates, baselines, and that nobody is asked."""

from __future__ import annotations

import pytest

from pytest_ragassert.analysis.records.results_file import ResultsFile
from tests.loopback.server import LoopbackJudge
from tests.test_html_page import data_in

from .projects import Project, new_project, section

project = pytest.fixture(new_project)

TESTS = """
import pytest
from pytest_ragassert import EvalCase, assert_ndcg, assert_retrieval_recall

def case(id, *ids):
    return EvalCase(
        id=id, question="?", retrieved_context_ids=ids, ground_truth_context_ids={"a": 2, "b": 1}
    )

CASES = [case("good", "a", "b"), case("late", "x<b>", "a", "b"), case("lost", "x", "y", "z")]

@pytest.mark.rag_cases(CASES, metrics=["ndcg", "retrieval_recall"])
def test_ids(rag_case):
    assert_ndcg(rag_case, min=0.6)
    assert_retrieval_recall(rag_case, k=2, min=0.6)
"""


def test_a_failure_names_what_was_missed_and_what_came_instead(
    project: Project, judge: LoopbackJudge
) -> None:
    project.test(TESTS)
    project.judged_by(judge)
    result = project.run(
        "--ragassert-artifacts=out", "--ragassert-markdown=it.md", "--ragassert-html=it.html"
    )
    result.assert_outcomes(passed=1, failed=2)
    assert not judge.requests
    assert not (project.path / ".ragassert").exists()
    lines = result.stdout.str().splitlines()
    begins = lines.index("case late  ?")
    assert lines[begins + 1 : begins + 5] == [
        "retrieval_recall 0.50 < 0.60   1 of 2 relevant ids in the first 2 of 3",
        "  missed   b (grade 1) at rank 3",
        "  instead  x<b> at rank 1",
        "  found    a (grade 2) at rank 2",
    ]
    begins = lines.index("case lost  ?")
    assert lines[begins + 1 : begins + 4] == [
        "ndcg 0.00 < 0.60   0 of 2 relevant ids in 3",
        "  missed   a (grade 2) not retrieved, b (grade 1) not retrieved",
        "  instead  x at rank 1, y at rank 2, z at rank 3",
    ]
    markdown = (project.path / "it.md").read_text(encoding="utf-8")
    assert "<li>missed · a (grade 2) not retrieved, b (grade 1) not retrieved</li>" in markdown
    assert "0 of 2 relevant ids in 3</b></p>" in markdown, "no judge"
    assert "x&#60;b&#62; at rank 1" in markdown or "x&lt;b&gt; at rank 1" in markdown
    (path,) = (project.path / "out").glob("results_*.json")
    results = ResultsFile.model_validate_json(path.read_bytes())
    lost = next(one for one in results.results if one.case == "lost")
    assert lost.details["missed"][0] == {"id": "a", "rank": None, "grade": 2}
    assert lost.texts is not None
    assert results.cases[lost.texts].ground_truth_context_ids == {"a": 2, "b": 1}
    assert {one.requests for one in results.results} == {0}


def test_the_same_on_the_page_and_from_workers(project: Project, judge: LoopbackJudge) -> None:
    project.test(TESTS)
    project.judged_by(judge)
    project.run("--ragassert-markdown=one.md")
    spread = project.run("-n", "2", "--ragassert-markdown=two.md", "--ragassert-html=it.html")
    spread.assert_outcomes(passed=1, failed=2)
    one, two = ((project.path / name).read_text("utf-8") for name in ("one.md", "two.md"))
    assert one == two
    data = data_in((project.path / "it.html").read_text(encoding="utf-8"))
    (place,) = (n for n, case in enumerate(data["index"]["cases"]) if case["name"] == "lost")
    (cases,) = (chunk for name, chunk in data.items() if name != "index")
    (found,) = (one for one in cases[place]["results"] if one["metric"] == "ndcg")
    assert found["findings"] == [
        ["missed ", "a (grade 2) not retrieved, b (grade 1) not retrieved"],
        ["instead", "x at rank 1, y at rank 2, z at rank 3"],
    ]
    assert "judge" not in found


BASELINE = """
import pytest
from pytest_ragassert import assert_ndcg, assert_no_regression
from test_it import CASES, case

@pytest.mark.rag_cases([case("good", "b", "a"), *CASES[1:]])
def test_no_worse(rag_case):
    assert_no_regression(rag_case, "ndcg")
"""


def test_means_gates_and_a_baseline(project: Project, judge: LoopbackJudge) -> None:
    project.test(TESTS.replace("min=0.6", "min=0"))
    project.judged_by(judge)
    gate = "--ragassert-gate=mean(ndcg) >= 0.5"
    good = project.run(gate, "--ragassert-baseline=it.jsonl", "--ragassert-update-baseline")
    good.assert_outcomes(passed=3)
    failed = project.run("--ragassert-gate=mean(ndcg) >= 0.7")
    failed.assert_outcomes(passed=3, failed=1)
    assert any("mean(ndcg) >= 0.7: 0.56 over 3 cases" in line for line in section(failed))
    project.test(BASELINE, "test_worse")
    worse = project.run("--ragassert-baseline=it.jsonl", "test_worse.py")
    worse.assert_outcomes(passed=2, failed=1)
    assert any("context ids changed" in line for line in section(worse))
    assert not judge.requests


def test_a_plan_asks_nothing(project: Project, judge: LoopbackJudge) -> None:
    project.test(TESTS)
    project.judged_by(judge)
    planned = section(project.run("--ragassert-plan"), "ragassert plan")
    assert "judgements: 0 to ask, 0 stored, 0 carried" in planned
    assert not [line for line in planned if line.startswith("not known")]


def test_cases_without_id_are_told_apart_by_their_rankings(project: Project) -> None:
    project.test("""
from pytest_ragassert import EvalCase, evaluate

def test_it():
    for ids in (["a"], ["x", "a"], ["a"]):
        case = EvalCase(question="?", retrieved_context_ids=ids, ground_truth_context_ids=["a"])
        evaluate(case, ["mrr"])
""")
    said = section(project.run("--ragassert-judge=offline", "--ragassert-gate=mean(mrr) >= 0.9"))
    assert any("mean(mrr) >= 0.9: 0.75 over 2 cases" in line for line in said)
    assert not any("compares words" in line for line in said), "it judged nothing"
