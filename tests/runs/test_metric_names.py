"""Runs with metrics whose names hold what acts on a terminal or what no encoding takes."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

from .projects import Project, new_project

HOOK = """
from pytest_ragassert import Metric, MetricResult

class Own(Metric):
    name = {name}
    requires = ("answer",)
    default_min = 0.9

    async def measure(self, case, ask, **options):
        return {measured}

def pytest_ragassert_metrics():
    return [Own()]
"""
TESTS = """
import pytest
from ferry import case
from pytest_ragassert import assert_rag, evaluate

def test_fails():
    assert_rag(case("a"), **{{{name}: 0.9}})

@pytest.mark.rag_xfail(metric={name}, reason="for\\x07 now\\ud83d")
def test_known():
    assert_rag(case("b"), **{{{name}: 0.9}})

def test_passes():
    evaluate(case("c"), [{name}])
"""
ACTING = r"'ev\x1b[31m\x07\n::error file=x::pwn\u202e\ud83d'"


@pytest.fixture
def project(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Project:
    made = new_project(request, monkeypatch)
    made.set(RAGASSERT_JUDGE="offline")
    return made


def named(project: Project, name: str, measured: str = "0.5") -> None:
    project.pytester.makeconftest(HOOK.format(name=name, measured=measured))
    project.test(TESTS.format(name=name))


@pytest.mark.parametrize("args", [(), ("-n", "2")], ids=["alone", "two workers"])
@pytest.mark.parametrize("measured", ["0.5", "MetricResult(metric=self.name, score=0.5)"])
def test_a_name_acts_nowhere_and_costs_no_test(
    project: Project, args: tuple[str, ...], measured: str
) -> None:
    named(project, ACTING, measured)
    result = project.run("-rA", "-v", "--junitxml=j.xml", *args)
    result.assert_outcomes(passed=1, failed=1, xfailed=1)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    shown = result.stdout.str() + result.stderr.str()
    assert not set(shown) & set("\x1b\x07\u202e\ud83d")
    assert not [line for line in result.outlines if line.lstrip().startswith("::error")]
    text = (project.path / "j.xml").read_bytes().decode("utf-8")
    ET.fromstring(text)
    assert not set(text) & set("\x1b\x07\u202e")
