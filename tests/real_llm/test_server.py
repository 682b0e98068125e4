"""The script itself, with a stand-in for the built server: these run with all other tests."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from . import install, server

STAND_IN = """\
#!{python}
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer

class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200 if self.path == "/health" else 404)
        self.end_headers()

print("loading", sys.argv[sys.argv.index("-m") + 1], flush=True)
{first}
HTTPServer(("127.0.0.1", int(sys.argv[sys.argv.index("--port") + 1])), Handler).serve_forever()
"""

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the stand-in is a script with #!")


def stand_in(folder: Path, first: str = "") -> Path:
    """A folder that is set up, with a server that does `first` before it serves."""
    folder.mkdir(exist_ok=True)
    binary, weights = folder / "stand-in", folder / "small.gguf"
    binary.write_text(STAND_IN.format(python=sys.executable, first=first), encoding="utf-8")
    binary.chmod(0o755)
    weights.touch()
    needs = [install.SERVER, install.WEIGHTS]
    made = {"needs": needs, "binary": str(binary), "weights": str(weights)}
    (folder / "installed.json").write_text(json.dumps(made), encoding="utf-8")
    return folder


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    place = stand_in(tmp_path / "llm")
    yield place
    server.stop(place)


def run(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tests.real_llm.server", command, "--folder", folder],
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[2],
    )


def noted(folder: Path) -> dict[str, object]:
    state: dict[str, object] = json.loads((folder / "server.json").read_text(encoding="utf-8"))
    return state


def test_commands_start_tell_and_stop(folder: Path) -> None:
    assert run("status", folder).stdout == f"set up in {folder}, not running\n"
    started = run("start", folder)
    url = str(noted(folder)["url"])
    assert started.stdout.startswith(f"running: {url}/v1, key {server.KEY}")
    assert run("status", folder).stdout == started.stdout
    assert run("start", folder).stdout == started.stdout
    with urllib.request.urlopen(f"{url}/health") as reply:
        assert reply.status == 200
    assert run("stop", folder).stdout == "stopped\n"
    with pytest.raises(OSError, match="refused"):
        urllib.request.urlopen(f"{url}/health")
    status = run("status", folder)
    assert (status.returncode, status.stdout) == (1, f"set up in {folder}, not running\n")
    assert run("stop", folder).stdout == "it was not running\n"


def test_what_is_not_set_up_is_told(tmp_path: Path) -> None:
    assert run("status", tmp_path).stdout == f"not set up in {tmp_path}\n"
    started = run("start", tmp_path)
    assert started.returncode == 1
    assert started.stderr == f"not set up in {tmp_path}: python -m tests.real_llm.server setup\n"
    (stand_in(tmp_path) / "small.gguf").unlink()
    assert "not set up" in run("start", tmp_path).stderr


def test_setup_has_nothing_to_do_twice(folder: Path) -> None:
    began = (folder / "installed.json").stat().st_mtime_ns
    assert run("setup", folder).stdout.startswith(f"it is set up in {folder}")
    assert (folder / "installed.json").stat().st_mtime_ns == began
    assert not (folder / "venv").exists()


def test_a_killed_server_is_started_anew(folder: Path) -> None:
    first = server.start(folder)
    os.kill(first.pid, signal.SIGKILL)
    os.waitpid(first.pid, 0)
    assert server.running(folder) is None
    second = server.start(folder)
    assert second.pid != first.pid
    assert server.running(folder) == second


def test_another_process_of_that_number_is_left_alone(folder: Path) -> None:
    started = server.start(folder)
    server.stop(folder)
    innocent = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        state = {**started._asdict(), "pid": innocent.pid}
        (folder / "server.json").write_text(json.dumps(state), encoding="utf-8")
        assert server.running(folder) is None
        assert not server.stop(folder)
        assert innocent.poll() is None
    finally:
        innocent.communicate(b"\n")


@pytest.mark.parametrize("text", ["", "{", "[]", '{"pid": 1}', '{"pid": "x"}'])
def test_a_damaged_note_is_no_server(folder: Path, text: str) -> None:
    (folder / "server.json").write_text(text, encoding="utf-8")
    assert server.running(folder) is None
    assert server.start(folder) == server.running(folder)


def test_two_starts_at_once_start_one(folder: Path) -> None:
    starts = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.real_llm.server", "start", "--folder", folder],
            stdout=subprocess.PIPE,
            text=True,
            cwd=Path(__file__).parents[2],
        )
        for _ in range(3)
    ]
    told = {each.communicate()[0] for each in starts}
    assert len(told) == 1
    assert f"process {noted(folder)['pid']}" in told.pop()


def test_a_port_taken_meanwhile_is_another_try(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        ports = [taken.getsockname()[1], server._free_port()]
        monkeypatch.setattr(server, "_free_port", lambda: ports.pop(0))
        started = server.start(folder)
    assert ports == []
    assert server.running(folder) == started


def test_a_server_that_ends_says_its_last_words(folder: Path) -> None:
    stand_in(folder, first="sys.exit('unknown model architecture')")
    with pytest.raises(install.Failure, match=r"3 times.*\n.*\nunknown model architecture"):
        server.start(folder)
    assert not (folder / "server.json").exists()


def test_a_server_that_hangs_is_ended(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "_LOAD_SECONDS", 0.5)
    monkeypatch.setattr(server, "_STOP_SECONDS", 2.0)
    hangs = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(99)"
    stand_in(folder, first=hangs)
    with pytest.raises(install.Failure, match="not ready after"):
        server.start(folder)
    assert all(child.poll() is not None for child in server._children)


def test_its_own_variables_do_not_reach_it(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LLAMA_ARG_PORT", "1")
    stand_in(folder, first="import os; assert 'LLAMA_ARG_PORT' not in os.environ")
    assert server.start(folder) == server.running(folder)


BORROWS = """
import sys, pathlib
from tests.real_llm import server
with server.borrowed(pathlib.Path(sys.argv[1])) as llm:
    print(llm.pid, flush=True)
    sys.stdin.readline()
"""


def test_the_last_borrower_stops_what_the_first_started(folder: Path) -> None:
    def borrow() -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-c", BORROWS, folder],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=Path(__file__).parents[2],
        )

    first, second, killed = borrow(), borrow(), borrow()
    pids = {each.stdout.readline() for each in (first, second, killed) if each.stdout}
    assert len(pids) == 1
    killed.kill()
    killed.communicate()
    first.communicate("\n")
    assert server.running(folder) is not None
    second.communicate("\n")
    assert server.running(folder) is None
    assert list((folder / "users").iterdir()) == []


def test_a_borrower_leaves_running_what_a_person_started(folder: Path) -> None:
    started = server.start(folder)
    with server.borrowed(folder) as llm:
        assert llm == started
    assert server.running(folder) == started
    server.stop(folder)
    with server.borrowed(folder):
        assert server.start(folder).for_tests is False
    assert server.running(folder) is not None


def test_no_two_set_up_at_once(folder: Path) -> None:
    entered, leave = threading.Event(), threading.Event()

    def hold() -> None:
        with server._alone(folder, "setup"):
            entered.set()
            leave.wait(10)

    holder = threading.Thread(target=hold)
    holder.start()
    entered.wait(10)
    try:
        told = run("setup", folder)
        assert (told.returncode, told.stderr) == (1, f"another process does so in {folder}\n")
    finally:
        leave.set()
        holder.join()


def test_setup_without_a_compiler_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CXX", raising=False)
    with pytest.raises(install.Failure, match=r"no C\+\+ compiler"):
        install.install(tmp_path)
