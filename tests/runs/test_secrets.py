"""An API key stands nowhere: neither in what is written, nor in what is printed."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.loopback.server import LoopbackJudge

from .projects import Project, new_project

project = pytest.fixture(new_project)

KEY = "sk-Zebra-4711-do-not-tell"
PASSWORD = "pass-Yak-0815"
TESTS = """
from ferry import BAD, GOOD, ODD, case
from pytest_ragassert import assert_answer_relevancy, assert_faithful

def test_times():
    assert_faithful(case("times"))

def test_price():
    assert_faithful(case("price", " ".join([ODD, GOOD, BAD])))

def test_relevancy():
    assert_answer_relevancy(case("near"), min=0)
"""
OPTIONS = (
    "--ragassert-verdicts=verdicts.jsonl",
    "--ragassert-artifacts=artifacts",
    "--ragassert-embedder=openai",
    "--junitxml=junit.xml",
    "-o",
    "junit_logging=all",
    "--showlocals",
    "--tb=long",
    "-vv",
)


def ran(project: Project, *args: str) -> bytes:
    """What a run prints that asks a server behind a password, with a key."""
    command = [*project.command(*OPTIONS, *args), "--log-level=DEBUG", "--log-cli-level=DEBUG"]
    done = subprocess.run(command, cwd=project.path, capture_output=True, timeout=120, check=False)
    return done.stdout + done.stderr


def said(*command: str) -> bytes:
    done = subprocess.run(
        [sys.executable, "-m", "pytest_ragassert", *command],
        capture_output=True,
        timeout=60,
        check=False,
    )
    return done.stdout + done.stderr


def files_below(*folders: Path) -> Iterator[Path]:
    for folder in folders:
        for parent, _, names in os.walk(folder):
            yield from (Path(parent, name) for name in names)


@pytest.fixture
def behind_a_password(project: Project, judge: LoopbackJudge) -> Project:
    url = judge.base_url.replace("://", f"://user:{PASSWORD}@")
    project.set(OPENAI_API_KEY=KEY, OPENAI_BASE_URL=url)
    project.test(TESTS)
    return project


def assert_untold(project: Project, *printed: bytes) -> None:
    temporary = Path(os.environ["TMPDIR"])
    written = [file.read_bytes() for file in files_below(project.path, temporary)]
    assert written
    for secret in (KEY, PASSWORD):
        for text in (*printed, *written):
            assert secret.encode() not in text


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["serially", "in parallel"])
def test_runs_and_commands_tell_no_secret(
    behind_a_password: Project, workers: tuple[str, ...]
) -> None:
    project = behind_a_password
    project.temporary()
    first = ran(project, "--ragassert-update-verdicts", *workers)
    assert b"1 failed" in first
    second = ran(project, "--ragassert-record-mode=none", *workers)
    assert b"1 failed" in second
    at = (f"--rootdir={project.path}", f"--cache-dir={project.path / '.ragassert'}")
    verdicts = f"--verdicts={project.path / 'verdicts.jsonl'}"
    commands = [
        said("verdicts", "info", *at, verdicts),
        said("verdicts", "verify", *at, verdicts),
        said("verdicts", "export", "-", *at),
    ]
    key = (project.path / "verdicts.jsonl").read_text(encoding="utf-8")[9:30]
    commands.append(said("verdicts", "show", key, *at, verdicts))
    assert all(b"error" not in text.lower() for text in commands), commands
    assert_untold(project, first, second, *commands)


@pytest.mark.parametrize("status", [401, 400, 500])
def test_an_endpoint_that_repeats_the_key_is_not_repeated(
    behind_a_password: Project, judge: LoopbackJudge, status: int
) -> None:
    project = behind_a_password
    project.temporary()
    project.set(RAGASSERT_TIMEOUT="1")
    said = f"Incorrect API key provided: {KEY} ({PASSWORD})"
    body = {"error": {"message": said, "code": None, "param": None}}
    judge.script(
        [{"status": status, "body": body, "headers": {"retry-after": "0"}}], repeat_last=True
    )
    printed = ran(project, "-x")
    assert b"JudgeError" in printed
    assert_untold(project, printed)
