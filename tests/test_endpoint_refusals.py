"""What endpoints refuse and how they say it: which requests follow, and what comes of it.

One row for each way that was seen in public; the words are ours, status and shape are theirs.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from pytest_ragassert import evaluate

from .conftest import MakeSettings
from .loopback.judge import Json
from .loopback.scripts import Recorded
from .loopback.server import LoopbackJudge
from .replies import case

pytestmark = pytest.mark.usefixtures("waits")

Refuses = Callable[[Json], bool]


def schema(body: Json) -> bool:
    return bool(body.get("response_format", {}).get("type") == "json_schema")


def any_format(body: Json) -> bool:
    return "response_format" in body


def json_object(body: Json) -> bool:
    return any_format(body) and not schema(body)


def temperature(body: Json) -> bool:
    return "temperature" in body


def seed(body: Json) -> bool:
    return "seed" in body


def max_tokens(body: Json) -> bool:
    return "max_tokens" in body


def system(body: Json) -> bool:
    return bool(body["messages"][0]["role"] == "system")


def whole_replies(body: Json) -> bool:
    return "stream" not in body


def everything(body: Json) -> bool:
    return True


def either(*parts: Refuses) -> Refuses:
    return lambda body: any(part(body) for part in parts)


class Row(NamedTuple):
    """
    Attributes:
        refuses: what a request must not have.
        forms: of the requests that follow, as `form` gives them.
        error: kind and a word of its message; None: the question is answered.
        options: more settings.
    """

    who: str
    status: int
    body: Any
    refuses: Refuses
    forms: list[str]
    error: tuple[str, str] | None = None
    options: Json | None = None


def form(body: Json) -> str:
    """A request in words."""
    parts = [body.get("response_format", {}).get("type", "no format")]
    parts += [name for name in ("stream", "seed", "max_tokens") if name in body]
    parts += ["no temperature"] * ("temperature" not in body)
    parts += ["no system"] * (body["messages"][0]["role"] != "system")
    return ", ".join(parts)


def openai(message: Any, **more: Any) -> Json:
    return {"error": {"message": message, "type": "invalid_request_error", **more}}


def provider(raw: Any, code: int = 400) -> Json:
    """An error of a provider as OpenRouter passes it on."""
    text = raw if isinstance(raw, str) else json.dumps(raw)
    metadata = {"raw": text, "provider_name": "Some", "is_byok": False}
    return {
        "error": {"message": "Provider returned error", "code": code, "metadata": metadata},
        "user_id": "user_1",
    }


def google(message: str, *fields: str) -> list[Json]:
    violations = [{"field": field, "description": f"At {field}: {message}"} for field in fields]
    details = [{"@type": "type.test/BadRequest", "fieldViolations": violations}]
    error = {"code": 400, "message": message, "status": "INVALID_ARGUMENT", "details": details}
    return [{"error": error}]


def pydantic(*names: str, msg: str = "Extra inputs are not permitted") -> Json:
    return {
        "detail": [
            {"type": "extra_forbidden", "loc": ["body", name], "msg": msg, "input": 1}
            for name in names
        ]
    }


PAGE = "<!DOCTYPE html><html><head><title>400 Bad Request</title></head><h1>Bad Request</h1></html>"
DOWN = ["json_schema", "json_object"]
NONE = [*DOWN, "no format"]
ALL = [*NONE, "no format, no temperature"]
COOL = ["json_schema", "json_schema, no temperature"]
AGAIN = ["json_schema", "json_schema"]
STREAM = ["json_schema", "json_schema, stream"]

ROWS = [
    # -- the response format
    Row("DeepSeek", 400, openai("This response_format type is unavailable now"), schema, DOWN),
    Row(
        "Gemini",
        400,
        google(
            'Invalid JSON payload. Unknown name "additionalProperties" at \'generation_config.'
            "response_schema': Cannot find field.",
            "generation_config.response_schema",
        ),
        schema,
        DOWN,
    ),
    Row(
        "Gemini behind a gateway",
        400,
        openai(
            '[gemini model] [400]: Invalid JSON payload. Unknown name "$schema" at '
            "'generation_config.response_schema': Cannot find field."
        ),
        schema,
        DOWN,
    ),
    Row(
        "Azure, an old version",
        400,
        openai(
            "response_format value as json_schema is enabled only for api versions later than x",
            param=None,
            code="BadRequest",
        ),
        schema,
        DOWN,
    ),
    Row(
        "Azure, an older model",
        400,
        openai("Invalid parameter: of type 'json_schema' it is not", param="response_format"),
        schema,
        DOWN,
    ),
    Row(
        "OpenRouter, a provider's error as text",
        400,
        provider(openai("response_format json_schema is not supported for this model")),
        any_format,
        NONE,
    ),
    Row(
        "OpenRouter, a provider's page",
        400,
        provider("Something went wrong upstream"),
        any_format,
        NONE,
    ),
    Row(
        "OpenRouter, a provider of Responses",
        400,
        provider(openai("The input must have the word 'json'", param="input", code=None)),
        any_format,
        NONE,
    ),
    Row(
        "OpenRouter, inside a reply of status 200",
        200,
        provider({"message": "invalid request error trace_id: 9ca6", "type": "x"}),
        schema,
        DOWN,
    ),
    Row(
        "OpenRouter, providers that must take all parameters",
        404,
        openai("No endpoints found that can handle the requested parameters.", code=404),
        everything,
        ["json_schema"],
        ("request", "requested parameters"),
    ),
    Row(
        "llama.cpp",
        400,
        {
            "error": {
                "code": 400,
                "message": "Failed to initialize samplers: failed to parse grammar",
                "type": "invalid_request_error",
            }
        },
        schema,
        DOWN,
    ),
    Row(
        "llama.cpp, an older one",
        500,
        {"error": {"code": 500, "message": "failed to parse grammar", "type": "server_error"}},
        any_format,
        NONE,
    ),
    Row(
        "vLLM, its grammar",
        400,
        {
            "object": "error",
            "message": "Grammar error: Unimplemented keys: ['minItems']",
            "type": "BadRequestError",
            "param": None,
            "code": 400,
        },
        schema,
        DOWN,
    ),
    Row(
        "llama.cpp, a schema that it can't convert",
        500,
        openai("JSON schema conversion failed: Unrecognized schema", type="server_error"),
        schema,
        DOWN,
    ),
    Row(
        "llama.cpp, a grammar at its end",
        500,
        openai("Unexpected empty grammar stack after a piece", type="server_error"),
        schema,
        DOWN,
    ),
    Row(
        "OpenAI, a format that the messages have to name",
        400,
        openai("'messages' must have the word 'json' for this response_format", param="messages"),
        any_format,
        NONE,
    ),
    Row("vLLM, a strict one", 422, pydantic("response_format"), any_format, NONE),
    Row(
        "SGLang",
        400,
        {"object": "error", "message": "Cannot use this without the backend", "code": 400},
        any_format,
        NONE,
    ),
    Row(
        "TGI",
        422,
        {"error": "Input validation error: grammar is not supported", "error_type": "validation"},
        any_format,
        NONE,
    ),
    Row(
        "Ollama",
        400,
        openai('invalid format: expected "json" or a JSON schema', type="api_error"),
        schema,
        DOWN,
    ),
    Row("LM Studio", 400, {"error": "'response_format.type' must be 'text'"}, any_format, NONE),
    Row(
        "LocalAI",
        400,
        {"error": {"code": 400, "message": "could not parse it", "type": ""}},
        schema,
        DOWN,
    ),
    Row(
        "Groq",
        400,
        openai("This model does not support response format `json_schema`. See the docs"),
        schema,
        DOWN,
    ),
    Row(
        "Cerebras",
        400,
        {
            "message": "type: Input should be 'text'",
            "type": "invalid_request_error",
            "param": "validation_error",
            "code": "wrong_api_format",
        },
        any_format,
        NONE,
    ),
    Row(
        "Cerebras, by fields of the schema",
        400,
        {
            "message": "Unsupported JSON schema fields: {'items'}",
            "type": "invalid_request_error",
            "param": "response_format",
            "code": "wrong_api_format",
        },
        schema,
        DOWN,
    ),
    Row(
        "SambaNova",
        400,
        {"error": {"message": "Invalid JSON schema", "type": "invalid_request_error"}},
        schema,
        DOWN,
    ),
    Row(
        "Fireworks",
        400,
        {
            "error": {"object": "error", "message": "JSON Schema not supported: `x`"},
            "type": "error",
        },
        schema,
        DOWN,
    ),
    Row(
        "Together",
        400,
        openai("Input validation error", param=None, code="invalid_request"),
        schema,
        DOWN,
    ),
    Row(
        "Perplexity",
        400,
        openai(
            json.dumps(["At body -> response_format -> Text -> type: Input should be 'text'"]),
            type="bad_request",
            code=400,
        ),
        any_format,
        NONE,
    ),
    Row(
        "Cohere",
        400,
        {"message": "invalid request: response_format validation: missing required field 'type'"},
        schema,
        DOWN,
    ),
    Row(
        "Mistral",
        422,
        {
            "object": "error",
            "message": pydantic("response_format"),
            "type": "invalid_request_error",
            "code": None,
        },
        any_format,
        NONE,
    ),
    Row(
        "Cloudflare",
        400,
        {
            "errors": [{"code": 5025, "message": "AiError: this model doesn't do JSON Schema"}],
            "success": False,
            "result": {},
            "messages": [],
        },
        schema,
        DOWN,
    ),
    Row(
        "Databricks",
        400,
        {
            "error": "Received error from the serving endpoint",
            "external_model_message": {
                "error_code": "INVALID_PARAMETER_VALUE",
                "message": "Response format type 'json_schema' is unknown here",
            },
        },
        schema,
        DOWN,
    ),
    Row(
        "Databricks, in short",
        400,
        {"error_code": "BAD_REQUEST", "message": "Bad request: json: it has a field too many\n"},
        any_format,
        NONE,
    ),
    Row(
        "watsonx",
        400,
        {
            "errors": [{"code": "invalid_request_entity", "message": "Json document validation"}],
            "trace": "abc",
            "status_code": 400,
        },
        any_format,
        NONE,
    ),
    Row(
        "Zhipu",
        400,
        {"error": {"code": "1210", "message": "API 调用参数有误，请检查文档。"}},
        schema,
        DOWN,
    ),
    Row(
        "Volcengine",
        400,
        openai("The parameter specified is not valid: json_schema", param="", code="Invalid"),
        schema,
        DOWN,
    ),
    Row(
        "SiliconFlow",
        400,
        {"code": 20015, "message": "Json mode is not supported for this model.", "data": None},
        any_format,
        NONE,
    ),
    Row(
        "Portkey",
        400,
        {
            "status": "failure",
            "message": "openai error: it was refused",
            "error": {"message": "openai error: it was refused", "type": None, "param": None},
            "provider": "openai",
        },
        schema,
        DOWN,
    ),
    Row(
        "Vercel's gateway",
        400,
        {
            "error": {"message": "Invalid input", "type": "invalid_request_error"},
            "generationId": "gen_1",
            "providerMetadata": {},
        },
        schema,
        DOWN,
    ),
    Row("Anthropic's other API", 400, openai("Output schema: too complex"), schema, DOWN),
    Row("xAI", 400, {"code": "Client error", "error": "The grammar can't be made"}, schema, DOWN),
    Row(
        "a router with attempts",
        400,
        {
            "error": {
                "message": "All target providers failed.",
                "attempts": [{"message": "Upstream failed.", "details": provider("no such form")}],
            }
        },
        schema,
        DOWN,
    ),
    Row(
        "Apigee",
        400,
        {"fault": {"faultstring": "Body is not as wanted", "detail": {"errorcode": "x.y"}}},
        any_format,
        NONE,
    ),
    Row(
        "OAuth's words",
        400,
        {"error": "invalid_request", "error_description": "the request is malformed"},
        any_format,
        NONE,
    ),
    Row(
        "a problem of RFC 9457",
        422,
        {"title": "Unprocessable", "detail": "Body does not match", "status": 422},
        any_format,
        NONE,
    ),
    Row("an empty body", 400, "", any_format, NONE),
    Row("a page", 400, PAGE, any_format, NONE),
    # -- parameters
    Row(
        "Bedrock behind LiteLLM",
        400,
        openai(
            'litellm.BadRequestError: BedrockException - {"message":"The model returned these '
            'errors: temperature may only be set to 1 when thinking is enabled."}',
            code="400",
        ),
        temperature,
        COOL,
    ),
    Row(
        "Moonshot",
        400,
        {"error": {"message": "invalid temperature: only 1 is allowed for this model"}},
        temperature,
        COOL,
    ),
    Row(
        "OpenAI, reasoning models",
        400,
        openai("Unsupported value", param="temperature", code="unsupported_value"),
        temperature,
        COOL,
    ),
    Row("Claude by a gateway", 400, openai("`temperature` is deprecated"), temperature, COOL),
    Row(
        "a server that says nothing of a temperature",
        400,
        openai("Bad Request"),
        temperature,
        ALL,
    ),
    Row(
        "a server that takes neither format nor options and does not say so",
        422,
        {"message": "unprocessable"},
        either(any_format, temperature),
        ALL,
    ),
    Row(
        "an object without words",
        400,
        {"": ""},
        schema,
        DOWN,
    ),
    Row(
        "Cohere, a field of OpenAI's",
        422,
        {"message": "unknown field: parameter 'seed' is not a valid field"},
        seed,
        ["json_schema, seed", "json_schema"],
        None,
        {"seed": 7},
    ),
    Row(
        "Mistral, all fields at once",
        422,
        pydantic("seed", "max_tokens"),
        either(seed, max_tokens),
        ["json_schema, seed, max_tokens", "json_schema, max_tokens", "json_schema"],
        None,
        {"seed": 7, "max_tokens": 900},
    ),
    Row(
        "Mistral's proxy, an error as text",
        422,
        {"object": "error", "message": json.dumps(pydantic("seed")), "param": None, "code": "1"},
        seed,
        ["json_schema, seed", "json_schema"],
        None,
        {"seed": 7},
    ),
    # -- messages and streams
    Row(
        "Gemma by Google",
        400,
        google("Developer instruction is not enabled for models/gemma"),
        system,
        ["json_schema", "json_schema, no system"],
    ),
    Row(
        "DashScope, a stream alone",
        400,
        openai(
            "This model only support stream mode, please enable the stream parameter.",
            param=None,
            code="invalid_parameter_error",
        ),
        whole_replies,
        STREAM,
    ),
    Row(
        "DashScope, thinking",
        400,
        openai("parameter.enable_thinking must be set to false for non-streaming calls"),
        whole_replies,
        STREAM,
    ),
    Row(
        "ModelScope, thinking",
        400,
        openai("enable thinking can not be support when `stream=False`."),
        whole_replies,
        STREAM,
    ),
    Row(
        "DashScope, no plain calls",
        400,
        {"code": "Invalid", "message": "No plain call; only incremental_output/stream is taken"},
        whole_replies,
        STREAM,
    ),
    Row(
        "a server of streams",
        422,
        openai("Non-streaming calls are not taken"),
        whole_replies,
        STREAM,
    ),
    Row("a field of streams", 422, pydantic("stream", msg="must be True"), whole_replies, STREAM),
    Row("a proxy of a chat", 400, {"detail": "Stream must be set to true"}, whole_replies, STREAM),
    # -- replies that are no JSON
    Row(
        "Groq, what its model wrote",
        400,
        openai(
            "Failed to generate JSON. Please adjust your prompt. See 'failed_generation'.",
            code="json_validate_failed",
            failed_generation='{"claims": [{"sent',
        ),
        everything,
        AGAIN,
        ("malformed", "Failed to generate JSON"),
    ),
    Row(
        "Groq behind OpenRouter",
        400,
        provider(openai("Failed", code="json_validate_failed", failed_generation="")),
        everything,
        AGAIN,
        ("malformed", "Provider returned error"),
    ),
    Row(
        "Groq, the schema",
        400,
        openai("Generated JSON does not match the expected schema.", code="json_validate_failed"),
        everything,
        AGAIN,
        ("malformed", "does not match"),
    ),
    Row(
        "Groq behind LiteLLM",
        400,
        openai(
            'GroqException - {"error":{"message":"No","code":"json_validate_failed"}}', code="400"
        ),
        everything,
        AGAIN,
        ("malformed", "GroqException"),
    ),
    Row(
        "a reply without choices that says why",
        200,
        {
            "choices": None,
            "base_resp": {"status_code": 2013, "status_msg": "invalid params, format"},
        },
        everything,
        ["json_schema"],
        ("malformed", "no choices: invalid params"),
    ),
    Row(
        "Cloudflare, its JSON mode",
        400,
        {"errors": [{"code": 5024, "message": "AiError: JSON Mode couldn't be met"}]},
        everything,
        AGAIN,
        ("malformed", "couldn't be met"),
    ),
    Row(
        "a server's own fault",
        500,
        openai("The model could not generate valid JSON output", type="server_error"),
        everything,
        AGAIN,
        ("malformed", "could not generate"),
    ),
    Row(
        "LiteLLM's check of a schema",
        422,
        openai("litellm.JSONSchemaValidationError: model=x, returned an invalid response"),
        everything,
        AGAIN,
        ("malformed", "JSONSchemaValidationError"),
    ),
    # -- where nothing simpler helps, or is tried
    Row(
        "a server that refuses whatever it is asked",
        400,
        provider({"error": {"message": "the deployment sleeps"}}),
        everything,
        ALL,
        ("request", "400 Provider returned error; the deployment sleeps; it refused simpler"),
    ),
    Row("a page, for ever", 422, PAGE, everything, ALL, ("request", "422 400 Bad Request; Bad")),
    Row(
        "a limit above the model's",
        400,
        openai("max_tokens is too large: 9000, at most 4096", param="max_tokens"),
        everything,
        ["json_schema, max_tokens"],
        ("request", "too large"),
        {"max_tokens": 9000},
    ),
    Row(
        "DeepSeek's filter",
        400,
        openai("Content Exists Risk", param=None, code="invalid_request_error"),
        everything,
        ["json_schema"],
        ("content filter", "Content Exists Risk"),
    ),
    Row(
        "DashScope's filter",
        400,
        openai("Input data may be bad", code="data_inspection_failed"),
        everything,
        ["json_schema"],
        ("content filter", "Input data"),
    ),
    Row(
        "Moonshot's filter",
        400,
        openai("The request was rejected because it was considered high risk"),
        everything,
        ["json_schema"],
        ("content filter", "high risk"),
    ),
    Row(
        "xAI's filter",
        403,
        {"code": "Denied", "error": "Content violates usage guidelines."},
        everything,
        ["json_schema"],
        ("content filter", "violates"),
    ),
    Row(
        "DashScope, too long",
        400,
        openai("Range of input length should be [1, 30720]", code="invalid_parameter_error"),
        everything,
        ["json_schema"] * 2,
        ("request", "a request of this length"),
    ),
    Row(
        "Anthropic's quota",
        400,
        openai("Your credit balance is too low to use the API"),
        everything,
        ["json_schema"],
        ("quota", "quota used up"),
    ),
    Row(
        "Zhipu's quota",
        429,
        {"error": {"code": "1113", "message": "您的账户已欠费"}},
        everything,
        ["json_schema"],
        ("quota", "quota used up"),
    ),
    Row(
        "OpenRouter, an unknown model",
        400,
        openai("some/model is not a valid model ID", code=400),
        everything,
        ["json_schema"],
        ("model", "--ragassert-model"),
    ),
    Row(
        "Groq, a model of the past",
        400,
        openai("It is gone for good", code="model_decommissioned"),
        everything,
        ["json_schema"],
        ("model", "--ragassert-model"),
    ),
    Row(
        "Gemini, a wrong key",
        400,
        google("API key not valid. Please pass a valid one."),
        everything,
        ["json_schema"],
        ("credentials", "OPENAI_API_KEY"),
    ),
]


@pytest.mark.parametrize("row", ROWS, ids=[row.who for row in ROWS])
def test_what_follows_from_a_refusal(
    judge: LoopbackJudge, settings: MakeSettings, row: Row
) -> None:
    def refusing(recorded: Recorded) -> Json | None:
        refused = row.refuses(recorded.body)
        return {"status": row.status, "body": row.body} if refused else None

    judge.on(refusing)
    (one,) = evaluate(
        [case()], ["faithfulness"], settings=settings(**(row.options or {})), on_error="collect"
    )
    asked = [form(request.body) for request in judge.requests]
    if row.error is None:
        assert one.errors == {}
        assert one["faithfulness"].score == 1.0
        # once it is found, it holds for what is asked next
        assert asked == [*row.forms, row.forms[-1]]
    else:
        error: Any = one.errors["faithfulness"]
        assert error.kind == row.error[0]
        assert row.error[1] in str(error)
        assert asked == row.forms


def test_the_table_is_long_enough() -> None:
    assert len({row.who for row in ROWS}) == len(ROWS) > 40
