"""Fixtures for all tests: a judge on loopback, settings that ask it, and nothing left behind."""

from __future__ import annotations

import atexit
import gc
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import hypothesis
import pytest

from pytest_ragassert import Settings
from pytest_ragassert.engine import current_run as current
from pytest_ragassert.engine import sessions
from pytest_ragassert.judging.calls import retries
from pytest_ragassert.runtime import environment
from pytest_ragassert.runtime.environment import Environment
from pytest_ragassert.runtime.redaction import SECRETS

from .fork_server import fork_server
from .loopback.server import LoopbackJudge
from .redis_server import RedisServer

pytest_plugins = ["pytester"]

if TYPE_CHECKING:
    from pytest_ragassert.engine.session import Session

_CI_SERVICES = ("CI", "GITHUB_ACTIONS", "TF_BUILD", "TEAMCITY_VERSION")

# The processes that tests start load what an earlier one compiled: compiling all modules again
# takes each of them longer than most tests.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


def _keep_files_in_memory() -> None:
    """Let the temporary files of tests, and of what they start, lie in memory.

    Tests make thousands of stores, and on a disk each waits for it several times. Where memory has
    less room than all of them need, or no program may be started from there, they stay where they
    were; so they do where a person says where they go.
    """
    memory = "/dev/shm"
    if "TMPDIR" in os.environ or sys.platform != "linux" or not os.access(memory, os.W_OK):
        return
    found = os.statvfs(memory)
    if found.f_bavail * found.f_frsize < 2 << 30 or found.f_flag & os.ST_NOEXEC:
        return
    # pytest keeps the folders of tests that failed; what killed runs leave in the other is removed
    folder = tempfile.mkdtemp(prefix="tests-", dir=memory)
    atexit.register(_remove, folder, os.getpid())
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", memory)
    os.environ["TMPDIR"] = folder
    tempfile.tempdir = None


def _remove(folder: str, maker: int) -> None:
    # processes that a test forks end in the same way
    if os.getpid() == maker:
        shutil.rmtree(folder, ignore_errors=True)


_keep_files_in_memory()

# How many examples a property has where it gives no number of its own: half of Hypothesis' own 100,
# because there are many properties, and further examples cost more time than they find faults. Each
# run draws others, so that many runs try many more. In CI they are the same in each run, by
# Hypothesis' profile "ci", which these inherit from, so that no change is blamed for what chance
# found; half as many do there. `--hypothesis-profile=thorough` searches longer. In a fresh checkout
# whichever test is first waits for Hypothesis' table of characters; and no test is about time. How
# large examples come out depends on the constants of all modules that are imported, so a new module
# could turn an old test red.
_in_ci = any(name in os.environ for name in _CI_SERVICES)
for _profile, _examples in (("suite", 25 if _in_ci else 50), ("thorough", 1_000)):
    hypothesis.settings.register_profile(
        _profile,
        max_examples=_examples,
        deadline=None,
        suppress_health_check=[
            hypothesis.HealthCheck.too_slow,
            hypothesis.HealthCheck.data_too_large,
        ],
    )
hypothesis.settings.load_profile("suite")

MakeSettings = Callable[..., Settings]
Waits = list[float]


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Look for no garbage among modules and tests, which live until the end.

    A quarter of what collecting them takes would be this; and pytest 8.4 looks five times as a run
    ends, also one that pytester starts in this process.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()
        gc.enable()


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests see no options, keys or CI of the machine they run on."""
    for name in list(os.environ):
        if name.startswith(("RAGASSERT_", "OPENAI_")) or name in _CI_SERVICES:
            monkeypatch.delenv(name)
    # nothing here speaks TLS, and loading certificates takes longer than most tests; the file
    # would take precedence over the folder
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    monkeypatch.setenv("SSL_CERT_DIR", str(Path(__file__).parent))


@pytest.fixture(autouse=True)
def _warned_of_offline(monkeypatch: pytest.MonkeyPatch) -> None:
    """Warnings are errors here, and tests need no judge; one process is warned once."""
    monkeypatch.setattr(sessions, "_warned_of_offline", [True])


@pytest.fixture(autouse=True)
def _outside_of_this_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests are no part of the run that runs them, whose environment would decide for them."""
    monkeypatch.setattr(environment, "runs", [])


@pytest.fixture(autouse=True)
def _notices_are_no_warnings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests find them in the run folder: as warnings they would end tests of other things."""
    from pytest_ragassert.engine.session import Session

    monkeypatch.setattr(Session, "_notice", lambda session: None)


@pytest.fixture(autouse=True)
def _forgotten_secrets() -> Iterator[None]:
    """No test masks what another one hid."""
    yield
    SECRETS._values, SECRETS._spellings = frozenset(), ()


@pytest.fixture(autouse=True)
def _closed_sessions() -> Iterator[None]:
    """No session, with its thread and connections, outlives the test that made it."""
    yield
    close_sessions()


@pytest.fixture(scope="session")
def forked_python() -> Iterator[str]:
    """An executable whose processes start with everything imported."""
    with fork_server() as python:
        yield python


@pytest.fixture(scope="session")
def _redis_server() -> Iterator[RedisServer]:
    with RedisServer() as running:
        yield running


@pytest.fixture
def redis_server(_redis_server: RedisServer) -> RedisServer:
    """A running Redis server, empty for each test; each worker of pytest-xdist has its own."""
    with _redis_server.client() as client:
        client.flushall()
    return _redis_server


@pytest.fixture
def judge() -> Iterator[LoopbackJudge]:
    """A running judge, fresh for each test."""
    with LoopbackJudge() as running:
        yield running
        close_sessions()


@pytest.fixture
def settings(judge: LoopbackJudge, tmp_path: Path) -> MakeSettings:
    """Makes settings that ask `judge` and store in the test's folder."""

    def make(**more: Any) -> Settings:
        options: dict[str, Any] = {
            "judge": "openai",
            "base_url": judge.base_url,
            "model": "judge-a",
            "api_key": "sk-test-key",
            "cache_dir": tmp_path / "store",
        }
        return Settings(**{**options, **more})

    return make


@pytest.fixture
def asserting(settings: MakeSettings) -> Iterator[Callable[..., None]]:
    """Lets the assertions of a test measure with `settings(**options)`."""
    from pytest_ragassert.engine.session import Session

    made: list[MadeRun] = []

    def use(**options: Any) -> None:
        made.append(MadeRun(Session(settings(**options))))
        current.enter(made[-1])

    yield use
    for run in made:
        current.leave(run)
        run.session().close()
        run.session().run.remove()


class MadeRun:
    """A run in which assertions measure with a session."""

    def __init__(self, session: Session) -> None:
        self.environ = Environment(os.environ)
        self._session = session

    def session(self) -> Session:
        return self._session


def close_sessions() -> None:
    """End the sessions that `evaluate(settings=…)` made; the next call is a new run."""
    sessions._close_all()


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> Iterator[Waits]:
    """Seconds that would have been waited between requests; nothing waits."""
    waited: Waits = []

    async def sleep(seconds: float) -> None:
        waited.append(seconds)

    monkeypatch.setattr(retries, "asyncio", SimpleNamespace(sleep=sleep))
    yield waited
    close_sessions()
