"""llama.cpp's server with a small instruct model, for the tests marked `real_llm`.

    python -m tests.real_llm.server setup     build and install it, once: 10 to 20 minutes
    python -m tests.real_llm.server start     in the background, on a free port
    python -m tests.real_llm.server stop
    python -m tests.real_llm.server status    exits 0 where it runs

Each takes `--folder FOLDER`; without it, $RAGASSERT_LLM_FOLDER or a folder of the user's cache.
"""

from __future__ import annotations

import argparse
import contextlib
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from pytest_ragassert.storage.files.locks import leave_lock_file, lock_file

from .install import Failure, default_folder, install, installed, tail

KEY = "sk-llama-7f3a9c"
MODEL = "smollm2-135m-instruct"
CONTEXT = 4096  # tokens
_LOAD_SECONDS = 120.0
_STOP_SECONDS = 10.0
_TRIES = 3  # another process may take a port before the server does
_children: list[subprocess.Popen[bytes]] = []


class Running(NamedTuple):
    """A server that was started.

    Attributes:
        for_tests: a test run started it; its last user stops it.
    """

    pid: int
    url: str
    binary: str
    for_tests: bool

    @property
    def base_url(self) -> str:
        return f"{self.url}/v1"


def running(folder: Path) -> Running | None:
    """The server of this folder, where it runs and is well."""
    known = _noted(folder)
    return known if known and _alive(known) and _healthy(known.url) else None


def start(folder: Path, *, for_tests: bool = False) -> Running:
    """The running server, started where there is none; one start at a time.

    Raises:
        Failure: it is not set up, or does not start.
    """
    with _alone(folder, "server"):
        known = running(folder)
        if known is not None:
            if known.for_tests and not for_tests:
                known = known._replace(for_tests=False)
                _note(folder, known)
            return known
        _end(folder)  # one that hangs
        return _started(folder, for_tests)


def stop(folder: Path) -> bool:
    """Whether there was one to stop."""
    with _alone(folder, "server"):
        return _end(folder)


@contextlib.contextmanager
def borrowed(folder: Path) -> Iterator[Running]:
    """The server for a test run, whose last process stops what the first one started.

    Raises:
        Failure: it is not set up, or does not start.
    """
    users = folder / "users"
    users.mkdir(parents=True, exist_ok=True)
    own = users / str(os.getpid())
    own.touch()
    try:
        yield start(folder, for_tests=True)
    finally:
        with _alone(folder, "server"):
            own.unlink(missing_ok=True)
            for user in users.iterdir():
                if not _exists(int(user.name)):
                    user.unlink()
            known = _noted(folder)
            if known and known.for_tests and not any(users.iterdir()):
                _end(folder)


def _started(folder: Path, for_tests: bool) -> Running:
    found = installed(folder)
    if found is None:
        raise Failure(f"not set up in {folder}: python -m tests.real_llm.server setup")
    log = folder / "server.log"
    # its options have variables too, which must not change what the tests see
    environ = {name: value for name, value in os.environ.items() if not name.startswith("LLAMA_")}
    for _ in range(_TRIES):
        port = _free_port()
        arguments = ["-m", found.weights, "--host", "127.0.0.1", "--port", port, "-c", CONTEXT]
        # one thread: on a busy machine several wait for each other, and are ten times slower
        arguments += ["-np", 1, "-t", 1, "--no-webui", "--alias", MODEL, "--api-key", KEY]
        with log.open("wb") as output:
            child = subprocess.Popen(
                [found.binary, *map(str, arguments)],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                env=environ,
                start_new_session=True,
            )
        _children.append(child)
        server = Running(child.pid, f"http://127.0.0.1:{port}", str(found.binary), for_tests)
        _note(folder, server)
        end = time.monotonic() + _LOAD_SECONDS
        while child.poll() is None:
            if _healthy(server.url):
                return server
            if time.monotonic() > end:
                _end(folder)
                raise Failure(f"not ready after {_LOAD_SECONDS:.0f} s; {log} ends:\n{tail(log)}")
            time.sleep(0.1)
        _state(folder).unlink(missing_ok=True)
    raise Failure(f"it ended at once, {_TRIES} times; {log} ends:\n{tail(log)}")


def _end(folder: Path) -> bool:
    """End the noted server, if that process is still the one that was started."""
    known = _noted(folder)
    alive = known is not None and _alive(known)
    if known is not None and alive:
        for how in (signal.SIGTERM, getattr(signal, "SIGKILL", signal.SIGTERM)):
            with contextlib.suppress(ProcessLookupError):
                os.kill(known.pid, how)
            end = time.monotonic() + _STOP_SECONDS
            while _alive(known) and time.monotonic() < end:
                time.sleep(0.05)
    for child in list(_children):
        if alive and known is not None and child.pid == known.pid:
            # its command line goes a moment before it has ended
            with contextlib.suppress(subprocess.TimeoutExpired):
                child.wait(_STOP_SECONDS)
        if child.poll() is not None:
            _children.remove(child)
    _state(folder).unlink(missing_ok=True)
    return alive


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port: int = listening.getsockname()[1]
        return port


def _healthy(url: str) -> bool:
    try:
        with urllib.request.urlopen(f"{url}/health", timeout=5) as reply:
            return bool(reply.status == 200)
    except (OSError, http.client.HTTPException):
        return False


def _alive(server: Running) -> bool:
    """Whether the process is the one that was started: its number may be another's by now."""
    return server.binary in _command_of(server.pid)


def _command_of(pid: int) -> str:
    """The command line of a process; empty where it has ended."""
    if Path("/proc/self/cmdline").exists():
        with contextlib.suppress(OSError):
            return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
        return ""
    told = subprocess.run(["ps", "-p", str(pid), "-o", "args="], stdout=subprocess.PIPE, text=True)
    return told.stdout


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _state(folder: Path) -> Path:
    return folder / "server.json"


def _noted(folder: Path) -> Running | None:
    try:
        state: dict[str, Any] = json.loads(_state(folder).read_text(encoding="utf-8"))
        pid, for_tests = int(state["pid"]), state["for_tests"] is True
        return Running(pid, str(state["url"]), str(state["binary"]), for_tests)
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _note(folder: Path, server: Running) -> None:
    draft = folder / "server.json.new"
    draft.write_text(json.dumps(server._asdict()), encoding="utf-8")
    os.replace(draft, _state(folder))


@contextlib.contextmanager
def _alone(folder: Path, what: str, *, wait: bool = True) -> Iterator[None]:
    """No other process does it meanwhile; the lock of one that was killed is free."""
    folder.mkdir(parents=True, exist_ok=True)
    locks = lock_file(folder / "locks")
    try:
        while not locks.acquire(what):
            if not wait:
                raise Failure(f"another process does so in {folder}")
            time.sleep(0.1)
        try:
            yield
        finally:
            locks.release(what)
    finally:
        leave_lock_file(locks)


def _set_up(folder: Path) -> int:
    with _alone(folder, "setup", wait=False):
        if installed(folder) is None:
            stop(folder)  # one of other versions
            install(folder)
    print(f"it is set up in {folder}; next: python -m tests.real_llm.server start")
    return 0


def _start(folder: Path) -> int:
    server = start(folder)
    print(f"running: {server.base_url}, key {KEY}, model {MODEL}, process {server.pid}")
    return 0


def _stop(folder: Path) -> int:
    print("stopped" if stop(folder) else "it was not running")
    return 0


def _status(folder: Path) -> int:
    server = running(folder)
    if server is not None:
        print(f"running: {server.base_url}, key {KEY}, model {MODEL}, process {server.pid}")
        return 0
    print(f"set up in {folder}, not running" if installed(folder) else f"not set up in {folder}")
    return 1


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.real_llm.server",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = {"setup": _set_up, "start": _start, "stop": _stop, "status": _status}
    parser.add_argument("command", choices=commands)
    parser.add_argument("--folder", type=Path, default=default_folder())
    options = parser.parse_args(arguments)
    try:
        return commands[options.command](options.folder.absolute())
    except Failure as failure:
        print(failure, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
