"""What endpoints refuse of a request, how they say it, and that each refusal costs one request."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_ragassert import JudgeError, MetricResult, Settings, evaluate
from pytest_ragassert.judging.judges.openai.error_body import ServerError
from pytest_ragassert.judging.judges.openai.request_parameters import (
    SYSTEM,
    RequestShape,
    refused_part,
)
from pytest_ragassert.steps.catalogue import STEPS

from .conftest import MakeSettings, Waits, close_sessions
from .loopback.judge import Json
from .loopback.scripts import Recorded
from .loopback.server import LoopbackJudge
from .replies import case

STEP = STEPS["verify_claims"]
MESSAGE = {"passages": [{"id": 1, "text": "It is red."}], "claims": [{"id": 1, "text": "Red."}]}
FULL = Settings(judge="openai", base_url="http://127.0.0.1/v1", max_tokens=300, seed=7, top_p=0.5)


def body_of(shape: RequestShape) -> dict[str, Any]:
    return shape.body(FULL, STEP, MESSAGE, "judge-a", 0)


def error(message: Any, **more: Any) -> Json:
    return {"error": {"message": message, **more}}


FORMAT = "response_format"
# How servers say what they refuse; the words of each kind, not of one release.
REFUSALS: list[tuple[str, int, Any, str | None]] = [
    (
        "OpenAI, reasoning model",
        400,
        error(
            "Unsupported parameter: 'max_tokens' is not supported with this model. "
            "Use 'max_completion_tokens' instead.",
            param="max_tokens",
            code="unsupported_parameter",
        ),
        "max_tokens",
    ),
    (
        "OpenAI, reasoning model",
        400,
        error(
            "Unsupported value: 'temperature' does not support 0 with this model. "
            "Only the default (1) value is supported.",
            param="temperature",
            code="unsupported_value",
        ),
        "temperature",
    ),
    (
        "OpenAI, older model",
        400,
        error("'response_format' of type 'json_schema' is not supported", param=FORMAT),
        FORMAT,
    ),
    (
        "OpenAI, o1-mini",
        400,
        error(
            "Unsupported value: 'messages[0].role' does not support 'system' with this model.",
            param="messages[0].role",
            code="unsupported_value",
        ),
        SYSTEM,
    ),
    ("LM Studio", 400, {"error": "'response_format.type' must be 'json_schema' or 'text'"}, FORMAT),
    ("a proxy", 400, error("Unknown parameter: 'seed'", param="seed"), "seed"),
    ("a proxy", 400, error("Unrecognized request argument supplied: top_p"), "top_p"),
    (
        "vLLM",
        422,
        {
            "detail": [
                {
                    "type": "extra_forbidden",
                    "loc": ["body", "response_format"],
                    "msg": "Extra inputs are not permitted",
                }
            ]
        },
        FORMAT,
    ),
    (
        "vLLM, a template without system",
        400,
        {"object": "error", "message": "System role not supported", "type": "BadRequestError"},
        SYSTEM,
    ),
    (
        "a template that alternates",
        400,
        error("Conversation roles must alternate user/assistant/user/assistant/..."),
        SYSTEM,
    ),
    (
        "Gemma by a gateway",
        400,
        error("Developer instruction is not enabled for models/gemma", code=400),
        SYSTEM,
    ),
    (
        "LiteLLM",
        400,
        error(
            "litellm.UnsupportedParamsError: together_ai does not support parameters: "
            "['response_format'], for model=x. To drop these, set `drop_params=True`"
        ),
        FORMAT,
    ),
    ("a gateway", 400, error("This model does not support structured outputs"), FORMAT),
    ("DeepSeek", 400, error("This response_format type is unavailable now; unsupported"), FORMAT),
    ("a plain text", 400, "unsupported parameter: seed", "seed"),
    ("Mistral", 422, error("Extra inputs are not permitted: seed"), "seed"),
    # what can't be changed, or is about something else
    ("a filter", 400, error("Your prompt was refused", param="prompt"), None),
    ("a wrong schema name", 400, error("Invalid value for 'messages[1].content'", param="x"), None),
    ("too large a limit", 400, error("max_tokens is too large: 300", param="max_tokens"), None),
    ("no refusal", 400, error("The temperature in the lake is 5 degrees"), None),
    ("another status", 429, error("Unknown parameter: 'seed'", param="seed"), None),
    ("no words", 400, {}, None),
    ("not sent", 400, error("Unknown parameter: 'logprobs'", param="logprobs"), None),
]


@pytest.mark.parametrize(
    ("status", "answer", "part"),
    [row[1:] for row in REFUSALS],
    ids=[f"{row[0]}-{number}" for number, row in enumerate(REFUSALS)],
)
def test_what_a_refusal_is_about(status: int, answer: Any, part: str | None) -> None:
    told = ServerError(status, answer)
    assert refused_part(status, told.parameter, told.words, body_of(RequestShape())) == part


def test_one_refusal_changes_one_part() -> None:
    shape = RequestShape()
    before = body_of(shape)
    shape.learn("seed", before)
    after = body_of(shape)
    assert after == {name: value for name, value in before.items() if name != "seed"}
    shape.learn("max_tokens", after)
    assert body_of(shape)["max_completion_tokens"] == 300
    assert "max_tokens" not in body_of(shape)
    shape.learn("max_completion_tokens", body_of(shape))
    assert "max_completion_tokens" not in body_of(shape)
    assert shape.lessons == [
        "refuses seed",
        "refuses max_tokens, takes max_completion_tokens",
        "refuses max_completion_tokens",
    ]


def test_the_format_goes_down_by_one_step_whoever_was_refused_at_once() -> None:
    shape = RequestShape()
    sent = [body_of(shape) for _ in range(3)]
    for one in sent:
        shape.learn(FORMAT, one)
    assert body_of(shape)[FORMAT] == {"type": "json_object"}
    shape.learn(FORMAT, body_of(shape))
    assert FORMAT not in body_of(shape)


def test_without_a_system_role_instructions_and_data_are_two_parts() -> None:
    shape = RequestShape()
    before = body_of(shape)["messages"]
    shape.learn(SYSTEM, body_of(shape))
    (message,) = body_of(shape)["messages"]
    assert message["role"] == "user"
    assert [part["text"] for part in message["content"]] == [m["content"] for m in before]


# -- over HTTP -------------------------------------------------------------------------------------


def measured(own: Settings, count: int = 1) -> list[MetricResult]:
    context = ["The tram runs every 12 minutes."]
    answers = [f"The tram runs every {n + 12} minutes." for n in range(count)]
    cases = [case(answer=answer, retrieved_contexts=context) for answer in answers]
    return [one["faithfulness"] for one in evaluate(cases, ["faithfulness"], settings=own)]


def refuse(judge: LoopbackJudge, *refusals: tuple[str, Any]) -> None:
    """A server that refuses one thing after another; a request without them is judged."""

    def by(recorded: Recorded) -> Json | None:
        for name, answer in refusals:
            if _has(recorded.body, name):
                return {"status": 400, "body": answer}
        return None

    judge.on(by)


def _has(body: Json, name: str) -> bool:
    if name == SYSTEM:
        return bool(body["messages"][0]["role"] == "system")
    if name in ("json_schema", "json_object"):
        return bool(body.get(FORMAT, {}).get("type") == name)
    return name in body


@pytest.mark.parametrize(
    ("refusals", "extra"),
    [
        ([("json_object", {"error": "'response_format.type' must be 'json_schema'"})], 0),
        ([("json_schema", error(f"Unsupported parameter: {FORMAT}", param=FORMAT))], 1),
        (
            [
                ("json_schema", {"error": "response_format json_schema is not supported"}),
                ("json_object", {"error": "response_format json_object is not supported"}),
            ],
            2,
        ),
    ],
    ids=["object alone", "schema alone", "both"],
)
def test_a_refused_format_is_learned_once(
    judge: LoopbackJudge, settings: MakeSettings, refusals: Any, extra: int
) -> None:
    refuse(judge, *refusals)
    assert all(result.score == 1.0 for result in measured(settings(), 1))
    assert judge.count() == 2 + extra
    judge.reset()
    more = measured(settings(), 4)
    assert [result.score for result in more] == [1.0, 0.0, 0.0, 0.0]
    assert judge.count() == 6  # the first case's answers are stored


def test_one_refusal_after_another_costs_one_request_each(
    judge: LoopbackJudge, settings: MakeSettings
) -> None:
    refuse(
        judge,
        ("max_tokens", REFUSALS[0][2]),
        ("temperature", REFUSALS[1][2]),
        (SYSTEM, REFUSALS[3][2]),
        ("seed", error("Unknown parameter: 'seed'", param="seed")),
    )
    own = settings(max_tokens=500, seed=3)
    assert [result.score for result in measured(own, 2)] == [1.0, 0.0]
    assert judge.count() == 4 + 4
    accepted = judge.requests[-1]
    assert set(accepted.body) == {"model", "messages", FORMAT, "max_completion_tokens"}
    assert accepted.step == "verify_claims"  # read from a part of its own
    # the key is of the settings as configured
    judge.reset(replies=True)
    close_sessions()
    assert [result.stored for result in measured(own, 2)] == [True, True]
    assert judge.count() == 0


def test_refusals_are_learned_for_each_model(judge: LoopbackJudge, settings: MakeSettings) -> None:
    judge.on(
        lambda r: (
            {"status": 400, "body": REFUSALS[1][2]}
            if r.body["model"] == "judge-b" and "temperature" in r.body
            else None
        )
    )
    measured(settings(model=["judge-a", "judge-b"]))
    assert judge.count() == 4
    sent = {r.body["model"]: "temperature" in r.body for r in judge.requests}
    assert sent == {"judge-a": True, "judge-b": False}


@pytest.mark.parametrize(
    "answer",
    [
        error("Bad request", param="messages[1].content"),
        error("max_tokens is too large: 500. This model supports at most 400", param="max_tokens"),
        error("max_tokens must be at most 400"),
    ],
)
def test_other_refusals_change_nothing_and_are_not_retried(
    judge: LoopbackJudge, settings: MakeSettings, answer: Any
) -> None:
    judge.script([{"status": 400, "body": answer}], repeat_last=True)
    with pytest.raises(JudgeError) as caught:
        measured(settings(max_tokens=500))
    assert caught.value.kind == "request"
    assert judge.count() == 1


def test_a_server_that_refuses_everything_ends(
    judge: LoopbackJudge, settings: MakeSettings
) -> None:
    names = ["json_schema", "json_object", SYSTEM, "max_tokens", "max_completion_tokens"]
    names += ["temperature", "seed", "top_p"]
    for name in names:
        part = FORMAT if name.startswith("json") else name
        refuse(judge, (name, error(f"Unsupported: {part} is not supported by this model")))
    judge.on(lambda r: {"status": 400, "body": error("Unsupported: model is not supported")})
    with pytest.raises(JudgeError, match="model is not supported"):
        measured(settings(max_tokens=5, seed=1, top_p=0.5))
    assert judge.count() == len(names) + 1


# -- errors inside a reply that looks well ---------------------------------------------------------


@pytest.mark.parametrize(
    "first",
    [
        {"status": 200, "body": {"error": {"message": "Provider overloaded", "code": 503}}},
        {"status": 200, "body": {"error": {"message": "Slow down", "code": "429"}}},
        {
            "status": 200,
            "body": {
                "choices": [
                    {
                        "index": 0,
                        "finish_reason": "error",
                        "message": {"role": "assistant", "content": ""},
                        "error": {"code": 502, "message": "Upstream went away"},
                    }
                ]
            },
        },
    ],
)
def test_a_passing_error_inside_a_reply_is_tried_again(
    judge: LoopbackJudge, settings: MakeSettings, first: Json, waits: Waits
) -> None:
    judge.script([first])
    assert measured(settings())[0].score == 1.0
    assert judge.count() == 3


@pytest.mark.parametrize(
    ("code", "kind", "count"),
    [
        (401, "credentials", 1),
        (402, "quota", 1),
        (400, "request", 4),
        (None, "malformed", 1),
    ],
)
def test_a_lasting_error_inside_a_reply_is_told(
    judge: LoopbackJudge, settings: MakeSettings, code: int | None, kind: str, count: int
) -> None:
    told = {"status": 200, "body": {"error": {"message": "Something is wrong", "code": code}}}
    judge.script([told], repeat_last=True)
    with pytest.raises(JudgeError, match="Something is wrong") as caught:
        measured(settings())
    assert caught.value.kind == kind
    assert judge.count() == count


# -- addresses -------------------------------------------------------------------------------------


def test_a_proxy_is_used_where_the_environment_names_one(
    judge: LoopbackJudge, settings: MakeSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", judge.base_url.removesuffix("/v1"))
    monkeypatch.setenv("http_proxy", judge.base_url.removesuffix("/v1"))
    monkeypatch.setenv("NO_PROXY", "")
    monkeypatch.setenv("no_proxy", "")
    own = settings(base_url="http://judge.invalid/v1")
    assert measured(own)[0].score == 1.0
    assert judge.requests[0].target == "http://judge.invalid/v1/chat/completions"


def test_a_host_without_an_address_is_named(settings: MakeSettings, waits: Waits) -> None:
    with pytest.raises(JudgeError, match=r"no connection to http://judge\.invalid/v1") as caught:
        measured(settings(base_url="http://judge.invalid/v1"))
    assert caught.value.kind == "connection"
    assert caught.value.ends_judging


def test_a_deployment_of_azure_gets_its_version_and_key(
    judge: LoopbackJudge, settings: MakeSettings
) -> None:
    root = judge.base_url.removesuffix("/v1")
    url = f"{root}/openai/deployments/judge?api-version=2024-10-21"
    assert measured(settings(base_url=url))[0].score == 1.0
    request = judge.requests[0]
    assert request.headers["api-key"] == "sk-test-key"
    assert request.target == "/openai/deployments/judge/chat/completions?api-version=2024-10-21"
