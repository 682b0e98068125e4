"""Workers share one limit of requests in flight, whoever of them has more to ask."""

from __future__ import annotations

import os
import signal
from typing import Any

import pytest

from tests.loopback.scripts import Recorded
from tests.loopback.server import LoopbackJudge

from .projects import Project, new_project

pytest.importorskip("xdist")

project = pytest.fixture(new_project)

# each test asks much at once, and its worker's name stands in what it asks
MANY = """
import os
import pytest
from ferry import case
from pytest_ragassert import evaluate

@pytest.mark.parametrize("n", range(WORKERS))
def test_many(n):
    worker = os.environ["PYTEST_XDIST_WORKER"]
    cases = [case(f"{n}-{m}", f"Boat {m} of {worker} in harbour {n} is new.") for m in range(12)]
    evaluate(cases, ["faithfulness"])
"""


def worker_of(recorded: Recorded) -> str:
    return next(name for name in ("gw0", "gw1", "gw2") if name in str(recorded.data))


@pytest.mark.parametrize(("workers", "limit"), [(2, 3), (3, 5)])
def test_workers_share_one_limit(
    project: Project, judge: LoopbackJudge, workers: int, limit: int
) -> None:
    project.test(MANY.replace("WORKERS", str(workers)))
    project.judged_by(judge)
    judge.latency = 0.1
    result = project.run("-n", str(workers), f"--ragassert-concurrency={limit}")
    result.assert_outcomes(passed=workers)
    assert judge.count() == workers * 12 * 2
    assert judge.max_in_flight == limit
    # while several want more than they get, each gets some
    busy = [worker_of(recorded) for recorded in judge.requests[: 12 * workers]]
    assert len(set(busy)) == workers
    assert max(map(busy.count, set(busy))) <= 12 * workers * 0.8


def test_one_at_a_time_is_for_all_workers(project: Project, judge: LoopbackJudge) -> None:
    project.test(MANY.replace("WORKERS", "2").replace("range(12)", "range(4)"))
    project.judged_by(judge)
    judge.latency = 0.05
    project.run("-n", "2", "--ragassert-concurrency=1").assert_outcomes(passed=2)
    assert judge.count() == 2 * 4 * 2
    assert judge.max_in_flight == 1


KILLED = """
import os
import time
from pathlib import Path
from ferry import case
from pytest_ragassert import evaluate

def test_killed():
    Path("pid").write_text(str(os.getpid()))
    evaluate([case(f"k{m}", f"Raft {m} is slow.") for m in range(8)], ["faithfulness"])

def test_other():
    while not Path("killed").exists():
        time.sleep(0.02)
    evaluate([case(f"o{m}", f"Boat {m} is new.") for m in range(8)], ["faithfulness"])
"""


def test_slots_of_a_killed_worker_are_free_again(project: Project, judge: LoopbackJudge) -> None:
    project.test(KILLED)
    project.judged_by(judge)
    judge.latency = 0.1
    held: list[Recorded] = []

    def kill(recorded: Recorded) -> dict[str, Any] | None:
        # the first answer lets the others out; then each slot is held by one that will not end
        if "Raft" not in str(recorded.data) or recorded.step != "extract_claims":
            return None
        held.append(recorded)
        if len(held) == 4:
            os.kill(int((project.path / "pid").read_text()), signal.SIGKILL)
            (project.path / "killed").touch()
        return None if len(held) == 1 else {"hang": 60}

    judge.on(kill)
    result = project.run("-n", "2", "--ragassert-concurrency=3")
    assert result.parseoutcomes() == {"passed": 1, "failed": 1}
    others = [r for r in judge.requests if "Boat" in str(r.data)]
    assert len(others) == 16
    latest = max(r.ended or 0 for r in others)
    together = [sum(r.at <= other.at < (r.ended or 0) for r in others) for other in others]
    # all three, at a time when the killed worker was to hold them still
    assert max(together) == 3
    assert latest - min(r.at for r in others) < 30
