"""Small projects as text, and what runs them and reads what they print."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import importlib
import io
import os
import pkgutil
import re
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import openai
import pytest

import pytest_ragassert
from pytest_ragassert.config.other_providers import VARIABLES
from tests.loopback.server import LoopbackJudge

from .remembered_lookups import remember_lookups

KEY = "sk-loopback-7f3a9c"

# Imported by the projects' tests. Both judges call GOOD supported, BAD contradicted, ODD unproven.
FERRY = """
from pytest_ragassert import EvalCase

CONTEXTS = [
    "Dogs are not allowed on board.",
    "The ferry runs every 40 minutes. The crossing costs 9 euros.",
]
GOOD = "The ferry runs every 40 minutes."
BAD = "The crossing costs 5 euros."
ODD = "Bicycles need reservations."


def case(id, answer=GOOD, **fields):
    fields.setdefault("question", "How often does the ferry run?")
    fields.setdefault("retrieved_contexts", CONTEXTS)
    return EvalCase(id=id, answer=answer, **fields)
"""

PASSING = """
from ferry import GOOD, case
from pytest_ragassert import assert_faithful

def test_times():
    assert_faithful(case("times"))

def test_dogs():
    assert_faithful(case("dogs", "Dogs are not allowed on board. " + GOOD), min=0.9)
"""

FAILING = """
from ferry import BAD, GOOD, ODD, case
from pytest_ragassert import assert_faithful

def test_times():
    assert_faithful(case("times"))

def test_price():
    assert_faithful(case("price", " ".join([ODD, GOOD, BAD])))
"""


class Project:
    """A pytester's folder as a project, with the judge that its runs ask."""

    def __init__(self, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
        self.pytester: pytest.Pytester = request.getfixturevalue("pytester")
        pytester = self.pytester
        self._request = request
        self.path: Path = pytester.path
        self._monkeypatch = monkeypatch
        # plugins by name: importing those of others takes a worker longer than all its tests
        self.set(COLUMNS="80", PYTHONIOENCODING="utf-8", PYTEST_DISABLE_PLUGIN_AUTOLOAD="1")
        # a file that is written again within a second, as long as before, would be the old one
        self.set(PYTHONDONTWRITEBYTECODE="1")
        monkeypatch.setattr(sys, "dont_write_bytecode", True)
        for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "CI", "BUILD_NUMBER", "PYTEST_ADDOPTS"):
            monkeypatch.delenv(name, raising=False)
        for name in VARIABLES:
            monkeypatch.delenv(name, raising=False)
        pytester.makepyfile(ferry=FERRY)

    def set(self, **environ: str) -> None:
        for name, value in environ.items():
            self._monkeypatch.setenv(name, value)

    def unset(self, *names: str) -> None:
        for name in names:
            self._monkeypatch.delenv(name, raising=False)

    def judged_by(self, judge: LoopbackJudge, key: str = KEY) -> None:
        self.set(OPENAI_API_KEY=key, OPENAI_BASE_URL=judge.base_url)

    def temporary(self) -> Path:
        """A folder for temporary files, for runs in this process and in others."""
        folder = self.pytester.mkdir("temporary")
        self.set(TMPDIR=str(folder))
        self._monkeypatch.setattr(tempfile, "tempdir", str(folder))
        return folder

    def test(self, source: str, name: str = "test_it") -> Path:
        return self.pytester.makepyfile(**{name: source})

    def run(self, *args: str, use: Sequence[str] = ()) -> pytest.RunResult:
        """In this process, with workers from the fork server."""
        # this process turns warnings into errors, which is no default of the projects' runs
        args = ("-W", "default", *_plugins(args, use), *args)
        # pytest-retry keeps what an earlier run in this process was configured with
        for name in [name for name in sys.modules if name.startswith("pytest_retry")]:
            del sys.modules[name]
        if "xdist" not in args:
            return self.pytester.runpytest_inprocess(*args)
        with self.forking():
            return self.pytester.runpytest_inprocess(*args)

    def process(self, *args: str, use: Sequence[str] = (), fresh: bool = False) -> pytest.RunResult:
        """In a process of its own: from the fork server, or a fresh one that imports all itself."""
        args = (*_plugins(args, use), *args)
        with contextlib.nullcontext() if fresh else self.forking():
            return self.pytester.runpytest_subprocess(*args, timeout=120)

    def command(self, *args: str) -> list[str]:
        """For a process that the test itself starts and ends."""
        return [sys.executable, "-m", "pytest", *_plugins(args, ()), *args]

    def forked_command(self, *args: str) -> list[str]:
        """For a process from the fork server, which no signal of the test reaches."""
        return [self._request.getfixturevalue("forked_python"), *self.command(*args)[1:]]

    @contextlib.contextmanager
    def forking(self) -> Iterator[None]:
        """What pytester and pytest-xdist start is forked."""
        python = self._request.getfixturevalue("forked_python")
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(sys, "executable", python)
            yield


def _plugins(args: Sequence[str], use: Sequence[str]) -> list[str]:
    """Ours, those to use, and xdist where an option is its own."""
    own = any(arg.startswith(("-n", "--tx", "--dist")) for arg in args)
    names = ["ragassert", *use, *(["xdist"] if own else [])]
    return ["-p", "no:cacheprovider", *(part for name in names for part in ("-p", name))]


def new_project(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Project:
    """`project = pytest.fixture(new_project)` makes it a module's fixture."""
    load_client()
    return Project(request, monkeypatch)


@functools.cache
def load_client() -> None:
    """Import all of the package, and what the first request imports, before pytester's runs.

    pytester drops the modules that a run imported: each run would import them again, and clients
    would meet twins of their own error classes.
    """
    for module in pkgutil.walk_packages(pytest_ragassert.__path__, "pytest_ragassert."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)

    remember_lookups()

    async def ask(base_url: str) -> None:
        async with openai.AsyncOpenAI(base_url=base_url, api_key=KEY) as client:
            await client.chat.completions.create(model="any", messages=[])

    with LoopbackJudge() as judge:
        asyncio.run(ask(judge.base_url))


def run_once() -> None:
    """Do what is done once in a process: a run's imports, patterns and tables of words."""
    with pytest.MonkeyPatch.context() as patch, contextlib.ExitStack() as stack:
        # which folder is for temporary files is looked up once, and each process has its own
        patch.setattr(tempfile, "tempdir", tempfile.tempdir)
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory())).resolve()
        for module, source in (("ferry", FERRY), ("test_passing", PASSING), ("test_it", FAILING)):
            Path(folder, f"{module}.py").write_text(source, "utf-8")
        for variable in [one for one in os.environ if one.startswith(("RAGASSERT_", "PYTEST_"))]:
            patch.delenv(variable)
        patch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
        patch.syspath_prepend(folder)
        args = ("--ragassert-judge=offline", f"--rootdir={folder}", str(folder))
        stack.enter_context(contextlib.redirect_stdout(io.StringIO()))
        # without xdist, which keeps the `sys.path` of the moment when it is imported
        status = pytest.main([*_plugins(args, ()), *args])
        assert status == pytest.ExitCode.TESTS_FAILED
        for loaded in list(sys.modules.values()):
            if Path(getattr(loaded, "__file__", None) or "").parent == folder:
                del sys.modules[loaded.__name__]


_NOISE: Mapping[str, str] = {
    r"in \d+\.\d\ds": "in TIME",
    r"127\.0\.0\.1:\d+": "HOST",
    r"Python \d+\.\d+\.\d+\S*": "Python VERSION",
    r"pytest-\d+\.\d+\S*, pluggy-\d+\S*": "pytest-VERSION",
    r"^plugins: .*$": "plugins: PLUGINS",
    r"^platform \S+": "platform PLATFORM",
    r"tokens: \d+ prompt \(0 cached\), \d+ completion": "tokens: TOKENS",
}
_FILL = re.compile(r"^([=_-])\1+( .* )\1+$")


def printed(result: pytest.RunResult, project: Project) -> list[str]:
    """The lines without what differs from run to run: times, paths, versions, ports."""
    lines = []
    for line in result.outlines:
        clean = line.replace(str(project.path), "ROOT")
        for pattern, word in _NOISE.items():
            clean = re.sub(pattern, word, clean)
        # pytest fills headings to the width, and some hold a time
        clean = _FILL.sub(lambda match: match[1] * 3 + match[2] + match[1] * 3, clean)
        lines.append(clean.rstrip())
    while lines and not lines[-1]:
        lines.pop()
    return lines


def without_xdist(lines: list[str]) -> list[str]:
    """The lines without xdist's own, the tests' dots, and the empty lines around both."""
    own = r"\[gw\d+\] |created: |\d+ workers? |[.FEsx]+ +\[|test_\w+\.py [.FEsx]+|collected "
    text = "\n".join(line for line in lines if not re.match(own, line))
    return re.sub(r"\n+=== FAILURES", "\n=== FAILURES", text).split("\n")


def section(result: pytest.RunResult, title: str = "ragassert", fill: str = "=") -> list[str]:
    """The lines below the last heading of that title."""
    lines: list[str] = []
    inside = False
    for line in result.outlines:
        heading = re.match(r"^([=-])\1\1+ (.*) \1\1\1+$", line)
        if heading:
            inside = heading[1] == fill and heading[2] == title
            lines = [] if inside else lines
        elif inside:
            lines.append(line)
    return lines


def table(result: pytest.RunResult) -> list[str]:
    """The claim table of the run's last failure."""
    return section(result, fill="-")
