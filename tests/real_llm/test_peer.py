"""What the server itself does: the facts about endpoints that the other tests rest on."""

from __future__ import annotations

import json
from typing import Any

import openai
import pytest

from .server import MODEL

pytestmark = pytest.mark.real_llm

HI: Any = [{"role": "user", "content": "Say hi."}]
TEXTS = [
    "Größe: 3 × 40 Ärzte, „Straße“",
    "Съешь ещё этих мягких французских булок",
    "渡轮每40分钟一班，您好。",
    'ferry 🚢👩‍👩‍👧 naïve — “quoted” \\ " \t',
]


def of_schema(schema: dict[str, Any]) -> Any:
    named = {"name": "reply", "strict": True, "schema": schema}
    return {"type": "json_schema", "json_schema": named}


@pytest.mark.parametrize("text", TEXTS)
def test_text_of_many_scripts_comes_through_the_tokenizer(client: openai.OpenAI, text: str) -> None:
    schema = {
        "type": "object",
        "properties": {"text": {"type": "string", "enum": [text]}},
        "required": ["text"],
        "additionalProperties": False,
    }
    message: Any = [{"role": "user", "content": f"Repeat: {text}"}]
    reply = client.chat.completions.create(
        model=MODEL,
        messages=message,
        temperature=0,
        max_tokens=150,
        response_format=of_schema(schema),
    )
    assert json.loads(reply.choices[0].message.content or "") == {"text": text}
    assert reply.choices[0].finish_reason == "stop"


def test_json_object_is_an_object(client: openai.OpenAI) -> None:
    reply = client.chat.completions.create(
        model=MODEL,
        messages=HI,
        temperature=0,
        max_tokens=200,
        response_format={"type": "json_object"},
    )
    choice = reply.choices[0]
    text = choice.message.content or ""
    assert text.startswith("{")
    assert choice.finish_reason == "length" or isinstance(json.loads(text), dict)


def test_a_reply_has_usage_and_is_no_stream(client: openai.OpenAI) -> None:
    reply = client.chat.completions.create(model="any", messages=HI, max_tokens=5)
    assert reply.choices[0].finish_reason == "length"
    assert reply.usage is not None
    assert reply.usage.completion_tokens == 5
    assert reply.usage.prompt_tokens > 5
    assert reply.model == MODEL


def test_stop_words_end_a_reply_as_its_end_does(client: openai.OpenAI) -> None:
    long = client.chat.completions.create(model=MODEL, messages=HI, temperature=0, max_tokens=20)
    words = (long.choices[0].message.content or "").split()
    cut = client.chat.completions.create(
        model=MODEL, messages=HI, temperature=0, max_tokens=20, stop=[f" {words[1]}"]
    )
    assert cut.choices[0].message.content == words[0]
    assert cut.choices[0].finish_reason == "stop"


def test_unknown_parameters_are_passed_over(client: openai.OpenAI) -> None:
    reply = client.chat.completions.create(
        model=MODEL, messages=HI, max_tokens=2, extra_body={"frobnicate": 3}
    )
    assert reply.choices[0].message.content


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ({"temperature": "hot"}, "Field 'temperature': [json.exception.type_error.302]"),
        ({"max_tokens": "many"}, "Field 'max_tokens': [json.exception.type_error.302]"),
        ({"n": 2}, "Field 'n': Value must be between 1 <= value <= 1, but got 2"),
        ({"response_format": {"type": "xml"}}, "response_format type must be one of"),
        ({"response_format": of_schema({"type": "blob"})}, "unrecognized type blob"),
    ],
)
def test_a_wrong_value_is_a_400_that_names_it(
    client: openai.OpenAI, body: dict[str, Any], told: str
) -> None:
    with pytest.raises(openai.BadRequestError) as raised:
        client.chat.completions.create(model=MODEL, messages=HI, max_tokens=2, extra_body=body)
    error: Any = raised.value.body
    assert told in error["message"]
    assert error["type"] == "invalid_request_error"


def test_embeddings_are_not_implemented(client: openai.OpenAI) -> None:
    with pytest.raises(openai.InternalServerError) as raised:
        client.embeddings.create(model=MODEL, input=["hi"])
    error: Any = raised.value.body
    assert (raised.value.status_code, error["type"]) == (501, "not_supported_error")
