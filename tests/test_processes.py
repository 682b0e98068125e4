"""Several processes: one request for one question, and locks that die with their holder."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pytest_ragassert.storage.files.locks import LockFile, leave_lock_file, lock_file

from .loopback.server import LoopbackJudge

HOLD = """
import sys
from pathlib import Path
from pytest_ragassert.storage.files.locks import lock_file

lock = lock_file(Path(sys.argv[1]))
print([lock.acquire(name) for name in sys.argv[2:]], flush=True)
sys.stdin.readline()
"""

ASK = """
import sys
from pytest_ragassert import EvalCase, Settings, evaluate
from pytest_ragassert.engine.session import Session

text = "The tram runs every 12 minutes."
case = EvalCase(answer=text, retrieved_contexts=[text])
settings = Settings(judge="openai", base_url=sys.argv[1], cache_dir=sys.argv[2], api_key="sk-a")
print("ready", flush=True)
sys.stdin.readline()
print(evaluate(case, ["faithfulness"], settings=settings)["faithfulness"].score)
"""

Process = subprocess.Popen[str]


Start = Callable[..., Process]


@pytest.fixture
def start(forked_python: str) -> Start:
    """Starts a process that runs a script with arguments."""

    def start(script: str, *arguments: str) -> Process:
        pipe = subprocess.PIPE
        return subprocess.Popen(
            [forked_python, "-c", script, *arguments],
            stdin=pipe,
            stdout=pipe,
            stderr=pipe,
            text=True,
        )

    return start


def first_line(process: Process) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


@pytest.fixture
def lock(tmp_path: Path) -> Iterator[LockFile]:
    lock = lock_file(tmp_path / "flight.lock")
    yield lock
    leave_lock_file(lock)


def test_a_lock_is_freed_when_its_holder_is_killed(
    lock: LockFile, tmp_path: Path, start: Start
) -> None:
    holder = start(HOLD, str(tmp_path / "flight.lock"), "one", "two")
    assert first_line(holder) == "[True, True]"
    assert [lock.acquire(name) for name in ("one", "two", "three")] == [False, False, True]
    holder.kill()
    holder.communicate()
    assert [lock.acquire(name) for name in ("one", "two")] == [True, True]


def test_a_lock_held_here_is_not_free_there(lock: LockFile, tmp_path: Path, start: Start) -> None:
    assert lock.acquire("one")
    other = start(HOLD, str(tmp_path / "flight.lock"), "one", "two")
    assert first_line(other) == "[False, True]"
    other.communicate("\n")
    lock.release("one")
    assert lock.acquire("two")


def test_a_lock_is_taken_once_in_a_process(lock: LockFile, tmp_path: Path) -> None:
    assert lock.acquire("one")
    assert not lock.acquire("one")
    lock.release("one")
    assert lock.acquire("one")


def test_a_process_opens_a_lock_file_once(lock: LockFile, tmp_path: Path, start: Start) -> None:
    """Closing a second descriptor of it would free every lock."""
    assert lock.acquire("one")
    again = lock_file(tmp_path / "." / "flight.lock")
    assert again is lock
    leave_lock_file(again)
    other = start(HOLD, str(tmp_path / "flight.lock"), "one")
    assert first_line(other) == "[False]"
    other.communicate("\n")


def test_four_processes_make_one_request_for_one_question(
    judge: LoopbackJudge, tmp_path: Path, start: Start
) -> None:
    judge.latency = 0.5
    processes = [start(ASK, judge.base_url, str(tmp_path / "store")) for _ in range(4)]
    assert [first_line(process) for process in processes] == ["ready"] * 4
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    told = [process.communicate() for process in processes]
    assert told == [("1.0\n", "")] * 4
    assert (judge.count("claims"), judge.count("verdicts")) == (1, 1)


def test_the_questions_of_a_killed_process_are_answered_for_the_others(
    judge: LoopbackJudge, tmp_path: Path, start: Start
) -> None:
    judge.script([{"step": "claims", "hang": 60}, "ok", "ok"])
    killed, other = (start(ASK, judge.base_url, str(tmp_path / "store")) for _ in range(2))
    for process in (killed, other):
        assert first_line(process) == "ready"
    assert killed.stdin is not None
    killed.stdin.write("\n")
    killed.stdin.flush()
    while judge.count() == 0:
        time.sleep(0.01)
    killed.kill()
    killed.communicate()
    assert other.communicate("\n", timeout=30) == ("1.0\n", "")
    assert judge.count() == 3
