"""Maps Arrow's types to the values of a case: texts, numbers, lists and dicts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import pyarrow as pa
import pyarrow.types as types

from ..language.suggestions import shown_value

Type: TypeAlias = Any  # pyarrow has no types
Convert: TypeAlias = Callable[[Any], Any]

_UUID = "arrow.uuid"


def read_as(type: Type) -> Type:
    """The type to which a column is cast before its values are taken.

    Nanoseconds become microseconds, because Python's times have no more precision.

    Raises:
        ValueError: a case can't have values of this type.
    """
    if types.is_timestamp(type):
        return pa.timestamp("us", type.tz)
    if types.is_duration(type):
        return pa.duration("us")
    if types.is_time64(type):
        return pa.time64("us")
    if types.is_list(type):
        return pa.list_(_field_as(type.value_field))
    if types.is_large_list(type):
        return pa.large_list(_field_as(type.value_field))
    if types.is_fixed_size_list(type):
        return pa.list_(_field_as(type.value_field), type.list_size)
    if types.is_struct(type):
        return pa.struct([_field_as(field) for field in _fields(type)])
    if types.is_map(type):
        return pa.map_(read_as(type.key_type), _field_as(type.item_field))
    if types.is_dictionary(type):
        if types.is_nested(type.value_type):
            raise ValueError(f"values of the type {type} are not supported")
        read_as(type.value_type)
        return type
    if isinstance(type, pa.BaseExtensionType):
        return type if type.extension_name == _UUID else read_as(type.storage_type)
    if types.is_nested(type) or types.is_interval(type) or types.is_run_end_encoded(type):
        raise ValueError(f"values of the type {type} are not supported")
    return type


def converter(type: Type) -> Convert | None:
    """A function that makes a case's value from pyarrow's; None: pyarrow's value is used."""
    if isinstance(type, pa.BaseExtensionType):
        return str
    if types.is_dictionary(type):
        return converter(type.value_type)
    if types.is_map(type):
        return _mapping(converter(type.key_type), converter(type.item_type))
    if types.is_struct(type):
        fields = {field.name: converter(field.type) for field in _fields(type)}
        return _struct(fields) if any(fields.values()) else None
    if types.is_nested(type):  # a list: `read_as` returns no other nested types here
        item = converter(type.value_type)
        return None if item is None else _list(item)
    if types.is_decimal(type):
        return int if type.scale <= 0 else float
    if types.is_temporal(type):
        return str if types.is_duration(type) else _iso
    is_bytes = types.is_binary(type) or types.is_large_binary(type)
    if is_bytes or types.is_fixed_size_binary(type) or str(type) == "binary_view":
        return _text
    return None


def _field_as(field: Any) -> Any:
    return field.with_type(read_as(field.type))


def _fields(type: Type) -> list[Any]:
    return [type.field(place) for place in range(type.num_fields)]


def _list(convert: Convert) -> Convert:
    return lambda values: [_converted(convert, value) for value in values]


def _struct(converters: dict[str, Convert | None]) -> Convert:
    return lambda record: {
        name: _converted(converters[name], value) for name, value in record.items()
    }


def _mapping(key: Convert | None, item: Convert | None) -> Convert:
    return lambda pairs: {
        str(_converted(key, name)): _converted(item, value) for name, value in pairs
    }


def _converted(convert: Convert | None, value: Any) -> Any:
    return value if convert is None or value is None else convert(value)


def _iso(value: Any) -> str:
    written: str = value.isoformat()
    return written


def _text(value: bytes) -> str:
    """Decode bytes as text.

    Raises:
        ValueError: they are not UTF-8.
    """
    try:
        return value.decode()
    except UnicodeDecodeError:
        raise ValueError(f"{shown_value(value)} is bytes, not text in UTF-8") from None
