"""The server that runs, or that these tests start; a door before it, and runs that ask it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import openai
import pytest

from pytest_ragassert import Settings
from tests.conftest import close_sessions
from tests.runs.projects import Project, new_project

from . import server
from .door import Door
from .holding import held
from .install import default_folder, installed

_RUN_SECONDS = 280

project = pytest.fixture(new_project)
Ask = Callable[..., Settings]
Run = Callable[..., pytest.RunResult]


@pytest.fixture(scope="session")
def llm() -> Iterator[server.Running]:
    folder = default_folder()
    if installed(folder) is None:
        pytest.skip(f"no llama.cpp server in {folder}: python -m tests.real_llm.server setup")
    with server.borrowed(folder) as running:
        yield running


@pytest.fixture
def door(llm: server.Running) -> Iterator[Door]:
    """It lets requests through as they are; `door.change` changes them."""
    with Door(llm.url) as opened:
        yield opened
        close_sessions()


@pytest.fixture
def ask(door: Door, tmp_path: Path) -> Ask:
    """Makes settings that ask through the door and store in the test's folder."""

    def make(**more: Any) -> Settings:
        options: dict[str, Any] = {
            "judge": "openai",
            "base_url": door.base_url,
            "model": server.MODEL,
            "api_key": server.KEY,
            "max_tokens": 300,
            "timeout": 200,
            "cache_dir": tmp_path / "store",
        }
        return Settings(**{**options, **more})

    return make


@pytest.fixture
def run(door: Door, project: Project) -> Run:
    """pytest in a process of its own, in `project`, with what it asks held."""
    door.change = held
    project.set(OPENAI_API_KEY=server.KEY)

    def in_process(*args: str) -> pytest.RunResult:
        options = {"base-url": door.base_url, "model": server.MODEL, "timeout": 200}
        given = [f"--ragassert-{name}={value}" for name, value in options.items()]
        command = project.command(*given, "--ragassert-max-tokens=300", *args)
        return project.pytester.run(*command, timeout=_RUN_SECONDS)

    return in_process


@pytest.fixture
def client(llm: server.Running) -> Iterator[openai.OpenAI]:
    """The plain client, without us."""
    with openai.OpenAI(base_url=llm.base_url, api_key=server.KEY, max_retries=0) as opened:
        yield opened
