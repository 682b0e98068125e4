"""An endpoint that goes away in the midst of a run: all wait once, and go on or end together."""

from __future__ import annotations

import json
import re
import signal
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from pytest_ragassert.judging.calls import retries
from pytest_ragassert.runtime.clock import Clock
from tests.loopback.scripts import Recorded
from tests.loopback.server import LoopbackJudge

from .forked_runs import forked_run, wait_until
from .projects import Project, new_project, section

pytest.importorskip("xdist")

project = pytest.fixture(new_project)

WAITED = re.compile(r"note: the endpoint did not answer for [\d.]+ s; the run waited")
# each asks when the one before is measured, and ahead
PLAIN = """
import pytest
from ferry import case
from pytest_ragassert import assert_faithful

@pytest.mark.parametrize("n", range(8))
def test_it(n):
    assert_faithful(case(f"c{n}", f"Boat number {n} is new."), min=0)
"""
AHEAD = """
import pytest
from pytest_ragassert import assert_faithful

@pytest.mark.rag_cases("cases.jsonl")
def test_it(rag_case):
    assert_faithful(rag_case, min=0)
"""
TOGETHER = """
from ferry import case
from pytest_ragassert import evaluate

def test_it():
    evaluate([case(f"c{n}", f"Boat number {n} is new.") for n in range(8)], ["faithfulness"])
"""
SCENES = {"plain": PLAIN, "ahead": AHEAD, "together": TOGETHER}


def write(project: Project, source: str, cases: int = 8) -> None:
    project.test(source)
    lines = (
        json.dumps({"id": f"c{n}", "answer": f"Boat {n} is new.", "retrieved_contexts": ["Boats."]})
        for n in range(cases)
    )
    (project.path / "cases.jsonl").write_text("\n".join(lines))


class Away:
    """An endpoint that answers with 503 from the `after`th request on, for some seconds."""

    def __init__(self, judge: LoopbackJudge, after: int, seconds: float) -> None:
        self._after, self._seconds = after, seconds
        self._since: float | None = None
        self._number = 0
        judge.on(self._rule)

    def _rule(self, recorded: Recorded) -> dict[str, Any] | None:
        self._number += 1
        if self._number <= self._after:
            return None
        self._since = self._since or Clock.now()
        return {"status": 503} if Clock.now() - self._since < self._seconds else None


@pytest.mark.parametrize("scene", SCENES)
def test_an_outage_fails_no_test(
    project: Project, judge: LoopbackJudge, monkeypatch: pytest.MonkeyPatch, scene: str
) -> None:
    monkeypatch.setattr(retries, "_FIRST_WAIT", 0.05)
    write(project, SCENES[scene])
    project.judged_by(judge)
    Away(judge, 4, 1.0)
    result = project.run()
    result.assert_outcomes(passed=1 if scene == "together" else 8)
    assert sum(WAITED.fullmatch(line) is not None for line in section(result)) == 1
    # every question is answered once; the others are tries, and the last good one once more
    answers = [r.digest for r in judge.requests if r.status == 200]
    assert len(set(answers)) == 16
    assert len(answers) <= 17
    assert judge.count() <= 16 + 2 * 8 + 8


def test_a_server_that_loads_its_model_is_waited_for(
    project: Project, judge: LoopbackJudge, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retries, "_FIRST_WAIT", 0.05)
    write(project, PLAIN)
    project.judged_by(judge)
    Away(judge, 0, 1.0)
    result = project.run()
    result.assert_outcomes(passed=8)
    assert sum(WAITED.fullmatch(line) is not None for line in section(result)) == 1


@pytest.fixture
def moving() -> Iterator[LoopbackJudge]:
    """A judge that the test itself ends and starts."""
    with LoopbackJudge() as made:
        yield made


def test_workers_wait_together_for_a_server_that_is_started_again(
    project: Project, moving: LoopbackJudge
) -> None:
    write(project, AHEAD, cases=24)
    project.judged_by(moving)
    moving.latency = 0.05
    numbers = iter(range(1, 1000))
    threads: list[threading.Thread] = []

    def restart() -> None:
        # the listening socket is closed, and what is in flight is reset
        moving.close()
        time.sleep(2.0)
        moving.start()

    def rule(recorded: Recorded) -> None:
        if next(numbers) == 12:
            threads.append(threading.Thread(target=restart))
            threads[0].start()

    moving.on(rule)
    result = project.run("-n", "2")
    result.assert_outcomes(passed=24)
    threads[0].join()
    assert sum(WAITED.fullmatch(line) is not None for line in section(result)) == 1


@pytest.mark.parametrize("skips", [False, True], ids=["fails", "skips"])
def test_an_endpoint_that_stays_away_costs_the_time_of_one_question(
    project: Project, judge: LoopbackJudge, monkeypatch: pytest.MonkeyPatch, skips: bool
) -> None:
    monkeypatch.setattr(retries, "_FIRST_WAIT", 0.01)
    monkeypatch.setattr(retries, "RETRY_SECONDS", 0.8)
    write(project, PLAIN.replace("range(8)", "range(40)"))
    project.judged_by(judge)
    Away(judge, 8, 60.0)
    result = project.run(*(["--ragassert-on-judge-error=skip"] if skips else []))
    result.assert_outcomes(passed=4, **{"skipped" if skips else "failed": 36})
    # 36 questions' own tries are five times as many
    assert judge.count() < 8 + 40
    assert "judge errors (not measured): 36: 36 server" in section(result)
    if not skips:
        lines = [line for line in result.outlines if line.startswith("faithfulness of case c")]
        assert len(lines) == 36
        assert all("; the endpoint did not answer for " in line for line in lines)


def test_one_question_that_the_server_fails_at_keeps_no_other_waiting(
    project: Project, judge: LoopbackJudge, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retries, "_FIRST_WAIT", 0.01)
    write(project, PLAIN)
    project.judged_by(judge)
    judge.on(lambda r: {"status": 500} if "number 3" in str(r.data) else None)
    result = project.run()
    result.assert_outcomes(passed=7, failed=1)
    assert not any("the run waited" in line for line in section(result))
    assert sum("number 3" in str(r.data) for r in judge.requests) == 5


CUSTOM = """
class Judge:
    id = "mine"
    tries = 0

    ASYNCdef run(self, step, input):
        Judge.tries += 1
        if 4 < Judge.tries <= 11:
            raise ConnectionError("away")
        if step.name == "extract_claims":
            return '{"claims": [{"sentence": 1, "text": "Boats are new."}]}'
        return '{"verdicts": [{"id": 1, "verdict": "supported"}]}'

def pytest_ragassert_make_judge(config, name):
    return Judge()
"""


@pytest.mark.parametrize("kind", ["", "async "], ids=["sync", "async"])
def test_a_judge_of_a_hook_is_waited_for_too(
    project: Project, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.setattr(retries, "_FIRST_WAIT", 0.02)
    project.pytester.makeconftest(CUSTOM.replace("ASYNC", kind))
    write(project, PLAIN)
    result = project.run("--ragassert-judge=mine")
    result.assert_outcomes(passed=8)
    assert sum(WAITED.fullmatch(line) is not None for line in section(result)) == 1


def test_an_interrupt_ends_the_waiting(project: Project, judge: LoopbackJudge) -> None:
    write(project, PLAIN)
    project.judged_by(judge)
    Away(judge, 4, 60.0)
    with forked_run(project) as run:
        wait_until(lambda: judge.count() >= 9)
        run.signal_all(signal.SIGINT)
        start = time.monotonic()
        output = run.output()
    assert time.monotonic() - start < 40
    assert run.client.returncode == pytest.ExitCode.INTERRUPTED
    assert "Traceback" not in output


def test_frozen_time_ends_no_waiting_and_begins_none(
    project: Project, judge: LoopbackJudge, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("freezegun")
    monkeypatch.setattr(retries, "_FIRST_WAIT", 0.05)
    write(
        project,
        """
from freezegun import freeze_time
from ferry import case
from pytest_ragassert import assert_faithful

def test_before():
    assert_faithful(case("one", "Boat 1 is new."), min=0)

def test_frozen():
    with freeze_time("2012-01-14"):
        assert_faithful(case("two", "Boat 2 is new."), min=0)

def test_after():
    with freeze_time("2099-01-14"):
        assert_faithful(case("three", "Boat 3 is new."), min=0)
""",
    )
    project.judged_by(judge)
    Away(judge, 2, 1.0)
    result = project.run()
    result.assert_outcomes(passed=3)
    assert sum(WAITED.fullmatch(line) is not None for line in section(result)) == 1
