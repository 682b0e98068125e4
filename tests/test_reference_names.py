"""The names of fields that docs/reference/fields.md lists: cases take each of them."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_ragassert import EvalCase, load_cases
from pytest_ragassert.interop.shapes import SHAPES
from pytest_ragassert.interop.vocabularies import ALIASES

from .reference.names import names_anywhere, names_in_records

MESSAGES = [{"role": "user", "content": "x"}]
LIST = ["x"]
VALUES: dict[str, Any] = {
    "id": "x",
    "question": "x",
    "history": MESSAGES,
    "answer": "x",
    "retrieved_contexts": LIST,
    "retrieved_context_ids": LIST,
    "ground_truth_answer": "x",
    "ground_truth_answers": LIST,
    "ground_truth_contexts": LIST,
    "ground_truth_context_ids": LIST,
    "ground_truth_claims": LIST,
    "source_units": LIST,
    "persona": "x",
    "metadata": {"x": 1},
    "tags": LIST,
}
# What a name holds that is no plain value of its field.
GIVEN: dict[str, Any] = {
    "turns": MESSAGES,
    "conversation": {"messages": [*MESSAGES, {"role": "assistant", "content": "y"}, *MESSAGES]},
    "outputs.messages": [{"role": "assistant", "content": "x"}],
    "inputs.messages": MESSAGES,
}
GIVEN["multi_turn_conversation"] = GIVEN["conversation"]


def named() -> list[tuple[str, str, str]]:
    """Each tool, name and field that the page lists for records of one tool."""
    return [
        (tool, name, field)
        for field in EvalCase.model_fields
        for tool, names in names_in_records(field).items()
        for name in names
    ]


@pytest.mark.parametrize("name", ALIASES)
def test_names_of_fields_are_taken_wherever_they_stand(name: str) -> None:
    field = ALIASES[name]
    assert name in names_anywhere(field)
    assert getattr(EvalCase(**{name: VALUES[field]}), field) == VALUES[field]


@pytest.mark.parametrize(("tool", "name", "field"), named())
def test_names_of_a_tools_records_are_taken(tool: str, name: str, field: str) -> None:
    value = GIVEN.get(name, VALUES[field])
    place, _, inner = name.partition(".")
    record: dict[str, Any] = {place: {inner: value} if inner else value}
    if tool == "promptfoo":
        record.setdefault("vars", {})
    elif tool in ("langsmith", "mlflow"):
        record.setdefault("inputs", {})
    else:
        shape = next(one for one in SHAPES if one.tool == tool and name in one.names)
        others = [*shape.all_of, *sorted(shape.any_of - {name})[:1]]
        record = {**dict.fromkeys(others), **record}
    (case,) = load_cases([record], format=tool)
    if name == "turns":
        assert case.question == "x"
    elif field == "history":
        assert [turn["content"] for turn in case.history] == ["x", "y"][: len(case.history)]
        assert case.history
    elif field == "metadata":
        assert case.metadata["x"] == 1
    else:
        assert getattr(case, field) == VALUES[field]
