"""Steps of a project's own: what they take, what they say of mistakes, and how replies are read."""

from __future__ import annotations

import json
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field, field_validator

from pytest_ragassert import ConfigurationError, Step
from pytest_ragassert.metrics.metric import Ask
from pytest_ragassert.runtime.canonical_json import Json
from pytest_ragassert.steps.catalogue import STEPS
from pytest_ragassert.steps.replies.schema import VoidReply
from pytest_ragassert.steps.reply_estimates import likely_reply
from pytest_ragassert.steps.stored_step import stored_step
from pytest_ragassert.storage.keys import Question


class Part(BaseModel):
    title: str
    weight: float = Field(default=1, ge=0, le=1)


class Rating(BaseModel):
    reason: str | None
    level: Literal["low", "high"]
    parts: list[Part] = []

    @field_validator("parts")
    @classmethod
    def few(cls, parts: list[Part]) -> list[Part]:
        if len(parts) > 3:
            raise ValueError("at most three parts")
        return parts


class Endless(BaseModel):
    inner: list[Endless]


TEXT = {"type": "string"}
OBJECT: Json = {"type": "object", "properties": {"said": TEXT}}
RATE = Step("rate_it", "Rate it.", Rating)


def a_schema(**properties: Any) -> Json:
    return {"type": "object", "properties": properties}


def a_step(schema: Any = OBJECT, **changes: Any) -> Step[Any]:
    return Step(**{"name": "rate", "instructions": "Rate.", "schema": schema, **changes})


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"name": "not a name"}, "name must be a word"),
        ({"name": ""}, "name must be a word"),
        ({"name": 5}, "name must be a word"),
        ({"name": "é"}, "name must be a word"),
        ({"name": "1"}, "that starts with a letter or _"),
        ({"name": "x" * 65}, "name must be a word"),
        *(({"name": name}, "belongs to a step") for name in (*STEPS, "embed_text", "override")),
        ({"instructions": " \n"}, "instructions must be a text"),
        ({"instructions": None}, "instructions must be a text"),
        ({"version": 0}, "version must be a whole number from 1, not 0"),
        ({"version": True}, "version must be a whole number from 1, not True"),
        ({"version": "1"}, "version must be a whole number"),
        ({"schema": None}, "pydantic model class or a JSON schema as a dict, not None"),
        ({"schema": str}, "pydantic model class or a JSON schema"),
        ({"schema": {}}, "schema is not a JSON schema"),
        ({"schema": {"type": "array", "items": TEXT}}, "must have an object at the top"),
        ({"schema": {"anyOf": [OBJECT]}}, "must have an object at the top"),
        ({"schema": {"type": "object"}}, "schema is an object without properties"),
        ({"schema": {"type": "thing"}}, "schema.type must be one of string, "),
        ({"schema": a_schema(a={"type": ["string", "null"]})}, 'for several write {"anyOf"'),
        ({"schema": {**OBJECT, "required": []}}, "required must list all properties"),
        (
            {"schema": {**OBJECT, "additionalProperties": True}},
            "additionalProperties must be false",
        ),
        ({"schema": a_schema(a={**TEXT, "pattern": "x"})}, "schema.a has 'pattern'"),
        ({"schema": a_schema(a={"$ref": "#"})}, "schema.a.type must be one of"),
        ({"schema": a_schema(a={"type": "integer", "minimum": "1"})}, "minimum is not a number"),
        (
            {"schema": a_schema(a={"type": "integer", "minimum": 5, "maximum": 2})},
            "schema.a has minimum 5 and maximum 2: no value is within both",
        ),
        (
            {"schema": a_schema(a={"type": "number", "minimum": 2, "exclusiveMaximum": 2})},
            "schema.a has minimum 2 and exclusiveMaximum 2: no value is within both",
        ),
        (
            {"schema": a_schema(a={"type": "array", "items": TEXT, "minItems": 3, "maxItems": 2})},
            "schema.a has minItems 3 and maxItems 2: no value is within both",
        ),
        (
            {"schema": a_schema(a={"type": "array", "items": TEXT, "minItems": -1})},
            "schema.a.minItems is not a whole number from 0: -1",
        ),
        ({"schema": a_schema(a={**TEXT, "maxLength": 1.5})}, "not a whole number from 0: 1.5"),
        ({"schema": a_schema(a={"type": "array"})}, "schema.a.items is not a JSON schema"),
        ({"schema": a_schema(a={"enum": []})}, "schema.a.enum is not a list of choices"),
        ({"schema": a_schema(a={"enum": [[]]})}, "schema.a.enum contains []"),
        ({"schema": a_schema(a={"anyOf": []})}, "schema.a.anyOf is not a list"),
        ({"schema": Endless}, "Endless contains itself without end"),
    ],
)
def test_a_mistake_is_told_with_the_step(changes: dict[str, Any], told: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        a_step(**changes)
    assert f"the step {changes.get('name', 'rate')!r}" in str(caught.value)
    assert told in str(caught.value)


def test_limits_may_leave_one_value() -> None:
    a_step(a_schema(a={"type": "integer", "minimum": 2, "maximum": 2}))
    a_step(a_schema(a={**TEXT, "minLength": 0, "maxLength": 0}))


def test_a_schema_that_holds_itself_is_refused() -> None:
    schema: Json = a_schema()
    schema["properties"]["again"] = schema
    with pytest.raises(ConfigurationError, match="nests deeper than 20 levels"):
        a_step(schema)


def test_all_properties_are_asked_for_and_limits_are_not_sent() -> None:
    part = {
        "type": "object",
        "properties": {"title": TEXT, "weight": {"type": "number"}},
        "required": ["title", "weight"],
        "additionalProperties": False,
    }
    assert RATE.sent_schema == {
        "type": "object",
        "properties": {
            "reason": {"anyOf": [TEXT, {"type": "null"}]},
            "level": {"type": "string", "enum": ["low", "high"]},
            "parts": {"type": "array", "items": part},
        },
        "required": ["reason", "level", "parts"],
        "additionalProperties": False,
    }
    weight = RATE.schema["properties"]["parts"]["items"]["properties"]["weight"]
    assert weight == {"type": "number", "minimum": 0, "maximum": 1}


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"level": "middle"}, 'level is not one of "low", "high": \'middle\''),
        ({"reason": 5}, "reason is not of type string: 5"),
        ({"parts": "none"}, "parts is not of type array"),
        ({"parts": ("a", "b")}, "parts is not of type array"),
        (
            {"parts": [{"title": "a", "weight": True}]},
            "parts[0].weight is not of type number: True",
        ),
        (
            {"parts": [{"title": "a", "weight": float("nan")}]},
            "parts[0].weight is not of type number",
        ),
        ({"parts": [{"title": "a", "weight": 1.5}]}, "parts[0].weight breaks maximum 1: 1.5"),
        ({"parts": [{"weight": 1}]}, "parts[0].title is missing"),
        ({"parts": [{"title": "a", "weight": 1}] * 4}, "parts: Value error, at most three parts"),
    ],
)
def test_a_reply_that_does_not_fit_names_the_field(changes: Json, told: str) -> None:
    reply = {"reason": "So.", "level": "low", "parts": [], **changes}
    with pytest.raises(VoidReply) as caught:
        RATE.read({}, reply)
    assert told in str(caught.value)


def test_a_reply_that_fits_is_a_model_or_a_dict() -> None:
    said = {"level": " HIGH", "parts": [{"title": "a", "weight": 1, "more": 2}], "other": 3}
    reply = RATE.read({}, said).reply
    assert reply == {"reason": None, "level": "high", "parts": [{"title": "a", "weight": 1}]}
    assert RATE.value_of(reply) == Rating(reason=None, level="high", parts=[Part(title="a")])
    assert RATE.is_whole(reply)
    assert not RATE.is_whole(said)
    shared = {"said": ["x"]}
    own = a_step(a_schema(said={"type": "array", "items": TEXT})).value_of(shared)
    assert own == shared
    own["said"].append("y")
    assert shared == {"said": ["x"]}


@given(st.recursive(st.none() | st.booleans() | st.text(), st.lists, max_leaves=5))
def test_what_was_read_fits_what_is_stored(value: Any) -> None:
    step = a_step(a_schema(a={"anyOf": [TEXT, {"type": "array", "items": TEXT}]}))
    try:
        reply = step.read({}, {"a": value}).reply
    except VoidReply:
        assert value is None or not isinstance(value, str)
    else:
        assert step.is_whole(json.loads(json.dumps(reply)))


def test_what_a_key_is_made_of() -> None:
    def key(step: Step[Any], **input: Any) -> str:
        return Question(step, input, "judge", "", {}).key

    whole = key(a_step(), answer="a")
    assert key(a_step(), answer="a") == whole
    others = [
        key(a_step(name="other"), answer="a"),
        key(a_step(version=2), answer="a"),
        key(a_step(instructions="Rate!"), answer="a"),
        key(a_step(a_schema(said={**TEXT, "maxLength": 5})), answer="a"),
        key(a_step(), answer="b"),
    ]
    assert len({whole, *others}) == 6
    # asked again with more instructions, it is the same question
    again = a_step().instructed("Once more.")
    assert again.instructions == "Rate.\n\nOnce more."
    assert key(again, answer="a") == whole


@pytest.mark.parametrize(
    "given", [None, [], {}, "text", {"a": float("nan")}, {"a": object()}, {"previous_reply": {}}]
)
def test_an_input_is_a_json_object(given: Any) -> None:
    with pytest.raises(TypeError, match="the input of the step rate "):
        a_step().input_of(given)


def test_what_it_is_about_for_people() -> None:
    assert a_step().about({"question": "q", "answer": "a"}) == "a"
    assert a_step().about({"question": "q", "answer": 5}) == "q"
    assert a_step().about({"b": ["é" * 400], "a": 1}).startswith('{"a": 1, "b": ["éé')
    assert len(a_step().about({"b": "é" * 400})) == 300


async def typed(ask: Ask) -> tuple[list[Rating], list[dict[str, Any]]]:
    """For mypy: the samples are of the kind that the schema says."""
    plain = Step("plain", "Rate.", OBJECT)
    return await ask(RATE, {"answer": "a"}), await ask(plain, {"answer": "a"}, model="m")


def test_choices_of_several_kinds() -> None:
    step = a_step(a_schema(a={"enum": ["x", 1, None, True]}))
    choices: tuple[Any, ...] = ("x", 1, None, True)
    for choice in choices:
        assert step.read({}, {"a": choice}).reply == {"a": choice}
    with pytest.raises(VoidReply, match="a is not one of"):
        step.read({}, {"a": False})


def test_a_likely_reply_has_the_shape() -> None:
    assert RATE.is_whole(likely_reply(RATE, {}))
    numbers = a_schema(
        a={"type": "integer", "minimum": 3}, b={"type": "number", "maximum": 0.5}, c={"enum": [7]}
    )
    step = a_step(numbers)
    assert likely_reply(step, {}) == {"a": 3, "b": 0.5, "c": 7}
    assert likely_reply(a_step(a_schema(a={**TEXT, "maxLength": 1})), {}) is None


def test_a_stored_row_has_the_step_by_its_name() -> None:
    assert stored_step("verify_claims") is STEPS["verify_claims"]
    own = stored_step("rate_it")
    assert own is not None
    replies: list[Any] = [{"a": 1}, [], {}]
    assert list(map(own.is_whole, replies)) == [True, False, False]
    assert stored_step("not a name") is stored_step("override") is None
