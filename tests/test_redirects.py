"""A question goes to the configured origin alone, wherever the endpoint redirects to."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from types import SimpleNamespace

import pytest

from pytest_ragassert import JudgeError, evaluate
from pytest_ragassert.judging.judges.openai.redirects import RedirectedRequest, only_to

from .conftest import MakeSettings
from .loopback.scripts import Recorded, Reply
from .loopback.server import LoopbackJudge
from .replies import case

STATUSES = [301, 302, 303, 307, 308]
METRICS = ["faithfulness", "semantic_similarity"]


@pytest.fixture
def other() -> Iterator[LoopbackJudge]:
    with LoopbackJudge() as running:
        yield running


def failure(settings: MakeSettings, metric: str = "faithfulness") -> JudgeError:
    own = settings(embedder="openai", api_key="sk-Zebra-4711")
    with pytest.raises(JudgeError) as caught:
        evaluate(case(ground_truth_answer="It runs."), [metric], settings=own)
    return caught.value


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("status", STATUSES)
def test_nothing_is_sent_to_another_origin(
    judge: LoopbackJudge, other: LoopbackJudge, settings: MakeSettings, metric: str, status: int
) -> None:
    target = f"{other.base_url}/chat/completions".replace("://", "://bob:hunter2word@")
    target += "?token=sk-Zebra-4711"
    judge.script([{"status": status, "headers": {"location": target}}], repeat_last=True)
    error = failure(settings, metric)
    assert not other.requests
    assert len(judge.requests) == 1
    assert (error.kind, error.ends_judging) == ("request", True)
    assert f"redirects to {other.base_url}/chat/completions" in str(error)
    assert "--ragassert-base-url" in str(error)
    assert not [secret for secret in ("hunter2", "Zebra", "token") if secret in str(error)]


@pytest.mark.parametrize("status", [307, 308])
def test_a_question_may_be_sent_on_within_the_origin(
    judge: LoopbackJudge, other: LoopbackJudge, settings: MakeSettings, status: int
) -> None:
    def moved(recorded: Recorded) -> Reply | None:
        if not recorded.target.startswith("/v1"):
            return None
        return {"status": status, "headers": {"location": f"/v2{recorded.target}"}}

    judge.on(moved)
    assert evaluate(case(), ["faithfulness"], settings=settings())["faithfulness"].score == 1.0
    assert {r.target for r in judge.requests} == {"/v1/chat/completions", "/v2/v1/chat/completions"}
    judge.reset(replies=True)
    home = judge.base_url.rpartition("/")[0]
    judge.script(
        [
            {"status": status, "headers": {"location": f"{home}/v2/chat/completions"}},
            {"status": status, "headers": {"location": f"{other.base_url}/chat/completions"}},
        ]
    )
    own = settings(record_mode="off")
    with pytest.raises(JudgeError, match="redirects to"):
        evaluate(case(), ["faithfulness"], settings=own)
    assert not other.requests


@pytest.mark.parametrize("status", [301, 302, 303])
def test_a_redirect_that_drops_the_question_is_not_followed(
    judge: LoopbackJudge, settings: MakeSettings, status: int
) -> None:
    judge.script([{"status": status, "headers": {"location": "/v2/chat"}}], repeat_last=True)
    assert f"redirects to {judge.base_url.removesuffix('/v1')}/v2/chat" in str(failure(settings))


@pytest.mark.parametrize(
    "target",
    [
        "https://127.0.0.1:8000/v1",
        "http://127.0.0.1:8001/v1",
        "http://127.0.0.1/v1",
        "http://localhost:8000/v1",
        "http://127.0.0.1.example:8000/v1",
        "//127.0.0.1:8000/v1",
        "nothing",
    ],
)
def test_scheme_host_and_port_are_the_origin(target: str) -> None:
    check = only_to("http://127.0.0.1:8000/v1/")
    with pytest.raises(RedirectedRequest):
        asyncio.run(_run(check, target))


@pytest.mark.parametrize(
    ("url", "target"),
    [
        ("http://127.0.0.1:8000/v1/", "http://127.0.0.1:8000/other"),
        ("https://host/v1/", "https://host:443/v1"),
        ("http://host:80/v1/", "http://host/v1"),
        ("https://HOST/v1/", "https://host/v1"),
        ("https://[::1]:8000/v1/", "https://[::1]:8000/v1"),
    ],
)
def test_the_same_origin_however_it_is_spelled(url: str, target: str) -> None:
    asyncio.run(_run(only_to(url), target))


async def _run(check: object, target: str) -> None:
    assert callable(check)
    await check(SimpleNamespace(url=target, method="POST"))
