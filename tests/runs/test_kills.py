"""Processes that die in the midst of a run: what was answered stays, the next run is right."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.loopback.scripts import Recorded
from tests.loopback.server import LoopbackJudge

from .forked_runs import forked_run, wait_until
from .projects import Project, new_project, section

pytest.importorskip("xdist")
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")

project = pytest.fixture(new_project)

# Both ask of Boat 9; the others ask something of their own.
SHARED = """
import os, pathlib
import pytest
from ferry import GOOD, case
from pytest_ragassert import assert_faithful

def asks(name):
    pathlib.Path(f"pid-{name}").write_text(str(os.getpid()))
    assert_faithful(case(name, GOOD + " Boat 9 is slow."), min=0)

@pytest.mark.xdist_group("one")
def test_one(): asks("one")

@pytest.mark.xdist_group("two")
def test_two(): asks("two")
"""
MANY = """
import pytest
from ferry import case
from pytest_ragassert import assert_faithful

@pytest.mark.parametrize("n", range(12))
def test_many(n):
    assert_faithful(case(f"c{n}", f"Boat number {n} is new."), min=0)
"""
TESTS, QUESTIONS = 12, 24


def answered(judge: LoopbackJudge) -> set[str]:
    return {request.digest for request in judge.requests if request.status == 200}


def goes_on(project: Project, judge: LoopbackJudge, in_flight: int, tests: int = TESTS) -> None:
    """The next run is right and asks, of what was answered, no more than was in flight."""
    known, asked = answered(judge), {request.digest for request in judge.requests}
    judge.reset(replies=True)
    judge.latency = 0
    project.run().assert_outcomes(passed=tests)
    again = known.intersection(request.digest for request in judge.requests)
    assert len(again) <= in_flight
    assert judge.stats()["duplicates"] == 0
    assert len(asked | {request.digest for request in judge.requests}) == 2 * tests
    judge.reset()
    result = project.run("--ragassert-record-mode=none")
    result.assert_outcomes(passed=tests)
    assert judge.count() == 0
    assert not [line for line in section(result) if "verdict store" in line]


def test_a_worker_that_is_killed_while_another_waits_for_its_answer(
    project: Project, judge: LoopbackJudge
) -> None:
    project.test(SHARED)
    project.judged_by(judge)
    pids = [project.path / "pid-one", project.path / "pid-two"]
    killed: list[int] = []

    def kill(recorded: Recorded) -> dict[str, Any] | None:
        if recorded.step == "verify_claims" and not killed:
            # by now both have asked for it: one is at it, which a lock keeps the other from
            holder = _holder(project.path, [int(path.read_text()) for path in pids])
            killed.append(holder)
            os.kill(holder, signal.SIGKILL)
            return {"hang": 5}
        return None

    def wait_for_both(recorded: Recorded) -> dict[str, Any] | None:
        if recorded.step == "extract_claims":
            wait_until(lambda: all(path.exists() and path.read_text() for path in pids))
            return {"latency": 0.5}
        return None

    judge.on(kill)
    judge.on(wait_for_both)
    result = project.run("-n", "2", "--dist=loadgroup", "--max-worker-restart=1")
    outcomes = result.parseoutcomes()
    # xdist may run the test of a crashed worker once more
    assert outcomes in ({"passed": 1, "failed": 1}, {"passed": 2, "failed": 1})
    assert len(killed) == 1
    # the claims once; the verdicts by the killed one, and then by the one that had waited
    assert (judge.count("claims"), judge.count("verdicts")) == (1, 2)
    judge.reset(replies=True)
    project.run().assert_outcomes(passed=2)
    assert judge.count() == 0


def _holder(folder: Path, pids: Sequence[int]) -> int:
    """The process that holds a connection to the judge with a request on it: it has the lock."""
    locks = Path("/proc/locks")
    if not locks.exists():
        pytest.skip("who holds a lock is known on Linux")
    inode = (folder / ".ragassert" / "flight.lock").stat().st_ino
    held = {
        int(fields[-4])
        for line in locks.read_text().splitlines()
        if (fields := line.split())[-3].endswith(f":{inode}") and "->" not in fields
    }
    (holder,) = held.intersection(pids)
    return holder


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["serial", "workers"])
def test_all_processes_are_killed(
    project: Project, judge: LoopbackJudge, workers: Sequence[str]
) -> None:
    project.test(MANY)
    project.judged_by(judge)
    project.temporary()  # nobody is left to remove the run's folder
    judge.latency = 0.2
    with forked_run(project, *workers) as run:
        wait_until(lambda: len(answered(judge)) >= 6)
        run.signal_all(signal.SIGKILL)
        run.output()
    assert run.client.returncode == -signal.SIGKILL
    assert len(run.processes()) == (3 if workers else 1)
    goes_on(project, judge, in_flight=2 if workers else 1)


def test_the_controller_is_killed(project: Project, judge: LoopbackJudge) -> None:
    project.test(MANY)
    project.judged_by(judge)
    project.temporary()
    judge.latency = 0.2
    with forked_run(project, "-n", "2") as run:
        wait_until(lambda: len(answered(judge)) >= 6)
        run.signal_controller(signal.SIGKILL)
        # the workers hear that nobody listens, and end; the pipe is theirs too
        run.output()
        wait_until(lambda: not judge.stats()["in_flight"])
    goes_on(project, judge, in_flight=2)


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["serial", "workers"])
def test_an_interrupt_from_the_keyboard(
    project: Project, judge: LoopbackJudge, workers: Sequence[str]
) -> None:
    project.test(MANY)
    project.judged_by(judge)
    temporary = project.temporary()
    judge.latency = 0.2
    with forked_run(project, *workers) as run:
        wait_until(lambda: len(answered(judge)) >= 6)
        run.signal_all(signal.SIGINT)
        output = run.output()
    returncode = run.client.returncode
    if workers and returncode != pytest.ExitCode.INTERRUPTED:
        # xdist's own ends, seldom, where the machine is busy: an interrupt meets its messages
        assert returncode in (pytest.ExitCode.INTERNAL_ERROR, -signal.SIGINT), output
    else:
        assert returncode == pytest.ExitCode.INTERRUPTED
        assert "KeyboardInterrupt" in output
        assert "Traceback" not in output, output
        assert list(temporary.glob("ragassert*")) == []
    goes_on(project, judge, in_flight=2 if workers else 0)


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["serial", "workers"])
def test_a_run_that_stops_at_the_first_failure(
    project: Project, judge: LoopbackJudge, workers: Sequence[str]
) -> None:
    project.test(
        MANY.replace("assert_faithful(case", "assert n != 4 or stays\n    assert_faithful(case")
    )
    project.pytester.makeconftest("import builtins\nbuiltins.stays = False")
    project.judged_by(judge)
    judge.latency = 0.1
    stopped = project.process("-x", *workers)
    assert stopped.ret in (pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.INTERRUPTED)
    assert 4 <= len(answered(judge)) < QUESTIONS
    project.pytester.makeconftest("import builtins\nbuiltins.stays = True")
    goes_on(project, judge, in_flight=2 if workers else 0)


# -- the store or the run's folder goes meanwhile --------------------------------------------------

DELETED = """
import shutil
import pytest
from ferry import case
from pytest_ragassert import assert_faithful

@pytest.mark.parametrize("n", range(6))
def test_many(n):
    assert_faithful(case(f"c{n}", f"Boat number {n} is new."), min=0)
    if n == 2:
        shutil.rmtree(".ragassert", ignore_errors=True)
"""


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["serial", "workers"])
def test_a_store_that_is_deleted_during_the_run_is_there_at_its_end(
    project: Project, judge: LoopbackJudge, workers: Sequence[str]
) -> None:
    project.test(DELETED)
    project.judged_by(judge)
    result = project.run(*workers)
    result.assert_outcomes(passed=6)
    (told,) = [line for line in section(result) if "verdict store" in line]
    assert "they were put back" in " ".join(section(result))
    assert str(project.path) in told
    judge.reset()
    again = project.run("--ragassert-record-mode=none", "--deselect=test_it.py::test_many[2]")
    again.assert_outcomes(passed=5, deselected=1)
    assert judge.count() == 0


HOOK = """
def pytest_ragassert_answer(case):
    return {"answer": "The ferry runs every 40 minutes.", "retrieved_contexts": ["Nothing."]}
"""
OF_HOOK = """
import pytest
from pytest_ragassert import assert_faithful

@pytest.mark.rag_cases([{"id": "a", "question": "How often?"}])
def test_one(rag_case):
    assert_faithful(rag_case, min=0)

@pytest.mark.rag_cases([{"id": "a", "question": "How often?"}])
def test_two(rag_case):
    assert_faithful(rag_case, min=0)
"""


@pytest.mark.parametrize("mode", ["new_episodes", "off"])
def test_a_run_without_a_folder_for_temporary_files(
    project: Project, judge: LoopbackJudge, monkeypatch: pytest.MonkeyPatch, mode: str
) -> None:
    project.test(OF_HOOK)
    project.pytester.makeconftest(HOOK)
    project.judged_by(judge)
    place = project.path / "no-folder"
    place.write_text("a file")
    monkeypatch.setattr("tempfile.tempdir", str(place))
    result = project.run("--capture=sys", f"--ragassert-record-mode={mode}")
    result.assert_outcomes(passed=2)
    assert judge.count() == 2
    told = [line for line in section(result) if "can't be written" in line]
    assert len(told) == 1
    assert "TMPDIR" in " ".join(section(result))
    stored = project.run("--capture=sys", "--ragassert-record-mode=none")
    stored.assert_outcomes(**({"passed": 2} if mode == "new_episodes" else {"failed": 2}))


def test_where_no_temporary_folder_is_found_a_run_goes_on(
    project: Project, judge: LoopbackJudge, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none() -> str:
        raise FileNotFoundError(2, "No usable temporary directory found")

    project.test("def test_nothing(): pass")
    project.set(TMPDIR=str(project.path / "nowhere"))
    monkeypatch.setattr("tempfile.gettempdir", none)
    project.run("--capture=sys").assert_outcomes(passed=1)
