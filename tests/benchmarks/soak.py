"""A long run with a judge that fails at times and a worker that is killed: what must hold of it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from tests.loopback.failing import Logged, read_log

from .children import ROOT, JudgeProcess, pytest_process, pytest_run, run
from .project import write_project
from .soak_checks import JUNIT, Checks

CASES = 10_000
WORKERS = 4
CONCURRENCY = 8
SHARE = 0.05  # of requests, that fail
LATENCY = 0.02  # seconds
QUESTIONS = 2  # a case
_PATIENCE = 90.0, 0.2  # seconds a run, and a case: one that takes longer hangs

CONFTEST = """\
import os
import pathlib
import resource

import pytest

HERE = pathlib.Path(__file__).parent
taken = []


def resident():
    pages = pathlib.Path("/proc/self/statm").read_text().split()[1]
    return int(pages) * resource.getpagesize() // 1024


def pytest_sessionstart(session):
    if hasattr(session.config, "workerinput"):
        name = session.config.workerinput["workerid"]
        (HERE / f"worker-{name}").write_text(str(os.getpid()))


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item):
    if hasattr(item.config, "workerinput"):
        taken.append(resident())


def pytest_sessionfinish(session):
    if hasattr(session.config, "workerinput") and taken:
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        start = len(taken) // 4
        text = f"{peak} {taken[-1] - taken[start]} {len(taken) - start}"
        (HERE / f"memory-{os.getpid()}").write_text(text)
"""


class _Judge(JudgeProcess):
    """`python -m tests.loopback.failing` as a process of its own."""

    def __init__(self, folder: Path, share: float) -> None:
        super().__init__()
        self._folder, self._share = folder, share

    def __enter__(self) -> _Judge:
        options = ["--latency", str(LATENCY), "--share", str(self._share)]
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.loopback.failing", *options],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.base_url = self._line()
        return self

    def log(self) -> list[Logged]:
        """What was asked since the last call."""
        path = self._folder / "log"
        if self._process.stdin is None:
            raise RuntimeError("the judge's input is not piped")
        self._process.stdin.write(f"{path}\n")
        self._process.stdin.flush()
        self._line()
        return read_log(path)

    def asked(self) -> int:
        stats = json.loads(self._call("GET", "/stats"))
        return int(stats["total"])

    def _line(self) -> str:
        if self._process.stdout is None:
            raise RuntimeError("the judge's output is not piped")
        return self._process.stdout.readline().strip()


class Found(NamedTuple):
    """What came of a soak: lines to print, and what did not hold."""

    lines: list[str]
    problems: list[str]


def measure(cases: int = CASES) -> bool:
    """Everything that must hold does."""
    print(
        f"{cases} cases, {WORKERS} workers of which one is killed, {SHARE:.0%} of requests fail",
        flush=True,
    )
    with tempfile.TemporaryDirectory() as name:
        found = soak(Path(name), cases=cases, workers=WORKERS)
    for line in (*found.lines, *(f"NOT AS IT MUST BE: {problem}" for problem in found.problems)):
        print(line)
    return not found.problems


def soak(folder: Path, *, cases: int, workers: int, share: float = SHARE) -> Found:
    """Run a project's tests, kill a worker half-way, run them again, and look at what is left."""
    write_project(folder, cases, f1=False)
    (folder / "conftest.py").write_text(CONFTEST)
    temporary = folder / "temporary"
    temporary.mkdir()
    with _Judge(folder, share) as judge:
        # the package that these checks belong to, whatever is installed
        more = {"TMPDIR": str(temporary), "PYTHONPATH": str(ROOT)}
        variables = {**judge.variables(folder / "store"), **more}
        started = time.perf_counter()
        killed, output = _run_with_a_kill(folder, variables, judge, cases, workers)
        wall = time.perf_counter() - started
        checks = Checks(folder, cases, judge.log(), killed, CONCURRENCY)
        checks.outcomes(output)
        checks.asked()
        checks.in_flight()
        checks.memory()
        checks.left_behind(temporary)
        checks.stored()
        started = time.perf_counter()
        pytest_run(folder, *_options(workers), variables=variables, codes=(0, 1))
        again = time.perf_counter() - started
        checks.again(judge.log())
        checks.left_behind(temporary)
    verify = ("-m", "pytest_ragassert", "verdicts", "verify", "--cache-dir", str(folder / "store"))
    try:
        run(verify, folder, variables)
    except RuntimeError as error:
        checks.problems.append(f"the store is not whole: {error}")
    checks.lines.append(f"first run {wall:.1f} s, again {again:.1f} s")
    return Found(checks.lines, checks.problems)


def _options(workers: int) -> tuple[str, ...]:
    limit = f"--ragassert-concurrency={CONCURRENCY}"
    return ("-n", str(workers), limit, f"--junitxml={JUNIT}", "--tb=line", "--no-header")


def _run_with_a_kill(
    folder: Path, variables: dict[str, str], judge: _Judge, cases: int, workers: int
) -> tuple[float, str]:
    """When a worker was killed, in seconds since 1970, and what the run printed."""
    printed = folder / "printed"
    with printed.open("w") as file:
        process = pytest_process(folder, *_options(workers), variables=variables, output=file)
        try:
            # half of the questions
            while judge.asked() < cases * QUESTIONS / 2 and process.poll() is None:
                time.sleep(0.2)
            os.kill(int((folder / "worker-gw0").read_text()), signal.SIGKILL)
            killed = time.time()
            process.wait(_PATIENCE[0] + _PATIENCE[1] * cases)
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
    return killed, printed.read_text()
