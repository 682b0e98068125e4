"""Whatever tests do with their cases, results and questions are as without prefetching."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.loopback.failing import judgements_in
from tests.loopback.scripts import Recorded
from tests.loopback.server import LoopbackJudge

from .projects import Project, new_project, section

project = pytest.fixture(new_project)

DOING = """
import pytest
from pytest_ragassert import assert_context_relevance, assert_faithful, assert_rag, evaluate

@pytest.mark.rag_cases("cases.jsonl")
def test_it(rag_case):
    for what in rag_case.metadata["does"]:
        if what == "change":
            rag_case.answer += " It is new."
        elif what == "drop":
            rag_case.retrieved_contexts = None
        elif what == "faithful":
            assert_faithful(rag_case)
        elif what == "strict":
            assert_faithful(rag_case, strict_mode=True)
        elif what == "relevant":
            assert_context_relevance(rag_case, min=0)
        elif what == "several":
            assert_rag(rag_case, faithfulness=0.5, context_relevance=0)
        elif what == "evaluate":
            evaluate(rag_case, ["faithfulness"], on_error="collect")
        elif what == "skip":
            pytest.skip("not today")
"""
TELLING = """
import json

def pytest_ragassert_result(item, result):
    told = result.metric, result.score, result.passed, result.requests, result.stored
    with open("told.jsonl", "a") as file:
        file.write(json.dumps([item.nodeid, *told]) + "\\n")
"""
MEASURES = ("faithful", "strict", "relevant", "several", "evaluate")
# What a test does, most often the same as the others of its function.
ACTS = st.lists(st.sampled_from((*MEASURES, "change", "drop", "skip")), min_size=1, max_size=3)
ANSWERS = st.sampled_from(
    ["The tram runs.", "The bus runs. The tram runs.", "The odd tram runs.", "Hello!", None]
)


@st.composite
def case_sets(draw: st.DrawFn) -> list[dict[str, Any]]:
    usual = draw(ACTS)
    cases = []
    for number in range(draw(st.integers(2, 7))):
        does = draw(ACTS) if draw(st.integers(0, 3)) == 0 else usual
        cases.append(
            {
                "id": f"c{number}",
                "question": f"Does tram {draw(st.integers(0, 9))} run?",
                "answer": draw(ANSWERS),
                "retrieved_contexts": ["The tram runs.", "The odd tram runs."],
                "metadata": {"does": does},
            }
        )
    return cases


def is_odd(request: Recorded) -> bool:
    return request.step == "verify_claims" and "odd" in json.dumps(request.data["claims"])


def judgements(request: Recorded) -> list[str]:
    """What it asks for; which claims go out together depends on who comes first."""
    return [request.digest] if is_odd(request) else judgements_in(request.step, request.data)


@settings(
    max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(case_sets(), st.booleans(), st.integers(1, 5))
def test_it_changes_no_result_and_no_question(
    project: Project, judge: LoopbackJudge, cases: list[Any], stops: bool, concurrency: int
) -> None:
    project.test(DOING)
    project.pytester.makeconftest(TELLING)
    project.judged_by(judge)
    dumped = "".join(json.dumps(case) + "\n" for case in cases)
    Path(project.path, "cases.jsonl").write_text(dumped, encoding="utf-8")
    judge.on(is_odd, "no JSON")
    told = Path(project.path, "told.jsonl")
    runs = []
    for prefetch in ("off", "on"):
        judge.reset()
        told.write_text("", encoding="utf-8")
        result = project.run(
            f"--ragassert-prefetch={prefetch}",
            "--ragassert-record-mode=off",
            f"--ragassert-concurrency={concurrency}",
            *(["-x"] if stops else []),
        )
        asked = Counter(one for request in judge.requests for one in judgements(request))
        ends = [line for line in result.outlines if line.startswith(("FAILED", "ERROR"))]
        lines = [line for line in section(result) if not line.startswith("prefetched but not used")]
        said = [re.sub(r"( \(\d+ requests\))?; tokens: \d+ prompt.*", "", line) for line in lines]
        runs.append((result.parseoutcomes(), ends, said, told.read_text(encoding="utf-8"), asked))
    (*without, asked), (*ahead, asked_ahead) = runs
    assert without == ahead
    assert asked.keys() <= asked_ahead.keys()
    assert set(asked_ahead.values()) <= {1}
