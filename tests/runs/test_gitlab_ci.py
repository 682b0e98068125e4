"""The jobs that docs/how-to/gitlab-ci.md shows: their commands, run as GitLab would run them."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.loopback.server import LoopbackJudge

from .test_ci_jobs import GH, IN_CI, KEY, VERDICTS, _forked_runs, change_a_notice, project
from .test_ci_jobs import run_python as python
from .test_example import NO_NETWORK, Run, outcomes, run

__all__ = ["_forked_runs", "project"]
PAGE = Path(__file__).resolve().parents[2] / "docs/how-to/gitlab-ci.md"
TEXT = PAGE.read_text(encoding="utf-8")
JOBS: dict[str, Any] = yaml.safe_load(TEXT.partition("```yaml\n")[2].partition("```")[0])
# Stands where `curl` would; keeps what it was called with, and what it was to post.
CURL = GH.replace(
    '[ "$1" = --body-file ] && cp "$2"', '[ "$1" = --data-urlencode ] && cp "${2#*@}"'
)


def script(job: str) -> str:
    """The only command of a job."""
    (command,) = JOBS[job]["script"]
    return str(command)


def artifacts(job: str) -> list[str]:
    kept = JOBS[job]["artifacts"]
    assert kept["when"] == "always"
    return [*kept.get("paths", ()), kept["reports"]["junit"]]


def test_only_the_job_for_own_branches_asks_and_comments() -> None:
    own = "$CI_MERGE_REQUEST_SOURCE_PROJECT_ID == $CI_PROJECT_ID"
    for job in ("live", "comment"):
        (rule,) = [one for one in JOBS[job]["rules"] if "merge_request_event" in one["if"]]
        assert own in rule["if"]
    assert own not in str(JOBS["replay"])
    # it runs nothing of the merge request
    assert JOBS["comment"]["variables"] == {"GIT_STRATEGY": "none"}
    assert JOBS["comment"]["before_script"] == []
    assert script("comment").startswith("curl ")


@pytest.mark.parametrize(("rule", "on_missing"), [(0, "skip"), (1, "fail")])
def test_the_example_as_it_is_replays(project: Path, rule: int, on_missing: str) -> None:
    assert JOBS["replay"]["rules"][rule]["variables"] == {"ON_MISSING": on_missing}
    (project / "no_network.py").write_text(NO_NETWORK, encoding="utf-8")
    args = shlex.split(script("replay").replace("$ON_MISSING", on_missing))[1:]
    done = run(project, *args, "-p", "no_network", **IN_CI)
    assert done.returncode == 0, done.stdout + done.stderr
    assert outcomes(done) == {"passed": 110}
    assert [name for name in artifacts("replay") if not (project / name).is_file()] == []


def live(project: Path, judge: LoopbackJudge) -> Run:
    server = {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": judge.base_url}
    return run(project, *shlex.split(script("live"))[1:], **server, **IN_CI)


def test_a_change_is_judged_reported_and_merged(
    project: Path, tmp_path: Path, judge: LoopbackJudge
) -> None:
    (project / VERDICTS).unlink()
    server = {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": judge.base_url}
    run(project, "--ragassert-model", "judge-a", "--ragassert-update-verdicts", **server)
    whole = judge.count()
    change_a_notice(project)
    remote = tmp_path / "remote"
    shutil.copytree(project, remote, ignore=shutil.ignore_patterns(".ragassert"))
    judged = live(remote, judge)
    assert 0 < judge.count() - whole <= 6, judged.stdout + judged.stderr
    assert "\n2 gates" in judged.stdout or "gates fail" in judged.stdout
    assert [name for name in artifacts("live") if not (remote / name).is_file()] == []

    # the comment
    curl = tmp_path / "bin" / "curl"
    curl.parent.mkdir()
    curl.write_text(CURL, encoding="utf-8")
    curl.chmod(0o755)
    environ = {
        "PATH": f"{curl.parent}:{os.environ['PATH']}",
        "REPORT_TOKEN": "t",
        "CI_API_V4_URL": "https://gitlab.example.org/api/v4",
        "CI_PROJECT_ID": "3",
        "CI_MERGE_REQUEST_IID": "7",
    }
    subprocess.run(["sh", "-c", script("comment")], cwd=remote, env=environ, check=True)
    assert (remote / "posted").read_bytes() == (remote / "report.md").read_bytes()
    called = (remote / "called").read_text(encoding="utf-8").splitlines()
    assert called[-1] == "https://gitlab.example.org/api/v4/projects/3/merge_requests/7/notes"

    # the artifact
    (command,) = re.findall(r"^curl --fail --location .+ && python (-m .+)$", TEXT, re.M)
    shutil.copy(remote / VERDICTS, project / "from-ci.jsonl")
    merged = python(project, *shlex.split(command))
    assert merged.returncode == 0, merged.stdout + merged.stderr
    assert (project / VERDICTS).read_bytes() == (remote / VERDICTS).read_bytes()
