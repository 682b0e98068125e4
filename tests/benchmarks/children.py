"""Child processes: the loopback judge, and pytest runs with what they cost."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[2]
_OURS = ("RAGASSERT_", "OPENAI_", "PYTEST_", "PYTHON")
_LOCAL = {"NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1"}


class Cost(NamedTuple):
    """What a child took, in seconds; `cpu` is user and system time, its own children's too."""

    wall: float
    cpu: float
    output: str


class JudgeProcess:
    """`python -m tests.loopback.server` as a process of its own."""

    def __init__(self, latency: float = 0.0) -> None:
        self._latency = latency

    def __enter__(self) -> JudgeProcess:
        command = ["-m", "tests.loopback.server", "--latency", str(self._latency)]
        self._process = subprocess.Popen(
            [sys.executable, *command], cwd=ROOT, stdout=subprocess.PIPE, text=True
        )
        if self._process.stdout is None:
            raise RuntimeError("the judge's output is not piped")
        self.base_url = self._process.stdout.readline().strip()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._process.terminate()
        self._process.communicate()

    def stats(self) -> dict[str, Any]:
        """What was asked since the last call."""
        stats: dict[str, Any] = json.loads(self._call("GET", "/stats"))
        self._call("POST", "/reset")
        return stats

    def _call(self, method: str, path: str) -> bytes:
        url = self.base_url.removesuffix("/v1") + path
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(urllib.request.Request(url, method=method), timeout=10) as response:
            content: bytes = response.read()
        return content

    def variables(self, cache: Path) -> dict[str, str]:
        """The environment of a run that asks this judge and stores in that folder."""
        return {
            "OPENAI_API_KEY": "sk-loopback",
            "RAGASSERT_BASE_URL": self.base_url,
            "RAGASSERT_CACHE_DIR": str(cache),
        }


def run(
    arguments: Sequence[str],
    folder: Path,
    variables: Mapping[str, str] | None = None,
    *,
    codes: Sequence[int] = (0,),
) -> Cost:
    """Run this Python with the arguments in the folder.

    Raises:
        RuntimeError: it ended with another exit code.
    """
    kept = {k: v for k, v in os.environ.items() if not k.startswith(_OURS) and k != "CI"}
    started = time.perf_counter()
    child = subprocess.Popen(
        [sys.executable, *arguments],
        cwd=folder,
        env={**kept, **_LOCAL, **(variables or {})},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    output = child.stdout.read() if child.stdout else ""
    _, status, usage = os.wait4(child.pid, 0)
    wall = time.perf_counter() - started
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.stdout:
        child.stdout.close()
    if child.returncode not in codes:
        raise RuntimeError(f"{' '.join(arguments)}: exit code {child.returncode}\n{output}")
    return Cost(wall, usage.ru_utime + usage.ru_stime, output)


def pytest_run(
    folder: Path, *options: str, variables: Mapping[str, str] | None = None, none: bool = False
) -> Cost:
    """Run pytest in the folder with this plugin, xdist and no other; `none`: no test is there."""
    plugins = ("-p", "pytest_ragassert.plugin", "-p", "xdist.plugin")
    return bare_pytest_run(folder, *plugins, *options, variables=variables, none=none)


def bare_pytest_run(
    folder: Path, *options: str, variables: Mapping[str, str] | None = None, none: bool = False
) -> Cost:
    arguments = ("-m", "pytest", "-p", "no:cacheprovider", "-q", *options)
    given = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", **(variables or {})}
    return run(arguments, folder, given, codes=(5,) if none else (0,))
