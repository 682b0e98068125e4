"""Tests that record HTTP, or answer it in place of the judge: coming cases stay out of it."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest

from tests.loopback.server import LoopbackJudge

from .projects import Project, new_project
from .test_prefetching import trams, unused

project = pytest.fixture(new_project)

RECORDED = """
import pytest, vcr
from pytest_ragassert import assert_faithful

@pytest.fixture
def recording(rag_case):
    with vcr.use_cassette(f"cassettes/{rag_case.id}.json", serializer="json", record_mode="once"):
        yield

@pytest.mark.rag_cases("cases.jsonl", metrics=["faithfulness"])
def test_tram(rag_case, recording):
    assert_faithful(rag_case)
"""
PLAIN = """

@pytest.mark.rag_cases("cases.jsonl", metrics=["context_relevance"])
def test_plain(rag_case):
    from pytest_ragassert import assert_context_relevance

    assert_context_relevance(rag_case, min=0)
"""
OFF = "--ragassert-record-mode=off"


def recorded(project: Project) -> dict[str, int]:
    """How many requests stand in each recording."""
    files = Path(project.path, "cassettes").glob("*.json")
    return {file.stem: len(json.loads(file.read_text())["interactions"]) for file in files}


def in_process(project: Project, *args: str) -> pytest.RunResult:
    # vcrpy's own warning of the version of another package is none of ours
    return project.process(OFF, "-W", "default", *args)


@pytest.mark.parametrize("args", [(), ("-n", "2")], ids=["serial", "workers"])
def test_each_recording_has_what_its_test_asked(
    project: Project, judge: LoopbackJudge, args: tuple[str, ...]
) -> None:
    pytest.importorskip("vcr")
    # the plain tests come between, and ahead of them is asked while others are recorded
    project.test(RECORDED + PLAIN)
    trams(project, 6)
    project.judged_by(judge)
    judge.latency = 0.1
    in_process(project, *args).assert_outcomes(passed=12)
    assert recorded(project) == {f"c{n}": 2 for n in range(6)}
    asked = [request.digest for request in judge.requests]
    assert len(asked) == len(set(asked))
    judge.reset()
    assert in_process(project, "-k", "test_tram", *args).parseoutcomes()["passed"] == 6
    assert judge.count() == 0


MOCKED = """
import sys
import time
from unittest import mock
import pytest
from pytest_ragassert import assert_faithful

@pytest.mark.rag_cases("cases.jsonl")
def test_asked(rag_case):
    assert_faithful(rag_case)
    if rag_case.id == "c1":
        pool = sys.modules.get("httpcore2") or sys.modules["httpcore"]
        with mock.patch.object(pool.AsyncConnectionPool, "handle_async_request") as sent:
            time.sleep(1)
        assert not sent.called
"""


def test_nothing_goes_out_ahead_meanwhile_and_more_does_after_it(
    project: Project, judge: LoopbackJudge
) -> None:
    project.test(MOCKED)
    trams(project, 40)
    project.judged_by(judge)
    judge.latency = 0.1
    result = in_process(project, "--ragassert-concurrency=2")
    result.assert_outcomes(passed=40)
    assert judge.count() == 80
    assert unused(result) == 0
    asked = [request.digest for request in judge.requests]
    assert len(asked) == len(set(asked))
    times = sorted(request.at for request in judge.requests)
    longest, after = max((b - a, n) for n, (a, b) in enumerate(pairwise(times)))
    assert longest > 0.7
    # still two at a time
    assert after < 20
    assert times[-1] - times[after + 1] < 0.1 * (len(times) - after) * 0.8
