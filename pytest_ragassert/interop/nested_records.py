"""Records whose fields stand inside of others: LangSmith's examples, MLflow's and Haystack's."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from . import promptfoo

QUESTIONS = ("question", "input", "query", "messages", "prompt")
ANSWERS = ("answer", "output", "response", "result", "messages")
CONTEXTS = ("context", "contexts", "documents", "retrieved_contexts")
REFERENCES = ("expected_response", "expected_output", "answer", "ground_truth")
_LANGSMITH = ("created_at", "modified_at", "dataset_id", "source_run_id", "name", "split")


def flattened(
    record: Mapping[str, Any], tool: str | None = None, named: Collection[str] = ()
) -> Mapping[str, Any]:
    """The record with what is nested in it under the names of fields; what it was, where nothing
    is.

    In LangSmith's examples `outputs` holds the reference, in MLflow's rows the answer. A row is
    MLflow's where it has `expectations`, or where `outputs` is a text.

    Args:
        tool: whose record it is, as `format=` calls it; None: it is found out.
        named: columns whose fields the user said.
    """
    if promptfoo.is_test(record, tool):
        return promptfoo.flattened(record, named)
    if tool in (None, "haystack") and isinstance(record.get("init_parameters"), Mapping):
        return dict(record["init_parameters"]) if "type" in record else record
    inputs = record.get("inputs")
    if tool not in (None, "langsmith", "mlflow") or not isinstance(inputs, Mapping):
        return record
    if tool is None and record.keys() & {"question", "input", "query"}:
        return record
    outputs = record.get("outputs")
    if tool == "mlflow" or (
        tool is None and ("expectations" in record or isinstance(outputs, str))
    ):
        return _of_mlflow(record, inputs, record.get("expectations"))
    return _of_langsmith(record, inputs)


def _of_langsmith(record: Mapping[str, Any], inputs: Mapping[str, Any]) -> dict[str, Any]:
    fields = {name: record[name] for name in record if name not in ("inputs", "outputs")}
    kept = {name: fields.pop(name) for name in _LANGSMITH if name in fields}
    _take_inputs(fields, inputs, kept)
    outputs = record.get("outputs")
    reference = _taken(outputs, ANSWERS, kept, "outputs")
    if reference is not None:
        fields["ground_truth_answer"] = _last_said(reference)
    return _with(fields, kept)


def _of_mlflow(
    record: Mapping[str, Any], inputs: Mapping[str, Any], expected: Any
) -> dict[str, Any]:
    names = ("inputs", "outputs", "expectations")
    fields = {name: record[name] for name in record if name not in names}
    kept: dict[str, Any] = {}
    _take_inputs(fields, inputs, kept)
    outputs = record.get("outputs")
    answer = outputs if isinstance(outputs, str) else _taken(outputs, ANSWERS, kept, "outputs")
    if answer is not None:
        fields["answer"] = _last_said(answer)
    if isinstance(expected, Mapping):
        expected = dict(expected)
        contexts = expected.pop("context", None)
        if contexts is not None:
            fields.setdefault("retrieved_contexts", contexts)
        facts = expected.pop("expected_facts", None)
        if facts is not None:
            fields.setdefault("ground_truth_claims", facts)
        reference = _taken(expected, REFERENCES, kept, "expectations")
        if reference is not None:
            fields["ground_truth_answer"] = reference
    return _with(fields, kept)


def _take_inputs(fields: dict[str, Any], inputs: Mapping[str, Any], kept: dict[str, Any]) -> None:
    inputs = dict(inputs)
    contexts = next((inputs.pop(name) for name in CONTEXTS if name in inputs), None)
    if contexts is not None:
        fields["retrieved_contexts"] = contexts
    question = _taken(inputs, QUESTIONS, kept, "inputs")
    if question is not None:
        fields["question"] = question


def _taken(place: Any, names: tuple[str, ...], kept: dict[str, Any], called: str) -> Any:
    """The value of the first name; what else is there is kept as `called`."""
    if not isinstance(place, Mapping):
        return None
    found = next((name for name in names if place.get(name) is not None), None)
    others = {name: value for name, value in place.items() if name != found}
    if others:
        kept[called] = others
    return None if found is None else place[found]


def _last_said(value: Any) -> Any:
    """The text of the last message, where an answer is a list of messages."""
    if isinstance(value, list) and value and isinstance(value[-1], Mapping):
        return value[-1].get("content", value)
    return value


def _with(fields: dict[str, Any], kept: Mapping[str, Any]) -> dict[str, Any]:
    own = fields.get("metadata") or {}
    if kept and isinstance(own, Mapping):
        fields["metadata"] = {**kept, **own}
    return fields
