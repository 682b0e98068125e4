"""The jobs of docs/how-to/github-actions.md: their commands, run as GitHub would run them."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.loopback.server import LoopbackJudge

from .test_example import EXAMPLE, NO_NETWORK, Run, checked_out, outcomes, run

WORKFLOW = EXAMPLE / ".github/workflows/rag-tests.yml"
DOCS = Path(__file__).resolve().parents[2] / "docs/how-to/github-actions.md"
JOBS: dict[str, Any] = yaml.safe_load(WORKFLOW.read_text(encoding="utf-8"))["jobs"]
VERDICTS, REPORT, PAGE = "verdicts.jsonl", "report.md", "report.html"
JUNIT = "junit.xml"
KEY = "sk-live"
IN_CI = {"CI": "true"}


@pytest.fixture(scope="module", autouse=True)
def _forked_runs(forked_python: str) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "executable", forked_python)
        yield


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The example as a repository of its own."""
    return checked_out(tmp_path) / EXAMPLE.name


def steps(job: str, beginning: str) -> list[dict[str, Any]]:
    """The job's steps that run such a command, or use such an action."""
    every: list[dict[str, Any]] = JOBS[job]["steps"]
    return [one for one in every if (one.get("run") or one["uses"]).startswith(beginning)]


def step(job: str, beginning: str) -> dict[str, Any]:
    """The only one."""
    (found,) = steps(job, beginning)
    return found


def replay(project: Path, on_missing: str, *more: str) -> Run:
    """The job without a key, for a pull request (skip) or a push to the main branch (fail)."""
    command = step("replay", "pytest")
    assert re.findall(r"'(\w+)'", command["env"]["ON_MISSING"]) == ["pull_request", "skip", "fail"]
    args = shlex.split(command["run"].replace("$ON_MISSING", on_missing))
    return run(project, *args[1:], *more, **IN_CI)


def live(project: Path, judge: LoopbackJudge | None = None, **environ: str) -> Run:
    """The job with a key, whose judge is on this machine."""
    command = step("live", "pytest")
    assert command["env"] == {"OPENAI_API_KEY": "${{ secrets.OPENAI_API_KEY }}"}
    server = {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": judge.base_url} if judge else {}
    return run(project, *shlex.split(command["run"])[1:], **server, **IN_CI, **environ)


def documented_merge(project: Path) -> Run:
    """The command of the docs, behind the download."""
    (command,) = re.findall(r"^gh run download .* && python (-m .+)$", DOCS.read_text(), re.M)
    return run_python(project, *shlex.split(command))


def run_python(project: Path, *args: str) -> Run:
    return subprocess.run(
        [sys.executable, *args], cwd=project, capture_output=True, encoding="utf-8", timeout=60
    )


def change_a_notice(project: Path) -> None:
    notice = project / "corpus/en/freight.md"
    text = notice.read_text(encoding="utf-8")
    assert "14:00" in text
    notice.write_text(text.replace("14:00", "13:00"), encoding="utf-8")


def test_the_docs_show_the_workflow() -> None:
    assert f"```yaml\n{WORKFLOW.read_text(encoding='utf-8')}```\n" in DOCS.read_text("utf-8")


def test_only_the_live_job_has_the_key_and_no_fork_runs_it() -> None:
    assert sorted(JOBS) == ["comment", "live", "replay"]
    assert "secrets" not in json.dumps([JOBS["replay"], JOBS["comment"]])
    assert JOBS["live"]["if"] == "github.event.pull_request.head.repo.fork != true"
    assert "if" not in JOBS["replay"]


def test_report_and_verdicts_are_kept_whatever_the_tests_came_to() -> None:
    kept = steps("live", "actions/upload-artifact")
    assert {one["if"] for one in kept} == {"always()"}
    assert [one["with"]["path"] for one in kept] == [REPORT, PAGE, JUNIT, VERDICTS]
    assert JOBS["live"]["steps"][-4:] == kept


def test_the_job_that_may_write_runs_nothing_of_the_pull_request() -> None:
    assert [job for job in JOBS if "permissions" in JOBS[job]] == ["comment"]
    assert JOBS["comment"]["permissions"] == {"pull-requests": "write"}
    assert yaml.safe_load(WORKFLOW.read_text("utf-8"))["permissions"] == {"contents": "read"}
    done = [one.get("run") or one["uses"] for one in JOBS["comment"]["steps"]]
    assert [one.split()[0] for one in done] == ["actions/download-artifact@v4", "gh"]
    # a fork's pull request has no live job, and a token that only reads
    assert "needs.live.result != 'skipped'" in JOBS["comment"]["if"]
    (kept,) = [one for one in steps("live", "actions/upload") if one["with"]["path"] == REPORT]
    assert JOBS["comment"]["steps"][0]["with"]["pattern"] == kept["with"]["name"]


# Stands where `gh` would; keeps what it was called with.
GH = """#!/bin/sh
printf '%s\\n' "$@" > called
while [ $# -gt 0 ]; do
    [ "$1" = --body-file ] && cp "$2" posted
    shift
done
"""


def test_the_comment_is_the_report_of_the_live_job(project: Path, tmp_path: Path) -> None:
    summary = tmp_path / "summary.md"
    done = live(project, GITHUB_ACTIONS="true", GITHUB_STEP_SUMMARY=str(summary))
    assert done.returncode == 0, done.stdout + done.stderr
    report = (project / REPORT).read_text("utf-8")
    assert (project / PAGE).read_text("utf-8").startswith("<!doctype html>")
    assert 'name="evals.scores.faithfulness.value"' in (project / JUNIT).read_text("utf-8")
    assert report.startswith("<h3>✅ RAG tests passed</h3>\n<p>37 cases, ")
    assert summary.read_text("utf-8") == report
    gh = tmp_path / "bin" / "gh"
    gh.parent.mkdir()
    gh.write_text(GH, encoding="utf-8")
    gh.chmod(0o755)
    command = step("comment", "gh pr comment")
    assert command["env"]["NUMBER"] == "${{ github.event.pull_request.number }}"
    path = f"{gh.parent}:{os.environ['PATH']}"
    environ = {"PATH": path, "NUMBER": "7", "GITHUB_REPOSITORY": "owner/repo"}
    subprocess.run(["sh", "-c", command["run"]], cwd=project, env=environ, check=True)
    assert (project / "posted").read_text("utf-8") == report
    called = (project / "called").read_text("utf-8").splitlines()
    assert called[:5] == ["pr", "comment", "7", "--repo", "owner/repo"]


@pytest.mark.parametrize("on_missing", ["skip", "fail"])
def test_the_example_as_it_is_replays(project: Path, on_missing: str) -> None:
    (project / "no_network.py").write_text(NO_NETWORK, encoding="utf-8")
    done = replay(project, on_missing, "-p", "no_network")
    assert done.returncode == 0, done.stdout + done.stderr
    assert outcomes(done) == {"passed": 110}


def test_the_example_as_it_is_holds_the_gates_of_the_live_job(project: Path) -> None:
    before = (project / VERDICTS).read_bytes()
    done = live(project)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "\n2 gates hold\n" in done.stdout
    assert (project / VERDICTS).read_bytes() == before


def test_a_change_is_judged_by_the_live_job_and_merged(
    project: Path, tmp_path: Path, judge: LoopbackJudge
) -> None:
    (project / VERDICTS).unlink()
    server = {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": judge.base_url}
    model = ("--ragassert-model", "judge-a", "--ragassert-update-verdicts")
    recorded = run(project, *model, **server)
    shutil.rmtree(project / ".ragassert")
    whole = judge.count()
    told = outcomes(recorded)
    change_a_notice(project)

    # the pull request: what nobody has judged is skipped, or fails where it may not be missing
    skipping = replay(project, "skip")
    assert "2 skipped" in skipping.stdout, skipping.stdout + skipping.stderr
    failing = replay(project, "fail")
    assert failing.returncode == 1
    assert "VerdictMissing" in failing.stdout
    assert judge.count() == whole

    # the job with the key asks for the sentence and the claims that changed
    remote = tmp_path / "remote"
    shutil.copytree(project, remote)
    judged = live(remote, judge)
    asked = judge.count() - whole
    assert 0 < asked <= 6, judged.stdout + judged.stderr
    assert "gates=" in judged.stdout
    new = (remote / VERDICTS).read_bytes()
    assert new != (project / VERDICTS).read_bytes()

    # its artifact
    (project / "from-ci").mkdir()
    (project / "from-ci" / VERDICTS).write_bytes(new)
    merged = documented_merge(project)
    assert merged.returncode == 0, merged.stdout + merged.stderr
    assert (project / VERDICTS).read_bytes() == new

    again = replay(project, "fail")
    assert "VerdictMissing" not in again.stdout
    assert outcomes(again).keys() == told.keys()
    assert judge.count() == whole + asked
