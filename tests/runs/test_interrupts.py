"""A run that is broken off: what was answered stays, nothing hangs, nothing is left behind."""

from __future__ import annotations

import re
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.loopback.server import LoopbackJudge

from .forked_runs import forked_run
from .projects import Project, new_project

project = pytest.fixture(new_project)

SLOW = """
import threading
import pytest
from ferry import case
from pytest_ragassert import assert_faithful, evaluate

@pytest.mark.parametrize("n", range(6))
def test_slow(n):
    assert_faithful(case(f"c{n}", f"Boat number {n} is new."), min=0)

def test_together():
    evaluate([case(f"e{n}", f"Boat number {n} is old.") for n in range(6)], ["faithfulness"])
"""
TOGETHER = """
import pytest
from ferry import case
from pytest_ragassert import evaluate

@pytest.mark.parametrize("t", range(2))
def test_together(t):
    evaluate([case(f"e{n}", f"Boat number {n} of {t} is old.") for n in range(6)], ["faithfulness"])
"""
TELLS = """
import threading

def pytest_unconfigure(config):
    config.add_cleanup(lambda: print("THREADS", *[t.name for t in threading.enumerate()[1:]]))
"""
QUESTIONS = 24


@contextmanager
def running(project: Project, *args: str) -> Iterator[subprocess.Popen[str]]:
    run = subprocess.Popen(
        project.command("-q", "-s", *args),
        cwd=project.path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield run
    finally:
        if run.poll() is None:
            run.kill()
        run.communicate()


def wait_for(judge: LoopbackJudge, answered: int, asked: int) -> None:
    """Until that many are answered and one more is in flight."""
    end = time.monotonic() + 60
    waiting = threading.Event()
    while True:
        done = sum(r.status == 200 for r in judge.requests)
        if done >= answered and judge.count() >= asked:
            return
        assert time.monotonic() < end, f"{done} answered"
        waiting.wait(0.01)


def finished(project: Project, judge: LoopbackJudge, lost: int) -> None:
    """The next run asks only what was not answered."""
    answered = {r.digest for r in judge.requests if r.status == 200}
    asked = {r.digest for r in judge.requests}
    judge.reset(replies=True)
    judge.latency = 0
    project.run().assert_outcomes(passed=7)
    again = answered.intersection(r.digest for r in judge.requests)
    assert len(again) <= lost
    assert judge.stats()["duplicates"] == 0
    assert len(asked | {r.digest for r in judge.requests}) == QUESTIONS
    judge.reset()
    project.run().assert_outcomes(passed=7)
    assert judge.count() == 0


def test_an_interrupt_keeps_what_was_answered(project: Project, judge: LoopbackJudge) -> None:
    project.test(SLOW)
    project.pytester.makeconftest(TELLS)
    project.judged_by(judge)
    temporary = project.temporary()
    judge.latency = 0.3
    with running(project) as run:
        # in the midst of those that are asked side by side
        wait_for(judge, 13, 16)
        run.send_signal(signal.SIGINT)
        output, errors = run.communicate(timeout=90)
    assert run.returncode == pytest.ExitCode.INTERRUPTED
    assert "KeyboardInterrupt" in output
    assert "Traceback" not in output + errors, output + errors
    assert "never awaited" not in errors
    assert "THREADS\n" in output
    assert list(temporary.glob("ragassert*")) == []
    assert len(output.splitlines()) < 40
    finished(project, judge, lost=0)


@pytest.mark.parametrize("answered", [3, 9])
@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["serial", "workers"])
def test_an_interrupt_tells_what_was_paid(
    project: Project, judge: LoopbackJudge, workers: tuple[str, ...], answered: int
) -> None:
    """Also for tests that did not end, and where none did."""
    project.test(TOGETHER)
    project.judged_by(judge)
    temporary = project.temporary()
    judge.on(lambda r: {"hang": 30} if judge.count() > answered else None)
    with forked_run(project, "-q", "-s", *workers) as run:
        wait_for(judge, answered, answered + 1)
        # what is answered takes a moment until it is kept
        while len(list(temporary.glob("ragassert-*/answers/*"))) < answered:
            time.sleep(0.01)
        run.signal_controller(signal.SIGINT)
        output = run.output()
    assert "Traceback" not in output, output
    told = re.findall(r"(?:judgements: |did not end: )(\d+) (?:question|asked)", output)
    assert sum(map(int, told)) == answered, output
    (tokens,) = re.findall(r"did not end: .*; tokens: (\d+) prompt", output)
    assert int(tokens) > 0
    assert "requests in flight are not counted" in output


def test_a_kill_keeps_what_was_answered(project: Project, judge: LoopbackJudge) -> None:
    project.test(SLOW)
    project.judged_by(judge)
    project.temporary()  # nobody is left to remove the run's folder
    judge.latency = 0.3
    with forked_run(project) as run:
        wait_for(judge, 5, 6)
        run.signal_all(signal.SIGKILL)
        run.output()
    assert run.client.returncode == -signal.SIGKILL
    # one may have been answered, but not yet written
    finished(project, judge, lost=1)


def test_leaving_the_run_from_a_test_ends_it_at_once(
    project: Project, judge: LoopbackJudge
) -> None:
    project.test(
        """
        import threading
        import pytest
        from ferry import case
        from pytest_ragassert import assert_faithful

        def test_leaves():
            assert_faithful(case("first"))
            second = case("second", "Boat 1 is new.")
            asking = threading.Thread(target=assert_faithful, args=(second,), daemon=True)
            asking.start()
            asking.join(0.3)
            pytest.exit("enough", returncode=7)
        """
    )
    project.judged_by(judge)
    judge.on(lambda r: "Boat 1" in str(r.data), {"hang": 200})
    with running(project) as run:
        output, errors = run.communicate(timeout=90)
    assert run.returncode == 7, output + errors
    assert "INTERNALERROR" not in output
    assert "never" not in errors
