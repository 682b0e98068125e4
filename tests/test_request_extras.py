"""Members and headers that a user adds to requests: sent, part of the key, and secret."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_ragassert import ConfigurationError, Settings, evaluate
from pytest_ragassert.config.option_types import EXTRA_BODY, HEADERS
from pytest_ragassert.config.request_extras import (
    OWN_MEMBERS,
    changes_answers,
    is_credential,
    key_digests,
    read_extra_body,
    read_headers,
)
from pytest_ragassert.judging.judges.openai.request_parameters import RequestShape
from pytest_ragassert.runtime.redaction import redact
from pytest_ragassert.steps.catalogue import STEPS

from .conftest import MakeSettings, close_sessions
from .loopback.server import LoopbackJudge
from .replies import case

THINKS_NOT = {"enable_thinking": False, "provider": {"order": ["one"]}}
SECRET = "sk-secret-of-another-0123"


def asked(judge: LoopbackJudge, own: Settings) -> int:
    close_sessions()
    judge.reset()
    assert evaluate(case(), ["faithfulness"], settings=own)["faithfulness"].score == 1.0
    return judge.count()


def test_both_are_sent_with_each_request(judge: LoopbackJudge, settings: MakeSettings) -> None:
    own = settings(extra_body=THINKS_NOT, headers={"X-Route": "eu", "authorization": "Basic eDp5"})
    assert asked(judge, own) == 2
    for request in judge.requests:
        assert {name: request.body[name] for name in THINKS_NOT} == THINKS_NOT
        assert request.body["model"] == "judge-a"
        assert (request.headers["x-route"], request.headers["authorization"]) == (
            "eu",
            "Basic eDp5",
        )


def test_an_option_goes_before_the_variable(
    judge: LoopbackJudge, settings: MakeSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "x-route: us\nX-Other: 1")
    asked(judge, settings(headers=["X-Route: eu"]))
    assert (judge.requests[0].headers["x-route"], judge.requests[0].headers["x-other"]) == (
        "eu",
        "1",
    )


def test_embeddings_get_the_headers_alone(judge: LoopbackJudge, settings: MakeSettings) -> None:
    own = settings(embedder="openai", extra_body=THINKS_NOT, headers=["X-Route: eu"])
    evaluate(case(answer="The tram runs."), ["semantic_similarity"], settings=own)
    (request,) = judge.requests
    assert request.headers["x-route"] == "eu"
    assert not THINKS_NOT.keys() & request.body.keys()
    close_sessions()
    plain = settings(embedder="openai")
    evaluate(case(answer="The tram runs."), ["semantic_similarity"], settings=plain)
    assert judge.count() == 2  # another header may be another embedder


def test_what_changes_answers_is_part_of_the_key(
    judge: LoopbackJudge, settings: MakeSettings
) -> None:
    def own(**more: Any) -> Settings:
        return settings(**more)

    assert asked(judge, own()) == 2
    assert asked(judge, own(extra_body={})) == 0
    assert asked(judge, own(headers=["X-Request-Id: 7", "Authorization: Bearer z"])) == 0
    assert asked(judge, own(extra_body={"api_key": "x", "deep": {"token": "y"}})) == 2
    assert asked(judge, own(extra_body={"deep": {"token": "z"}, "api_key": "w"})) == 0
    assert asked(judge, own(extra_body=THINKS_NOT)) == 2
    assert asked(judge, own(extra_body=json.dumps(THINKS_NOT))) == 0
    assert asked(judge, own(extra_body={**THINKS_NOT, "enable_thinking": True})) == 2
    assert asked(judge, own(headers=["X-Route: eu"])) == 2
    assert asked(judge, own(headers=["x-route:eu ", "User-Agent: me"])) == 0
    assert asked(judge, own(headers=["X-Route: us"])) == 2
    assert asked(judge, own()) == 0


def test_a_judge_of_a_hook_gets_neither_and_its_keys_stay(tmp_path: Path) -> None:
    from pytest_ragassert.engine.session import Session

    class Judge:
        id = "hooked-1"

        def run(self, step: Any, input: Any) -> str:
            return "{}"

    keys = []
    for more in ({}, {"extra_body": THINKS_NOT, "headers": ["X-Route: eu"]}):
        own = Settings(judge="hooked", cache_dir=tmp_path, **more)
        session = Session(own, make_judge=lambda _: Judge())
        step, input = STEPS["rate_relevance"], {"question": "", "answer": ""}
        keys.append(session.asker.question(step, input, "any", 0).key)
        session.close()
        session.run.remove()
    assert keys[0] == keys[1]


@pytest.mark.parametrize(
    ("name", "credential"),
    [
        ("api_key", True),
        ("apiKey", True),
        ("apikey", True),
        ("Authorization", True),
        ("x-goog-api-key", True),
        ("Ocp-Apim-Subscription-Key", True),
        ("access_token", True),
        ("token", True),
        ("X-Auth", True),
        ("cookie", True),
        ("aws_secret_access_key", True),
        ("max_tokens", False),
        ("eos_token", False),
        ("stop_token_ids", False),
        ("thinking_token_budget", False),
        ("monkey", False),
        ("enable_thinking", False),
        ("reasoning_effort", False),
    ],
)
def test_credentials_are_known_by_name(name: str, credential: bool) -> None:
    assert is_credential(name) is credential


@pytest.mark.parametrize(
    ("header", "changes"),
    [
        ("X-Route", True),
        ("x-portkey-config", True),
        ("anthropic-beta", True),
        ("X-Model", True),
        ("Authorization", False),
        ("api-key", False),
        ("X-Request-ID", False),
        ("X-Correlation-ID", False),
        ("traceparent", False),
        ("X-B3-TraceId", False),
        ("b3", False),
        ("X-Amzn-Trace-Id", False),
        ("User-Agent", False),
        ("HTTP-Referer", False),
        ("X-Title", False),
        ("OpenAI-Organization", False),
        ("Helicone-Session-Id", False),
        ("cf-aig-metadata", False),
    ],
)
def test_headers_that_change_no_answer_are_known_by_name(header: str, changes: bool) -> None:
    assert changes_answers(header) is changes


def test_all_of_our_own_members_are_refused() -> None:
    shape = RequestShape(stream=True)
    own = Settings(judge="openai", base_url="http://127.0.0.1/v1", max_tokens=1, seed=1, top_p=0.5)
    message = {"question": "", "answer": ""}
    body = shape.body(own, STEPS["rate_relevance"], message, "m", 0)
    shape.learn("max_tokens", body)
    body |= shape.body(own, STEPS["rate_relevance"], message, "m", 0)
    assert body.keys() == OWN_MEMBERS.keys()


WRONG_BODIES = [
    SECRET,
    "[1]",
    '"x"',
    "null",
    "{",
    f'{{"a": "{SECRET}"',
    '{"a": NaN}',
    '{"a": 1e999}',
    '{"a": "\\ud800"}',
    "[" * 9_999,
]
WRONG_HEADERS = [SECRET, f": {SECRET}", f"a b: {SECRET}", f"X-A: {SECRET}\x07", f"X-A: {SECRET}é"]
# (field, value, what is wrong with a part of it)
WRONG_PARTS = [
    *(
        (
            "extra_body",
            json.dumps({name: SECRET}),
            f"{name!r} is set by {option or 'ragassert itself'}; leave it out",
        )
        for name, option in OWN_MEMBERS.items()
    ),
    *(
        ("headers", f"{name}: {SECRET}", f"{name.lower()} is set by the client; leave it out")
        for name in ("Host", "Accept-Encoding", "Content-Length")
    ),
    ("headers", f"X-A: {SECRET}\nx-a: 2", "line 2 repeats the name of an earlier one"),
]


@pytest.mark.parametrize("text", WRONG_BODIES)
def test_a_body_that_is_none_is_an_error_without_it(text: str) -> None:
    with pytest.raises(ConfigurationError, match=r"extra_body: .*a JSON object") as caught:
        Settings(extra_body=text)
    assert SECRET not in str(caught.value)
    with pytest.raises(ConfigurationError, match=r"^RAGASSERT_EXTRA_BODY: its value") as caught:
        Settings.from_environment({"RAGASSERT_EXTRA_BODY": text})
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize("text", WRONG_HEADERS)
def test_a_header_that_is_none_is_an_error_without_it(text: str) -> None:
    with pytest.raises(ConfigurationError, match=r"headers: .*`Name: value`") as caught:
        Settings(headers=text)
    assert SECRET not in str(caught.value)
    with pytest.raises(ConfigurationError, match=r"^RAGASSERT_HEADERS: its value") as caught:
        Settings.from_environment({"RAGASSERT_HEADERS": text})
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize(("field", "text", "wrong"), WRONG_PARTS)
def test_a_part_that_is_wrong_is_told_alone(field: str, text: str, wrong: str) -> None:
    with pytest.raises(ConfigurationError, match=f"^settings: {field}: ") as caught:
        Settings(**{field: text})
    assert str(caught.value).endswith(f" {wrong}")
    assert SECRET not in str(caught.value)
    variable = f"RAGASSERT_{field.upper()}"
    with pytest.raises(ConfigurationError) as caught:
        Settings.from_environment({variable: text})
    assert str(caught.value) == f"{variable}: {wrong}"


@pytest.mark.parametrize("wrong", [5, [5], [("a",)], [("a", 5)], {"a": None}, {5: "a"}])
def test_headers_of_other_types_are_errors(wrong: Any) -> None:
    with pytest.raises(ConfigurationError, match="headers"):
        Settings(headers=wrong)


@pytest.mark.parametrize("wrong", [5, [5], {5: 1}, {"a": object()}, {"a": float("inf")}])
def test_bodies_of_other_types_are_errors(wrong: Any) -> None:
    with pytest.raises(ConfigurationError, match="extra_body"):
        Settings(extra_body=wrong)


def test_nothing_shows_what_they_hold() -> None:
    own = Settings(
        extra_body={"auth": {"token": SECRET}, "list": ["Bearer sk-second-4567890"]},
        headers={"X-Any": "third-secret-1", "Authorization": "Bearer sk-fourth-4567890"},
    )
    for text in (repr(own), str(own), own.model_dump_json(), repr(own.model_copy())):
        assert "secret" not in text
        assert "sk-" not in text
    for secret in (SECRET, "sk-second-4567890", "third-secret-1", "sk-fourth-4567890"):
        assert redact(f"it is {secret}.") == "it is ***."
    assert redact("enable_thinking auth list") == "enable_thinking auth list"


def test_a_server_that_repeats_them_gets_them_not_printed(
    judge: LoopbackJudge, settings: MakeSettings
) -> None:
    judge.on(lambda r: {"status": 401, "body": f"{r.headers['x-any']} {r.body['api_token']}"})
    own = settings(extra_body={"api_token": SECRET}, headers={"X-Any": "third-secret-1"})
    one = evaluate([case()], ["faithfulness"], settings=own, on_error="collect")[0]
    told = str(one.errors["faithfulness"])
    assert "401 *** ***" in told


NAMES = st.text(st.characters(codec="ascii", categories=["L", "N"]), min_size=1, max_size=9)


@given(st.dictionaries(NAMES.map("x-{}".format), st.integers(0, 99).map(str), min_size=1))
def test_headers_are_read_as_written(headers: dict[str, str]) -> None:
    distinct = {name.lower(): value for name, value in headers.items()}
    text = "\n".join(f" {name} :{value} " for name, value in distinct.items())
    assert dict(read_headers(text, HEADERS)) == distinct
    shuffled = tuple(reversed(read_headers(text, HEADERS)))
    assert key_digests(None, read_headers(text, HEADERS)) == key_digests(None, shuffled)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(st.characters(codec="utf-8")),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(NAMES.map("z{}".format), JSON))
def test_bodies_are_read_as_written(body: dict[str, Any]) -> None:
    assert read_extra_body(json.dumps(body), EXTRA_BODY) == body
    assert read_extra_body(json.dumps(body, ensure_ascii=False, indent=1), EXTRA_BODY) == body
