"""The names that other tools give the fields of a case."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_ragassert import EvalCase
from pytest_ragassert.interop import nested_records, promptfoo
from pytest_ragassert.interop.shapes import KEPT, LEFT_OUT, MERGED, SHAPES
from pytest_ragassert.interop.vocabularies import ALIASES, VOCABULARIES

from .markdown import table

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


def names_table() -> str:
    """A row for each field that a source of cases can have."""
    return table(
        ("field", "other names, in every source", "in a record of that tool only"),
        (
            (f"[`{field}`](#{field})", "; ".join(_anywhere(field)), "; ".join(_in_records(field)))
            for field in EvalCase.model_fields
            if field != "results"
        ),
    )


def _anywhere(field: str) -> Iterator[str]:
    tools: dict[str, list[str]] = {}
    for tool, names in VOCABULARIES.items():
        for name, target in names.items():
            if target == field:
                tools.setdefault(name, []).append(tool)
    return (f"`{name}` ({', '.join(called)})" for name, called in tools.items())


def _in_records(field: str) -> Iterator[str]:
    names: dict[str, dict[str, None]] = {}
    for shape in SHAPES:
        for name, target in shape.names.items():
            own = KEPT if target == MERGED else ALIASES.get(target, target)
            if own == field and target not in (KEPT, LEFT_OUT):
                names.setdefault(shape.tool, {})[f"`{name}`"] = None
    for tool, place, inner, target in _NESTED:
        if target == field:
            listed = (f"`{place}.{name}`" if place else f"`{name}`" for name in inner)
            names.setdefault(tool, {}).update(dict.fromkeys(listed))
    return (f"{tool} {', '.join(listed)}" for tool, listed in names.items())
