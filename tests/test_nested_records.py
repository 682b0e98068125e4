"""Rows with `inputs` and `outputs`: LangSmith's examples, whose outputs are references, and
MLflow's rows, whose outputs are answers.
"""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from pytest_ragassert import EvalCase, RagAssertWarning, load_cases

EXPECTED = {
    "inputs": {"question": "q1"},
    "outputs": {"response": "a1"},
    "expectations": {"expected_response": "g"},
}
TEXT = {"inputs": {"question": "q1"}, "outputs": "a1"}
EXAMPLE = {"inputs": {"question": "q1"}, "outputs": {"response": "a1"}, "dataset_id": "d"}
UNCLEAR = {"inputs": {"question": "q2"}, "outputs": {"response": "S"}}


def read(row: Any, tool: str | None = None) -> EvalCase:
    (case,) = load_cases([row], format=tool)
    case.id = None
    return case


def fields(case: EvalCase) -> dict[str, Any]:
    return case.model_dump(exclude_defaults=True, exclude={"id"})


def table(path: Path, *rows: dict[str, Any]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(
            {
                name: value if isinstance(value, str) else json.dumps(value)
                for name, value in row.items()
            }
            for row in rows
        )
    return path


@pytest.mark.parametrize("first", [EXPECTED, TEXT])
def test_outputs_are_answers_where_the_first_row_that_tells_is_of_mlflow(
    tmp_path: Path, first: Any
) -> None:
    (tmp_path / "a.json").write_text(json.dumps([first, UNCLEAR]))
    for source in (
        [first, UNCLEAR],
        tmp_path / "a.json",
        table(tmp_path / "a.csv", first, UNCLEAR),
    ):
        cases = load_cases(source)
        assert [case.answer for case in cases] == ["a1", "S"]
        assert cases[1].ground_truth_answer is None


def test_outputs_are_references_where_the_first_row_that_tells_is_of_langsmith() -> None:
    cases = load_cases([EXAMPLE, UNCLEAR])
    assert [case.ground_truth_answer for case in cases] == ["a1", "S"]
    assert [case.answer for case in cases] == [None, None]
    # nothing was lost by the row that did not tell
    cases = load_cases([UNCLEAR, EXAMPLE])
    assert [case.ground_truth_answer for case in cases] == ["S", "a1"]


def test_each_file_of_a_folder_is_one_tools(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps([TEXT, UNCLEAR]))
    (tmp_path / "b.json").write_text(json.dumps([EXAMPLE, UNCLEAR]))
    answers = [case.answer for case in load_cases(tmp_path)]
    assert answers == ["a1", "S", None, None]


@pytest.mark.parametrize(
    ("rows", "number", "tool", "before"),
    [
        ([EXAMPLE, TEXT], 2, "MLflow", "LangSmith"),
        ([UNCLEAR, EXPECTED], 2, "MLflow", "LangSmith"),
        ([TEXT, UNCLEAR, EXAMPLE], 3, "LangSmith", "MLflow"),
    ],
)
def test_a_row_of_the_other_tool_is_a_mistake(
    rows: Any, number: int, tool: str, before: str
) -> None:
    message = (
        f"case {number} .*: this row is {tool}'s, but case 1 .* was read as {before}'s; format="
    )
    with pytest.raises(ValueError, match=message):
        load_cases(rows)
    for said, field in (("langsmith", "ground_truth_answer"), ("mlflow", "answer")):
        assert getattr(load_cases(rows, format=said)[0], field) in ("a1", "S")


def test_rows_that_do_not_tell_are_references_with_a_warning(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(json.dumps(UNCLEAR) + "\n" + json.dumps(UNCLEAR))
    with pytest.warns(RagAssertWarning, match=r'a.jsonl, line 1: .*format="mlflow"') as told:
        cases = load_cases(tmp_path / "a.jsonl")
    assert [case.ground_truth_answer for case in cases] == ["S", "S"]
    assert len(told) == 1


@pytest.mark.parametrize(
    "outputs",
    [
        None,
        {},
        {"reference": "g"},
        {"ground_truth": "g"},
        {"expected": "g"},
        {"expected_answer": "g"},
    ],
)
def test_outputs_that_say_they_are_a_reference_are_clear(outputs: Any) -> None:
    case = read({"inputs": {"user_input": "q"}, "outputs": outputs})
    assert fields(case) == {"question": "q", **({"ground_truth_answer": "g"} if outputs else {})}


def test_tags_of_mlflow_that_are_a_dict_are_metadata() -> None:
    row = {**EXPECTED, "tags": {"topic": "x", "mlflow.user": "m"}, "metadata": {"mine": 1}}
    assert read(row).metadata == {"topic": "x", "mine": 1}
    assert read({**EXPECTED, "tags": ["x"]}).tags == ["x"]


def test_two_values_for_a_field_are_both_kept() -> None:
    row = {
        "inputs": {"question": "q", "query": "other", "context": "one"},
        "outputs": {"answer": "a", "contexts": ["two"]},
        "expectations": {"context": "three", "expected_response": "g"},
    }
    assert fields(read(row)) == {
        "question": "q",
        "answer": "a",
        "retrieved_contexts": ["one"],
        "ground_truth_answer": "g",
        "metadata": {
            "inputs": {"query": "other"},
            "outputs": {"contexts": ["two"]},
            "expectations": {"context": "three"},
        },
    }
    own = read({**EXPECTED, "answer": "mine"})
    assert own.answer == "mine"
    assert own.metadata == {"outputs": {"response": "a1"}}


@pytest.mark.parametrize(
    "outputs",
    [
        {"choices": [{"index": 0, "message": {"role": "assistant", "content": "a"}}]},
        [{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}],
        {"role": "assistant", "content": "a"},
        {"output": {"type": "ai", "data": {"content": "a"}}},
    ],
)
def test_the_answer_of_a_chat_is_read(outputs: Any) -> None:
    assert read({**EXPECTED, "outputs": outputs}).answer == "a"


def test_langchains_messages_are_read() -> None:
    row = {
        "inputs": {"input": [{"type": "human", "data": {"content": "q"}}]},
        "outputs": {"output": {"type": "ai", "data": {"content": "g"}}},
    }
    assert fields(read(row, "langsmith")) == {"question": "q", "ground_truth_answer": "g"}


@pytest.mark.parametrize("name", ["contexts", "source_documents", "retrieved_context"])
def test_contexts_beside_an_answer_are_retrieved(name: str) -> None:
    documents = [{"doc_uri": "faq.md", "content": "c"}]
    case = read({**EXPECTED, "outputs": {"response": "a", name: documents}})
    assert case.retrieved_contexts == ["c"]
    assert case.retrieved_context_sources == ["faq.md"]
    assert case.metadata == {}


def test_expected_contexts_of_mlflow_need_a_text() -> None:
    expected = {"expected_answer": "g", "expected_retrieved_context": [{"content": "c"}]}
    case = read({**EXPECTED, "expectations": expected})
    assert (case.ground_truth_answer, case.ground_truth_contexts) == ("g", ["c"])
    sources = {"expected_retrieved_context": [{"doc_uri": "faq.md"}]}
    case = read({**EXPECTED, "expectations": sources})
    assert case.ground_truth_contexts is None
    assert case.metadata == {"expectations": sources}


def test_a_table_has_inputs_as_json_or_as_a_column_for_each(tmp_path: Path) -> None:
    row = {
        "inputs": {"question": "q", "context": ["c", "d"]},
        "outputs": {"answer": "a"},
        "expectations": {"expected_response": "g"},
        "metadata": {"topic": "x"},
        "tags": {"team": "y"},
    }
    expected = read(row)
    assert expected.metadata == {"topic": "x", "team": "y"}
    (case,) = load_cases(table(tmp_path / "a.csv", row))
    assert fields(case) == fields(expected)
    (case,) = load_cases(table(tmp_path / "python.csv", {n: str(v) for n, v in row.items()}))
    assert fields(case) == fields(expected)
    flat = {
        "inputs.question": "q",
        "inputs.context": ["c", "d"],
        "outputs.answer": "a",
        "expectations.expected_response": "g",
        "metadata": {"topic": "x"},
        "tags": "y",
    }
    (case,) = load_cases(table(tmp_path / "flat.csv", flat))
    assert fields(case) == {**fields(expected), "metadata": {"topic": "x"}, "tags": ["y"]}


def test_outputs_of_an_experiment_of_langsmith_are_answers(tmp_path: Path) -> None:
    row = {
        "inputs.question": "q",
        "outputs.answer": "a",
        "outputs.contexts": ["c"],
        "error": "",
        "reference.answer": "g",
        "feedback.correct": 1,
        "execution_time": 0.5,
        "example_id": "e",
        "id": "r",
    }
    file = table(tmp_path / "a.csv", row)
    for source in (file, [{**row, "error": None}]):
        for tool in (None, "langsmith"):
            (case,) = load_cases(source, format=tool)
            metadata = case.metadata
            assert case.id == "r"
            assert {**fields(case), "metadata": {}} == {
                "question": "q",
                "answer": "a",
                "retrieved_contexts": ["c"],
                "ground_truth_answer": "g",
                "metadata": {},
            }
            assert metadata.keys() == {"feedback", "execution_time", "example_id"}
    case = read({name: one for name, one in row.items() if name != "reference.answer"})
    assert (case.answer, case.ground_truth_answer) == ("a", None)


def test_columns_of_inputs_that_fields_names_are_what_it_says(tmp_path: Path) -> None:
    file = table(tmp_path / "a.csv", {"inputs.text": "q", "outputs.answer": "a"})
    (case,) = load_cases(file, fields={"inputs.text": "question", "outputs.answer": "answer"})
    assert fields(case) == {"question": "q", "answer": "a"}


NAMED = {"inputs": {"foo": "q", "bar": "x"}, "outputs": {"baz": "a"}}


def test_entries_of_unknown_names_are_metadata_with_a_warning() -> None:
    with pytest.warns(RagAssertWarning) as told:
        cases = load_cases([NAMED, NAMED], format="mlflow")
    assert [case.metadata for case in cases] == [NAMED, NAMED]
    asked, answered = (str(one.message) for one in told)
    assert "case 1 of the list: no name in its `inputs` is known as the name of a question" in asked
    assert "'foo', 'bar'; " in asked
    assert 'fields={"inputs.foo": "question"} reads one as a field' in asked
    assert 'fields={"outputs.baz": "answer"}, or "ground_truth_answer", reads one' in answered


@pytest.mark.parametrize("tool", [None, "mlflow", "langsmith"])
def test_fields_says_which_entries_are_fields(tool: str | None) -> None:
    columns = {"inputs.foo": "question", "outputs.baz": "answer"}
    (case,) = load_cases([NAMED], format=tool, fields=columns)
    assert fields(case) == {"question": "q", "answer": "a", "metadata": {"inputs": {"bar": "x"}}}
    with pytest.raises(ValueError, match=r"fields: there is no column 'inputs\.fo'"):
        load_cases([EXPECTED], fields={"inputs.fo": "question"})


class _Array(list[Any]):
    """A list that compares as numpy's do, as Parquet's lists are in a DataFrame."""

    def __ne__(self, other: object) -> bool:
        raise ValueError("the truth value of an array is ambiguous")


def test_lists_are_not_compared() -> None:
    contexts = _Array(["c"])
    row = {"inputs": {"question": "q", "contexts": contexts}, "outputs": "a"}
    assert read(row).retrieved_contexts == ["c"]
    nothing = float("nan")
    assert fields(read({**row, "outputs": nothing, "expectations": nothing}))["question"] == "q"


def test_names_that_are_numbers_are_as_others() -> None:
    rows: list[dict[Any, Any]] = [{1: "x"}, {1: "x", **TEXT}]
    for row in rows:
        with pytest.raises(ValueError, match="unknown field '1'"):
            load_cases([row])
