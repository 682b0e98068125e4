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
from typing import IO, Any, NamedTuple

ROOT = Path(__file__).resolve().parents[2]
_OURS = ("RAGASSERT_", "OPENAI_", "PYTEST_", "PYTHON")
_RSS_UNIT = 1 if sys.platform == "darwin" else 1024
_LOCAL = {"NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1"}
# A process begins with the peak memory of the process that starts it. So a small one starts it, and
# writes what it took to the descriptor.
_PYTHON = sys.executable  # also where tests have another one start their runs
_LAUNCHER = """\
import json, os, sys
descriptor, command = int(sys.argv[1]), sys.argv[2:]
child = os.fork()
if not child:
    os.close(descriptor)
    os.execvp(command[0], command)
_, status, used = os.wait4(child, 0)
took = os.waitstatus_to_exitcode(status), used.ru_utime + used.ru_stime, used.ru_maxrss
os.write(descriptor, json.dumps(took).encode())
"""


class Cost(NamedTuple):
    """What a child took.

    Attributes:
        wall: seconds.
        cpu: seconds of user and system time, its own children's too.
        peak: bytes of memory that it, or one of its children, held at most.
    """

    wall: float
    cpu: float
    peak: int
    output: str


class JudgeProcess:
    """`python -m tests.loopback.server` as a process of its own.

    Args:
        module: what serves in its place.
    """

    def __init__(self, latency: float = 0.0, *, module: str = "tests.loopback.server") -> None:
        self.latency = latency
        self._module = module

    def __enter__(self) -> JudgeProcess:
        command = ["-m", self._module, "--latency", str(self.latency)]
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
    python: Path | None = None,
) -> Cost:
    """Run this Python, or that one, with the arguments in the folder.

    Raises:
        RuntimeError: it ended with another exit code.
    """
    reading, writing = os.pipe()
    launcher = [_PYTHON, "-I", "-S", "-c", _LAUNCHER, str(writing)]
    started = time.perf_counter()
    with subprocess.Popen(
        [*launcher, str(python or sys.executable), *arguments],
        cwd=folder,
        env=_environment(variables, ours=python is None),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        pass_fds=[writing],
        text=True,
    ) as child:
        os.close(writing)
        output = child.stdout.read() if child.stdout else ""
    wall = time.perf_counter() - started
    with os.fdopen(reading) as pipe:
        code, cpu, peak = json.loads(pipe.read())
    if code not in codes:
        raise RuntimeError(f"{' '.join(arguments)}: exit code {code}\n{output}")
    return Cost(wall, cpu, peak * _RSS_UNIT, output)


def _environment(variables: Mapping[str, str] | None, *, ours: bool = True) -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if not k.startswith(_OURS) and k != "CI"}
    if ours:
        # what is measured is what stands beside these files, whatever is installed
        kept["PYTHONPATH"] = str(ROOT)
    return {**kept, **_LOCAL, **(variables or {})}


_PLUGINS = ("-p", "pytest_ragassert.plugin", "-p", "xdist.plugin")
_BARE = ("-m", "pytest", "-p", "no:cacheprovider", "-q")
_NO_OTHERS = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}


def pytest_run(
    folder: Path,
    *options: str,
    variables: Mapping[str, str] | None = None,
    none: bool = False,
    codes: Sequence[int] = (0,),
) -> Cost:
    """Run pytest in the folder with this plugin, xdist and no other; `none`: no test is there."""
    given = {**_NO_OTHERS, **(variables or {})}
    return run((*_BARE, *_PLUGINS, *options), folder, given, codes=(5,) if none else codes)


def pytest_process(
    folder: Path, *options: str, variables: Mapping[str, str], output: IO[str]
) -> subprocess.Popen[str]:
    """The same, begun; what it prints goes to `output`."""
    return subprocess.Popen(
        [sys.executable, *_BARE, *_PLUGINS, *options],
        cwd=folder,
        env=_environment({**_NO_OTHERS, **variables}),
        stdout=output,
        stderr=subprocess.STDOUT,
        text=True,
    )


def bare_pytest_run(
    folder: Path, *options: str, variables: Mapping[str, str] | None = None, none: bool = False
) -> Cost:
    given = {**_NO_OTHERS, **(variables or {})}
    return run((*_BARE, *options), folder, given, codes=(5,) if none else (0,))
