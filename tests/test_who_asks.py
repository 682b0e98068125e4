"""What goes with a request to say who asks, which of several, and what a refusal says to check."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_ragassert import Settings, evaluate

from .conftest import MakeSettings
from .loopback.server import LoopbackJudge
from .replies import case

BASIC = "Basic Ym9iOmh1bnRlcjJ3b3Jk"  # bob:hunter2word
OPTION = (("Authorization", "Token of-the-option-1"),)
KEY = "the API key in Settings.api_key (instead of OPENAI_API_KEY)"
USER_INFO = "user and password in the base URL"

SENT: dict[str, tuple[dict[str, Any], str | None, str]] = {
    "a key": ({}, "Bearer sk-test-key", f"check {KEY}"),
    "no key": (
        {"api_key": ""},
        "Bearer none",
        "the placeholder key 'none' was sent because none is set; set OPENAI_API",
    ),
    "user info": (
        {"user": True},
        BASIC,
        f"check {USER_INFO}, which replace {KEY}",
    ),
    "user info, no key": ({"user": True, "api_key": ""}, BASIC, f"check {USER_INFO}"),
    "a header": (
        {"headers": OPTION},
        "Token of-the-option-1",
        "check the header Authorization in --ragassert-header",
    ),
    "a header and user info": (
        {"headers": (("authorization", "Token of-the-option-1"),), "user": True},
        "Token of-the-option-1",
        "check the header authorization in --ragassert-header",
    ),
    "another header and a key": (
        {"headers": (("X-API-Key", "of-the-option-1"),)},
        "Bearer sk-test-key",
        f"check the header X-API-Key in --ragassert-header and {KEY}",
    ),
}


@pytest.mark.parametrize(("given", "sent", "told"), SENT.values(), ids=SENT)
def test_one_says_who_asks_and_a_refusal_names_it(
    judge: LoopbackJudge, settings: MakeSettings, given: dict[str, Any], sent: str, told: str
) -> None:
    judge.require_key = "another"
    given = dict(given)
    if given.pop("user", False):
        given["base_url"] = judge.base_url.replace("://", "://bob:hunter2word@")
    asked = evaluate(case(), ["faithfulness"], settings=settings(**given), on_error="collect")
    (request,) = judge.requests
    assert request.headers.get("authorization") == sent
    error = str(asked.errors["faithfulness"])
    assert error.partition("; ")[2] == told + "_KEY" * told.endswith("OPENAI_API")
    assert not any(secret in error for secret in ("hunter2word", "of-the-option", "sk-test-key"))


def test_the_variables_are_named(
    judge: LoopbackJudge, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    judge.require_key = "another"
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-variable")
    settings = Settings(judge="openai", base_url=judge.base_url, cache_dir=tmp_path)
    asked = evaluate(case(), ["faithfulness"], settings=settings, on_error="collect")
    assert str(asked.errors["faithfulness"]).endswith("; check the API key in OPENAI_API_KEY")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "Authorization: Token of-the-variable")
    other = case(answer="It stops.")
    asked = evaluate(other, ["faithfulness"], settings=settings, on_error="collect")
    assert judge.requests[-1].headers["authorization"] == "Token of-the-variable"
    told = "; check the header Authorization in OPENAI_CUSTOM_HEADERS"
    assert str(asked.errors["faithfulness"]).endswith(told)
