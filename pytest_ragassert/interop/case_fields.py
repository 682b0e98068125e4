"""Converts a record of another tool to the fields of a case."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from .chat_records import turns_of
from .metadata import add_metadata
from .nested_records import flattened
from .objects import plain, record_of
from .shapes import DEEPEVAL, KEPT, KEPT_VALUE, LEFT_OUT, MERGED, shape_of
from .tools import TOOLS
from .written_values import has_value, json_in

# Columns that DeepEval writes, but that people who only use its names do not have.
_EXPORTED = frozenset({"additional_metadata", "custom_column_key_values", "expected_tools"})
_IDS = ("retrieved_context_ids", "ground_truth_context_ids")
_LISTS = frozenset({"retrieval_context", "retrieved_contexts", "ground_truth_contexts"})


def case_fields(
    record: Mapping[Any, Any],
    known: Collection[str],
    *,
    renamed: Mapping[str, str] | None = None,
    tool: str | None = None,
    keeps_unknown: bool = False,
    convert: Callable[[str, Any, str | None], Any] | None = None,
    on_field: Callable[[str, str], None] = lambda column, field: None,
) -> dict[str, Any]:
    """The arguments for the constructor of a case; null and empty values are left out.

    Args:
        known: all names that a case's record may have.
        renamed: the field of a column, which takes precedence over any tool's names.
        tool: the tool that wrote the record, as in `format=`; None: it is found out.
        keeps_unknown: whether unknown names go into the metadata.
        convert: converts a cell's text or number to a value; called with the field's name
            (`KEPT_VALUE` for what goes into metadata), the cell, and the separator of texts.
        on_field: called with each column that has a value, and its field.

    Raises:
        ValueError: two columns are the same field, or the tool has no such records.
    """
    own = renamed or {}
    given = {str(name): value for name, value in record.items()}
    record = flattened(given, tool, own)
    shape = shape_of(tuple(own.get(name, name) for name in record), tool)
    if tool is not None and shape is None and record is given:
        raise ValueError(f"it is not a record of {tool}, which has {TOOLS[tool]}")
    fields: dict[str, Any] = {}
    first: dict[str, str] = {}
    kept: dict[str, Any] = {}
    merged: dict[str, Any] = {}
    for column, value in record.items():
        target = own.get(column) or (shape.names.get(column, column) if shape else column)
        if keeps_unknown and target not in known and target not in (MERGED, LEFT_OUT):
            target = KEPT
        if _is_nothing(column if target == KEPT else target, value, known):
            continue
        on_field(column, KEPT if target == MERGED else target)
        if target == LEFT_OUT:
            continue
        if target == KEPT and column != KEPT:
            if convert is not None and shape is not None and isinstance(value, str):
                value = convert(KEPT_VALUE, value, None)
            if keeps_unknown:
                value = plain(value)
            if not _is_nothing(column, value, known):
                kept[column] = value
            continue
        if target == MERGED:
            value = json_in(value, value) if isinstance(value, str) else value
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
        if convert is not None and isinstance(value, str | int | float):
            value = convert(target, value, shape.separator if shape else None)
            if value is None:
                continue
        fields[target] = _tidy(target, value)
        if shape is DEEPEVAL and target in _LISTS and record.keys() & _EXPORTED:
            # in its JSON Lines, lists are written as in its tables
            fields[target] = value.split("|") if isinstance(value, str) else fields[target]
    turns_of(fields)
    add_metadata(fields, {**kept, **merged})
    return fields


def _tidy(field: str, value: Any) -> Any:
    """The value as the field takes it, if a tool writes it in another way."""
    if field == "source_units" and isinstance(value, str):
        return [value]
    if field in _LISTS and value is not None and not isinstance(value, str | list | tuple):
        # Haystack's extracted answer has a single document
        return [value]
    if field in ("retrieval_context", "retrieved_contexts") and isinstance(value, list | tuple):
        return [_retrieved(one) for one in value]
    if field == "persona" and hasattr(value, "model_dump"):
        # DeepEval's persona
        return value.model_dump(exclude_defaults=True)
    if field in _IDS and isinstance(value, list | tuple):
        return _ranked(value)
    return value


def _ranked(ranking: Sequence[Any]) -> Any:
    """The ids of axion's ranking, or grades by id if it has some."""
    ids = [one.get("id") if isinstance(one, Mapping) else one for one in ranking]
    grades = [one.get("relevance") if isinstance(one, Mapping) else None for one in ranking]
    if all(grade is None for grade in grades) or not all(
        isinstance(id, str | int | float) for id in ids
    ):
        return ids
    return {id: 1 if grade is None else grade for id, grade in zip(ids, grades, strict=True)}


def _retrieved(context: Any) -> Any:
    """DeepEval's contexts with their sources, as documents."""
    if isinstance(context, str):
        return context
    record = record_of(context) if type(context).__name__ == "RetrievedContextData" else context
    if isinstance(record, Mapping) and set(record) == {"context", "source"}:
        return {"content": record["context"], "source": record["source"]}
    return context


def _is_nothing(name: str, value: Any, known: Collection[str]) -> bool:
    """Whether a record has the name of a field without a value."""
    # an empty list means that nothing was retrieved
    return not has_value(value) or (
        name not in known and isinstance(value, list | dict) and not value
    )
