"""Sources and ids of contexts in runs: from the answer hook into files; the texts of failures."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_ragassert.interop.documents import CONTEXT_NAMES
from pytest_ragassert.runtime.canonical_json import digest
from tests.loopback.server import LoopbackJudge

from .applications import FILE, Application, cases
from .projects import Project, new_project

project = pytest.fixture(new_project)

DOCUMENTS = """
import os
from types import SimpleNamespace
from ferry import BAD, CONTEXTS

def pytest_ragassert_answer(case):
    with open(os.environ["ASKED"], "a") as file:
        file.write(f"{case.id} \\n")
    documents = [
        SimpleNamespace(page_content=text, metadata={"source": f"{n}.md"}, id=f"id{n}")
        for n, text in enumerate(CONTEXTS)
    ]
    return {"answer": BAD, "retrieved_contexts": [*documents, None]}
"""
NAMED = """
import pytest
from pytest_ragassert import assert_faithful

@pytest.mark.rag_cases("cases.jsonl")
def test_named(rag_case):
    assert rag_case.retrieved_context_sources == ["0.md", "1.md", None]
    assert rag_case.retrieved_context_ids == ["id0", "id1", None]
    assert_faithful(rag_case)
"""
KEPT = """
import json
from pytest_ragassert.plugin.run import RUN

def pytest_terminal_summary(config):
    tally = config.stash[RUN].tally
    named = [(row["case"], row["texts"]) for row in tally.rows()]
    with open("kept.json", "w") as file:
        json.dump([named, tally.texts], file)
"""
TESTS = """
import pytest
from ferry import BAD, GOOD, case
from pytest_ragassert import assert_faithful, assert_rag, evaluate

@pytest.mark.parametrize("n", range(3))
def test_good(n):
    assert_faithful(case(f"good{n}"))

@pytest.mark.parametrize("n", range(3))
def test_bad(n):
    one = case(f"bad{n % 2}", BAD, retrieved_context_sources=["a.md", "b.md"])
    assert_rag(one, faithfulness=0.8, context_relevance=0)

def test_looked_at():
    evaluate(case("seen", BAD), ["faithfulness"])

@pytest.mark.rag_xfail(metric="faithfulness", reason="known")
def test_known():
    assert_faithful(case("known", BAD))
"""


@pytest.fixture
def application(project: Project) -> Application:
    project.pytester.makeconftest(DOCUMENTS)
    project.test(NAMED)
    return Application(project)


def test_documents_of_the_hook_are_recorded(project: Project, application: Application) -> None:
    cases(project, "a", "b", b={"retrieved_context_ids": ["of", "another"]})
    for run in range(2):
        result = project.run(FILE, "--ragassert-judge=offline")
        # by our assertion alone: those of the names hold
        result.stdout.fnmatch_lines("*: failed-by=assertions assertions=2 *")
        assert application.asked() == ([] if run else ["a", "b"])
    lines = Path(project.path, "answers.jsonl").read_text("utf-8").splitlines()
    line = json.loads(lines[0])
    assert line["retrieved_context_ids"] == ["id0", "id1", None]
    assert line["retrieved_context_sources"] == ["0.md", "1.md", None]
    # a file of an earlier release
    for name in ("retrieved_context_ids", "retrieved_context_sources"):
        del line[name]
    project.test(
        NAMED.replace('["0.md", "1.md", None]', "None").replace('["id0", "id1", None]', "None")
    )
    Path(project.path, "answers.jsonl").write_text(json.dumps(line) + "\n")
    cases(project, "a")
    result = project.run(FILE, "--ragassert-judge=offline")
    result.stdout.fnmatch_lines("*: failed-by=assertions assertions=1 *")
    assert application.asked() == []


def test_names_in_a_file_of_cases_are_not_those_of_the_hooks_contexts(
    project: Project, application: Application
) -> None:
    conftest = Path(project.path, "conftest.py")
    conftest.write_text(DOCUMENTS.replace("[*documents, None]", "CONTEXTS"))
    project.test(
        """
        import pytest

        @pytest.mark.rag_cases("cases.jsonl")
        def test_named(rag_case):
            assert len(rag_case.retrieved_contexts) == 2
            assert rag_case.retrieved_context_ids is None
            assert rag_case.retrieved_context_sources is None
        """
    )
    cases(project, "a", a={"retrieved_context_ids": [1, 2], "retrieved_context_sources": ["x"]})
    project.run("--ragassert-judge=offline").assert_outcomes(passed=1)
    assert application.asked() == ["a"]


def test_other_sources_ask_nobody_again(project: Project, judge: LoopbackJudge) -> None:
    project.judged_by(judge)
    project.test(TESTS)
    project.run("-k", "bad").assert_outcomes(failed=3)
    asked = len(judge.requests)
    assert asked > 0
    committed = "--ragassert-verdicts=verdicts.jsonl"
    project.run("-k", "bad", committed, "--ragassert-update-verdicts").assert_outcomes(failed=3)
    before = Path(project.path, "verdicts.jsonl").read_bytes()
    project.test(TESTS.replace("a.md", "moved/a.md"))
    project.run("-k", "bad", committed, "--ragassert-update-verdicts").assert_outcomes(failed=3)
    assert len(judge.requests) == asked
    assert Path(project.path, "verdicts.jsonl").read_bytes() == before


@pytest.mark.parametrize("workers", [(), ("-n", "2")])
def test_the_texts_of_failures_reach_the_process_that_prints(
    project: Project, workers: tuple[str, ...]
) -> None:
    project.pytester.makeconftest(KEPT)
    project.test(TESTS)
    result = project.run("--ragassert-judge=offline", *workers)
    result.assert_outcomes(failed=3, passed=4, xfailed=1)
    named, texts = json.loads(Path(project.path, "kept.json").read_text())
    assert {case for case, name in named if name} == {"bad0", "bad1"}
    # both cases have the same texts; of the measurements those that fail name them
    assert sum(name is not None for _, name in named) == 3
    [kept] = texts.values()
    assert kept["answer"] == "The crossing costs 5 euros."
    assert kept["retrieved_context_sources"] == ["a.md", "b.md"]


def test_a_results_file_has_the_sources(project: Project) -> None:
    project.test(TESTS)
    project.run("--ragassert-judge=offline", "--ragassert-artifacts=out")
    [path] = Path(project.path, "out").glob("results_*.json")
    results: dict[str, Any] = json.loads(path.read_text())
    by_case = {one["case"]: results["cases"][one["texts"]] for one in results["results"]}
    assert by_case["bad0"]["retrieved_context_sources"] == ["a.md", "b.md"]
    assert by_case["good0"]["retrieved_context_sources"] is None
    assert by_case["bad0"]["retrieved_context_ids"] is None
    # texts without names are called as in files of former releases
    [good] = {one["texts"] for one in results["results"] if one["case"] == "good0"}
    later = (*CONTEXT_NAMES, "ground_truth_context_ids", "ground_truth_claims", "criteria")
    former = {name: text for name, text in by_case["good0"].items() if name not in later}
    assert good == digest(former)[:16]
