"""Flattens records with nested fields: LangSmith's examples, MLflow's and Haystack's."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from . import promptfoo
from .inputs_and_outputs import answer_in, documents_in
from .metadata import add_metadata
from .written_values import has_value, parsed

QUESTIONS = ("question", "input", "query", "user_input", "messages", "prompt")
ANSWERS = ("answer", "output", "response", "result", "messages", "choices", "content")
CONTEXTS = ("context", "contexts", "documents", "retrieved_contexts")
OUTPUT_CONTEXTS = (*CONTEXTS, "retrieved_context", "source_documents")
REFERENCES = ("expected_response", "expected_output", "expected_answer", "answer", "ground_truth")
_REFERENCE_NAMES = ("expected_output", "expected_answer", "expected", "ground_truth", "reference")
# Names in LangSmith's `outputs`; names of a reference precede names of an answer.
OUTPUT_REFERENCES = (*_REFERENCE_NAMES, *ANSWERS)
_LANGSMITH = (
    *("created_at", "modified_at", "dataset_id", "source_run_id", "name", "split"),
    *("example_id", "execution_time", "error", "feedback"),
)
# Columns that an MLflow row does not have.
_LANGSMITH_MARKS = frozenset({"created_at", "modified_at", "dataset_id", "source_run_id"})
_PLACES = ("inputs", "outputs", "expectations")
_FLAT_PLACES = (*_PLACES, "reference", "feedback")
_MLFLOW_OWN = "mlflow."  # tags that MLflow itself sets


def flattened(
    record: Mapping[str, Any], tool: str | None = None, named: Collection[str] = ()
) -> Mapping[str, Any]:
    """Move what is nested in a record to names of fields; other records are unchanged.

    `outputs` are the reference in LangSmith's examples, but the answer in MLflow's rows and in
    results of LangSmith's experiments. A row whose tool is unknown is read as LangSmith's example,
    so that a reference is never taken for an answer.

    Args:
        tool: the tool that wrote the record, as in `format=`; None: it is found out.
        named: the columns that the user mapped to fields.
    """
    if promptfoo.is_test(record, tool):
        return promptfoo.flattened(record, named)
    if tool in (None, "haystack") and isinstance(record.get("init_parameters"), Mapping):
        return dict(record["init_parameters"]) if "type" in record else record
    if tool not in (None, "langsmith", "mlflow"):
        return record
    if tool is None and record.keys() & {"question", "input", "query"}:
        return record
    nested = _nested(record, named)
    if nested is None:
        return record
    tool = tool or _tool_in(nested)
    return _of_mlflow(nested) if tool == "mlflow" else _of_langsmith(nested)


class NestedRow(NamedTuple):
    """What a row with `inputs` shows about the tool that wrote it.

    Attributes:
        tool: `langsmith` or `mlflow`; None: unknown.
        is_unclear: whether its `outputs` may be a reference or an answer.
        unread: the names in `inputs` or `outputs`, by place, if none of them is known as a
            question, or as an answer or reference.
    """

    tool: str | None
    is_unclear: bool
    unread: Mapping[str, list[str]]


def nested_row(record: Mapping[Any, Any], named: Collection[str] = ()) -> NestedRow | None:
    """What a row shows about its tool; None if it has no `inputs`.

    Args:
        named: the columns that the user mapped to fields.
    """
    # must be fast, because it is called for every row of every file
    if not any(str(name).startswith("inputs") for name in record):
        return None
    record = {str(name): value for name, value in record.items()}
    if promptfoo.is_test(record, None) or record.keys() & {"question", "input", "query"}:
        return None
    nested = _nested(record, named)
    if nested is None:
        return None
    tool, outputs = _tool_in(nested), nested.get("outputs")
    says_reference = isinstance(outputs, Mapping) and any(
        one in outputs for one in _REFERENCE_NAMES
    )
    unread = dict(_unread(nested, named))
    is_clear = tool is not None or says_reference or "outputs" in unread
    is_unclear = not is_clear and bool(_entries(outputs, "reference"))
    return NestedRow(tool, is_unclear, unread)


def _unread(nested: Mapping[str, Any], named: Collection[str]) -> Iterator[tuple[str, list[str]]]:
    for place, known in (("inputs", QUESTIONS), ("outputs", OUTPUT_REFERENCES)):
        entries = nested.get(place)
        if not isinstance(entries, Mapping) or any(has_value(entries.get(one)) for one in known):
            continue
        held = [str(name) for name, value in entries.items() if has_value(value)]
        names = [name for name in held if name not in OUTPUT_CONTEXTS]
        if names and not any(column.startswith(f"{place}.") for column in named):
            yield place, names


def _nested(record: Mapping[str, Any], named: Collection[str]) -> dict[str, Any] | None:
    """The record with dicts as its nested parts, which tables have as JSON, or as one column for
    each entry (`inputs.question`); None if it has no `inputs`.

    Entries that the user mapped under such names remain columns.
    """
    inputs = record.get("inputs")
    if isinstance(inputs, Mapping):
        nested = dict(record)
    elif isinstance(inputs, str):
        written = {*_PLACES, "metadata", "tags"}
        nested = {
            name: parsed(value) if name in written else value for name, value in record.items()
        }
    elif inputs is None and any(name.startswith("inputs.") for name in record):
        nested = {}
        for name, value in record.items():
            place, _, inner = name.partition(".")
            if not inner or place not in _FLAT_PLACES or name in named:
                nested[name] = value
            elif isinstance(nested.setdefault(place, {}), dict):
                nested[place][inner] = parsed(value)
    else:
        return None
    if not isinstance(nested.get("inputs"), Mapping):
        return None
    for column in named:
        place, _, inner = column.partition(".")
        entries = nested.get(place)
        if isinstance(entries, Mapping) and inner in entries:
            nested[place] = {name: value for name, value in entries.items() if name != inner}
            nested[column] = entries[inner]
    return nested


def _tool_in(nested: Mapping[str, Any]) -> str | None:
    if "expectations" in nested:
        return "mlflow"
    if not _LANGSMITH_MARKS.isdisjoint(nested) or _is_result(nested):
        return "langsmith"
    return "mlflow" if isinstance(nested.get("outputs"), str) else None


def _is_result(nested: Mapping[str, Any]) -> bool:
    """Whether it is a result of one of LangSmith's experiments, for an example."""
    return "example_id" in nested or isinstance(nested.get("reference"), Mapping)


def _of_langsmith(record: Mapping[str, Any]) -> dict[str, Any]:
    fields = {name: value for name, value in record.items() if name not in ("inputs", "outputs")}
    about = {name: fields.pop(name) for name in _LANGSMITH if name in fields}
    kept = {name: value for name, value in about.items() if has_value(value)}
    _take_inputs(fields, record["inputs"], kept)
    place, references = "outputs", record.get("outputs")
    if _is_result(record):
        _take_outputs(fields, references, kept)
        place, references = "reference", fields.pop("reference", None)
    references = _entries(references, "reference")
    _take(fields, "ground_truth_answer", references, OUTPUT_REFERENCES, _said)
    _keep(kept, place, references)
    add_metadata(fields, kept)
    return fields


def _of_mlflow(record: Mapping[str, Any]) -> dict[str, Any]:
    fields = {name: value for name, value in record.items() if name not in _PLACES}
    kept: dict[str, Any] = {}
    if isinstance(fields.get("tags"), Mapping):
        tags = fields.pop("tags")
        kept = {
            str(name): one for name, one in tags.items() if not str(name).startswith(_MLFLOW_OWN)
        }
    _take_inputs(fields, record["inputs"], kept)
    _take_outputs(fields, record.get("outputs"), kept)
    expected = _entries(record.get("expectations"), "expected_response")
    _take(fields, "retrieved_contexts", expected, ["context"])
    _take(fields, "ground_truth_claims", expected, ["expected_facts"])
    if _have_texts(expected.get("expected_retrieved_context")):
        _take(fields, "ground_truth_contexts", expected, ["expected_retrieved_context"])
    _take(fields, "ground_truth_answer", expected, REFERENCES, _said)
    _keep(kept, "expectations", expected)
    add_metadata(fields, kept)
    return fields


def _take_inputs(fields: dict[str, Any], inputs: Mapping[str, Any], kept: dict[str, Any]) -> None:
    inputs = dict(inputs)
    _take(fields, "retrieved_contexts", inputs, CONTEXTS)
    _take(fields, "question", inputs, QUESTIONS)
    _keep(kept, "inputs", inputs)


def _take_outputs(fields: dict[str, Any], outputs: Any, kept: dict[str, Any]) -> None:
    outputs = _entries(outputs, "answer")
    _take(fields, "answer", outputs, ANSWERS, _said)
    _take(fields, "retrieved_contexts", outputs, OUTPUT_CONTEXTS)
    _keep(kept, "outputs", outputs)


def _entries(place: Any, only: str) -> dict[str, Any]:
    """The entries of a nested part; a value that is not a dict is its only entry."""
    if isinstance(place, Mapping):
        return dict(place)
    return {only: place} if has_value(place) else {}


def _take(
    fields: dict[str, Any],
    field: str,
    place: dict[str, Any],
    names: Iterable[str],
    read: Callable[[Any], Any] = lambda value: value,
) -> None:
    """Move the value of the first of these names to a field, if the field has no value."""
    found = next((name for name in names if has_value(place.get(name))), None)
    if found is not None and not has_value(fields.get(field)):
        fields[field] = read(place.pop(found))


def _keep(kept: dict[str, Any], called: str, others: Mapping[str, Any]) -> None:
    held = {name: value for name, value in others.items() if has_value(value)}
    if held:
        kept[called] = held


def _said(value: Any) -> Any:
    """The text of an answer that is a message, a list of messages, or a chat completion."""
    said = None if isinstance(value, str) else answer_in(value)
    if said is not None:
        return said
    if isinstance(value, list) and value and isinstance(value[-1], Mapping):
        return value[-1].get("content", value)
    return value


def _have_texts(documents: Any) -> bool:
    """Whether it is a list of documents that all have a text; some have only a source."""
    found = documents_in(documents) if isinstance(documents, list) else None
    return bool(found) and len(found or ()) == len(documents)
