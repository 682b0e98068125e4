"""Converts objects of other tools to records."""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Mapping
from typing import Any

from .nesting import DEEPEST, TOO_DEEP


def record_of(source: Any) -> Mapping[str, Any] | None:
    """The record of an object; None if it has none."""
    if isinstance(source, Mapping):
        return source
    if isinstance(source, str | bytes | int | float | type) or source is None:
        return None
    if _package(source) in _TRACES:
        for name in ("to_dict", "model_dump"):
            as_whole = getattr(source, name, None)
            if callable(as_whole):
                whole: Mapping[str, Any] = as_whole()
                return whole
    if dataclasses.is_dataclass(source):
        return {field.name: getattr(source, field.name) for field in dataclasses.fields(source)}
    as_dict = getattr(source, "_asdict", None)
    if callable(as_dict):
        record: Mapping[str, Any] = as_dict()
        return record
    if hasattr(type(source), "model_fields"):
        fields = {name: getattr(source, name) for name in type(source).model_fields}
        # the samples of ragas' test set are objects of this kind
        inner = record_of(fields.pop("eval_sample", None))
        return fields if inner is None else {**inner, **fields}
    values = getattr(source, "__dict__", None)
    if not values:
        return None
    return {name: value for name, value in values.items() if not name.startswith("_")}


def plain(value: Any, levels: int = DEEPEST) -> Any:
    """A value in JSON's types; what JSON can't have becomes None.

    Args:
        levels: how deep it may nest.

    Raises:
        ValueError: it nests deeper, or contains itself.
    """
    if not levels:
        raise ValueError(TOO_DEEP)
    if isinstance(value, enum.Enum):
        return plain(value.value, levels - 1)
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, list | tuple):
        return [plain(one, levels - 1) for one in value]
    record = record_of(value)
    if record is None:
        return None
    return {str(name): plain(one, levels - 1) for name, one in record.items()}


def is_peers(source: Any) -> bool:
    """Whether an object's class is a known tool's, so that its other fields are not mistakes."""
    return _package(source) in _PACKAGES | _TRACES


def _package(source: Any) -> str:
    return type(source).__module__.partition(".")[0]


_PACKAGES = frozenset(
    {
        *("deepeval", "ragas", "llama_index", "haystack", "langchain", "langchain_core"),
        "axion",
    }
)
# Their objects are whole traces, with records inside records.
_TRACES = frozenset({"langfuse", "langsmith", "mlflow", "trulens"})
