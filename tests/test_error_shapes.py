"""Where gateways put the reason of a refusal: it is shown, and simpler requests are tried first."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pytest_ragassert import evaluate
from pytest_ragassert.judging.judges.openai.error_body import ServerError

from .conftest import MakeSettings
from .loopback.server import LoopbackJudge
from .replies import case

pytestmark = pytest.mark.usefixtures("waits")

WHY = "The wished shape cannot be honoured here"
INSIDE = {"error": {"message": WHY}}
BAD = "Bad request"

SHAPES: dict[str, Any] = {
    "a list of details": {"detail": [{"type": "value_error", "loc": ["body"], "msg": WHY}]},
    "errors inside detail": {"detail": {"errors": [{"msg": WHY}]}},
    "a list of texts": {"errors": [WHY]},
    "JSON:API": {"errors": [{"status": "422", "title": "Unprocessable", "detail": WHY}]},
    "problem+json": {"type": "about:blank", "title": BAD, "status": 400, "detail": WHY},
    "errors by field": {"title": BAD, "status": 400, "errors": {"$.body": [WHY]}},
    "errors by field, a text each": {"message": BAD, "errors": {"body": WHY}},
    "validation by place": {"message": BAD, "validation": {"body": {"message": WHY}}},
    "a message at the top": {"message": WHY},
    "a message in capitals": {"__type": "ValidationException", "Message": WHY},
    "an error's text": {"error": WHY},
    "a title and a message": {"error": "Bad Request", "message": WHY, "statusCode": 400},
    "no message but a detail": {"error": {"message": None, "code": 400}, "detail": WHY},
    "camel case": {"errorMessage": WHY, "errorType": "ValidationException"},
    "underscores": {"error_code": 336003, "error_msg": WHY},
    "an innerError": {"error": {"code": "BadRequest", "message": BAD, "innerError": INSIDE}},
    "inside data": {"message": BAD, "success": False, "data": {"error": WHY}},
    "inside a response": {"error": BAD, "response": INSIDE},
    "metadata.raw": {"error": {"message": BAD, "metadata": {"raw": json.dumps(INSIDE)}}},
    "metadata.raw of a stream": {
        "error": {"message": BAD, "metadata": {"raw": f"data: {json.dumps(INSIDE)}\n\n"}}
    },
    "metadata.reason": {"error": {"message": BAD, "metadata": {"reason": WHY}}},
    "earlier errors": {"error": {"message": BAD, "metadata": {"previous_errors": [INSIDE]}}},
    "a provider's error": {"error": {"message": BAD, "provider_error": WHY}},
    "an upstream error": {"error": {"message": BAD, "upstream": INSIDE}},
    "an original error": {"error": {"message": BAD, "originalError": {"message": WHY}}},
    "a raw response": {"error": {"message": BAD, "raw_response": json.dumps(INSIDE)}},
    "a body": {"error": {"message": BAD, "body": json.dumps(INSIDE)}},
    "invalid fields": {"detail": BAD, "invalid_fields": [{"field": "a", "description": WHY}]},
    "further information": {"error": {"message": BAD, "additionalInfo": [{"info": INSIDE}]}},
    "a reason among details": {"error": {"message": BAD, "details": {"reason": WHY}}},
    "a reason of failure": {"error": {"message": BAD, "failure_reason": WHY}},
    "encoded twice": {"error": {"message": json.dumps(INSIDE)}},
    "encoded three times": {"error": json.dumps({"message": json.dumps({"detail": WHY})})},
    "a text": WHY,
    "a JSON string": json.dumps(json.dumps(INSIDE)),
    "a byte order mark": "\ufeff" + json.dumps(INSIDE),
    "text behind it": json.dumps(INSIDE) + " (request id 4)",
    "a page": f"<html><head><title>400</title></head><body><h1>Bad</h1><p>{WHY}</p></body></html>",
    "XML": f'<?xml version="1.0"?><Error><Code>Invalid</Code><Message>{WHY}</Message></Error>',
    "SOAP": f"<soap:Envelope><soap:Fault><faultstring>{WHY}</faultstring></soap:Fault>",
}


@pytest.mark.parametrize("status", [400, 422])
@pytest.mark.parametrize("body", SHAPES.values(), ids=SHAPES)
def test_the_reason_is_read_wherever_it_stands(body: Any, status: int) -> None:
    words = ServerError(status, body).words
    assert WHY in words
    assert not set("{}<>") & set(words)


def test_each_is_followed_by_simpler_requests_and_shown_where_none_helps(
    judge: LoopbackJudge, settings: MakeSettings
) -> None:
    for number, (name, body) in enumerate(SHAPES.items()):
        judge.reset(replies=True)
        judge.script([{"status": (400, 422)[number % 2], "body": body}], repeat_last=True)
        asked = evaluate(
            case(), ["faithfulness"], settings=settings(model=name), on_error="collect"
        )
        error = asked.errors["faithfulness"]
        assert getattr(error, "kind", None) == "request", name
        assert WHY in str(error), name
        forms = [r.body.get("response_format", {}).get("type") for r in judge.requests]
        assert forms == ["json_schema", "json_object", None, None], name


def test_errors_by_field_within_each_other_are_read_to_a_depth() -> None:
    body: Any = WHY
    for _ in range(50_000):
        body = {"errors": body}
    assert ServerError(400, body).words
    wide = {"errors": {f"field {n}": [WHY] for n in range(50_000)}}
    assert ServerError(400, wide).words == WHY


@pytest.mark.parametrize(
    "more",
    [
        {"reason": "API_KEY_INVALID"},
        {"body": "You are asked: is temperature not supported?"},
        {"request_body": json.dumps({"messages": [{"content": "unsupported seed"}]})},
        {"input": "unsupported seed"},
        {"finish_reason": "stop"},
    ],
)
def test_codes_and_the_request_are_no_words(more: dict[str, Any]) -> None:
    assert ServerError(400, {"error": {"message": BAD, **more}}).words == BAD
