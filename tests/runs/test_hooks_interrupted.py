"""Hooks that block for ever: an interrupt ends the run, and the process with it."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

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


@pytest.mark.parametrize(
    ("judge", "metric", "args"),
    [
        ("sync", "faithfulness", ()),
        ("async", "faithfulness", ()),
        ("offline", "blocking", ()),
        ("sync", "faithfulness", ("-n", "2")),
    ],
    ids=["sync", "async", "metric", "workers"],
)
def test_an_interrupt_ends_a_run_whose_hook_blocks(
    project: Project, judge: str, metric: str, args: tuple[str, ...]
) -> None:
    project.pytester.makeconftest(BLOCKING)
    project.test(
        f"""
        from ferry import case
        from pytest_ragassert import evaluate

        def test_it():
            evaluate(case("c"), ["{metric}"])
        """
    )
    run = subprocess.Popen(
        project.command("-q", f"--ragassert-judge={judge}", *args),
        cwd=project.path,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        _wait_for(project.path / "blocks.txt", run)
        run.send_signal(signal.SIGINT)
        # far less than the time limit of a call, and than a worker is given to end
        output, _ = run.communicate(timeout=50)
    finally:
        if run.poll() is None:
            os.killpg(run.pid, signal.SIGKILL)
    assert run.returncode == pytest.ExitCode.INTERRUPTED, output
    assert "KeyboardInterrupt" in output
    assert "Traceback" not in output
    with pytest.raises(ProcessLookupError):
        os.killpg(run.pid, 0)


def _wait_for(file: Path, run: subprocess.Popen[str]) -> None:
    end = time.monotonic() + 60
    while not file.exists():
        assert run.poll() is None, run.communicate()[0]
        assert time.monotonic() < end
        time.sleep(0.02)
