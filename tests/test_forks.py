"""A fork while threads of the package are at work: the child gets no lock that nobody will free."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="forks are POSIX")

HOLDING = """
import os, sys, threading, time
from pytest_ragassert.judging.calls.event_loop import LoopThread
from pytest_ragassert.runtime.threads import DiskThread

lock, holding = threading.Lock(), threading.Event()

release, held = threading.Event(), 0.5

def work():
    with lock:
        holding.set()
        release.wait(held)
    return "done"

async def on_loop():
    return work()

loop, disk = LoopThread(), DiskThread()

def begun():
    holding.clear()
    doing = loop.submit(on_loop()) if sys.argv[1] == "loop" else disk.submit(work)
    holding.wait(10)
    return doing

def forked(check=lambda: lock.acquire(timeout=10)):
    child = os.fork()
    if not child:
        os._exit(0 if check() else 1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
"""


def run(script: str, thread: str) -> str:
    command = [sys.executable, "-W", "ignore::DeprecationWarning", "-c", HOLDING + script, thread]
    done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.mark.parametrize("thread", ["loop", "disk"])
def test_a_child_has_no_lock_that_a_thread_held(thread: str) -> None:
    script = """
doing = begun()
print(forked(), doing.result(10))
"""
    assert run(script, thread) == "0 done\n"


@pytest.mark.parametrize("thread", ["loop", "disk"])
def test_threads_may_fork_side_by_side(thread: str) -> None:
    script = """
doing = begun()
ended = []
forks = [threading.Thread(target=lambda: ended.append(forked(lambda: True))) for _ in range(8)]
for fork in forks:
    fork.start()
for fork in forks:
    fork.join(10)
print(ended, doing.result(10), begun().result(10))
"""
    assert run(script, thread) == f"{[0] * 8} done done\n"


def test_the_thread_itself_may_fork() -> None:
    script = """
async def main():
    return forked()

print(loop.run(main()), disk.submit(forked).result(10))
"""
    assert run(script, "loop") == "0 0\n"


def test_a_loop_that_does_not_come_back_holds_no_fork_for_ever() -> None:
    script = """
from pytest_ragassert.runtime import forks

forks._PATIENCE = 0.1
held = 20
doing = begun()
print(forked(lambda: True), not doing.done())
release.set()
print(doing.result(10))
"""
    assert run(script, "loop") == "0 True\ndone\n"


def test_what_the_stores_thread_has_open_is_closed_before_a_fork() -> None:
    script = """
closed = []
own = DiskThread(leave=lambda: closed.append(threading.current_thread().name))
own.submit(work).result(10)
print(forked(lambda: closed == ["ragassert-store"]))
"""
    assert run(script, "disk") == "0\n"


def test_a_child_forks_in_its_turn() -> None:
    script = """
loop.run(on_loop())
disk.submit(work).result(10)
print(forked(lambda: forked() == 0))
"""
    assert run(script, "loop") == "0\n"


def test_a_child_may_make_a_session_that_a_thread_was_making() -> None:
    script = """
from pytest_ragassert.engine.session import MAKING

def make():
    with MAKING:
        holding.set()
        time.sleep(0.05)

threading.Thread(target=make).start()
holding.wait(10)
print(forked(lambda: MAKING.acquire(timeout=10)), MAKING.acquire(timeout=10))
"""
    assert run(script, "loop") == "0 True\n"
