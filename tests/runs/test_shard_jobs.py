"""The workflows of docs/how-to/shards.md: eight shards and their join, run as CI would run them."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.docs.blocks import ROOT, stories
from tests.loopback.server import LoopbackJudge

PAGE = ROOT / "docs/how-to/shards.md"
YAML = [
    yaml.safe_load(block.text)
    for story in stories(PAGE)
    for block in story.blocks
    if block.language == "yaml"
]
GITHUB, FOLDERS, GITLAB = YAML
SHARDS = range(1, 9)
PLACES: list[str] = [
    one["tests"] for one in FOLDERS["jobs"]["shard"]["strategy"]["matrix"]["include"]
]
KEY = "sk-shards"

TEST = """
import os, signal
import pytest
from pytest_ragassert import EvalCase, assert_faithful

def test_passes():
    assert_faithful(
        EvalCase(id="NAME", answer="NAME: boat 3.", retrieved_contexts=["NAME: boat 3. Boat 4."])
    )

def test_may_be_killed():
    if os.environ.get("KILLED") == "NAME":
        os.kill(os.getpid(), signal.SIGKILL)

@pytest.mark.parametrize("boat", [5, 6])
def test_measures(boat):
    text = f"NAME: boat {boat} is red."
    assert_faithful(EvalCase(id=f"NAME-{boat}", answer=text, retrieved_contexts=[text]))
"""
TESTS, MEASURED = 32, 24
INI = """\
[pytest]
ragassert_model = judge-a
ragassert_verdicts = verdicts.jsonl
ragassert_gates = mean(faithfulness, n=24) >= 1
"""


class Service:
    """A CI service: a checkout for each job, a judge, and the artifacts of the jobs."""

    def __init__(self, folder: Path, python: str, judge: LoopbackJudge) -> None:
        self.source, self.artifacts = folder / "source", folder / "artifacts"
        self._folder, self._jobs = folder, 0
        scripts = folder / "bin"
        scripts.mkdir()
        for name, text in {
            "python": f'exec {python} "$@"',
            "pytest": f'exec {python} -m pytest "$@"',
            "pip": '[ "$1" = install ]',
        }.items():
            (scripts / name).write_text(f"#!/bin/sh\n{text}\n")
            (scripts / name).chmod(0o755)
        self.environ = {
            "PATH": f"{scripts}:/usr/bin:/bin",
            "HOME": str(folder),
            "CI": "true",
            "OPENAI_BASE_URL": judge.base_url,
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
            "PYTEST_ADDOPTS": "-p ragassert -p pytest_split.plugin -p no:cacheprovider",
        }
        for place in PLACES:
            path = self.source / place / f"test_{Path(place).name}.py"
            path.parent.mkdir(parents=True)
            path.write_text(TEST.replace("NAME", Path(place).name))
        (self.source / "pytest.ini").write_text(INI)

    def checkout(self) -> Path:
        self._jobs += 1
        return Path(shutil.copytree(self.source, self._folder / f"job-{self._jobs}"))

    def run(self, folder: Path, command: str, **environ: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["bash", "-e", "-c", command],
            cwd=folder,
            env={**self.environ, **environ},
            capture_output=True,
            encoding="utf-8",
            timeout=120,
        )


@pytest.fixture
def service(tmp_path: Path, forked_python: str, judge: LoopbackJudge) -> Service:
    return Service(tmp_path, forked_python, judge)


class Job:
    """A job that has run.

    Attributes:
        status: the exit status of the first command that failed.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.status = 0
        self.printed = ""


def filled(text: str, values: Mapping[str, object]) -> str:
    """An expression of GitHub with its values."""
    return re.sub(r"\$\{\{ ([\w.]+) \}\}", lambda found: str(values[found[1]]), text)


def on_github(service: Service, job: Mapping[str, Any], matrix: Mapping[str, Any]) -> Job:
    """Run the steps of a job: those with `always()` even after one that failed."""
    ran = Job(service.checkout())
    values = {f"matrix.{name}": value for name, value in matrix.items()}
    values["secrets.OPENAI_API_KEY"] = KEY
    killed = {"KILLED": matrix["killed"]} if "killed" in matrix else {}
    for step in job["steps"]:
        if ran.status and step.get("if") != "always()":
            continue
        if "run" in step:
            own = {name: filled(text, values) for name, text in step.get("env", {}).items()}
            done = service.run(ran.folder, filled(step["run"], values), **own, **killed)
            ran.printed += done.stdout + done.stderr
            ran.status = ran.status or done.returncode
        elif step["uses"].startswith("actions/upload-artifact@"):
            upload(service, ran.folder, step["with"], values)
        elif step["uses"].startswith("actions/download-artifact@"):
            for path in service.artifacts.glob(step["with"]["pattern"]):
                shutil.copytree(path, ran.folder / step["with"]["path"] / path.name)
        else:
            assert step["uses"].startswith(("actions/checkout@", "actions/setup-python@"))
    return ran


def upload(service: Service, folder: Path, step: Mapping[str, Any], values: dict[str, Any]) -> None:
    artifact = service.artifacts / filled(step["name"], values)
    paths = [folder / line for line in step["path"].split() if (folder / line).exists()]
    if not paths:
        return  # only a warning
    assert step.get("overwrite") or not artifact.exists(), "there is one of this name"
    shutil.rmtree(artifact, ignore_errors=True)
    for path in paths:
        if path.is_dir():
            shutil.copytree(path, artifact)
        else:
            artifact.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, artifact)


def check_whole(service: Service, join: Job, judge: LoopbackJudge) -> None:
    """All shards were joined: the gates hold, and their verdicts serve a replay without a key."""
    assert join.status == 0, join.printed
    assert f"measured={MEASURED} budget=ok gates=ok" in join.printed
    assert "1 gate holds" in join.printed
    assert (
        "8 shards joined: 48 new or replaced, 48 in all (verdicts.jsonl, written)" in join.printed
    )
    assert (join.folder / "report.html").read_text().startswith("<!doctype html>")
    asked = judge.count()
    shutil.copy(join.folder / "verdicts.jsonl", service.source)
    replay = service.run(service.checkout(), "pytest -q")
    assert replay.returncode == 0, replay.stdout + replay.stderr
    assert f"{TESTS} passed" in replay.stdout
    assert judge.count() == asked


def test_a_matrix_of_github_with_pytest_split(service: Service, judge: LoopbackJudge) -> None:
    jobs = GITHUB["jobs"]
    matrix = jobs["shard"]["strategy"]["matrix"]["shard"]
    assert matrix == list(SHARDS)
    ran = [on_github(service, jobs["shard"], {"shard": number}) for number in matrix]
    assert [job.status for job in ran] == [0] * 8, [job.printed for job in ran]
    # of each shard, its JUnit file too
    assert len(list(service.artifacts.glob("shard-*/junit.xml"))) == 8
    check_whole(service, on_github(service, jobs["join"], {}), judge)
    assert {path.name for path in service.artifacts.glob("report/*")} == {
        "report.html",
        "verdicts.jsonl",
    }


def test_folders_as_shards_of_which_one_is_killed(service: Service, judge: LoopbackJudge) -> None:
    """The join of the others names it; after it has run again, all is well."""
    own = FOLDERS["jobs"]["shard"]
    jobs = GITHUB["jobs"]
    # the page shows what replaces a part of the job
    command, replaced = own["steps"][0], "pytest "
    steps = [command if one.get("run", "").startswith(replaced) else one for one in steps_of(jobs)]
    assert steps.count(command) == 1
    shard = {**jobs["shard"], **own, "steps": steps}
    include = shard["strategy"]["matrix"]["include"]
    assert [one["shard"] for one in include] == list(SHARDS)
    statuses = [on_github(service, shard, {**one, "killed": "cars"}).status for one in include]
    assert statuses == [0, 0, 0, 0, -9, 0, 0, 0]
    join = on_github(service, jobs["join"], {})
    assert join.status == 1
    assert (
        "error: shard 5 of 8 is missing: its job failed before it wrote results; run it again\n"
        in join.printed
    )
    assert "gates=partial missing-shards=1" in join.printed
    assert f"measured={MEASURED - 3} " in join.printed
    # the verdicts of the others are not lost
    assert "7 shards joined: 42 new or replaced" in join.printed
    shutil.rmtree(service.artifacts / "report")
    assert on_github(service, shard, include[4]).status == 0
    check_whole(service, on_github(service, jobs["join"], {}), judge)


def steps_of(jobs: Mapping[str, Any]) -> list[dict[str, Any]]:
    steps: list[dict[str, Any]] = jobs["shard"]["steps"]
    return steps


def on_gitlab(service: Service, name: str, **environ: str) -> Job:
    """Run a job with the artifacts of the jobs before it, and keep its own."""
    job = GITLAB[name]
    ran = Job(service.checkout())
    if "needs" in job:
        shutil.copytree(service.artifacts, ran.folder, dirs_exist_ok=True)
    done = service.run(ran.folder, "\n".join(job["script"]), OPENAI_API_KEY=KEY, **environ)
    ran.status, ran.printed = done.returncode, done.stdout + done.stderr
    assert job["artifacts"]["when"] == "always"
    for pattern in job["artifacts"]["paths"]:
        for path in ran.folder.glob(pattern):
            kept = service.artifacts / path.relative_to(ran.folder)
            kept.parent.mkdir(parents=True, exist_ok=True)
            assert name != "shard" or not kept.exists(), "another job's artifact has its path"
            shutil.copy(path, kept)
    return ran


def test_parallel_jobs_of_gitlab(service: Service, judge: LoopbackJudge) -> None:
    total = GITLAB["shard"]["parallel"]
    assert total == len(SHARDS)
    assert [GITLAB[name]["stage"] for name in ("shard", "join")] == GITLAB["stages"]
    assert (GITLAB["join"]["needs"], GITLAB["join"]["when"]) == (["shard"], "always")
    for number in SHARDS:
        job = on_gitlab(service, "shard", CI_NODE_INDEX=str(number), CI_NODE_TOTAL=str(total))
        assert job.status == 0, job.printed
        assert (job.folder / GITLAB["shard"]["artifacts"]["reports"]["junit"]).is_file()
    # the variables of a job without `parallel`
    join = on_gitlab(service, "join", CI_NODE_TOTAL="1")
    check_whole(service, join, judge)
    found = [json.loads(path.read_text()) for path in service.artifacts.glob("out/results_*.json")]
    assert sorted(one["shard"]["number"] for one in found) == list(SHARDS)


def test_a_shard_that_fails_does_not_end_the_others() -> None:
    for jobs in (GITHUB["jobs"], FOLDERS["jobs"]):
        assert jobs["shard"]["strategy"]["fail-fast"] is False
    join = GITHUB["jobs"]["join"]
    assert join["needs"] == "shard"
    assert join["if"] == "${{ !cancelled() }}"
    uploads = [
        one
        for job in GITHUB["jobs"].values()
        for one in job["steps"]
        if str(one.get("uses", "")).startswith("actions/upload-artifact@")
    ]
    assert [one["if"] for one in uploads] == ["always()"] * 2
