"""`format=` with the name of a tool: whose records they are, where the user says it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_ragassert import EvalCase, load_cases
from pytest_ragassert.interop.case_fields import case_fields
from pytest_ragassert.interop.shapes import SHAPES
from pytest_ragassert.interop.tools import TOOLS

NESTED = {"inputs": {"query": "Q"}, "outputs": {"answer": "A"}}


def read(rows: Any, tool: str) -> EvalCase:
    (case,) = load_cases(rows, format=tool)
    case.id = None
    return case


@pytest.mark.parametrize(
    ("tool", "expected"),
    [
        ("langsmith", EvalCase(question="Q", ground_truth_answer="A")),
        ("mlflow", EvalCase(question="Q", answer="A")),
    ],
)
def test_the_tool_says_what_outputs_are(tmp_path: Path, tool: str, expected: EvalCase) -> None:
    (tmp_path / "a.jsonl").write_text(json.dumps(NESTED))
    assert read(tmp_path / "a.jsonl", tool) == expected
    assert read([NESTED], tool) == expected


@pytest.mark.parametrize(
    ("tool", "row", "expected"),
    [
        # scores in the table of ragas' results
        (
            "ragas",
            {"user_input": "Q", "response": "A", "reference": "R", "faithfulness": 0.5},
            EvalCase(
                question="Q",
                answer="A",
                ground_truth_answer="R",
                metadata={"faithfulness": 0.5},
            ),
        ),
        (
            "deepeval",
            {"input": "Q", "actual_output": "A", "context": ["c"], "mine": 1},
            EvalCase(question="Q", answer="A", ground_truth_contexts=["c"], metadata={"mine": 1}),
        ),
        (
            "llama-index",
            {"response": "A", "contexts": ["c"]},
            EvalCase(answer="A", retrieved_contexts=["c"]),
        ),
        (
            "axion",
            {"query": "Q", "retrieved_content": ["c"], "latency": 2.13, "mine": 1},
            EvalCase(question="Q", retrieved_contexts=["c"], metadata={"latency": 2.13, "mine": 1}),
        ),
    ],
)
def test_what_else_its_records_have_is_metadata(tool: str, row: Any, expected: EvalCase) -> None:
    assert read([row], tool) == expected


@pytest.mark.parametrize("tool", TOOLS)
def test_a_record_of_no_tool_is_an_error(tmp_path: Path, tool: str) -> None:
    (tmp_path / "a.json").write_text('[{"id": "a", "vars": 5, "colour": "red"}]')
    with pytest.raises(
        ValueError, match=rf"a\.json, case 1: it is not a record of {tool}, which has"
    ):
        load_cases(tmp_path / "a.json", format=tool)


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.tool)
def test_each_shape_is_of_a_tool_that_can_be_said(shape: Any) -> None:
    assert shape.tool in TOOLS
    names = dict.fromkeys([*shape.all_of, *sorted(shape.any_of)[:1]], "x")
    assert case_fields(names, set(), tool=shape.tool)


def test_unknown_formats_are_told_with_the_tools() -> None:
    with pytest.raises(ValueError, match=r"'ragsa' .*mean 'ragas'\?\); .* tools ragas, deepeval"):
        load_cases("a.jsonl", format="ragsa")


def test_an_unknown_column_says_that_a_tool_may_be_named(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("user_input,reference,faithfulness\nQ,R,0.5\n")
    with pytest.raises(ValueError, match=r"unknown field 'faithfulness'.*format=\"ragas\""):
        load_cases(tmp_path / "a.csv")
    assert read(tmp_path / "a.csv", "ragas").metadata == {"faithfulness": "0.5"}
