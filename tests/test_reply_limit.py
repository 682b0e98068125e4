"""How much of a reply is read, and that what an error says costs no time, whatever its length."""

from __future__ import annotations

import asyncio
import gzip
import json
import zlib
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from pytest_ragassert import JudgeError, evaluate
from pytest_ragassert.judging.judges.judge import Reply
from pytest_ragassert.judging.judges.openai.endpoint_errors import is_too_long, refusal_of
from pytest_ragassert.judging.judges.openai.error_body import ServerError, error_inside
from pytest_ragassert.judging.judges.openai.request_parameters import refused_part
from pytest_ragassert.judging.scheduling.conversation import Conversation
from pytest_ragassert.steps.catalogue import step_named

from .conftest import MakeSettings
from .loopback.judge import answer, completion
from .loopback.server import LoopbackJudge
from .replies import case
from .test_endpoint_errors import failure

MEGABYTE = 1 << 20


def raw(content: bytes, *headers: str, status: int = 200) -> dict[str, bytes]:
    """A reply as it goes over the wire."""
    lines = [f"HTTP/1.1 {status} Status", "content-type: application/json", *headers]
    lines += ["connection: close", f"content-length: {len(content)}"]
    return {"raw": "\r\n".join([*lines, "", ""]).encode() + content}


def packed(content: bytes, encoding: str) -> bytes:
    if encoding == "deflate":
        return zlib.compress(content)
    if encoding == "raw deflate":
        packer = zlib.compressobj(wbits=-15)
        return packer.compress(content) + packer.flush()
    return gzip.compress(content)


@pytest.mark.parametrize("encoding", ["", "gzip"])
def test_a_reply_beyond_the_limit_is_not_read(
    judge: LoopbackJudge, settings: MakeSettings, encoding: str
) -> None:
    content = json.dumps({"choices": "0" * (16 * MEGABYTE)}).encode()
    headers = [f"content-encoding: {encoding}"] if encoding else []
    judge.script([raw(packed(content, encoding) if encoding else content, *headers)])
    error = failure(settings)
    assert "is larger than 16 MB, the most that is read" in str(error)
    assert (error.kind, judge.count()) == ("malformed", 1)


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "raw deflate"])
def test_compressed_replies_are_read(
    judge: LoopbackJudge, settings: MakeSettings, encoding: str
) -> None:
    def compressed(recorded: Any) -> dict[str, bytes]:
        content = json.dumps(answer(recorded.step, recorded.data))
        body = json.dumps(
            completion(content, number=1, model="judge-a", prompt_tokens=5, changes={})
        )
        name = encoding.removeprefix("raw ")
        return raw(packed(body.encode(), encoding), f"content-encoding: {name}")

    judge.on(compressed)
    assert evaluate(case(), ["faithfulness"], settings=settings())["faithfulness"].score == 1
    assert {r.headers["accept-encoding"] for r in judge.requests} == {"gzip"}


@pytest.mark.parametrize(
    ("headers", "told"),
    [
        (["content-encoding: br"], "encoded as br, which was not requested"),
        (["content-encoding: gzip, gzip"], "encoded as gzip, gzip, which was not requested"),
        (["content-encoding: gzip"], "it is declared as gzip but is not"),
    ],
)
def test_what_is_packed_otherwise_is_told(
    judge: LoopbackJudge, settings: MakeSettings, headers: list[str], told: str
) -> None:
    judge.script([raw(b"{}", *headers)])
    assert told in str(failure(settings))


def test_of_an_errors_body_the_beginning_is_read(
    judge: LoopbackJudge, settings: MakeSettings, waits: list[float]
) -> None:
    content = b'{"error": {"message": "slow down, please: ' + b"x" * (3 * MEGABYTE)
    judge.script([raw(content, "retry-after: 7", status=429)])
    assert evaluate(case(), ["faithfulness"], settings=settings())["faithfulness"].score == 1
    assert waits == [7.0]


def test_a_body_of_objects_within_objects_is_told(
    judge: LoopbackJudge, settings: MakeSettings
) -> None:
    deep = '{"error":' * 20_000 + "1" + "}" * 20_000
    judge.script([raw(deep.encode(), status=400)], repeat_last=True)
    error = failure(settings)
    assert (error.kind, len(str(error)) < 600) == ("request", True)
    judge.script([raw(deep.encode())])
    assert failure(settings, case(answer="It stops.")).kind == "malformed"


@pytest.mark.parametrize(
    "words",
    [
        "model " * 200_000,
        "tokens " * 200_000,
        "9" * 1_000_000,
        "exceeds " * 200_000,
        "not " * 99_999,
    ],
)
def test_the_words_that_are_searched_are_few(words: str) -> None:
    error = ServerError(400, {"error": {"message": f"Bad request {words} was too long"}})
    assert len(error.words) < 5_000
    assert error.words.startswith("Bad request")
    assert error.words.endswith("too long")
    assert refusal_of(error, "m", answered=True).kind == "request"
    assert refused_part(400, None, error.words, {"messages": []}) is None
    assert not is_too_long(error) or "tokens" in words or "exceeds" in words


def test_a_reply_of_a_hooks_judge_has_a_limit_too() -> None:
    async def send(step: Any, message: Any) -> Reply:
        return Reply("x" * 5_000_000)

    conversation = Conversation(step_named("extract_claims"), send)
    with pytest.raises(JudgeError, match="5000000 characters; at most 4000000 are read"):
        asyncio.run(conversation.ask({"question": None, "sentences": [{"id": 1, "text": "A."}]}))


def nested(depth: int) -> Any:
    value: Any = "inside"
    for _ in range(depth):
        value = {"error": value}
    return value


@pytest.mark.parametrize(
    "made",
    [lambda: nested(100_000), lambda: [nested(100_000)], lambda: {"code": "x" * 10**6}],
)
def test_no_error_object_is_too_much(made: Callable[[], Any]) -> None:
    error = ServerError(400, made())
    assert refusal_of(error, "m", answered=True).kind == "request"
    assert len(error.words) < 5_000


def test_a_code_that_is_no_status() -> None:
    for code in ("9" * 5_000, "٤٠٠", "4000", True, None):
        assert error_inside(SimpleNamespace(error={"code": code}, choices=None)) is None
    found = error_inside(SimpleNamespace(error={"code": "429"}, choices=None))
    assert found is not None
    assert found.status == 429
