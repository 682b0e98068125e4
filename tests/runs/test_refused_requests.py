"""An endpoint that refuses a whole request without saying why, under several workers."""

from __future__ import annotations

from typing import Any

import pytest

from tests.loopback.scripts import Recorded, Rule
from tests.loopback.server import LoopbackJudge

from .projects import Project, new_project, section

pytest.importorskip("xdist")

project = pytest.fixture(new_project)

TEST = """
import pytest
from ferry import case
from pytest_ragassert import assert_faithful

@pytest.mark.parametrize("n", range(8))
def test_boat(n):
    assert_faithful(case(f"{n}", f"Boat {n} is new.", retrieved_contexts=[f"Boat {n} is new."]))
"""
REFUSED = {"status": 422, "body": {"message": "not in this form"}}


def test_one_worker_finds_for_all_what_the_endpoint_takes(
    project: Project, judge: LoopbackJudge
) -> None:
    project.test(TEST)
    project.judged_by(judge)
    judge.on(lambda r: REFUSED if "response_format" in r.body else None)
    first = project.run("-n", "2")
    first.assert_outcomes(passed=8)
    types = [r.body.get("response_format", {}).get("type") for r in judge.requests]
    # each worker's first question is out before anything is known
    assert types.count("json_schema") <= 2
    assert types.count("json_object") == 1
    assert types.count(None) == 16
    told = [line for line in section(first) if "judge" in line or "without" in line]
    assert sum("accepts requests without response_format" in line for line in told) == 1
    judge.reset()
    project.test(TEST.replace("is new", "is old"))
    second = project.run()
    second.assert_outcomes(passed=8)
    assert not any("response_format" in r.body for r in judge.requests)
    assert not any("requests without" in line for line in section(second))


BY_TWO_WORKERS = """
import os
import time
from pathlib import Path

import openai
import pytest
from ferry import case
from pytest_ragassert import assert_faithful

def wait_for(name):
    end = time.monotonic() + 30
    while not Path(name).exists():
        assert time.monotonic() < end, name
        time.sleep(0.01)

@pytest.mark.parametrize("n", range(2))
def test_boat(n, monkeypatch):
    assert_faithful_of_worker(n, monkeypatch)
    Path(f"done {n}").touch()

def of(n):
    return case(f"{n}", f"Boat {n} is new.", retrieved_contexts=[f"Boat {n} is new."])
"""
# The second worker has begun, but its client is made when the first one's test is over.
CLIENT_COMES_LATE = """
def assert_faithful_of_worker(n, monkeypatch):
    made = openai.AsyncOpenAI.__init__

    def late(*args, **options):
        Path("makes its client").touch()
        wait_for("done 0")
        made(*args, **options)

    if n == 1:
        monkeypatch.setattr(openai.AsyncOpenAI, "__init__", late)
    else:
        wait_for("makes its client")
    assert_faithful(of(n))
"""
# The second worker begins while a reply to the first one is held.
JOINS_MEANWHILE = """
def assert_faithful_of_worker(n, monkeypatch):
    if n == 1:
        wait_for("second begins")
    assert_faithful(of(n))
"""


def of_second(recorded: Recorded) -> bool:
    return "Boat 1" in str(recorded.data)


def by_two_workers(project: Project, way: str, *args: str) -> list[str]:
    """What is printed of the judge in a run where the second test has a worker of its own."""
    project.test(BY_TWO_WORKERS + way)
    result = project.run("-n", "2", "-v", *args)
    result.assert_outcomes(passed=2)
    return section(result)


def requests_of(judge: LoopbackJudge, *, second: bool) -> list[Recorded]:
    return [recorded for recorded in judge.requests if of_second(recorded) == second]


# without a store the run's folder alone tells the second worker
@pytest.mark.parametrize("mode", ["new_episodes", "all", "off"])
def test_what_one_worker_finds_another_begins_with(
    project: Project, judge: LoopbackJudge, mode: str
) -> None:
    project.judged_by(judge)
    judge.on(lambda r: REFUSED if "response_format" in r.body else None)
    by_two_workers(project, CLIENT_COMES_LATE, f"--ragassert-record-mode={mode}")
    first, second = (requests_of(judge, second=each) for each in (False, True))
    assert [r.status for r in first] == [422, 422, 200, 200]
    assert [r.status for r in second] == [200, 200]


def test_no_worker_begins_while_another_finds_what_is_taken(
    project: Project, judge: LoopbackJudge
) -> None:
    project.judged_by(judge)

    def searched(recorded: Recorded) -> dict[str, Any] | None:
        if _type(recorded) == "json_schema":
            return REFUSED
        if judge.count() > 2:
            return None
        # it has found what is taken, and the reply that shows it takes a while
        (project.path / "second begins").touch()
        return {"latency": 1.0}

    judge.on(searched)
    by_two_workers(project, JOINS_MEANWHILE, "--ragassert-record-mode=off")
    assert [r.status for r in judge.requests].count(422) == 1
    assert [r.status for r in requests_of(judge, second=True)] == [200, 200]


def refusal_of(name: str) -> dict[str, Any]:
    message = f"'{name}' is not supported"
    return {"status": 400, "body": {"error": {"message": message, "param": name}}}


def has_system(recorded: Recorded) -> bool:
    return any(message["role"] == "system" for message in recorded.body["messages"])


WHOLE_STREAM = {"status": 400, "body": {"error": {"message": "stream must be set to true"}}}
NAMED: dict[str, tuple[Rule, dict[str, Any], tuple[str, ...]]] = {
    "renamed": (
        lambda r: "max_tokens" in r.body,
        refusal_of("max_tokens"),
        ("--ragassert-max-tokens=500",),
    ),
    "left out": (lambda r: "temperature" in r.body, refusal_of("temperature"), ()),
    "format": (
        lambda r: _type(r) == "json_schema",
        refusal_of("response_format.type"),
        (),
    ),
    "system role": (has_system, refusal_of("messages[0].role"), ()),
    "streams wanted": (lambda r: "stream" not in r.body, WHOLE_STREAM, ()),
    "streams refused": (
        lambda r: "stream" in r.body,
        refusal_of("stream"),
        ("--ragassert-stream=on",),
    ),
}


@pytest.mark.parametrize("what", NAMED)
def test_what_an_endpoint_names_is_known_to_the_run_at_once(
    project: Project, judge: LoopbackJudge, what: str
) -> None:
    refused, refusal, options = NAMED[what]
    project.judged_by(judge)

    def by_endpoint(recorded: Recorded) -> dict[str, Any] | None:
        if refused(recorded):
            return refusal
        if of_second(recorded):
            return None
        # the first worker has no answer yet when the second one asks
        (project.path / "second begins").touch()
        return {"until": lambda: requests_of(judge, second=True)}

    judge.on(by_endpoint)
    told = by_two_workers(project, JOINS_MEANWHILE, "--ragassert-record-mode=off", *options)
    first, second = (requests_of(judge, second=each) for each in (False, True))
    assert [r.status for r in first] == [400, 200, 200]
    assert [r.status for r in second] == [200, 200]
    assert sum("refuses" in line for line in told) == 1


def test_what_is_named_after_the_first_answer_reaches_who_joins_later(
    project: Project, judge: LoopbackJudge
) -> None:
    project.judged_by(judge)

    def by_endpoint(recorded: Recorded) -> dict[str, Any] | None:
        if recorded.step == "verify_claims" and "temperature" in recorded.body:
            return refusal_of("temperature")
        return None

    judge.on(by_endpoint)
    by_two_workers(project, CLIENT_COMES_LATE)
    first, second = (requests_of(judge, second=each) for each in (False, True))
    assert [r.status for r in first] == [200, 400, 200]
    assert [r.status for r in second] == [200, 200]
    assert not any("temperature" in r.body for r in second)


def _type(recorded: Recorded) -> str | None:
    kind: str | None = recorded.body.get("response_format", {}).get("type")
    return kind
