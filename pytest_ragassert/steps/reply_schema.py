"""The schema of a project's own step: derived from a pydantic model or a JSON schema, validated,
and compared with replies.
"""

from __future__ import annotations

import math
from typing import Any

from ..runtime.canonical_json import Json, canonical_json
from .replies.schema import VoidReply
from .step import strict_object

_DEEPEST = 20  # levels of a schema
_KIND_OF: dict[str, type | tuple[type, ...]] = {
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
    "null": type(None),
    "array": list,
    "object": dict,
}
# Checked when a reply is read, and not sent, because some endpoints reject a schema with them.
_LIMITS = {
    "string": ("minLength", "maxLength"),
    "integer": ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"),
    "number": ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"),
    "array": ("minItems", "maxItems"),
}
_SIZES = ("minLength", "maxLength", "minItems", "maxItems")
_LOWER = ("minimum", "exclusiveMinimum", "minLength", "minItems")
_SCALARS = ("string", "boolean", "null", "integer", "number")
_OWN = {"array": ("items",), "object": ("properties", "required", "additionalProperties")}
_WORDS = ("type", "title", "description", "enum")
# Those that pydantic writes, which its model checks.
_BY_MODEL = ("pattern", "format", "multipleOf", "uniqueItems")
_SAYS_NOTHING = ("title", "default", "examples", "discriminator")
_NOT_SENT = frozenset((*_BY_MODEL, *(limit for many in _LIMITS.values() for limit in many)))


class WrongSchema(ValueError):
    """The schema is not one that a judge's replies can be checked against."""


def schema_of(given: Any) -> Json:
    """Return the schema of an object whose properties are all required, from what a step was given.

    Args:
        given: a pydantic model class, or a JSON schema.

    Raises:
        WrongSchema: it is neither, or not valid.
    """
    if isinstance(given, dict):
        schema = _checked(given, "schema", _DEEPEST, by_model=False)
    elif is_model(given):
        schema = _checked(_of_model(given), given.__name__, _DEEPEST, by_model=True)
    else:
        raise WrongSchema(
            f"schema must be a pydantic model class or a JSON schema as a dict, not {given!r:.60}"
        )
    if schema.get("type") != "object":
        raise WrongSchema("schema must have an object at the top, because a reply is a JSON object")
    return schema


def is_model(given: Any) -> bool:
    from pydantic import BaseModel

    return isinstance(given, type) and issubclass(given, BaseModel)


def sent_part(schema: Any) -> Any:
    """Return the schema without limits, which every strict structured output accepts."""
    if isinstance(schema, list):
        return [sent_part(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    sent = {word: one for word, one in schema.items() if word not in _NOT_SENT}
    for word in ("items", "anyOf"):
        if word in sent:
            sent[word] = sent_part(sent[word])
    if "properties" in sent:
        sent["properties"] = {name: sent_part(one) for name, one in sent["properties"].items()}
    return sent


# -- checked when the step is made -----------------------------------------------------------------


def _of_model(model: Any) -> Json:
    """Return the model's JSON schema, with each definition inserted where it is referenced.

    Raises:
        WrongSchema: it has none, or refers to itself.
    """
    from pydantic.errors import PydanticUserError

    try:
        schema: Json = model.model_json_schema()
    except PydanticUserError as error:
        raise WrongSchema(f"{model.__name__} has no JSON schema: {error.message}") from None
    whole: Json = _written_out(schema, schema.pop("$defs", {}), ())
    return whole


def _written_out(schema: Any, definitions: Json, inside: tuple[str, ...]) -> Any:
    if isinstance(schema, list):
        return [_written_out(one, definitions, inside) for one in schema]
    if not isinstance(schema, dict):
        return schema
    schema = {word: one for word, one in schema.items() if word not in _SAYS_NOTHING}
    if "const" in schema:
        schema["enum"] = [schema.pop("const")]
    if "oneOf" in schema:
        schema["anyOf"] = schema.pop("oneOf")
    if "$ref" in schema:
        name = str(schema.pop("$ref")).rpartition("/")[2]
        if name in inside:
            raise WrongSchema(
                f"{name} contains itself without end; a reply's schema must be finite"
            )
        named = _written_out(definitions[name], definitions, (*inside, name))
        return {**named, **schema}
    # a property may have the name of a keyword
    named = schema.pop("properties", None)
    whole = {word: _written_out(one, definitions, inside) for word, one in schema.items()}
    if named is not None:
        parts = {name: _written_out(one, definitions, inside) for name, one in named.items()}
        whole |= strict_object(**parts)
    return whole


def _checked(schema: Any, place: str, levels: int, *, by_model: bool) -> Json:
    """Return the schema with all properties required.

    Raises:
        WrongSchema: names the invalid place.
    """
    if not levels:
        raise WrongSchema(f"{place} nests deeper than {_DEEPEST} levels")
    if not isinstance(schema, dict) or not schema:
        raise WrongSchema(f"{place} is not a JSON schema: {schema!r:.60}")

    def inner(one: Any, name: str) -> Json:
        return _checked(one, f"{place}.{name}", levels - 1, by_model=by_model)

    if "enum" in schema:
        schema = _with_type(schema, place)
    if "anyOf" in schema:
        _check_words(schema, ("anyOf", "title", "description"), place)
        if not isinstance(schema["anyOf"], list) or not schema["anyOf"]:
            raise WrongSchema(f"{place}.anyOf is not a list of schemas: {schema['anyOf']!r:.60}")
        ways = [inner(one, f"anyOf[{at}]") for at, one in enumerate(schema["anyOf"])]
        return {**schema, "anyOf": ways}
    kind = schema.get("type")
    if not isinstance(kind, str) or kind not in _KIND_OF:
        hint = '; for several write {"anyOf": [...]}' if isinstance(kind, list) else ""
        raise WrongSchema(
            f"{place}.type must be one of {', '.join(_KIND_OF)}, not {kind!r:.60}{hint}"
        )
    limits = _LIMITS.get(kind, ())
    own = (*_WORDS, *_OWN.get(kind, ()), *limits, *(_BY_MODEL if by_model else ()))
    _check_words(schema, own, place)
    for limit in limits:
        if limit in schema and not _is_number(schema[limit]):
            raise WrongSchema(f"{place}.{limit} is not a number: {schema[limit]!r:.60}")
        if limit in _SIZES and limit in schema and (schema[limit] < 0 or schema[limit] % 1):
            raise WrongSchema(
                f"{place}.{limit} is not a whole number from 0: {schema[limit]!r:.60}"
            )
    _check_room(schema, limits, place)
    if kind == "array":
        return {**schema, "items": inner(schema.get("items"), "items")}
    return _checked_object(schema, place, inner) if kind == "object" else dict(schema)


def _checked_object(schema: Json, place: str, inner: Any) -> Json:
    named = schema.get("properties")
    if not isinstance(named, dict) or not named or not all(isinstance(n, str) for n in named):
        raise WrongSchema(f"{place} is an object without properties: name its properties")
    required = schema.get("required", list(named))
    if not isinstance(required, list) or {*map(str, required)} != named.keys():
        raise WrongSchema(
            f"{place}.required must list all properties or be omitted; for an optional one "
            'write {"anyOf": [..., {"type": "null"}]}'
        )
    if schema.get("additionalProperties", False) is not False:
        raise WrongSchema(f"{place}.additionalProperties must be false or omitted")
    parts = {name: inner(one, name) for name, one in named.items()}
    return {**schema, **strict_object(**parts)}


def _with_type(schema: Json, place: str) -> Json:
    choices = schema["enum"]
    if not isinstance(choices, list) or not choices:
        raise WrongSchema(f"{place}.enum is not a list of choices: {choices!r:.60}")
    by_kind: dict[str, list[Any]] = {}
    for one in choices:
        kind = next((kind for kind in _SCALARS if _is_kind(one, kind)), None)
        if kind is None:
            raise WrongSchema(f"{place}.enum contains {one!r:.60}, which is not a text or number")
        by_kind.setdefault(kind, []).append(one)
    if "type" in schema:
        return schema
    said = {word: one for word, one in schema.items() if word != "enum"}
    ways = [{"type": kind, "enum": some} for kind, some in by_kind.items()]
    return {**said, **ways[0]} if len(ways) == 1 else {**said, "anyOf": ways}


def _check_words(schema: Json, known: tuple[str, ...], place: str) -> None:
    unknown = [word for word in schema if word not in known]
    if unknown:
        raise WrongSchema(
            f"{place} has {unknown[0]!r:.60}, which is not supported here; supported are "
            f"{', '.join(known)}"
        )
    for word in ("title", "description"):
        if not isinstance(schema.get(word, ""), str):
            raise WrongSchema(f"{place}.{word} is not a text: {schema[word]!r:.60}")


def _check_room(schema: Json, limits: tuple[str, ...], place: str) -> None:
    """Check that limits leave a value.

    Raises:
        WrongSchema: no value is within both limits.
    """
    given = [limit for limit in limits if limit in schema]
    for low in (limit for limit in given if limit in _LOWER):
        for high in (limit for limit in given if limit not in _LOWER):
            outside = low == "exclusiveMinimum" or high == "exclusiveMaximum"
            if schema[low] > schema[high] or (outside and schema[low] == schema[high]):
                raise WrongSchema(
                    f"{place} has {low} {schema[low]!r:.60} and {high} {schema[high]!r:.60}: "
                    "no value is within both"
                )


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


# -- compared with a reply -------------------------------------------------------------------------


def fitted(value: Any, schema: Json, place: str = "") -> Any:
    """Return the value in the form of the schema, without names that the schema does not know.

    Raises:
        VoidReply: names the field that does not fit.
    """
    called = place or "the reply"
    if "anyOf" in schema:
        problems = []
        for way in schema["anyOf"]:
            try:
                return fitted(value, way, place)
            except VoidReply as problem:
                problems.append(str(problem))
        raise VoidReply(next((one for one in problems if "null" not in one), problems[0]))
    if "enum" in schema:
        return _choice(value, schema["enum"], called)
    kind = schema["type"]
    if not _is_kind(value, kind):
        raise VoidReply(f"{called} is not of type {kind}: {value!r:.40}")
    _check_limits(value, schema, called)
    if kind == "array":
        items = schema["items"]
        return [fitted(one, items, f"{called}[{at}]") for at, one in enumerate(value)]
    if kind == "object":
        return _fitted_object(value, schema["properties"], place)
    return int(value) if kind == "integer" else value


def _fitted_object(value: Json, properties: Json, place: str) -> Json:
    whole = {}
    for name, schema in properties.items():
        inner = f"{place}.{name}" if place else name
        if name not in value and not _takes_null(schema):
            raise VoidReply(f"{inner} is missing")
        whole[name] = fitted(value.get(name), schema, inner)
    return whole


def _takes_null(schema: Json) -> bool:
    return schema.get("type") == "null" or any(map(_takes_null, schema.get("anyOf", ())))


def _is_kind(value: Any, kind: str) -> bool:
    if kind in ("integer", "number"):
        whole = kind == "number" or isinstance(value, int)
        return _is_number(value) and (whole or value == int(value))
    return isinstance(value, _KIND_OF[kind])


def _choice(value: Any, choices: list[Any], called: str) -> Any:
    """Return the choice that a reply makes, ignoring a text's case and the space around it."""
    if isinstance(value, str):
        said = value.strip().casefold()
        same = [one for one in choices if isinstance(one, str) and one.casefold() == said]
        same = [value] if value in same else same
    else:
        # 1 and true are equal to Python
        flag = isinstance(value, bool)
        same = [one for one in choices if isinstance(one, bool) is flag and one == value]
    if len(same) != 1:
        valid = ", ".join(map(canonical_json, choices))
        raise VoidReply(f"{called} is not one of {valid}: {value!r:.40}")
    return same[0]


def _check_limits(value: Any, schema: Json, called: str) -> None:
    size = len(value) if isinstance(value, str | list) else value
    for limit in _LIMITS.get(schema["type"], ()):
        if limit not in schema:
            continue
        least = schema[limit]
        low = limit in ("minimum", "minLength", "minItems")
        high = limit in ("maximum", "maxLength", "maxItems")
        if (
            (low and size < least)
            or (high and size > least)
            or (limit == "exclusiveMinimum" and size <= least)
            or (limit == "exclusiveMaximum" and size >= least)
        ):
            raise VoidReply(f"{called} breaks {limit} {least:g}: {value!r:.40}")


# -- guessed ---------------------------------------------------------------------------------------


def likely_value(schema: Json, text: str) -> Any:
    """Return a value that has the schema's shape.

    Args:
        text: the text to use wherever there is one.
    """
    if "anyOf" in schema:
        return likely_value(schema["anyOf"][0], text)
    if "enum" in schema:
        return schema["enum"][0]
    match schema["type"]:
        case "object":
            return {name: likely_value(one, text) for name, one in schema["properties"].items()}
        case "array":
            return [likely_value(schema["items"], text)] * max(1, int(schema.get("minItems", 1)))
        case "string":
            return text
        case "boolean":
            return True
        case "null":
            return None
    least = schema.get("minimum", schema.get("exclusiveMinimum", 0) + 1)
    return min(least, schema["maximum"]) if "maximum" in schema else least
