"""Replies that are no whole HTTP, without a body or message, or streams that nobody asked for."""

from __future__ import annotations

import re
from typing import Any

import pytest

from pytest_ragassert import JudgeError, evaluate

from .conftest import MakeSettings, Waits
from .loopback.judge import Json
from .loopback.server import LoopbackJudge
from .loopback.streams import END, events
from .replies import case, claims_reply

pytestmark = pytest.mark.usefixtures("waits")
CLAIM = claims_reply([{"sentence": 1, "text": "The tram runs every 12 minutes on weekdays"}])
USAGE = {"prompt_tokens": 7, "completion_tokens": 3}


def failure(settings: MakeSettings, **options: Any) -> JudgeError:
    with pytest.raises(JudgeError) as caught:
        evaluate(case(), ["faithfulness"], settings=settings(**options))
    return caught.value


def raw(content: bytes, kind: str = "text/event-stream", *, status: str = "200 OK") -> bytes:
    head = f"HTTP/1.1 {status}\r\ncontent-type: {kind}\r\nconnection: close\r\n"
    return f"{head}content-length: {len(content)}\r\n\r\n".encode() + content


def delta(content: str, finish_reason: str | None = None) -> Json:
    return {
        "choices": [{"index": 0, "delta": {"content": content}, "finish_reason": finish_reason}]
    }


@pytest.mark.parametrize("kind", ["text/event-stream", "text/event-stream; charset=utf-8"])
@pytest.mark.parametrize("before", [b"", b": waiting\n\n", b"event: message\n", b"\r\n"])
def test_a_stream_that_was_not_asked_for_is_read(
    judge: LoopbackJudge, settings: MakeSettings, kind: str, before: bytes
) -> None:
    parts: list[Json | str] = [
        delta(CLAIM[:9]),
        delta(CLAIM[9:], "stop"),
        {"choices": [], "usage": USAGE},
        END,
    ]
    judge.script([{"raw": raw(before + events(parts), kind), "step": "claims"}])
    result = evaluate(case(), ["faithfulness"], settings=settings())["faithfulness"]
    assert len(result.claims) == 1
    assert judge.count("claims") == 1
    assert not any("stream" in request.body for request in judge.requests)


def test_one_that_ends_before_the_reply_does_is_asked_for_again(
    judge: LoopbackJudge, settings: MakeSettings, waits: Waits
) -> None:
    judge.script([{"raw": raw(events([delta(CLAIM[:9])])), "step": "claims"}], repeat_last=True)
    error = failure(settings)
    assert (error.kind, len(waits)) == ("connection", 4)
    told = f"the reply of {judge.base_url} was broken off: the stream ended before the reply did"
    assert f"{told} (5 requests)" in str(error)


def test_an_error_in_one_is_that_error(judge: LoopbackJudge, settings: MakeSettings) -> None:
    refused = {"error": {"message": "bad key", "code": 401}}
    judge.script([{"raw": raw(events([refused]))}], repeat_last=True)
    error = failure(settings)
    assert error.kind == "credentials"
    assert "401 bad key" in str(error)


def test_a_refusal_that_breaks_off_under_streams_is_told(
    judge: LoopbackJudge, settings: MakeSettings
) -> None:
    head = b"HTTP/1.1 500 No\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{"
    judge.script([{"raw": head}], repeat_last=True)
    error = failure(settings, stream="on")
    assert error.kind == "connection"
    assert "was broken off: peer closed" in str(error)


def test_a_text_is_still_told_as_one(judge: LoopbackJudge, settings: MakeSettings) -> None:
    judge.script([{"raw": raw(b"Data: see below", "text/plain")}], repeat_last=True)
    assert "answered with a body that is not JSON" in str(failure(settings))


@pytest.mark.parametrize("stream", ["off", "on"])
@pytest.mark.parametrize("kind", ["application/json", "text/html"])
@pytest.mark.parametrize(
    "body",
    [b"<html>Sign in</html>", b"\x00\xff\xfe\x00\x80", b"\xff\xfe\xd8\x00", b'{"choices": ['],
    ids=["page", "bytes", "other bytes", "half"],
)
def test_what_is_not_json_is_told_alike(
    judge: LoopbackJudge, settings: MakeSettings, body: bytes, kind: str, stream: str
) -> None:
    judge.script([{"raw": raw(body, kind)}], repeat_last=True)
    error = failure(settings, stream=stream)
    assert (error.kind, error.ends_judging, judge.count()) == ("malformed", False, 1)
    told = "answered with a body that is not JSON; check --ragassert-base-url, which often ends in"
    assert f"{judge.base_url} {told} /v1" in str(error)
    assert not re.search("Error|codec", str(error))


@pytest.mark.parametrize("status", ["204 No Content", "200 OK"])
@pytest.mark.parametrize("kind", ["text/plain", "application/json"])
@pytest.mark.parametrize("body", [b"", b" \n"], ids=["empty", "blank"])
def test_a_reply_without_a_body_is_told(
    judge: LoopbackJudge, settings: MakeSettings, status: str, body: bytes, kind: str
) -> None:
    if status.startswith("204"):
        body = b""
    judge.script([{"raw": raw(body, kind, status=status)}], repeat_last=True)
    error = failure(settings)
    assert error.kind == "malformed"
    told = "answered without a body; check --ragassert-base-url, which often ends in /v1"
    assert f"{judge.base_url} {told}" in str(error)


@pytest.mark.parametrize("body", ["", " \n", "null", "{}", "[]"])
@pytest.mark.parametrize(
    ("status", "told"),
    [
        (400, "400 without a message; it refused simpler requests too"),
        (429, "429 without a message (5 requests)"),
    ],
)
def test_a_refusal_without_a_message_is_told_as_one(
    judge: LoopbackJudge, settings: MakeSettings, status: int, told: str, body: str
) -> None:
    judge.script([{"status": status, "body": body}], repeat_last=True)
    assert told in str(failure(settings))


@pytest.mark.parametrize(
    ("status", "body", "told"),
    [
        (404, "404 page not found", "404 page not found; check"),
        (404, "<html><title>404 Not Found</title><h1>404 Not Found</h1>", "404 Not Found; check"),
        (404, "<html>not found</html>", "404 not found; check"),
        (404, "<h1 class='x'>R&amp;D</h1>", "404 R&D; check"),
        (
            404,
            "<!doctype html><style>p > a {}</style><script>1 < 2</script><!-- <b>no</b> -->"
            "<body><div>Not <b>here</b><br>Ask <",
            "404 Not here; Ask <; check",
        ),
        (404, "<html><body></body></html>", "404 without a message; check"),
        (413, {"error": {"message": "413: too large"}}, "413 too large"),
        (413, "413", "413 without a message"),
        (413, "4130 bytes are too many", "413 4130 bytes are too many"),
    ],
)
def test_the_status_is_told_once(
    judge: LoopbackJudge, settings: MakeSettings, status: int, body: Any, told: str
) -> None:
    judge.script([{"status": status, "body": body}], repeat_last=True)
    error = str(failure(settings))
    assert told in error
    assert f"{status} {status} " not in error


HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n"


@pytest.mark.parametrize("stream", ["off", "on"])
@pytest.mark.parametrize(
    "half",
    [HEAD + b"content-length: 500\r\n\r\n{", HEAD + b"transfer-encoding: chunked\r\n\r\n5\r\n{"],
    ids=["length", "chunked"],
)
def test_a_reply_that_breaks_off_is_told_as_one_and_asked_for_again(
    judge: LoopbackJudge, settings: MakeSettings, waits: Waits, half: bytes, stream: str
) -> None:
    judge.script([{"raw": half}], repeat_last=True)
    error = failure(settings, stream=stream)
    assert (error.kind, error.ends_judging, len(waits)) == ("connection", False, 4)
    assert f"the reply of {judge.base_url} was broken off: peer closed connection" in str(error)
    assert "(5 requests)" in str(error)
    assert "no connection" not in str(error)


def test_a_reply_that_is_not_http_is_told_as_one(
    judge: LoopbackJudge, settings: MakeSettings, waits: Waits
) -> None:
    judge.script([{"raw": b"SSH-2.0-OpenSSH_9.9\r\n\r\n"}], repeat_last=True)
    error = failure(settings)
    assert (error.kind, error.ends_judging, len(waits)) == ("connection", False, 4)
    assert f"the reply of {judge.base_url} is not valid HTTP: illegal status line" in str(error)
