"""Runs from the fork server that a test interrupts or kills, by the ids of all their processes."""

from __future__ import annotations

import os
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from signal import SIGKILL, Signals
from typing import Any

from .projects import Project

# A plugin that controller and workers load.
NOTES = """
import os, pathlib

pathlib.Path(f"process-{os.getpid()}").touch()
"""


class ForkedRun:
    """A run whose processes have noted their ids in the project's folder."""

    def __init__(self, client: subprocess.Popen[str], folder: Path) -> None:
        self.client = client
        self._folder = folder

    def processes(self) -> list[int]:
        """All that have started, the controller first."""
        notes = sorted(self._folder.glob("process-*"), key=lambda file: file.stat().st_mtime_ns)
        return [int(file.name.partition("-")[2]) for file in notes]

    def alive(self) -> list[int]:
        """Those that have not ended."""
        return [process for process in self.processes() if _is_alive(process)]

    def signal_all(self, number: Signals) -> None:
        """Send it to each process that has not ended, as a terminal does to a group."""
        for process in self.alive():
            with suppress(ProcessLookupError):
                os.kill(process, number)

    def signal_controller(self, number: Signals) -> None:
        os.kill(self.processes()[0], number)

    def output(self) -> str:
        """What it printed, once all that could print have ended."""
        return self.client.communicate(timeout=60)[0]


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


@contextmanager
def forked_run(project: Project, *args: str) -> Iterator[ForkedRun]:
    project.pytester.makepyfile(notes_process=NOTES)
    client = subprocess.Popen(
        project.forked_command("-p", "notes_process", *args),
        cwd=project.path,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    run = ForkedRun(client, project.path)
    try:
        # its workers are forked too, as the server's processes take its executable for Python
        yield run
    finally:
        run.signal_all(SIGKILL)
        client.kill()
        client.communicate()


def wait_until(true: Callable[[], Any], seconds: float = 90) -> None:
    end = time.monotonic() + seconds
    waiting = threading.Event()
    while not true():
        assert time.monotonic() < end, "nothing happened"
        waiting.wait(0.01)
