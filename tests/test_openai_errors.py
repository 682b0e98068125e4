"""An endpoint that refuses, limits, breaks or is silent: asked again or not, and what is told."""

from __future__ import annotations

import email.utils
import pickle
import re
import socket
import struct
import threading
import time
from typing import Any

import pytest

from pytest_ragassert import EvalCase, JudgeError, evaluate
from pytest_ragassert.evaluation import Evaluation
from pytest_ragassert.judging.calls import retries

from .conftest import MakeSettings, Waits, close_sessions
from .loopback.server import LoopbackJudge
from .replies import case, many

FAITHFUL = ["faithfulness"]
pytestmark = pytest.mark.usefixtures("waits")
KEY = "sk-test-key"


def collected(settings: MakeSettings, cases: list[EvalCase], **options: Any) -> list[Evaluation]:
    return evaluate(cases, FAITHFUL, settings=settings(**options), on_error="collect")


def failure(settings: MakeSettings, **options: Any) -> JudgeError:
    with pytest.raises(JudgeError) as caught:
        evaluate(case(), FAITHFUL, settings=settings(**options))
    return caught.value


def error_body(message: str, code: str | None = None) -> dict[str, Any]:
    return {"error": {"message": message, "type": "some_error", "param": None, "code": code}}


# -- what ends the run -----------------------------------------------------------------------------

ENDING: list[tuple[dict[str, Any], str, str]] = [
    ({"status": 401, "body": error_body("Incorrect API key")}, "credentials", "OPENAI_API_KEY"),
    ({"status": 403, "body": error_body("Not your country")}, "credentials", "OPENAI_API_KEY"),
    ({"status": 404, "body": error_body("No such model")}, "model", "--ragassert-model (judge-a)"),
    ({"status": 429, "body": error_body("Pay", "insufficient_quota")}, "quota", "quota"),
]


@pytest.mark.parametrize(("reply", "kind", "advice"), ENDING)
def test_one_request_then_no_more_in_the_run(
    judge: LoopbackJudge, settings: MakeSettings, reply: dict[str, Any], kind: str, advice: str
) -> None:
    judge.script([reply], repeat_last=True)
    errors = [e.errors["faithfulness"] for e in collected(settings, many(5))]
    later = collected(settings, many(8))
    assert judge.count() == 1
    for error in [*errors, *(e.errors["faithfulness"] for e in later)]:
        assert isinstance(error, JudgeError)
        assert (error.kind, error.ends_judging) == (kind, True)
        assert str(reply["status"]) in str(error)
        assert reply["body"]["error"]["message"] in str(error)
        assert advice in str(error)
    close_sessions()
    judge.reset(replies=True)
    assert all(e["faithfulness"].score == 0 for e in collected(settings, many(2)))


def test_the_end_stops_a_run_that_went_well_before(
    judge: LoopbackJudge, settings: MakeSettings
) -> None:
    evaluate(case(), FAITHFUL, settings=settings())
    judge.reset()
    judge.script([{"status": 401}], repeat_last=True)
    assert len([e for e in collected(settings, many(30), concurrency=2) if e.errors]) == 30
    # those in flight when the answer came
    assert judge.count() <= 2


def test_stored_answers_are_still_read_after_the_end(
    judge: LoopbackJudge, settings: MakeSettings
) -> None:
    evaluate(case(), FAITHFUL, settings=settings())
    close_sessions()
    judge.script([{"status": 401}], repeat_last=True)
    assert collected(settings, many(1))[0].errors
    assert evaluate(case(), FAITHFUL, settings=settings())["faithfulness"].stored


@pytest.mark.parametrize(
    "reply",
    [
        {"status": 401, "body": error_body(f"Incorrect API key provided: {KEY}.")},
        {"status": 400, "body": f"Authorization: Bearer {KEY}"},
        {"status": 500, "body": {"detail": [{"headers": f"Bearer {KEY}"}]}},
        {"status": 200, "body": {"error": {"message": f"bad key {KEY}"}}},
        {"message": {"role": "assistant", "content": None, "refusal": f"not with {KEY}"}},
        {"content": f"Your key is {KEY}"},
        {"content": f'{{"claims": [{{"sentence": "{KEY}", "text": "x"}}]}}'},
    ],
    ids=["401", "400", "500", "200", "refusal", "content", "json"],
)
def test_the_key_is_never_told(
    judge: LoopbackJudge, settings: MakeSettings, reply: dict[str, Any]
) -> None:
    judge.script([reply], repeat_last=True)
    error = failure(settings)
    assert KEY not in str(error)
    assert KEY not in repr(error)
    assert KEY.encode() not in pickle.dumps(error)


def test_a_key_that_is_not_ours_is_not_told_either(
    judge: LoopbackJudge, settings: MakeSettings
) -> None:
    other = "sk-proj-4Kq81LmNop"
    judge.script([{"status": 401, "body": error_body(f"Incorrect API key provided: {other}.")}])
    error = failure(settings)
    assert other not in f"{error!s}{error!r}"
    assert "401 Incorrect API key provided: ***; check" in str(error)


def test_the_key_in_a_url_is_not_told(settings: MakeSettings) -> None:
    url = f"http://user:{KEY}@127.0.0.1:{_closed_port()}/v1"
    error = failure(settings, base_url=url)
    assert error.kind == "connection"
    assert KEY not in str(error)


# -- what is asked again ---------------------------------------------------------------------------


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 504, 529])
def test_passing_trouble_is_waited_out(
    judge: LoopbackJudge, settings: MakeSettings, waits: Waits, status: int
) -> None:
    judge.script([{"status": status}, {"status": status}])
    result = evaluate(case(), FAITHFUL, settings=settings())["faithfulness"]
    assert (result.score, result.requests) == (1.0, 2)
    assert judge.count() == 4
    assert len(waits) == 2


@pytest.mark.parametrize(("status", "forms"), [(400, 4), (405, 1), (413, 1), (422, 4)])
def test_a_bad_request_is_not_repeated_in_the_same_form(
    judge: LoopbackJudge, settings: MakeSettings, waits: Waits, status: int, forms: int
) -> None:
    judge.script([{"status": status, "body": error_body("too much")}], repeat_last=True)
    error = failure(settings)
    assert (error.kind, error.ends_judging) == ("request", False)
    assert f"{status} too much" in str(error)
    assert (judge.count(), waits) == (forms, [])
    assert len({request.digest for request in judge.requests}) == forms


@pytest.mark.parametrize(
    ("reply", "kind", "word"),
    [
        ({"status": 500}, "server", "500"),
        ({"status": 429}, "rate limit", "429"),
        ({"reset": True}, "connection", "no connection"),
    ],
)
def test_lasting_trouble_ends_after_four_repeats(
    judge: LoopbackJudge, settings: MakeSettings, reply: dict[str, Any], kind: str, word: str
) -> None:
    judge.script([reply], repeat_last=True)
    error = failure(settings)
    assert (error.kind, error.ends_judging) == (kind, False)
    assert word in str(error)
    assert "5 requests" in str(error)
    assert judge.count() == 5
    failure(settings)
    assert judge.count() == 5


def test_waits_grow_and_vary(judge: LoopbackJudge, settings: MakeSettings, waits: Waits) -> None:
    judge.script([{"status": 500}], repeat_last=True)
    failure(settings)
    assert len(waits) == 4
    for number, seconds in enumerate(waits):
        assert 0.5 * 2**number * 0.5 <= seconds <= 0.5 * 2**number * 1.5
    assert len({seconds / 2**number for number, seconds in enumerate(waits)}) == 4


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"Retry-After": "7"}, 7.0),
        ({"Retry-After": "0.25"}, 0.25),
        ({"Retry-After": "0"}, 0.0),
        ({"Retry-After": "-5"}, 0.0),
        ({"Retry-After-Ms": "1500"}, 1.5),
        ({"Retry-After-Ms": "1500", "Retry-After": "9"}, 1.5),
        ({"Retry-After-Ms": "soon", "Retry-After": "9"}, 9.0),
    ],
    ids=str,
)
def test_the_server_says_how_long_to_wait(
    judge: LoopbackJudge, settings: MakeSettings, waits: Waits, headers: Any, seconds: float
) -> None:
    judge.script([{"status": 429, "headers": headers}])
    evaluate(case(), FAITHFUL, settings=settings())
    # jitter may come on top, never off
    assert len(waits) == 1
    assert seconds <= waits[0] <= seconds * 1.5 + 1


def test_the_server_says_until_when_to_wait(
    judge: LoopbackJudge, settings: MakeSettings, waits: Waits
) -> None:
    until = email.utils.formatdate(time.time() + 20, usegmt=True)
    judge.script([{"status": 503, "headers": {"Retry-After": until}}])
    evaluate(case(), FAITHFUL, settings=settings())
    assert 10 < waits[0] <= 32


@pytest.mark.parametrize("words", ["soon", "", "99:99", "nan", "1e", "Mon, 32"])
def test_an_unreadable_wait_is_an_ordinary_one(
    judge: LoopbackJudge, settings: MakeSettings, waits: Waits, words: str
) -> None:
    judge.script([{"status": 429, "headers": {"Retry-After": words}}])
    evaluate(case(), FAITHFUL, settings=settings())
    assert 0.2 < waits[0] < 1


@pytest.mark.parametrize(
    "words",
    [
        "3600",
        "inf",
        "1e400",
        "9" * 5000,
        "Fri, 31 Dec 9999 23:59:59 GMT",
        "Fri, 31 Dec 99999 23:59:59 GMT",
    ],
)
def test_a_wait_beyond_the_limit_is_not_begun(
    judge: LoopbackJudge, settings: MakeSettings, waits: Waits, words: str
) -> None:
    judge.script([{"status": 429, "headers": {"Retry-After": words}}], repeat_last=True)
    assert failure(settings).kind == "rate limit"
    assert (judge.count(), waits) == (1, [])


# -- no answer at all ------------------------------------------------------------------------------


def _closed_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
    return port


def test_a_refused_connection_names_the_endpoint(settings: MakeSettings, waits: Waits) -> None:
    url = f"http://127.0.0.1:{_closed_port()}/v1"
    error = failure(settings, base_url=url)
    assert error.kind == "connection"
    assert url in str(error)
    assert len(waits) == 4


def test_a_silent_server_is_a_timeout(
    judge: LoopbackJudge, settings: MakeSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retries, "RETRIES", 1)
    judge.script([{"hang": 30}], repeat_last=True)
    error = failure(settings, timeout=0.1)
    assert error.kind == "timeout"
    for part in ("0.1 s", "2 requests", "--ragassert-timeout", judge.base_url):
        assert part in str(error)
    assert judge.count() == 2


def test_half_an_answer_is_no_answer(judge: LoopbackJudge, settings: MakeSettings) -> None:
    head = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 500\r\n\r\n{"
    judge.script([{"raw": head}])
    assert evaluate(case(), FAITHFUL, settings=settings())["faithfulness"].score == 1.0
    assert judge.count() == 3


def test_a_connection_that_is_reset_says_so(settings: MakeSettings) -> None:
    """The HTTP client's own error has no words; that of the system beneath it has."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=_reset_each, args=(listener,))
        thread.start()
        url = f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
        error = failure(settings, base_url=url)
        listener.shutdown(socket.SHUT_RDWR)
        thread.join()
    assert error.kind == "connection"
    assert re.search(rf"no connection to {url}: \S.*reset.* \(5 requests\)", str(error), re.I)


def _reset_each(listener: socket.socket) -> None:
    at_once = struct.pack("ii", 1, 0)  # closing sends a reset
    while True:
        try:
            connection, _ = listener.accept()
        except OSError:
            return
        connection.recv(1 << 16)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, at_once)
        connection.close()


def test_no_http_is_no_answer(judge: LoopbackJudge, settings: MakeSettings) -> None:
    judge.script([{"raw": b"SSH-2.0-OpenSSH_9.9\r\n"}], repeat_last=True)
    assert failure(settings).kind == "connection"


@pytest.mark.parametrize(
    "reply",
    [
        {"status": 400, "body": error_body("filtered by policy", "content_filter")},
        {"content": None, "finish_reason": "content_filter"},
    ],
)
def test_a_content_filter_is_named_and_not_repeated(
    judge: LoopbackJudge, settings: MakeSettings, reply: dict[str, Any]
) -> None:
    judge.script([reply], repeat_last=True)
    error = failure(settings)
    assert (error.kind, error.ends_judging) == ("content filter", False)
    assert "content filter" in str(error)
    assert judge.count() == 1


def test_what_an_endpoint_says_is_one_short_harmless_line(
    judge: LoopbackJudge, settings: MakeSettings
) -> None:
    words = "Look:\n\n\x1b[31mred\x1b[0m \u202e \x07" + "long " * 1000
    judge.script([{"status": 400, "body": error_body(words)}], repeat_last=True)
    told = str(failure(settings))
    assert len(told) < 550
    assert not {"\n", "\x1b", "\u202e", "\x07"} & set(told)


def test_an_error_survives_pickling(judge: LoopbackJudge, settings: MakeSettings) -> None:
    judge.script([{"status": 401}], repeat_last=True)
    error = failure(settings)
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is JudgeError
    assert str(copy) == str(error)
    assert (copy.kind, copy.ends_judging) == (error.kind, error.ends_judging)
