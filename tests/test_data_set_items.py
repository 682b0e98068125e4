"""Items of Langfuse's data sets that were written without the data set's name."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from pytest_ragassert import EvalCase, load_cases

ITEM = {
    "id": "i",
    "input": {"question": "q"},
    "expected_output": {"answer": "g"},
    "metadata": {"topic": "x"},
}
CASE = EvalCase(id="i", question="q", ground_truth_answer="g", metadata={"topic": "x"})


def table(path: Path, row: dict[str, Any]) -> Path:
    cells = [one if isinstance(one, str) else json.dumps(one) for one in row.values()]
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([list(row), cells])
    return path


@pytest.mark.parametrize(
    "change", [{}, {"input": "q"}, {"expected_output": "g"}, {"input": {"query": "q"}}]
)
def test_a_dict_for_input_or_expected_output_is_read(tmp_path: Path, change: Any) -> None:
    row = {**ITEM, **change}
    assert load_cases([row]) == [CASE]
    assert load_cases(table(tmp_path / "a.csv", row)) == [CASE]
    assert load_cases(table(tmp_path / "a.csv", row), format="langfuse") == [CASE]


def test_an_item_without_an_id_is_called_by_its_place() -> None:
    row = {name: value for name, value in ITEM.items() if name != "id"}
    (case,) = load_cases([row])
    assert (case.id, case.question) == ("case-1", "q")


@pytest.mark.parametrize(
    "change",
    [
        {"input": "q", "expected_output": "g"},
        # nothing says what of it is the question
        {"input": {"from": "a", "to": "b"}},
        {"actual_output": "a"},
    ],
)
def test_other_rows_are_read_as_goldens(tmp_path: Path, change: Any) -> None:
    row = {**ITEM, **change}
    (case,) = load_cases(table(tmp_path / "a.csv", row))
    texts = [one if isinstance(one, str) else json.dumps(one) for one in row.values()]
    assert [case.question, case.ground_truth_answer] == texts[1:3]


def test_a_reference_may_be_json(tmp_path: Path) -> None:
    row = {**ITEM, "expected_output": {"from": "a", "to": "b"}}
    (case,) = load_cases(table(tmp_path / "a.csv", row))
    assert (case.question, case.ground_truth_answer) == ("q", '{"from": "a", "to": "b"}')
    with pytest.raises(ValueError, match=r"field ground_truth_answer is .*; it takes a text"):
        load_cases([row])


def test_the_tool_says_that_a_row_is_an_item() -> None:
    (case,) = load_cases([{"input": "q", "expectedOutput": "g", "mine": 1}], format="langfuse")
    assert (case.question, case.ground_truth_answer) == ("q", "g")
