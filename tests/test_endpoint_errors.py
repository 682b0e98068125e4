"""What endpoints say when they refuse: the many spellings, and what each means for the run."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from pytest_ragassert import EvalCase, JudgeError, evaluate
from pytest_ragassert.judging.calls import retries
from pytest_ragassert.judging.judges.openai import openai_client

from .conftest import MakeSettings, Waits, close_sessions
from .loopback.scripts import Recorded
from .loopback.server import LoopbackJudge
from .replies import case, many, verdict, verdicts_reply

FAITHFUL = ["faithfulness"]
pytestmark = pytest.mark.usefixtures("waits")


def errors(settings: MakeSettings, cases: Sequence[EvalCase], **options: Any) -> list[Any]:
    """The error of each case, None where it was measured."""
    done = evaluate(cases, FAITHFUL, settings=settings(**options), on_error="collect")
    return [one.errors.get("faithfulness") for one in done]


def failure(settings: MakeSettings, failing: EvalCase | None = None, **options: Any) -> JudgeError:
    (error,) = errors(settings, [failing or case()], **options)
    assert isinstance(error, JudgeError)
    return error


def body(message: str, **fields: Any) -> dict[str, Any]:
    return {"error": {"message": message, **fields}}


FILTERED = {
    "code": "ResponsibleAIPolicyViolation",
    "content_filter_result": {
        "hate": {"filtered": False, "severity": "safe"},
        "violence": {"filtered": True, "severity": "high"},
    },
}
FLAGGED = body(
    "Your chosen model requires moderation and your input was flagged",
    code=403,
    metadata={"reasons": ["violence/graphic"], "flagged_input": "Tram 1"},
)

# status, body → kind, whether it ends judging, a word of the message
SPELLINGS: list[tuple[int, Any, str, bool, str]] = [
    (429, body("Pay first", type="insufficient_quota"), "quota", True, "used up"),
    (429, body("Pay first", code="insufficient_quota"), "quota", True, "used up"),
    (400, body("Limit", code="billing_hard_limit_reached"), "quota", True, "used up"),
    (429, body("You exceeded your current quota, see plans"), "quota", True, "used up"),
    (402, body("Insufficient credits", code=402), "quota", True, "402"),
    (402, "Payment Required", "quota", True, "used up"),
    (429, body("Slow down", type="requests", code="rate_limit_exceeded"), "rate limit", False, ""),
    (400, body("No", code="model_not_found"), "model", True, "--ragassert-model (judge-a)"),
    (400, body("The model `x` does not exist"), "model", True, "--ragassert-model (judge-a)"),
    (404, "404 page not found", "model", True, "--ragassert-base-url"),
    (400, [body("API key not valid. Give one.", code=400)], "credentials", True, "OPENAI_API_KEY"),
    (400, body("No", code="invalid_api_key"), "credentials", True, "OPENAI_API_KEY"),
    (401, "", "credentials", True, "OPENAI_API_KEY"),
    (403, FLAGGED, "content filter", False, "violence/graphic"),
    (400, body("No", code="content_filter", innererror=FILTERED), "content filter", False, "viole"),
    (400, body("No", innererror=FILTERED), "content filter", False, "content filter: violence"),
    (500, body("The model is overloaded"), "server", False, "overloaded"),
    (501, body("No embeddings here", code=501), "request", False, "the endpoint can't do this"),
]


@pytest.mark.parametrize(("status", "told", "kind", "ends", "word"), SPELLINGS)
def test_each_spelling_has_its_meaning(
    judge: LoopbackJudge,
    settings: MakeSettings,
    status: int,
    told: Any,
    kind: str,
    ends: bool,
    word: str,
) -> None:
    judge.script([{"status": status, "body": told}], repeat_last=True)
    error = failure(settings)
    assert (error.kind, error.ends_judging) == (kind, ends)
    assert f"{status} " in str(error)
    assert word in str(error)
    if kind == "content filter":
        assert "content filter" in str(error)
        assert "hate" not in str(error)
    assert judge.count() == (5 if kind in ("rate limit", "server") else 1)


@pytest.mark.parametrize("first", [True, False])
def test_what_is_filtered_fails_alone(
    judge: LoopbackJudge, settings: MakeSettings, first: bool
) -> None:
    words = "Tram 0" if first else "Tram 1"

    def rule(recorded: Recorded) -> dict[str, Any] | None:
        return {"status": 403, "body": FLAGGED} if words in str(recorded.data) else None

    judge.on(rule)
    found = errors(settings, many(3))
    assert [error is not None for error in found] == [first, not first, False]


def test_an_absent_page_ends_judging_only_before_the_first_answer(
    judge: LoopbackJudge, settings: MakeSettings
) -> None:
    gone = {"status": 404, "body": "404 page not found"}
    judge.on(lambda recorded: gone if "Tram 1" in str(recorded.data) else None)
    found = errors(settings, many(3))
    assert [getattr(error, "kind", None) for error in found] == [None, "request", None]
    close_sessions()
    judge.reset(replies=True)
    judge.script([gone], repeat_last=True)
    other = [case(id=f"d{n}", answer=f"Bus {n} runs.") for n in range(3)]
    assert [error.kind for error in errors(settings, other)] == ["model"] * 3
    assert judge.count() == 1


@pytest.mark.parametrize(
    ("words", "seconds"), [("1s", 1.0), ("2 s", 2.0), ("0.5sec", 0.5), ("3 seconds", 3.0)]
)
def test_a_wait_may_have_a_unit(
    judge: LoopbackJudge, settings: MakeSettings, waits: Waits, words: str, seconds: float
) -> None:
    judge.script([{"status": 429, "headers": {"Retry-After": words}}])
    assert errors(settings, [case()]) == [None]
    assert waits == [seconds]


# -- nobody there ----------------------------------------------------------------------------------


def test_a_refused_connection_ends_judging_after_the_first_question(
    settings: MakeSettings, waits: Waits
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"http://127.0.0.1:{server.getsockname()[1]}/v1"
    found = errors(settings, many(4), base_url=url)
    assert {(error.kind, error.ends_judging) for error in found} == {("connection", True)}
    assert len(waits) == 4
    errors(settings, [case(answer="Another one runs.")], base_url=url)
    assert len(waits) == 4


def test_a_broken_connection_ends_nothing(judge: LoopbackJudge, settings: MakeSettings) -> None:
    judge.script([{"reset": True}], repeat_last=True)
    found = errors(settings, many(2))
    assert {(error.kind, error.ends_judging) for error in found} == {("connection", False)}
    assert judge.count() == 10


# -- replies that are answers and not whole --------------------------------------------------------

FOUR = case(answer="One stop. Two stops. Three stops. Four stops.")
HALF = [verdict(1, "yes"), verdict(3, "yes")]


def test_a_wait_too_long_to_be_waited_for_is_told(
    judge: LoopbackJudge, settings: MakeSettings
) -> None:
    judge.script([{"status": 429, "headers": {"retry-after": "3600"}}], repeat_last=True)
    error = failure(settings)
    assert error.kind == "rate limit"
    assert str(error).endswith("; the endpoint asks to wait 3600 s")
    assert judge.count() == 1


def test_our_own_waits_are_not_the_endpoints(
    judge: LoopbackJudge, settings: MakeSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retries, "RETRY_SECONDS", 0.0)
    judge.script([{"status": 503, "body": "gone"}], repeat_last=True)
    assert "asks to wait" not in str(failure(settings))
    assert judge.count() == 1


def test_an_endpoint_that_dribbles_is_given_up(
    settings: MakeSettings, monkeypatch: pytest.MonkeyPatch, waits: Waits
) -> None:
    monkeypatch.setattr(openai_client, "_GRACE", 0.1)

    class Dribbles(BaseHTTPRequestHandler):
        def do_POST(self) -> None:  # the library's name
            self.send_response(200)
            self.end_headers()
            with contextlib.suppress(OSError):
                for _ in range(60):
                    self.wfile.write(b" ")
                    time.sleep(0.05)

        def log_message(self, format: str, *args: object) -> None:
            return None

    with ThreadingHTTPServer(("127.0.0.1", 0), Dribbles) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}/v1"
        error = failure(settings, base_url=url, timeout=0.2)
        server.shutdown()
    assert error.kind == "timeout"
    assert "within 0.2 s (5 requests)" in str(error)


def scripted(judge: LoopbackJudge, *said: str) -> None:
    judge.script([{"step": "verdicts", "content": content} for content in said])


def test_the_answers_of_before_again_leave_the_same_missing(
    judge: LoopbackJudge, settings: MakeSettings
) -> None:
    scripted(judge, verdicts_reply(HALF), verdicts_reply(HALF))
    error = failure(settings, FOUR)
    assert error.kind == "malformed"
    assert "4 asked, 2 missing: 2, 4" in str(error)
    assert judge.count("verdicts") == 2


@pytest.mark.parametrize("ids", [(1, 2, 3, 4), (2, 4), (4, 3, 2)])
def test_what_was_missing_is_taken_from_any_second_answer(
    judge: LoopbackJudge, settings: MakeSettings, ids: tuple[int, ...]
) -> None:
    # the second answer's other ids say something else, which is passed over
    rest = [verdict(n, "yes" if n in (2, 4) else "refuted") for n in ids]
    scripted(judge, verdicts_reply(HALF), verdicts_reply(rest))
    result = evaluate(FOUR, FAITHFUL, settings=settings())["faithfulness"]
    assert (result.score, judge.count("verdicts")) == (1.0, 2)


@pytest.mark.parametrize("id", [0, 5, None])
def test_an_id_never_asked_voids_the_second_answer_too(
    judge: LoopbackJudge, settings: MakeSettings, id: Any
) -> None:
    second = [verdict(2, "yes"), verdict(4, "yes"), verdict(id, "yes")]
    scripted(judge, verdicts_reply(HALF), verdicts_reply(second))
    error = failure(settings, FOUR)
    assert error.kind == "malformed"
    assert judge.count("verdicts") == 2


def test_a_draft_before_an_answer_cut_off_is_not_believed(
    judge: LoopbackJudge, settings: MakeSettings
) -> None:
    draft = verdicts_reply([verdict(n, "yes") for n in (1, 2, 3, 4)])
    content = f"{draft}\nOn second thought:\n{draft[:60]}"
    judge.script([{"step": "verdicts", "content": content}], repeat_last=True)
    error = failure(settings, FOUR)
    assert error.kind == "malformed"
    assert "incomplete" in str(error)


REASONS = ["MAX_TOKENS", "max_tokens", "model_length"]


@pytest.mark.parametrize("reason", REASONS)
def test_other_words_for_cut_off_are_understood(
    judge: LoopbackJudge, settings: MakeSettings, reason: str
) -> None:
    cut = {"step": "verdicts", "content": '{"verdicts": [{"id": 1, "v', "finish_reason": reason}
    judge.script([cut])
    assert errors(settings, [FOUR]) == [None]
    asked = [r.data["claims"] for r in judge.requests if r.step == "verify_claims"]
    assert [[claim["id"] for claim in claims] for claims in asked] == [[1, 2, 3, 4], [1, 2], [3, 4]]
    close_sessions()
    judge.script([cut], repeat_last=True)
    error = failure(settings, FOUR, record_mode="off")
    assert error.kind == "truncated"
    assert "max_tokens" in str(error)


@pytest.mark.parametrize("reason", REASONS)
def test_a_whole_answer_passes_under_other_words_for_cut_off(
    judge: LoopbackJudge, settings: MakeSettings, reason: str
) -> None:
    whole = verdicts_reply([verdict(n, "yes") for n in (1, 2, 3, 4)])
    judge.script([{"step": "verdicts", "content": whole, "finish_reason": reason}])
    assert errors(settings, [FOUR]) == [None]
    assert judge.count("verdicts") == 1


@pytest.mark.parametrize(
    ("reply", "kind", "word"),
    [
        (
            {"message": {"content": [{"type": "refusal", "refusal": "I can't help."}]}},
            "refusal",
            "I can't help.",
        ),
        ({"content": "", "finish_reason": "SAFETY"}, "content filter", "SAFETY"),
        ({"content": None, "finish_reason": "RECITATION"}, "content filter", "RECITATION"),
    ],
)
def test_refusals_in_other_forms_are_told(
    judge: LoopbackJudge, settings: MakeSettings, reply: dict[str, Any], kind: str, word: str
) -> None:
    judge.script([reply], repeat_last=True)
    error = failure(settings)
    assert (error.kind, error.ends_judging) == (kind, False)
    assert word in str(error)
    assert judge.count() == 1


def test_plain_texts_as_parts_are_joined(judge: LoopbackJudge, settings: MakeSettings) -> None:
    parts = ['{"claims": [{"sentence": 1, ', '"text": "The tram runs"}]}']
    judge.script([{"step": "claims", "message": {"role": "assistant", "content": parts}}])
    result = evaluate(case(), FAITHFUL, settings=settings())["faithfulness"]
    assert [claim.text for claim in result.claims] == ["The tram runs"]
