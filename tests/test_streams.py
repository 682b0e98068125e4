"""Replies that come as streams: joined, cut, failing in the middle, in other forms, too large."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_ragassert import JudgeError, MetricResult, evaluate
from pytest_ragassert.judging.calls.event_loop import without_loop
from pytest_ragassert.judging.judges.openai import openai_client
from pytest_ragassert.judging.judges.openai.stream import _whole

from .conftest import MakeSettings, Waits, close_sessions
from .loopback.judge import Json, completion
from .loopback.scripts import Recorded
from .loopback.server import LoopbackJudge
from .loopback.streams import END, chunks, events, stream_bytes
from .replies import case, claims_reply

pytestmark = pytest.mark.usefixtures("waits")
CLAIM = claims_reply([{"sentence": 1, "text": "The tram runs every 12 minutes on weekdays"}])


def measured(settings: MakeSettings, **options: Any) -> MetricResult:
    close_sessions()
    own = settings(**{"stream": "on", "record_mode": "off", **options})
    return evaluate(case(), ["faithfulness"], settings=own)["faithfulness"]


def failure(settings: MakeSettings, **options: Any) -> JudgeError:
    with pytest.raises(JudgeError) as caught:
        measured(settings, **options)
    return caught.value


def completed(content: Any, **changes: Any) -> Json:
    return completion(content, number=1, model="served-1", prompt_tokens=10, changes=changes)


def replies(*parts: Json | str, missing: int = 0) -> Json:
    return {"raw": stream_bytes(events(parts), missing=missing), "step": "claims"}


def delta(content: Any, finish_reason: str | None = None, **more: Any) -> Json:
    choice = {"index": 0, "delta": {"content": content, **more}, "finish_reason": finish_reason}
    return {"choices": [choice]}


def test_a_stream_is_a_reply_like_any_other(judge: LoopbackJudge, settings: MakeSettings) -> None:
    streamed, whole = measured(settings), measured(settings, stream="off")
    assert streamed.score == whole.score == 1.0
    assert [claim.text for claim in streamed.claims] == [claim.text for claim in whole.claims]
    bodies = [request.body for request in judge.requests]
    assert [body.get("stream") for body in bodies] == [True, True, None, None]
    assert bodies[0]["stream_options"] == {"include_usage": True}


def test_tokens_and_served_model_are_those_of_the_stream(
    judge: LoopbackJudge, settings: MakeSettings
) -> None:
    from pytest_ragassert.engine.session import Session

    session = Session(settings(stream="on"))
    judge.on(lambda r: {"model": "served-1"})
    (one,) = session.measure([session.job(case(), "faithfulness", {})])
    session.close()
    session.run.remove()
    # the cost of a request is that of the first judgement that it asked for
    usages = [usage for asked in one.asked if (usage := asked.answer.usage).requests]
    assert [usage.prompt_tokens for usage in usages] == [r.prompt_tokens for r in judge.requests]
    assert all(usage.completion_tokens > 0 for usage in usages)
    assert {getattr(asked.answer, "served", None) for asked in one.asked} == {"served-1"}


def test_both_ways_have_one_key(judge: LoopbackJudge, settings: MakeSettings) -> None:
    measured(settings, record_mode="new_episodes")
    judge.reset()
    assert measured(settings, record_mode="new_episodes", stream="off").stored
    assert judge.count() == 0


def test_a_server_that_knows_no_options_of_streams(
    judge: LoopbackJudge, settings: MakeSettings
) -> None:
    refused = {"status": 400, "body": {"detail": "Unknown parameter: stream_options"}}
    judge.on(lambda r: refused if "stream_options" in r.body else None)
    assert measured(settings).score == 1.0
    assert judge.count() == 3


def test_a_server_that_does_not_stream(judge: LoopbackJudge, settings: MakeSettings) -> None:
    refused = {"status": 400, "body": {"error": "streaming is not supported"}}
    judge.on(lambda r: refused if "stream" in r.body else None)
    assert measured(settings).score == 1.0
    assert judge.count() == 3


def test_a_server_that_takes_neither_is_not_asked_for_ever(
    judge: LoopbackJudge, settings: MakeSettings
) -> None:
    def refusing(recorded: Recorded) -> Json:
        only = "streaming is not supported" if "stream" in recorded.body else "only streams"
        return {"status": 400, "body": {"error": f"This server takes {only}: stream"}}

    judge.on(refusing)
    assert failure(settings, stream="off").kind == "request"
    assert judge.count() < 8


@pytest.mark.parametrize(
    "parts",
    [
        [delta(CLAIM, "stop"), END],
        [delta(CLAIM[:9]), delta(CLAIM[9:]), delta("", "stop")],
        [delta(CLAIM[:9]), {"choices": []}, delta(CLAIM[9:]), {"usage": None}, END],
        [delta(None, reasoning_content="claims?"), delta(None, reasoning="so"), delta(CLAIM), END],
        [delta([{"type": "thinking", "thinking": []}, {"type": "text", "text": CLAIM}]), END],
        [{"choices": [{"index": 0, "message": {"content": CLAIM}, "finish_reason": "stop"}]}],
        [{"choices": [{"index": 1, "delta": {"content": "no"}}]}, delta(CLAIM, "stop"), END],
        [{"choices": [{"delta": {"content": CLAIM}, "finish_reason": "eos"}]}],
        [delta(CLAIM), END, {"error": "behind the end"}],
    ],
)
def test_pieces_of_many_forms_are_joined(
    judge: LoopbackJudge, settings: MakeSettings, parts: list[Json | str]
) -> None:
    judge.script([replies(*parts)])
    assert len(measured(settings).claims) == 1
    assert judge.count("claims") == 1


@pytest.mark.parametrize(
    ("line_end", "prefix"),
    [("\n", "data: "), ("\r\n", "data:"), ("\n", ": hello\n\nid: 1\ndata: ")],
)
def test_events_of_many_spellings_are_read(
    judge: LoopbackJudge, settings: MakeSettings, line_end: str, prefix: str
) -> None:
    lines = [json.dumps(delta(CLAIM, "stop")), END]
    text = "".join(f"{prefix}{line}\n\n" for line in lines).replace("\n", line_end)
    judge.script([{"raw": stream_bytes(text.encode()), "step": "claims"}])
    assert len(measured(settings).claims) == 1


def test_a_reply_in_one_piece_is_read_too(judge: LoopbackJudge, settings: MakeSettings) -> None:
    judge.script([{"status": 200, "body": completed(CLAIM), "step": "claims"}])
    assert len(measured(settings).claims) == 1


@pytest.mark.parametrize(
    "broken",
    [
        replies(delta(CLAIM[:20])),
        replies(delta(CLAIM[:20]), missing=99),
        replies(),
        replies({"error": {"message": "gone", "code": "server_error"}}),
        replies(delta("{"), {"error": {"message": "Overloaded", "code": 529}}),
        replies(delta("{"), {"error": "gone"}),
        {"raw": stream_bytes(b'event: error\ndata: {"message": "gone"}\n\n'), "step": "claims"},
        {"raw": stream_bytes(b"event: error\ndata: 5\n\n"), "step": "claims"},
    ],
    ids=["ended", "cut", "empty", "error", "status", "text", "event", "number"],
)
def test_a_stream_that_breaks_off_is_asked_for_again(
    judge: LoopbackJudge, settings: MakeSettings, waits: Waits, broken: Json
) -> None:
    judge.script([broken])
    assert measured(settings).score == 1.0
    assert (judge.count("claims"), len(waits)) == (2, 1)


@pytest.mark.parametrize(
    ("parts", "kind", "word"),
    [
        ([{"error": {"message": "bad key", "code": 401}}], "credentials", "bad key"),
        (
            [{"error": {"message": "no", "code": "invalid_api_key", "status_code": 400}}],
            "credentials",
            "no",
        ),
        ([delta("", refusal="not that"), delta(None, "stop"), END], "refusal", "not that"),
        ([delta("x", "content_filter"), END], "content filter", "content_filter"),
        ([delta(""), delta(None, "stop"), END], "malformed", "empty content"),
        ([delta(None, "stop", tool_calls=[{"id": "1"}]), END], "malformed", "tool_calls"),
        (["{"], "malformed", "can't be used: an event of its stream is not JSON"),
        (["[" * 9_999], "malformed", "can't be used: an event of its stream is not JSON"),
    ],
)
def test_what_is_no_answer_is_told(
    judge: LoopbackJudge,
    settings: MakeSettings,
    parts: list[Json | str],
    kind: str,
    word: str,
) -> None:
    judge.script([replies(*parts)], repeat_last=True)
    error = failure(settings)
    assert error.kind == kind
    assert word in str(error)


def test_a_stream_that_never_answers_is_a_lost_connection(
    judge: LoopbackJudge, settings: MakeSettings
) -> None:
    judge.script([replies(delta("{"))], repeat_last=True)
    error = failure(settings)
    assert (error.kind, error.ends_judging) == ("connection", False)
    assert "the stream ended before the reply did (5 requests)" in str(error)


def test_a_reply_that_the_server_finds_no_json_is_asked_again(
    judge: LoopbackJudge, settings: MakeSettings, waits: Waits
) -> None:
    failed = {
        "error": {"message": "Failed", "code": "json_validate_failed", "failed_generation": ""}
    }
    judge.script([replies(delta("{"), failed)])
    assert measured(settings).score == 1.0
    assert waits == []
    assert "previous_reply" in judge.requests[1].data


def test_a_cut_off_reply_is_asked_for_in_parts(
    judge: LoopbackJudge, settings: MakeSettings
) -> None:
    judge.script([replies(delta('{"claims": [{"sent'), delta("", "length"), END)])
    assert measured(settings).score == 1.0
    assert judge.count("claims") == 3


def test_a_stream_has_the_limit_of_any_reply(
    judge: LoopbackJudge, settings: MakeSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        openai_client.OpenAIClient.__init__,
        "__kwdefaults__",
        {**(openai_client.OpenAIClient.__init__.__kwdefaults__ or {}), "largest_reply": 1 << 20},
    )
    judge.script([replies(*(delta("x" * 1_000) for _ in range(1_100)))], repeat_last=True)
    error = failure(settings)
    assert error.kind == "malformed"
    assert "larger than 1 MB" in str(error)
    assert judge.count() == 1


class Response:
    """What the HTTP client gives: bytes in pieces."""

    headers = {"content-type": "text/event-stream"}  # noqa: RUF012 - as the client has it
    request = None

    def __init__(self, pieces: Iterable[bytes]) -> None:
        self._pieces = pieces

    async def aiter_bytes(self) -> Any:
        for piece in self._pieces:
            yield piece


@given(
    st.text(st.characters(codec="utf-8"), max_size=60),
    st.lists(st.integers(1, 40), min_size=1, max_size=20),
)
def test_however_the_bytes_are_cut_the_text_is_the_same(text: str, cuts: list[int]) -> None:
    stream = events([*chunks(completed(text)), END])
    pieces: list[bytes] = []
    at = 0
    while at < len(stream):
        size = cuts[len(pieces) % len(cuts)]
        pieces.append(stream[at : at + size])
        at += size
    whole = without_loop(_whole(Response(pieces)))
    assert whole["choices"][0]["message"]["content"] == text
    assert (whole["choices"][0]["finish_reason"], whole["model"]) == ("stop", "served-1")
    assert whole["usage"]["prompt_tokens"] == 10
