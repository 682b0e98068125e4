"""Judges that fail: a test says why in one line, and no other test suffers from it."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from pytest_ragassert.judging.calls import retries
from tests.loopback.scripts import Recorded
from tests.loopback.server import LoopbackJudge

from .projects import KEY, PASSING, Project, new_project, section

project = pytest.fixture(new_project)

# The answer that the judge fails at names this boat.
BOAT = "Bramble"
THREE = f"""
from ferry import GOOD, case
from pytest_ragassert import assert_faithful

def test_before():
    assert_faithful(case("before"))

def test_failing():
    assert_faithful(case("failing", GOOD + " The boat is called {BOAT}."), min=0)

def test_after():
    assert_faithful(case("after", "Dogs are not allowed on board."))
"""
# all that is asked for the failing one is its own
APART = THREE.replace('GOOD + "', '"Cats sleep on deck.')
NOW = {"retry-after": "0"}


def named(recorded: Recorded) -> bool:
    return BOAT in str(recorded.data)


def error(status: int, message: str, code: str | None = None, **more: Any) -> dict[str, Any]:
    body = {"error": {"message": message, "type": "any", "param": None, "code": code}}
    return {"status": status, "body": body, "headers": NOW, **more}


REFUSED = {"message": {"role": "assistant", "content": None, "refusal": "I can't judge boats."}}


def all_but_the_second(recorded: Recorded) -> str:
    kept = [claim["id"] for claim in recorded.data["claims"] if claim["id"] != 2]
    return json.dumps({"verdicts": [{"id": id, "verdict": "supported"} for id in kept]})


def of_another(recorded: Recorded) -> str:
    return json.dumps({"verdicts": [{"id": 7, "verdict": "supported"}]})


# name: step that fails, reply, kind in the summary, requests it costs, words of the message
FAILURES: dict[str, tuple[str, Any, str, int, list[str]]] = {
    "rate limit": (
        "extract_claims",
        error(429, "Rate limit reached"),
        "rate limit",
        5,
        ["429", "Rate limit reached", "5 requests"],
    ),
    "server": (
        "verify_claims",
        error(500, "The server\nhad an error"),
        "server",
        5,
        ["500 The server had an error", "5 requests"],
    ),
    "request": ("extract_claims", error(400, "Bad prompt"), "request", 1, ["400 Bad prompt"]),
    "filter": (
        "extract_claims",
        error(400, "Filtered", "content_filter"),
        "content filter",
        1,
        ["content filter"],
    ),
    "refusal": ("verify_claims", REFUSED, "refusal", 1, ["refused: I can't judge boats."]),
    "truncated": (
        "verify_claims",
        {"content": '{"verdicts": [{"id": 1', "finish_reason": "length"},
        "truncated",
        2,
        ["cut off", "finish_reason length", "--ragassert-max-tokens"],
    ),
    "empty": ("extract_claims", {"content": ""}, "malformed", 1, ["empty content"]),
    "no JSON": (
        "verify_claims",
        {"content": "All of them look fine to me!"},
        "malformed",
        2,
        ["verify_claims", "no JSON", "look fine", "asked twice"],
    ),
    "too few": (
        "verify_claims",
        all_but_the_second,
        "malformed",
        2,
        ["2 asked, 1 missing: 2"],
    ),
    "foreign": ("verify_claims", of_another, "malformed", 2, ["claim 7", "not asked"]),
    "connection": ("extract_claims", {"reset": True}, "connection", 5, ["no connection to http"]),
}


@pytest.mark.parametrize("name", FAILURES)
def test_one_failing_question_leaves_the_others_alone(
    project: Project, judge: LoopbackJudge, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    step, reply, kind, requests, words = FAILURES[name]
    monkeypatch.setattr(retries, "_FIRST_WAIT", 0.001)
    judge.on(lambda r: named(r) and r.step == step, reply)
    project.test(APART)
    project.judged_by(judge)
    result = project.run()
    assert result.parseoutcomes() == {"passed": 2, "failed": 1}
    (line,) = [line for line in result.outlines if line.startswith("E ")]
    assert line.split()[1] == "JudgeError:"
    for word in ["failing", "faithfulness", *words]:
        assert word in line
    # the user's line alone
    assert "pytest_ragassert/" not in result.stdout.str()
    assert sum(named(r) and r.step == step for r in judge.requests) == requests
    lines = section(result)
    assert f"judge errors (not measured): 1: 1 {kind}" in lines
    (figures,) = [line for line in lines if line.startswith("faithfulness ")]
    assert figures.split()[:5] == ["faithfulness", "2", "1.00", "1.00", "0"]

    # nothing false was stored: once the judge is well, only what failed is asked
    judge.reset(replies=True)
    again = project.run()
    assert again.parseoutcomes() == {"passed": 3}
    assert judge.count("verify_claims") == 1
    assert judge.count("extract_claims") == (step == "extract_claims")


def test_a_judge_that_gives_no_reply_in_time(
    project: Project, judge: LoopbackJudge, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retries, "_FIRST_WAIT", 0.001)
    judge.on(named, {"latency": 5})
    project.test(THREE)
    project.judged_by(judge)
    result = project.run("--ragassert-timeout=0.2")
    assert result.parseoutcomes() == {"passed": 2, "failed": 1}
    (line,) = [line for line in result.outlines if line.startswith("E ")]
    assert "within 0.2 s (5 requests)" in line
    assert "--ragassert-timeout" in line
    assert "judge errors (not measured): 1: 1 timeout" in section(result)


def test_a_rate_limit_that_passes_costs_no_test(project: Project, judge: LoopbackJudge) -> None:
    judge.script([error(429, "Slow down"), error(503, "Busy"), {"step": "claims"}])
    project.test(THREE)
    project.judged_by(judge)
    result = project.run()
    assert result.parseoutcomes() == {"passed": 3}
    assert "judgements: 6 asked, 0 stored, 0 carried (8 requests)" in section(result)[-2]


ENDING = {
    "401": (error(401, f"Incorrect API key provided: {KEY}.", "invalid_api_key"), "credentials"),
    "403": (error(403, "Forbidden"), "credentials"),
    "404": (error(404, "The model does not exist", "model_not_found"), "model"),
    "quota": (error(429, "You exceeded your current quota", "insufficient_quota"), "quota"),
}


@pytest.mark.parametrize("name", ENDING)
def test_a_failure_that_no_question_survives_costs_one_request(
    project: Project, judge: LoopbackJudge, name: str
) -> None:
    reply, kind = ENDING[name]
    judge.script([reply], repeat_last=True)
    project.test(THREE)
    project.judged_by(judge)
    result = project.run("-rA", "-vv", "--showlocals", "--log-level=DEBUG")
    assert result.parseoutcomes() == {"failed": 3}
    assert judge.count() == 1
    # the reason alone, where else a traceback stands
    reasons = [line for line in result.outlines if line.startswith("faithfulness of case ")]
    assert [line.split()[3] for line in reasons] == ["before", "failing", "after"]
    assert "def test_before" not in result.stdout.str()
    assert f"judge errors (not measured): 3: 3 {kind}" in section(result)
    assert KEY not in result.stdout.str() + result.stderr.str()
    if kind == "credentials":
        assert name in reasons[0]
        assert "API key" in reasons[0]
    else:
        assert {"model": "--ragassert-model", "quota": "quota used up"}[kind] in reasons[0]


def test_questions_side_by_side_wait_for_the_first_answer(
    project: Project, judge: LoopbackJudge
) -> None:
    judge.script([{**ENDING["401"][0], "latency": 0.2}], repeat_last=True)
    project.test(
        """
        from ferry import case
        from pytest_ragassert import evaluate

        def test_many():
            many = [case(f"c{n}", f"Boat number {n} is new.") for n in range(12)]
            got = evaluate(many, ["faithfulness"], on_error="collect")
            assert {one.errors["faithfulness"].kind for one in got} == {"credentials"}
        """
    )
    project.judged_by(judge)
    project.run().assert_outcomes(passed=1)
    assert judge.count() == 1
    judge.script([])
    judge.latency = 0.1
    project.run().assert_outcomes(failed=1)  # they are measured now, and have no errors
    assert judge.count() == 25
    assert judge.max_in_flight > 1


def test_errors_are_data_for_who_collects_them(project: Project, judge: LoopbackJudge) -> None:
    judge.on(named, REFUSED)
    project.test(
        THREE
        + """
def test_collected():
    from pytest_ragassert import JudgeError, evaluate
    bad = case("failing", GOOD + " The boat is called Bramble.")
    one, two = evaluate([bad, case("fine")], ["faithfulness"], on_error="collect")
    assert not one and two["faithfulness"].score == 1
    assert isinstance(one.errors["faithfulness"], JudgeError)
    assert one.errors["faithfulness"].kind == "refusal"

def test_raised():
    from pytest_ragassert import evaluate
    evaluate(case("failing", GOOD + " The boat is called Bramble."), ["faithfulness"])
"""
    )
    project.judged_by(judge)
    result = project.run("--tb=short")
    assert result.parseoutcomes() == {"passed": 3, "failed": 2}
    # the same question that failed is not asked again in the run
    assert sum(map(named, judge.requests)) == 1


def test_a_killed_endpoint_is_named(
    project: Project, judge: LoopbackJudge, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retries, "_FIRST_WAIT", 0.001)
    project.test(THREE)
    project.judged_by(judge)
    judge.close()
    result = project.run()
    assert result.parseoutcomes() == {"failed": 3}
    lines = [line for line in result.outlines if line.startswith("E ")]
    assert all(f"no connection to {judge.base_url}" in line for line in lines)


@pytest.mark.parametrize("args", [(), ("-n", "2")], ids=["serial", "workers"])
def test_what_was_learned_of_the_endpoint_is_told(
    project: Project, judge: LoopbackJudge, args: tuple[str, ...]
) -> None:
    judge.refuse = {"seed", "temperature"}
    project.test(PASSING)
    project.judged_by(judge)
    project.set(RAGASSERT_SEED="3")
    loud = (
        "note: gpt-4o-mini refuses temperature, so a question that is asked again may get "
        "another verdict"
    )
    quiet = "note: gpt-4o-mini refuses seed"
    told = section(project.run(*args, "-v"))
    assert loud in told
    assert quiet in told
    project.test(PASSING.replace("Dogs are not allowed", "All dogs are not allowed"))
    told = section(project.run(*args))
    assert loud in told
    assert quiet not in told


def test_asking_again_and_its_cost_are_told(project: Project, judge: LoopbackJudge) -> None:
    judge.script([{"step": "verdicts", "content": "All fine!"}])
    project.test(PASSING)
    project.judged_by(judge)
    result = project.run()
    result.assert_outcomes(passed=2)
    (line,) = [line for line in section(result) if line.startswith("asked again")]
    assert re.fullmatch(r"asked again for a usable reply or a quote: 1, [1-9]\d* tokens", line)
    assert not any("asked again" in line for line in section(project.run()))


@pytest.mark.parametrize("args", [(), ("-n", "2")], ids=["serial", "workers"])
def test_what_a_failed_question_cost_is_told(
    project: Project, judge: LoopbackJudge, args: tuple[str, ...]
) -> None:
    judge.script([{"step": "verdicts", "content": "All fine!"}], repeat_last=True)
    project.test(THREE)
    project.judged_by(judge)
    told = section(project.run(*args))
    (line,) = [line for line in told if line.startswith("judgements")]
    sent = sum(request.prompt_tokens for request in judge.requests)
    # of 9 one less where a worker asks for the two sentences of the failing case together
    counted = f"judgements: 6 asked, 0 stored, 0 carried ({judge.count()} requests); tokens: "
    assert line.startswith(counted)
    assert judge.count() in ((8, 9) if args else (9,))
    assert f"tokens: {sent} prompt" in line
    assert any(line.startswith("asked again for a usable reply") for line in told)
