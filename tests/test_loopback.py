"""The loopback judge itself, asked through the real openai client."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import json
import socket
import subprocess
import sys
import urllib.error
import urllib.request
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import openai
import pytest

from tests.loopback.judge import answer
from tests.loopback.server import LoopbackJudge

ROOT = Path(__file__).resolve().parents[1]

PASSAGES: list[dict[str, Any]] = [
    {
        "id": 1,
        "text": "The old  pier is open. The ferry runs every 40 minutes; it costs 50 crowns.",
    },
    {"id": 2, "text": "Dogs are not allowed."},
]

DEFAULT_ANSWERS: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    (
        "extract_claims",
        {
            "question": "How often?",
            "sentences": [
                {"id": 1, "text": "Hello there!"},
                {"id": 2, "text": "The ferry runs every 40 minutes. "},
                {"id": 3, "text": "Shall I say more?"},
                {"id": 4, "text": "I don\u2019t know the price."},
            ],
        },
        {"claims": [{"sentence": 2, "text": "The ferry runs every 40 minutes."}]},
    ),
    (
        "judge_passages",
        {"question": "Which dogs?", "reference": None, "passages": PASSAGES},
        {
            "passages": [
                {"id": 1, "reason": "shares no word", "relevant": False},
                {"id": 2, "reason": "shares dogs", "relevant": True},
            ]
        },
    ),
    (
        "generate_questions",
        {"answer": "It runs. It costs 5.", "n": 3},
        {
            "questions": [
                "Is it true that It runs?",
                "Is it true that It costs 5?",
                "How is it known that It runs?",
            ]
        },
    ),
    (
        "rate_relevance",
        {"question": "How often does the lake ferry run?", "answer": "The ferry is red."},
        {"reason": "names 50% of the question", "score": 0.5},
    ),
    (
        "write_case",
        {"passages": PASSAGES[1:], "kind": "unanswerable", "persona": None, "language": None},
        {
            "question": "Who invented dogs, allowed?",
            "answer": "The documents do not say who invented dogs, allowed.",
            "evidence": [],
        },
    ),
    (
        "write_personas",
        {"documents": [{"name": "fares.md", "headings": []}], "number": 1, "language": None},
        {"personas": ["Reader 0 needs to know about fares.md and writes briefly."]},
    ),
    (
        "classify_answer",
        {"question": "How often?", "reference": "Every 40 minutes.", "answer": "I don't know."},
        {"reason": "the answer says nothing", "label": "DONT_KNOW"},
    ),
]


@pytest.fixture
def judge() -> Iterator[LoopbackJudge]:
    with LoopbackJudge() as running:
        yield running


def messages(step: str, data: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {"role": "system", "content": f"ragassert step: {step} v1\nJudge with care."},
        {"role": "user", "content": json.dumps(data)},
    ]


def ask(
    base_url: str,
    step: str = "extract_claims",
    data: dict[str, Any] | None = None,
    *,
    key: str = "sk-any",
    timeout: float = 10,
    **more: Any,
) -> Any:
    asked: Any = more.pop("messages", None) or messages(step, data or {"sentences": []})
    with openai.OpenAI(base_url=base_url, api_key=key, max_retries=0, timeout=timeout) as client:
        return client.chat.completions.create(model="judge-a", messages=asked, **more)


def content(completion: Any) -> Any:
    return json.loads(completion.choices[0].message.content)


def error_of(error: openai.APIStatusError) -> dict[str, Any]:
    return cast("dict[str, Any]", error.body)


@pytest.mark.parametrize(("step", "data", "expected"), DEFAULT_ANSWERS)
def test_default_answers(
    judge: LoopbackJudge, step: str, data: dict[str, Any], expected: dict[str, Any]
) -> None:
    completion = ask(judge.base_url, step, data)
    assert content(completion) == expected == answer(step, data)
    assert completion.choices[0].finish_reason == "stop"
    assert completion.model == "judge-a"
    assert completion.usage.prompt_tokens > 0
    assert completion.usage.prompt_tokens_details.cached_tokens == 0
    assert judge.requests[0].data == data
    assert judge.requests[0].status == 200


@pytest.mark.parametrize(
    ("claim", "passage", "quote", "verdict"),
    [
        ("the OLD pier is open!", 1, "The old  pier is open", "FULLY_SUPPORTED"),
        ("It costs 5", None, None, "NO_EVIDENCE"),
        ("It costs 60 crowns.", 1, "it costs 50 crowns.", "CONTRADICTORY"),
        ("Dogs are allowed.", 2, "Dogs are not allowed.", "CONTRADICTORY"),
        ("The old pier isn\u2019t open.", 1, "The old  pier is open.", "CONTRADICTORY"),
        ("The ferry does not run every 40 minutes", 1, None, "CONTRADICTORY"),
        ("Cats swim.", None, None, "NO_EVIDENCE"),
        ("...", None, None, "NO_EVIDENCE"),
    ],
)
def test_default_verdicts(
    judge: LoopbackJudge, claim: str, passage: int | None, quote: str | None, verdict: str
) -> None:
    data = {"passages": PASSAGES, "claims": [{"id": 7, "text": claim}]}
    (given,) = content(ask(judge.base_url, "verify_claims", data))["verdicts"]
    assert (given["id"], given["verdict"]) == (7, verdict)
    assert [one["passage"] for one in given["evidence"]] == ([passage] if passage else [])
    for one in given["evidence"]:
        assert quote is None or one["quote"] == quote
        assert one["quote"] in PASSAGES[one["passage"] - 1]["text"]


@pytest.mark.parametrize(
    ("reply", "accuracy", "label"),
    [
        ("Every 40 minutes, from May to September.", (100, 100, 100), "CORRECT"),
        ("Every 40 minutes.", (100, 75, 100), "CORRECT"),
        ("Every 30 minutes.", (0, 50, 0), "WRONG"),
        ("By moonlight.", (0, 0, 100), "WRONG"),
        ("I don't know.", (0, 0, 100), "DONT_KNOW"),
    ],
)
def test_default_accuracy(
    judge: LoopbackJudge, reply: str, accuracy: tuple[int, int, int], label: str
) -> None:
    reference = "Every 40 minutes, from May to September."
    data = {"question": "How often?", "reference": reference, "answer": reply}
    graded = content(ask(judge.base_url, "grade_accuracy", data))
    parts = ("correctness", "completeness", "consistency")
    assert tuple(graded[part]["score"] for part in parts) == accuracy
    assert content(ask(judge.base_url, "classify_answer", data))["label"] == label


def test_instructions_as_a_part_of_the_user_message(judge: LoopbackJudge) -> None:
    system, user = messages("extract_claims", {"sentences": [{"id": 1, "text": "It runs."}]})
    parts = [{"type": "text", "text": m["content"]} for m in (system, user)]
    judge.refuse = {"system"}
    with pytest.raises(openai.BadRequestError) as caught:
        ask(judge.base_url)
    assert error_of(caught.value)["param"] == "messages[0].role"
    completion = ask(judge.base_url, messages=[{"role": "user", "content": parts}])
    assert content(completion) == {"claims": [{"sentence": 1, "text": "It runs."}]}


def test_script_in_order_and_by_step(judge: LoopbackJudge) -> None:
    judge.script(
        [
            {"step": "verdicts", "content": "cut", "finish_reason": "length"},
            {"step": "claims", "message": {"role": "assistant", "content": None, "refusal": "no"}},
            "ok",
            {"content": "any", "finish_reason": None},
        ]
    )
    claims = ask(judge.base_url, "extract_claims").choices[0]
    assert (claims.message.content, claims.message.refusal) == (None, "no")
    verdicts = ask(judge.base_url, "verify_claims", {}).choices[0]
    assert (verdicts.message.content, verdicts.finish_reason) == ("cut", "length")
    assert content(ask(judge.base_url)) == {"claims": []}
    third = ask(judge.base_url).choices[0]
    assert (third.message.content, third.finish_reason) == ("any", None)
    assert content(ask(judge.base_url)) == {"claims": []}


def test_repeat_last_serves_the_last_that_fits(judge: LoopbackJudge) -> None:
    judge.script([{"step": "claims", "content": "c"}, {"step": "verdicts", "content": "v"}])
    given = [ask(judge.base_url).choices[0].message.content for _ in range(2)]
    assert given == ["c", '{"claims": []}']
    judge.script([{"content": "first"}, {"content": "last"}], repeat_last=True)
    given = [ask(judge.base_url).choices[0].message.content for _ in range(4)]
    assert given == ["first", "last", "last", "last"]


def test_status_headers_and_bodies(judge: LoopbackJudge) -> None:
    judge.script(
        [
            {"status": 429, "headers": {"Retry-After": "0.6"}, "body": {"error": {"code": "slow"}}},
            {"status": 503, "body": "<html>busy</html>"},
            {"status": 400, "body": {"error": "a plain string"}},
            {"body": {"id": "x", "object": "chat.completion", "choices": []}},
        ]
    )
    with pytest.raises(openai.RateLimitError) as slow:
        ask(judge.base_url)
    assert slow.value.response.headers["retry-after"] == "0.6"
    assert slow.value.code == "slow"
    with pytest.raises(openai.InternalServerError) as busy:
        ask(judge.base_url)
    assert busy.value.response.text == "<html>busy</html>"
    with pytest.raises(openai.BadRequestError) as plain:
        ask(judge.base_url)
    assert plain.value.response.json() == {"error": "a plain string"}
    assert ask(judge.base_url).choices == []
    assert [r.status for r in judge.requests] == [429, 503, 400, 200]


def test_broken_connections(judge: LoopbackJudge) -> None:
    judge.script([{"reset": True}, {"raw": b"nonsense\r\n\r\n"}])
    for _ in range(2):
        with pytest.raises(openai.APIConnectionError):
            ask(judge.base_url)
    assert content(ask(judge.base_url)) == {"claims": []}


def test_hang_is_a_timeout(judge: LoopbackJudge) -> None:
    judge.script([{"hang": 60}])
    with pytest.raises(openai.APITimeoutError):
        ask(judge.base_url, timeout=0.3)
    assert judge.count() == 1


def test_rules(judge: LoopbackJudge) -> None:
    judge.on("verdicts", {"content": "by step"})
    judge.on(lambda r: {"content": "by data"} if r.data.get("n") == 9 else None)
    judge.on(lambda r: r.body["model"] == "other", lambda r: r.step)
    assert ask(judge.base_url, "verify_claims").choices[0].message.content == "by step"
    assert ask(judge.base_url, data={"n": 9}).choices[0].message.content == "by data"
    assert content(ask(judge.base_url)) == {"claims": []}
    judge.reset(replies=True)
    assert content(ask(judge.base_url, "verify_claims", {})) == {"verdicts": []}


def test_refusals_of_the_server(judge: LoopbackJudge) -> None:
    judge.refuse = {"temperature", "response_format"}
    with pytest.raises(openai.BadRequestError) as refused:
        ask(judge.base_url, temperature=0)
    assert error_of(refused.value)["param"] == "temperature"
    judge.max_prompt_chars = 200
    with pytest.raises(openai.BadRequestError) as long:
        ask(judge.base_url, data={"answer": "x" * 300})
    assert long.value.code == "context_length_exceeded"
    assert content(ask(judge.base_url)) == {"claims": []}


def test_require_key(judge: LoopbackJudge) -> None:
    judge.require_key = "sk-right"
    with pytest.raises(openai.AuthenticationError) as caught:
        ask(judge.base_url, key="sk-wrong-one")
    assert caught.value.code == "invalid_api_key"
    assert "sk-wrong-one" not in str(caught.value)
    assert content(ask(judge.base_url, key="sk-right")) == {"claims": []}


def test_error_rate_fails_the_same_bodies_once(judge: LoopbackJudge) -> None:
    judge.error_rate = 0.5

    def failures() -> list[int]:
        failed = []
        for number in range(10):
            try:
                ask(judge.base_url, data={"n": number})
            except openai.InternalServerError:
                failed.append(number)
        return failed

    first = failures()
    assert 0 < len(first) < 10
    assert failures() == []
    judge.reset()
    assert failures() == first


def test_forty_at_once_share_the_latency(judge: LoopbackJudge) -> None:
    judge.latency = 0.2

    async def ask_all() -> list[Any]:
        client = openai.AsyncOpenAI(base_url=judge.base_url, api_key="sk-any", max_retries=0)
        async with client:
            create: Any = client.chat.completions.create
            questions = [
                messages("generate_questions", {"answer": "A.", "n": i}) for i in range(40)
            ]
            return await asyncio.gather(*(create(model="m", messages=q) for q in questions))

    replies = asyncio.run(ask_all())
    assert [len(content(reply)["questions"]) for reply in replies] == list(range(40))
    assert judge.max_in_flight > 20
    assert judge.count("generate_questions") == judge.count() == 40
    assert all(r.ended is not None and r.ended - r.at > 0.19 for r in judge.requests)


def test_a_connection_that_comes_as_it_closes_is_closed_too() -> None:
    with warnings.catch_warnings(record=True) as warned, contextlib.ExitStack() as clients:
        warnings.simplefilter("always")
        judge = LoopbackJudge().start()
        address = "127.0.0.1", int(judge.base_url.split(":")[2].split("/")[0])
        for _ in range(10):
            clients.enter_context(socket.create_connection(address))
        judge.close()
        gc.collect()
    assert [str(one.message) for one in warned] == []


def test_counting_and_reset(judge: LoopbackJudge) -> None:
    for number in (1, 1, 1, 2):
        ask(judge.base_url, "verify_claims", {"n": number})
    ask(judge.base_url)
    assert (judge.count("verify_claims"), judge.count("claims"), judge.count()) == (4, 1, 5)
    stats = judge.stats()
    assert (stats["total"], stats["distinct"], stats["duplicates"]) == (5, 3, 1)
    judge.reset()
    assert (judge.count(), judge.max_in_flight, judge.requests) == (0, 0, [])


def post(address: str, body: bytes) -> Any:
    with urllib.request.urlopen(urllib.request.Request(address, body, method="POST")) as reply:
        return json.load(reply)


def test_odd_bodies(judge: LoopbackJudge) -> None:
    data = '{"sentences": [{"id": 1, "text": "Odd \\ud800 here."}]}'
    body = json.dumps({"model": "m", "messages": messages("extract_claims", json.loads(data))})
    reply = post(f"{judge.base_url}/deployments/m/chat/completions", body.encode())
    given = json.loads(reply["choices"][0]["message"]["content"])
    assert given["claims"][0]["text"] == "Odd \ud800 here."
    for junk in (b"not json", b"[1]", b"\xff"):
        with pytest.raises(urllib.error.HTTPError) as caught:
            post(f"{judge.base_url}/chat/completions", junk)
        with caught.value as error:
            assert error.code == 400


def test_command_serves_stats_and_reset(tmp_path: Path) -> None:
    script = tmp_path / "script.json"
    script.write_text('[{"status": 500}]', "utf-8")
    command = [sys.executable, "-m", "tests.loopback.server", "--port", "0", "--latency", "0.01"]
    with subprocess.Popen(
        [*command, "--script", str(script)], cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            base_url = process.stdout.readline().strip()
            root = base_url.removesuffix("/v1")
            with pytest.raises(openai.InternalServerError):
                ask(base_url)
            ask(base_url)
            with urllib.request.urlopen(f"{root}/stats") as reply:
                stats = json.load(reply)
            assert stats["steps"] == {"extract_claims": 2}
            assert stats["statuses"] == {"200": 1, "500": 1}
            assert (stats["total"], stats["duplicates"], stats["max_in_flight"]) == (2, 1, 1)
            assert stats["first"] <= stats["last"]
            assert stats["prompt_tokens"] > 0
            post(f"{root}/reset", b"")
            with urllib.request.urlopen(f"{root}/stats") as reply:
                assert json.load(reply)["total"] == 0
        finally:
            process.kill()
