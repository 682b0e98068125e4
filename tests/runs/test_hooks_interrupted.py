"""Hooks that block for ever: an interrupt ends the run, and the process with it."""

from __future__ import annotations

import signal
import subprocess

import pytest

from .forked_runs import forked_run, wait_until
from .projects import Project, new_project

project = pytest.fixture(new_project)

BLOCKING = """
import threading
from pathlib import Path
from pytest_ragassert import Metric

def block():
    Path("blocks.txt").touch()
    threading.Event().wait()

class Sync:
    id = "sync"
    def run(self, step, input):
        block()

class Async:
    id = "async"
    async def run(self, step, input):
        block()

class Blocking(Metric):
    name = "blocking"
    requires = ("answer",)
    async def measure(self, case, ask):
        block()

def pytest_ragassert_make_judge(config, name):
    return {"sync": Sync(), "async": Async()}.get(name)

def pytest_ragassert_metrics():
    return [Blocking()]
"""


def write(project: Project, metric: str) -> None:
    project.pytester.makeconftest(BLOCKING)
    project.test(
        f"""
        from ferry import case
        from pytest_ragassert import evaluate

        def test_it():
            evaluate(case("c"), ["{metric}"])
        """
    )


@pytest.mark.parametrize(
    ("judge", "metric", "args"),
    [
        ("async", "faithfulness", ()),
        ("offline", "blocking", ()),
        ("sync", "faithfulness", ("-n", "2")),
    ],
    ids=["async", "metric", "workers"],
)
def test_an_interrupt_ends_a_run_whose_hook_blocks(
    project: Project, judge: str, metric: str, args: tuple[str, ...]
) -> None:
    write(project, metric)
    with forked_run(project, "-q", f"--ragassert-judge={judge}", *args) as run:
        wait_until((project.path / "blocks.txt").exists)
        run.signal_controller(signal.SIGINT)
        # far less than the time limit of a call, and than a worker is given to end
        output = run.output()
        assert run.client.returncode == pytest.ExitCode.INTERRUPTED, output
        assert "KeyboardInterrupt" in output
        assert "Traceback" not in output
        # the server waits for a worker only after the controller, which it was started for
        wait_until(lambda: not run.alive(), seconds=10)


def test_a_blocked_thread_keeps_no_interpreter_from_its_end(project: Project) -> None:
    """The same in a process that is not forked, and so ends as any other."""
    write(project, "faithfulness")
    command = project.command("-q", "--ragassert-judge=sync")
    run = subprocess.Popen(
        command, cwd=project.path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    try:
        wait_until((project.path / "blocks.txt").exists)
        run.send_signal(signal.SIGINT)
        output, _ = run.communicate(timeout=50)
    finally:
        run.kill()
    assert run.returncode == pytest.ExitCode.INTERRUPTED, output
    assert "KeyboardInterrupt" in output
    assert "Traceback" not in output
