"""The options that change requests, as a project gives them; nothing prints their values."""

from __future__ import annotations

import json

import pytest

from tests.loopback.server import LoopbackJudge

from .projects import FAILING, Project, new_project

project = pytest.fixture(new_project)

SECRET = "sk-secret-of-another-0123"
BODY = json.dumps({"enable_thinking": False, "router": {"api_key": SECRET}})


def everything(project: Project) -> str:
    """All texts that a run left in the project's folder, but its own files."""
    files = [path for path in project.path.rglob("*") if path.is_file() and path.suffix != ".py"]
    kept = [path for path in files if path.name not in ("pytest.ini", "pyproject.toml")]
    return "".join(path.read_bytes().decode("utf-8", "replace") for path in kept)


@pytest.mark.parametrize("workers", [(), ("-n", "2")])
def test_both_reach_the_endpoint_and_nothing_else(
    project: Project, judge: LoopbackJudge, workers: tuple[str, ...]
) -> None:
    if workers:
        pytest.importorskip("xdist")
    project.test(FAILING)
    project.judged_by(judge)
    result = project.run(
        *workers,
        "-v",
        "--showlocals",
        "--junitxml=junit.xml",
        "--ragassert-artifacts=out",
        "--ragassert-extra-body",
        BODY,
        f"--ragassert-header=X-Route: {SECRET}-2",
        "--ragassert-header",
        "X-Second: second-value-7",
        "-oragassert_sample_by=kind",
        "--ragassert-stream",
    )
    result.assert_outcomes(passed=1, failed=1)
    for request in judge.requests:
        assert request.body["enable_thinking"] is False
        assert request.body["stream"] is True
        assert request.headers["x-route"] == f"{SECRET}-2"
        assert request.headers["x-second"] == "second-value-7"
    told = result.stdout.str() + result.stderr.str() + everything(project)
    assert SECRET not in told
    assert "second-value-7" not in told
    (again,) = [line for line in result.outlines if "pytest --ragassert-extra-body" in line]
    assert "--ragassert-extra-body '***' '--ragassert-header=***' --ragassert-header '***'" in again
    assert "enable_thinking" not in result.stdout.str()


def test_variables_and_ini_files_give_them_too(project: Project, judge: LoopbackJudge) -> None:
    project.test(FAILING)
    project.judged_by(judge)
    project.pytester.makeini(
        '[pytest]\nragassert_extra_body = {"a": 1}\nragassert_stream = on\n'
        "ragassert_headers =\n  X-One: 1\n  X-Two: a:b\n"
    )
    project.run()
    request = judge.requests[0]
    assert (request.body["a"], request.body["stream"]) == (1, True)
    assert (request.headers["x-one"], request.headers["x-two"]) == ("1", "a:b")
    judge.reset()
    project.set(RAGASSERT_EXTRA_BODY='{"b": 2}', RAGASSERT_HEADERS="X-One: 2\nX-Three: 3")
    project.run("--ragassert-stream=off")
    request = judge.requests[0]
    assert (request.body.get("a"), request.body["b"], "stream" in request.body) == (None, 2, False)
    assert request.headers["x-one"] == "2"
    assert "x-two" not in request.headers
    judge.reset()
    project.unset("RAGASSERT_EXTRA_BODY", "RAGASSERT_HEADERS")
    project.run("--ragassert-stream", "on", "-o", 'ragassert_extra_body={"c": 3}')
    assert (judge.requests[0].body["c"], judge.requests[0].body["stream"]) == (3, True)


@pytest.mark.parametrize(
    ("given", "source", "why"),
    [
        ("--ragassert-extra-body=" + SECRET, "--ragassert-extra-body", "a JSON object"),
        ("--ragassert-extra-body=[1]", "--ragassert-extra-body", "a JSON object"),
        ("--ragassert-extra-body=", "--ragassert-extra-body", "a JSON object"),
        ('--ragassert-extra-body={"model": "m"}', "--ragassert-extra-body", "by --ragassert-model"),
        (
            '--ragassert-extra-body={"messages": 1}',
            "--ragassert-extra-body",
            "'messages' is set by ragassert itself; leave it out",
        ),
        (f"--ragassert-header={SECRET}", "--ragassert-header", "has no colon"),
        (f"--ragassert-header=Host: {SECRET}", "--ragassert-header", "host is set by the client"),
        (f"-oragassert_headers=X A: {SECRET}", "ragassert_headers", "the name of it is not valid"),
        (f"-oragassert_extra_body={SECRET}", "ragassert_extra_body", "a JSON object"),
        ("--ragassert-stream=yes", "--ragassert-stream", "one of on, off"),
    ],
)
def test_a_value_that_is_none_is_one_usage_error(
    project: Project, judge: LoopbackJudge, given: str, source: str, why: str
) -> None:
    project.test(FAILING)
    project.judged_by(judge)
    result = project.run(given)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    (line,) = [line for line in result.errlines if line.startswith("ERROR: ")]
    assert line.startswith(f"ERROR: {source}: ")
    assert why in line
    told = result.stdout.str() + result.stderr.str()
    assert SECRET not in told
    assert judge.count() == 0


def test_a_rerun_keeps_what_stands_behind_an_option_alone(
    project: Project, judge: LoopbackJudge
) -> None:
    project.test(FAILING)
    project.judged_by(judge)
    result = project.run("--ragassert-stream", "-o", "ragassert_timeout=9")
    (again,) = [line for line in result.outlines if "pytest --ragassert-stream" in line]
    assert "--ragassert-stream -o ragassert_timeout=9" in again
