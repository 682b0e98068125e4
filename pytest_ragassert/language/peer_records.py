"""Records of other tools as fields of a case: their own names, nesting and further columns.

A name that means one thing wherever it stands is an alias (`case.ALIASES`); here are those whose
meaning only the record as a whole says, such as `context`.
"""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Callable, Collection, Mapping
from typing import Any, NamedTuple

from .chat_records import turns_of
from .escaping import is_blank
from .nested_records import flattened

# What goes into `metadata` under its own name, and a dict whose entries go there.
KEPT, MERGED = "metadata", "metadata of it"


class Shape(NamedTuple):
    """A record of another tool.

    Attributes:
        all_of: names that it has, null or not.
        any_of: names of which it has one at least; empty: none is needed.
        names: the field of each name, `KEPT` or `MERGED`.
        separator: of the texts in a cell, where the tool writes tables.
        whole: it has no other names.
    """

    all_of: frozenset[str]
    any_of: frozenset[str]
    names: Mapping[str, str]
    separator: str | None = None
    whole: bool = False


_DEEPEVAL = Shape(
    frozenset({"input"}),
    frozenset({"actual_output", "expected_output", "retrieval_context"}),
    {
        "context": "ground_truth_contexts",
        "source_file": "source_units",
        "additional_metadata": MERGED,
        **dict.fromkeys(
            (
                *("name", "comments", "tools_called", "expected_tools", "token_cost"),
                *("input_token_count", "output_token_count", "completion_time", "multimodal"),
                *("flaky", "custom_column_key_values", "expectations", "expected_labels"),
                *("mcp_servers", "mcp_tools_called", "mcp_resources_called", "mcp_prompts_called"),
                "multi_turn",
            ),
            KEPT,
        ),
    },
    separator="|",
)
# Columns that DeepEval itself writes, of which people who write its names have none.
_EXPORTED = frozenset({"additional_metadata", "custom_column_key_values", "expected_tools"})
_LISTS = frozenset({"retrieval_context", "retrieved_contexts", "ground_truth_contexts"})
_SHAPES = (
    _DEEPEVAL,
    # LangChain's retrieval chain, and the older ones
    Shape(
        frozenset({"input", "context", "answer"}),
        frozenset(),
        {"context": "retrieved_contexts", "chat_history": "history"},
    ),
    Shape(
        frozenset({"source_documents"}),
        frozenset({"result", "answer"}),
        {
            "source_documents": "retrieved_contexts",
            "result": "answer",
            "chat_history": "history",
            "generated_question": KEPT,
        },
    ),
    # LlamaIndex: an answer, and an example of a labelled data set
    Shape(
        frozenset({"response", "source_nodes"}),
        frozenset(),
        {"source_nodes": "retrieved_contexts"},
    ),
    Shape(
        frozenset({"query", "reference_answer"}),
        frozenset({"query_by", "reference_answer_by"}),
        {"query_by": KEPT, "reference_answer_by": KEPT},
    ),
    # Haystack's GeneratedAnswer
    Shape(
        frozenset({"data", "query", "documents"}),
        frozenset(),
        {"data": "answer", "documents": "retrieved_contexts", "meta": MERGED},
        whole=True,
    ),
)


@functools.lru_cache(maxsize=64)  # the rows of a file have the same names
def shape_of(names: tuple[str, ...]) -> Shape | None:
    """The shape of a record with these names; None where it is none of another tool."""
    for shape in _SHAPES:
        if not all(name in names for name in shape.all_of):
            continue
        if shape.any_of and not any(name in names for name in shape.any_of):
            continue
        if shape.whole and not set(names) <= shape.all_of | shape.names.keys():
            continue
        return shape
    return None


def record_of(source: Any) -> Mapping[str, Any] | None:
    """The record that an object is; None where it is none."""
    if isinstance(source, Mapping):
        return source
    if isinstance(source, str | bytes | int | float | type) or source is None:
        return None
    if dataclasses.is_dataclass(source):
        return {field.name: getattr(source, field.name) for field in dataclasses.fields(source)}
    as_dict = getattr(source, "_asdict", None)
    if callable(as_dict):
        record: Mapping[str, Any] = as_dict()
        return record
    if hasattr(type(source), "model_fields"):
        return {name: getattr(source, name) for name in type(source).model_fields}
    values = getattr(source, "__dict__", None)
    if not values:
        return None
    return {name: value for name, value in values.items() if not name.startswith("_")}


def is_peers(source: Any) -> bool:
    """Whether an object's class is one of a known tool, so that each of its fields is meant."""
    return type(source).__module__.partition(".")[0] in _PACKAGES


_PACKAGES = frozenset(
    {"deepeval", "ragas", "llama_index", "haystack", "langchain", "langchain_core", "langsmith"}
)


def case_fields(
    record: Mapping[Any, Any],
    known: Collection[str],
    *,
    renamed: Mapping[str, str] | None = None,
    keeps: Collection[str] = (),
    keeps_unknown: bool = False,
    convert: Callable[[str, Any, str | None], Any] | None = None,
    on_field: Callable[[str, str], None] = lambda column, field: None,
) -> dict[str, Any]:
    """What the constructor of a case takes; what is null or empty is left out.

    Args:
        known: every name that a case's record has.
        renamed: the field of a column, before any tool's names.
        keeps: names that are kept, null or not.
        keeps_unknown: a name that is not known goes into the metadata.
        convert: makes a value of a cell's text; called with the field's name, the text, and what
            separates texts.
        on_field: is called with each column that holds something, and its field.

    Raises:
        ValueError: two columns are one field.
    """
    own = renamed or {}
    record = flattened({str(name): value for name, value in record.items()})
    shape = shape_of(tuple(own.get(name, name) for name in record))
    fields: dict[str, Any] = {}
    first: dict[str, str] = {}
    kept: dict[str, Any] = {}
    merged: dict[str, Any] = {}
    for column, value in record.items():
        target = own.get(column) or (shape.names.get(column, column) if shape else column)
        if keeps_unknown and target not in known and target not in keeps and target != MERGED:
            target = KEPT
        if _is_nothing(target, value, known) and column not in keeps:
            continue
        on_field(column, KEPT if target == MERGED or column in keeps else target)
        if target == KEPT and column != KEPT:
            if not keeps_unknown or _is_plain(value):
                kept[column] = value
            continue
        if target == MERGED:
            value = convert("metadata", value, None) if convert else value
            if isinstance(value, Mapping):
                merged.update(value)
            else:
                kept[column] = value
            continue
        if target in first:
            raise ValueError(
                f"the columns {first[target]!r} and {column!r} are both the field {target!r}; map "
                "one of them to 'metadata' with fields="
            )
        first[target] = column
        if convert is not None:
            value = convert(target, value, shape.separator if shape else None)
            if value is None:
                continue
        fields[target] = _tidy(target, value)
        if shape is _DEEPEVAL and target in _LISTS and record.keys() & _EXPORTED:
            # its JSON lines have lists as its tables have
            fields[target] = value.split("|") if isinstance(value, str) else fields[target]
    turns_of(fields)
    more = {**kept, **merged}
    if more:
        metadata = fields.get("metadata") or {}
        fields["metadata"] = {**more, **metadata} if isinstance(metadata, Mapping) else metadata
    return fields


def _tidy(field: str, value: Any) -> Any:
    """A value as the field takes it, where a tool has it otherwise."""
    if field == "source_units" and isinstance(value, str):
        return [value]
    if field in ("retrieval_context", "retrieved_contexts") and isinstance(value, list | tuple):
        return [_retrieved(one) for one in value]
    return value


def _retrieved(context: Any) -> Any:
    """DeepEval's contexts with a source, as documents."""
    if isinstance(context, str):
        return context
    record = record_of(context) if type(context).__name__ == "RetrievedContextData" else context
    if isinstance(record, Mapping) and set(record) == {"context", "source"}:
        return {"content": record["context"], "source": record["source"]}
    return context


def _is_nothing(name: str, value: Any, known: Collection[str]) -> bool:
    """Whether a record has no more than the name of a field."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return True
    if isinstance(value, str):
        return is_blank(value)
    # that nothing was retrieved is said by an empty list
    return name not in known and isinstance(value, list | dict) and not value


def _is_plain(value: Any) -> bool:
    """Whether a value can be written as JSON."""
    if isinstance(value, Mapping):
        return all(isinstance(key, str) and _is_plain(one) for key, one in value.items())
    if isinstance(value, list | tuple):
        return all(map(_is_plain, value))
    return value is None or isinstance(value, str | int | float)
