"""Environment, settings and judge are decided when the run starts, whatever its tests change."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.loopback.server import LoopbackJudge

from .projects import KEY, PASSING, Project, new_project

project = pytest.fixture(new_project)


@pytest.fixture
def other() -> Iterator[LoopbackJudge]:
    """A judge that nobody is to ask."""
    with LoopbackJudge() as running:
        yield running


def tampering(how: str, scope: str = "function") -> str:
    """A conftest.py whose fixture changes the environment around every test of its scope."""
    return f"""
import os
from unittest import mock
import pytest

@pytest.fixture(autouse=True, scope={scope!r})
def tampered():
    with pytest.MonkeyPatch.context() as monkeypatch, mock.patch.dict(os.environ):
        {how}
        yield
"""


# Each of them alone would show: in where a request goes, in what it says, or in where files lie.
SETTING = [
    "monkeypatch.setenv('OPENAI_BASE_URL', OTHER)",
    "monkeypatch.setenv('RAGASSERT_BASE_URL', OTHER)",
    "monkeypatch.setenv('OPENAI_API_KEY', 'sk-another')",
    "monkeypatch.setenv('RAGASSERT_MODEL', 'judge-z')",
    "monkeypatch.setenv('RAGASSERT_MIN_FAITHFULNESS', '2')",
    "os.environ.update(OPENAI_ORG_ID='org-x', OPENAI_PROJECT_ID='proj-x')",
    "monkeypatch.setenv('OPENAI_CUSTOM_HEADERS', 'X-Own: 1\\nAuthorization: Bearer no')",
    "os.environ.update(dict.fromkeys(['HTTP_PROXY', 'http_proxy', 'ALL_PROXY'], OTHER))",
    "monkeypatch.setenv('SSL_CERT_FILE', '/missing')",
    "monkeypatch.setenv('HOME', os.path.abspath('elsewhere'))",
    "monkeypatch.setenv('TMPDIR', os.path.abspath('elsewhere'))",
    "monkeypatch.setenv('CI', 'true')",
]
CHANGES = {
    "settings": "; ".join(SETTING),
    "offline": "monkeypatch.setenv('RAGASSERT_JUDGE', 'offline')",
    "endpoint": SETTING[0],
    "no endpoint": "monkeypatch.delenv('OPENAI_BASE_URL')",
    "no key": "monkeypatch.delenv('OPENAI_API_KEY')",
    "nothing": "os.environ.clear()",
    "another mapping": "monkeypatch.setattr(os, 'environ', {})",
}


@pytest.mark.parametrize(
    ("change", "scope"),
    [
        *((change, "function") for change in CHANGES if change != "endpoint"),
        ("endpoint", "session"),
        ("nothing", "session"),
    ],
)
def test_a_changed_environment_changes_nothing(
    project: Project, judge: LoopbackJudge, other: LoopbackJudge, change: str, scope: str
) -> None:
    how = CHANGES[change].replace("OTHER", repr(other.base_url))
    project.pytester.makeconftest(tampering(how, scope))
    project.test(PASSING)
    project.judged_by(judge)
    project.set(NO_PROXY="", no_proxy="", OPENAI_ORG_ID="org-a", OPENAI_CUSTOM_HEADERS="X-Team: a")
    project.set(HOME=str(project.path / "home"))
    # the first run's client is made under the changes; the second is answered by the store
    for asked in (4, 0):
        judge.reset()
        result = project.run("--ragassert-cache-dir=~/store")
        result.assert_outcomes(passed=2)
        assert any(f"gpt-4o-mini at {judge.base_url}; record" in line for line in result.outlines)
        assert (judge.count(), other.count()) == (asked, 0)
        for request in judge.requests:
            assert request.headers["authorization"] == f"Bearer {KEY}"
            assert request.headers["openai-organization"] == "org-a"
            assert "openai-project" not in request.headers
            assert (request.headers["x-team"], request.headers.get("x-own")) == ("a", None)
            assert request.target == "/v1/chat/completions"
            assert request.body["model"] == "gpt-4o-mini"
        assert (project.path / "home" / "store" / "cache.db").exists()
        assert not (project.path / "elsewhere").exists()


def test_offline_stays_offline(project: Project, judge: LoopbackJudge) -> None:
    variables = {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": judge.base_url, "RAGASSERT_MODEL": "m"}
    project.pytester.makeconftest(tampering(f"os.environ.update({variables})"))
    project.test(
        """
        from ferry import case
        from pytest_ragassert import Settings, assert_faithful, evaluate

        def test_run():
            assert assert_faithful(case("times")).judge.startswith("offline")

        def test_settings():
            for settings in (Settings(record_mode="off"), Settings.from_environment()):
                result = evaluate(case("times"), ["faithfulness"], settings=settings)
                assert result["faithfulness"].judge.startswith("offline")
                assert settings.key is None and settings.model == ("gpt-4o-mini",)
        """
    )
    project.run().assert_outcomes(passed=2)
    assert judge.count() == 0


def test_settings_of_a_test_leave_open_what_the_run_decided(
    project: Project, judge: LoopbackJudge
) -> None:
    project.pytester.makeconftest(tampering("os.environ.clear()"))
    project.test(
        """
        from ferry import case
        from pytest_ragassert import Settings, evaluate

        def test_settings():
            for settings in (
                Settings(model="judge-b"),
                Settings.from_environment(model="judge-c"),
                Settings(model="judge-d", embedder="openai"),
            ):
                one = case("times", ground_truth_answer="It runs every 40 minutes.")
                names = ["faithfulness", *["semantic_similarity"] * bool(settings.embedder)]
                results = evaluate(one, names, settings=settings)
                assert results["faithfulness"].judge == settings.model[0]
        """
    )
    project.judged_by(judge)
    project.run().assert_outcomes(passed=1)
    assert {request.headers["authorization"] for request in judge.requests} == {f"Bearer {KEY}"}
    assert judge.count() == 7


def test_the_embedder_is_decided_with_the_rest(
    project: Project, judge: LoopbackJudge, other: LoopbackJudge
) -> None:
    how = f"os.environ.clear(); os.environ['OPENAI_BASE_URL'] = {other.base_url!r}"
    project.pytester.makeconftest(tampering(how))
    project.test(
        """
        from ferry import case
        from pytest_ragassert import assert_semantic_similarity

        def test_near():
            assert_semantic_similarity(case("near", ground_truth_answer="It runs."), min=0)
        """
    )
    project.judged_by(judge)
    project.run("--ragassert-embedder=openai").assert_outcomes(passed=1)
    assert (judge.count(), other.count()) == (1, 0)


@pytest.mark.parametrize(
    "where", ["", "def pytest_configure(config):", "def pytest_sessionstart():"]
)
def test_what_a_conftest_sets_before_the_session_counts(
    project: Project, judge: LoopbackJudge, where: str
) -> None:
    variables = {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": judge.base_url}
    line = f"__import__('os').environ.update({variables})"
    project.pytester.makeconftest(f"{where}\n    {line}" if where else line)
    project.test(PASSING)
    result = project.run()
    result.assert_outcomes(passed=2)
    assert any(f"gpt-4o-mini at {judge.base_url}" in line for line in result.outlines)
    assert judge.count() == 4


def test_workers_have_the_controllers_decision(
    project: Project, judge: LoopbackJudge, other: LoopbackJudge
) -> None:
    project.pytester.makeconftest(
        f"""
import os

def pytest_configure(config):
    if hasattr(config, "workerinput"):
        os.environ["OPENAI_BASE_URL"] = {other.base_url!r}
        os.environ["RAGASSERT_MODEL"] = "judge-w"
        del os.environ["OPENAI_API_KEY"]
"""
    )
    project.test(PASSING)
    project.judged_by(judge)
    project.run("-n", "2").assert_outcomes(passed=2)
    # the tests share a claim: which worker asks for it, and with what, is a matter of time
    assert 2 <= judge.count() <= 4
    assert other.count() == 0
    assert {request.body["model"] for request in judge.requests} == {"gpt-4o-mini"}


def test_settings_of_a_test_know_the_projects_hooks(project: Project) -> None:
    project.pytester.makeconftest(
        """
import json
from pytest_ragassert import Metric

class Always:
    id = "always-1"

    def run(self, step, input):
        return json.dumps({"claims": []})

class Brevity(Metric):
    name = "brevity"
    requires = ("answer",)

    async def measure(self, case, ask):
        return 1.0

def pytest_ragassert_make_judge(config, name):
    return Always() if name == "always" else None

def pytest_ragassert_metrics():
    return [Brevity()]
"""
    )
    project.test(
        """
        from ferry import case
        from pytest_ragassert import Settings, evaluate

        def test_hooks():
            settings = Settings(judge="always", record_mode="off")
            results = evaluate(case("one"), ["brevity", "faithfulness"], settings=settings)
            assert results["brevity"].score == 1.0
            assert results["faithfulness"].judge == "always-1"
        """
    )
    project.run().assert_outcomes(passed=1)
