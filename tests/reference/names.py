"""The names that other tools give the fields of a case."""

from __future__ import annotations

from pytest_ragassert.interop import nested_records, promptfoo
from pytest_ragassert.interop.shapes import KEPT, LEFT_OUT, MERGED, SHAPES
from pytest_ragassert.interop.vocabularies import ALIASES, VOCABULARIES

# What is nested in a record: the names inside of a name, and the field that the first of them is.
_NESTED = (
    ("langsmith", "inputs", nested_records.QUESTIONS, "question"),
    ("langsmith", "inputs", nested_records.CONTEXTS, "retrieved_contexts"),
    ("langsmith", "outputs", nested_records.OUTPUT_REFERENCES, "ground_truth_answer"),
    ("mlflow", "inputs", nested_records.QUESTIONS, "question"),
    ("mlflow", "inputs", nested_records.CONTEXTS, "retrieved_contexts"),
    ("mlflow", "outputs", nested_records.ANSWERS, "answer"),
    ("mlflow", "outputs", nested_records.OUTPUT_CONTEXTS, "retrieved_contexts"),
    ("mlflow", "expectations", nested_records.REFERENCES, "ground_truth_answer"),
    ("mlflow", "expectations", ["context"], "retrieved_contexts"),
    ("mlflow", "expectations", ["expected_retrieved_context"], "ground_truth_contexts"),
    ("mlflow", "expectations", ["expected_facts"], "ground_truth_claims"),
    ("promptfoo", "vars", sorted(promptfoo.QUESTIONS), "question"),
    ("promptfoo", "vars", sorted(promptfoo.CONTEXTS), "retrieved_contexts"),
    ("promptfoo", "vars", sorted(promptfoo.REFERENCES), "ground_truth_answer"),
    ("promptfoo", "response", ["output"], "answer"),
    ("promptfoo", "", ["description"], "id"),
)


def names_anywhere(field: str) -> dict[str, list[str]]:
    """Other names of a field that every source may use, each with the tools that use it."""
    tools: dict[str, list[str]] = {}
    for tool, names in VOCABULARIES.items():
        for name, target in names.items():
            if target == field:
                tools.setdefault(name, []).append(tool)
    return tools


def names_in_records(field: str) -> dict[str, list[str]]:
    """By tool the names that a field has in the records of that tool only."""
    names: dict[str, dict[str, None]] = {}
    for shape in SHAPES:
        for name, target in shape.names.items():
            own = KEPT if target == MERGED else ALIASES.get(target, target)
            if own == field and target not in (KEPT, LEFT_OUT):
                names.setdefault(shape.tool, {})[name] = None
    for tool, place, inner, target in _NESTED:
        if target == field:
            listed = (f"{place}.{name}" if place else name for name in inner)
            names.setdefault(tool, {}).update(dict.fromkeys(listed))
    return {tool: list(listed) for tool, listed in names.items()}
