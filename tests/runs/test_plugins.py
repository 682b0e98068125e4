"""The plugin beside others, without them, and not at all; and warnings taken for errors."""

from __future__ import annotations

import pytest

from tests.loopback.server import LoopbackJudge

from .projects import FAILING, PASSING, Project, new_project

project = pytest.fixture(new_project)


def test_warnings_as_errors(project: Project, judge: LoopbackJudge) -> None:
    unused = project.test("def test_nothing(): pass", "test_unused")
    project.run("-W", "error").assert_outcomes(passed=1)
    unused.unlink()
    project.test(PASSING)
    project.judged_by(judge)
    result = project.process("-W", "error", fresh=True)
    result.assert_outcomes(passed=2)
    assert result.stderr.str() == ""
    project.run("-W", "error").assert_outcomes(passed=2)
    assert judge.count() == 4


def test_installed_it_is_there_beside_all_others(project: Project) -> None:
    project.unset("PYTEST_DISABLE_PLUGIN_AUTOLOAD")
    project.test(FAILING)
    with project.forking():
        result = project.pytester.runpytest_subprocess("-p", "no:asyncio", timeout=60)
    result.assert_outcomes(passed=1, failed=1)
    assert any(line.startswith("plugins: ") and "ragassert-" in line for line in result.outlines)
    assert any(line.startswith("  ✗ The crossing costs 5 euros.") for line in result.outlines)


@pytest.mark.parametrize("off", ["xdist", "logging", "junitxml", "warnings", "cacheprovider"])
def test_other_plugins_may_be_off(project: Project, off: str) -> None:
    project.test(FAILING)
    project.run("-p", f"no:{off}").assert_outcomes(passed=1, failed=1)


def test_the_plugin_may_be_off(project: Project) -> None:
    # the assertions work without it, by the environment's settings
    project.test(PASSING)
    project.unset("PYTEST_DISABLE_PLUGIN_AUTOLOAD")
    others = ("asyncio", "anyio", "hypothesispytest", "xdist", "rerunfailures", "ragassert")
    off = [part for name in others for part in ("-p", f"no:{name}")]
    with project.forking():
        result = project.pytester.runpytest_subprocess(*off, timeout=60)
    result.assert_outcomes(passed=2)
    assert "ragassert" not in result.stdout.str()
    assert result.stderr.str() == ""


def test_by_its_modules_name(project: Project, judge: LoopbackJudge) -> None:
    project.test(FAILING)
    project.judged_by(judge)
    named = ("-p", "pytest_ragassert.plugin", "-p", "xdist.plugin")
    for args in [("-n", "2"), ("-n", "0")]:
        with project.forking():
            result = project.pytester.runpytest_inprocess(*named, *args)
        result.assert_outcomes(passed=1, failed=1)
        assert "  ✗ The crossing costs 5 euros." in result.stdout.str()
    # the tests share a claim: which worker asks for it, and with what, is a matter of time
    assert 2 <= judge.count() <= 4


def test_runs_nested_in_a_run_keep_to_themselves(project: Project) -> None:
    project.pytester.makeconftest("pytest_plugins = ['pytester']")
    project.test(
        """
        from ferry import BAD, case
        from pytest_ragassert import assert_faithful

        def test_outer(pytester):
            pytester.makepyfile('''
                from pytest_ragassert import EvalCase, assert_faithful
                def test_inner():
                    inner = EvalCase(id="inner", answer="It is 5.", retrieved_contexts=["No."])
                    assert_faithful(inner)
            ''')
            result = pytester.runpytest_inprocess("-p", "ragassert")
            result.assert_outcomes(failed=1)
            result.stdout.fnmatch_lines(["faithfulness             1    0.00 *"])
            assert_faithful(case("outer"))
        """
    )
    result = project.run()
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["faithfulness             1    1.00 *"])
