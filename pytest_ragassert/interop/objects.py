"""Objects of other tools as records."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any


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
