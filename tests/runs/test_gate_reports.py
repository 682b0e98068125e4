"""A failed gate is a failed test: in counts, on the terminal, in written results, nowhere else."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from .projects import PASSING, Project, new_project, printed, section
from .test_budgets import outcome
from .test_gated_runs import MEAN, TESTS

project = pytest.fixture(new_project)

GATE = f"--ragassert-gate={MEAN}"
NAME = f"ragassert::gate[{MEAN}]"
BLOCK = ["✗ mean(faithfulness) >= 0.9: 0.83 over 6 cases", "    pulled down by: c0 0.00"]
MESSAGE = "0.83 over 6 cases; pulled down by: c0 0.00"
FAILED = f"FAILED {NAME} - 0.83 over 6 cases; pulled..."
# Fails beside the tests of it, and after them.
BROKEN = "def test_broken(): assert 0"

PLAIN = pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["alone", "workers"])


@pytest.fixture(autouse=True)
def _offline(project: Project) -> None:
    project.set(RAGASSERT_JUDGE="offline")


def junit(project: Project) -> list[ElementTree.Element]:
    """The test cases of a JUnit file, as they follow each other."""
    return list(ElementTree.parse(project.path / "j.xml").iter("testcase"))


@PLAIN
def test_a_failed_gate_is_a_failed_test(project: Project, workers: tuple[str, ...]) -> None:
    project.test(TESTS)
    result = project.run(GATE, *workers)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert result.parseoutcomes() == {"failed": 1, "passed": 6}
    lines = printed(result, project)
    assert lines[-1] == "=== 1 failed, 6 passed in TIME ==="
    assert lines[-2] == FAILED
    begins = lines.index("=== FAILURES ===")
    assert lines[begins + 1 : begins + 4] == [f"___ {NAME} ___", *BLOCK]
    assert lines[begins + 4] == "=== ragassert ==="
    assert "rerun" not in result.stdout.str()
    assert outcome(result) == {
        "failed-by": "gates",
        "assertions": "0",
        "judge-errors": "0",
        "skipped": "0",
        "other": "0",
        "measured": "6",
        "budget": "ok",
        "gates": "failed",
    }


def test_a_gate_that_holds_is_no_test(project: Project) -> None:
    project.test(TESTS)
    result = project.run("--ragassert-gate=mean(faithfulness) >= 0.8", "--junitxml=j.xml")
    assert (result.ret, result.parseoutcomes()) == (0, {"passed": 6})
    assert "ragassert::" not in result.stdout.str()
    assert "gate" not in (project.path / "j.xml").read_text(encoding="utf-8")


def test_each_gate_that_fails_counts_beside_tests_that_fail(project: Project) -> None:
    project.test(TESTS)
    project.test(BROKEN, "test_broken")
    gates = (GATE, "--ragassert-gate=min(faithfulness) > 0", "--ragassert-gate=max(faithfulness)>0")
    result = project.run(*gates)
    assert result.parseoutcomes() == {"failed": 3, "passed": 6}
    failed = [line.split(" - ")[0] for line in result.outlines if line.startswith("FAILED")]
    tests = ["test_broken.py::test_broken", NAME, "ragassert::gate[min(faithfulness) > 0]"]
    assert failed == [f"FAILED {one}" for one in tests]
    assert (outcome(result)["failed-by"], outcome(result)["other"]) == ("gates", "1")


@pytest.mark.parametrize(
    ("args", "dots"),
    [
        ((), "test_it.py ...... [100%]"),
        (("-q",), "...... [100%]"),
        (("-o", "console_output_style=count"), "test_it.py ...... [6/6]"),
        (("-n", "2"), "...... [100%]"),
    ],
)
def test_progress_ends_with_the_tests(project: Project, args: tuple[str, ...], dots: str) -> None:
    project.test(TESTS)
    result = project.run(GATE, *args)
    assert result.parseoutcomes() == {"failed": 1, "passed": 6}
    lines = [re.sub(" +", " ", line) for line in result.outlines]
    at = lines.index(dots)
    assert next(line for line in lines[at + 1 :] if line).strip("=") == " FAILURES "
    assert not any("F" in line for line in lines[:at])


@pytest.mark.parametrize("workers", [(), ("-n", "1")], ids=["alone", "worker"])
def test_a_line_of_its_own_where_tests_have_one(project: Project, workers: tuple[str, ...]) -> None:
    project.test(TESTS)
    lines = [line for line in project.run(GATE, "-v", *workers).outlines if line]
    at = lines.index(f"{NAME} FAILED")
    assert re.search(r"\[100%\]", lines[at - 1])
    assert lines[at + 1].strip("=") == " FAILURES "


def test_durations_know_nothing_of_it(project: Project) -> None:
    project.test(TESTS)
    lines = section(project.run(GATE, "--durations=0", "-vv"), "slowest durations")
    assert sum(" call " in line for line in lines) == 6
    assert not any("gate" in line for line in lines)


@pytest.mark.parametrize("option", ["-x", "--maxfail=1", "--sw", "--lf", "--ff", "--nf"])
def test_whoever_remembers_or_stops_at_failures_is_not_told(project: Project, option: str) -> None:
    project.test(TESTS)
    cache = ("-p", "cacheprovider", "-p", "stepwise")
    for _ in range(2):
        result = project.run(GATE, option, *cache)
        assert result.ret == pytest.ExitCode.TESTS_FAILED
        result.assert_outcomes(failed=1, passed=6)
        assert "stopping after" not in result.stdout.str()
        assert "Interrupted" not in result.stdout.str()
    kept = [path for path in (project.path / ".pytest_cache/v").rglob("*") if path.is_file()]
    assert kept
    assert not any("gate" in path.read_text(encoding="utf-8") for path in kept)


def test_a_run_that_stops_at_its_last_test_has_held_its_gates(project: Project) -> None:
    project.test(TESTS)
    project.test(BROKEN, "test_last")
    result = project.run(GATE, "-x", "--junitxml=j.xml")
    assert (result.ret, result.parseoutcomes()) == (1, {"failed": 2, "passed": 6})
    assert "stopping after 1 failures" in result.stdout.str()
    assert junit(project)[-1].get("name") == f"gate[{MEAN}]"


@pytest.mark.parametrize(
    ("stops", "args", "status"),
    [
        ("raise KeyboardInterrupt", (), pytest.ExitCode.INTERRUPTED),
        ("pytest.exit('enough')", (), pytest.ExitCode.INTERRUPTED),
        ("pytest.exit('enough', returncode=7)", (), 7),
        ("assert 0", ("-x",), pytest.ExitCode.TESTS_FAILED),
        ("assert 0", ("-x", "-n", "1"), pytest.ExitCode.INTERRUPTED),
    ],
)
def test_a_run_that_is_broken_off_reports_no_gate(
    project: Project, stops: str, args: tuple[str, ...], status: int
) -> None:
    project.set(CI="1")
    project.test(TESTS + f"\ndef test_stop():\n    {stops}\n")
    project.test("def test_never(): pass", "test_last")
    result = project.process(GATE, *args)
    assert result.ret == status
    assert "ragassert::" not in result.stdout.str()
    assert result.parseoutcomes().get("failed", 0) == ("assert" in stops)
    # pytest prints no summary where it does not know the status
    told = [line for line in result.outlines if line.startswith("ragassert-outcome: ")]
    assert [line.endswith("gates=partial") for line in told] == [True] * (status != 7)


@pytest.mark.parametrize(
    ("args", "shown", "listed"),
    [
        (("--no-summary",), False, False),
        (("--tb=no",), False, True),
        (("--tb=short",), True, True),
        (("--tb=native",), True, True),
        (("-rA",), True, True),
        (("-rN",), True, False),
        (("--show-capture=no",), True, True),
        (("-qq",), True, True),
    ],
)
def test_options_of_the_terminal_hold_for_it(
    project: Project, args: tuple[str, ...], shown: bool, listed: bool
) -> None:
    project.test(TESTS)
    result = project.run(GATE, *args)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert (BLOCK[0] in result.outlines) is shown
    assert (FAILED in result.outlines) is listed
    if args != ("-qq",):
        assert result.parseoutcomes() == {"failed": 1, "passed": 6}


def test_on_one_line_it_has_its_name(project: Project) -> None:
    project.test(TESTS)
    result = project.run(GATE, "--tb=line")
    assert f"{NAME}: {MESSAGE}" in result.outlines
    assert FAILED in result.outlines


@pytest.mark.parametrize("off", ["terminal", "junitxml", "cacheprovider", "logging"])
def test_it_needs_no_plugin(project: Project, off: str) -> None:
    project.test(TESTS)
    result = project.run(GATE, "-p", f"no:{off}")
    assert result.ret == pytest.ExitCode.TESTS_FAILED, result.stderr.str()
    assert "INTERNALERROR" not in result.stdout.str() + result.stderr.str()


def test_in_ci_the_line_says_all(project: Project) -> None:
    project.test(TESTS)
    project.set(CI="1")
    assert f"FAILED {NAME} - {MESSAGE}" in project.run(GATE).outlines


def test_colour_is_for_the_terminal_alone(project: Project) -> None:
    project.test(TESTS)
    result = project.run(GATE, "--color=yes", "--junitxml=j.xml")
    assert f"\x1b[31m\x1b[1m{BLOCK[0]}\x1b[0m" in result.outlines
    assert re.search(r"\x1b\[31m.*\x1b\[1m1 failed", result.outlines[-1])
    # pytest settles it early where a test has run twice
    twice = project.run(GATE, "--color=yes", "--keep-duplicates", ".", ".")
    assert re.search(r"\x1b\[31m.*\x1b\[1m1 failed.*12 passed", twice.outlines[-1])
    assert "\x1b" not in (project.path / "j.xml").read_text(encoding="utf-8")


# -- what else fails a whole run -------------------------------------------------------------------


def test_gates_that_are_not_checked_in_ci_fail_as_a_test(project: Project) -> None:
    project.test(TESTS)
    part = (GATE, "-k", "0 or 1")
    assert project.run(*part).parseoutcomes() == {"passed": 2, "deselected": 4}
    project.set(CI="1")
    result = project.run(*part, "--junitxml=j.xml")
    assert (result.ret, result.parseoutcomes()) == (1, {"failed": 1, "passed": 2, "deselected": 4})
    said = (
        "the gates are not checked, so the run fails because CI is set: -k left 4 tests "
        "out; if this is intended, use --ragassert-gates=off"
    )
    assert f"FAILED ragassert::gates - {said}" in result.outlines
    assert junit(project)[-1].get("name") == "gates"
    off = project.run(*part, "--ragassert-gates=off")
    assert (off.ret, off.parseoutcomes()) == (0, {"passed": 2, "deselected": 4})


def test_beside_a_test_that_failed_they_do_not(project: Project) -> None:
    project.set(CI="1")
    project.test(TESTS)
    project.test(BROKEN, "test_broken")
    result = project.run(GATE, "-k", "broken or 1")
    assert result.parseoutcomes() == {"failed": 1, "passed": 1, "deselected": 5}
    assert outcome(result)["gates"] == "partial"


def test_a_baseline_that_is_not_written_fails_as_a_test(project: Project) -> None:
    project.test("def test_plain(): pass")
    baseline = ("--ragassert-baseline=b.jsonl", "--ragassert-update-baseline")
    result = project.run(*baseline)
    assert (result.ret, result.parseoutcomes()) == (1, {"failed": 1, "passed": 1})
    assert outcome(result)["failed-by"] == "baseline"
    said = "the baseline was not written: nothing was measured"
    assert f"FAILED ragassert::baseline - {said}" in result.outlines


def test_a_gate_that_cant_be_checked_fails_as_a_test(project: Project) -> None:
    project.test(PASSING)
    project.pytester.makeconftest(
        """
        import pytest_ragassert.analysis.regression.gates as gates

        def broken(*args):
            raise ValueError("it is broken here")

        gates._evaluated = broken
        """
    )
    result = project.process(GATE)
    assert (result.ret, result.parseoutcomes()) == (1, {"failed": 1, "passed": 2})
    assert "FAILED ragassert::gates - the gates could not be checked" in result.outlines


@pytest.mark.parametrize(
    ("broken", "gate"),
    [
        ("run_failures.held_lines", GATE),
        ("outcome.run_outcome", "--ragassert-gate=min(faithfulness) >= 0"),
    ],
)
def test_what_cant_be_told_fails_all_the_same(project: Project, broken: str, gate: str) -> None:
    project.test(TESTS)
    module, _, name = broken.partition(".")
    project.pytester.makeconftest(
        f"""
        import pytest_ragassert.report.{module} as module

        def broken(*args, **more):
            raise ValueError("it is broken here")

        module.{name} = broken
        """
    )
    result = project.process(gate)
    assert (result.ret, result.parseoutcomes()) == (1, {"failed": 1, "passed": 6})
    assert any(
        line.startswith("FAILED ragassert::run - the cause of the failed run could not")
        for line in result.outlines
    )
    assert any(line.startswith("ragassert: could not ") for line in section(result))


# -- written results -------------------------------------------------------------------------------


@PLAIN
def test_junit_has_it_as_a_test_case(project: Project, workers: tuple[str, ...]) -> None:
    project.test(TESTS)
    project.run(GATE, "--junitxml=j.xml", *workers)
    tree = ElementTree.parse(project.path / "j.xml")
    (suite,) = tree.iter("testsuite")
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("7", "1", "0")
    case = junit(project)[-1]
    assert (case.get("classname"), case.get("name")) == ("ragassert", f"gate[{MEAN}]")
    (failure,) = case
    assert (failure.tag, failure.get("message")) == ("failure", MESSAGE)
    assert str(failure.text).splitlines() == BLOCK


@PLAIN
def test_json_report_has_it(project: Project, workers: tuple[str, ...]) -> None:
    pytest.importorskip("pytest_jsonreport")
    project.test(TESTS)
    use = ["pytest_metadata.plugin", "pytest_jsonreport.plugin"]
    project.run(GATE, "--json-report", *workers, use=use)
    data = json.loads((project.path / ".report.json").read_text(encoding="utf-8"))
    assert data["exitcode"] == 1
    assert data["summary"] == {"failed": 1, "passed": 6, "total": 7, "collected": 6}
    test = data["tests"][-1]
    assert (test["nodeid"], test["outcome"]) == (NAME, "failed")
    assert test["call"]["crash"]["message"] == MESSAGE
    assert test["call"]["longrepr"].splitlines() == BLOCK


@PLAIN
def test_html_has_it(project: Project, workers: tuple[str, ...]) -> None:
    pytest.importorskip("pytest_html")
    project.test(TESTS)
    use = ["pytest_metadata.plugin", "pytest_html.plugin"]
    project.run(GATE, "--html=r.html", "--self-contained-html", *workers, use=use)
    page = (project.path / "r.html").read_text(encoding="utf-8")
    assert "1 Failed," in page
    assert "6 Passed," in page
    blob = re.search(r'data-jsonblob="([^"]*)"', page)
    assert blob is not None
    (row,) = json.loads(html.unescape(blob[1]))["tests"][NAME]
    assert row["result"] == "Failed"
    assert html.unescape(row["log"]).splitlines() == BLOCK


@PLAIN
def test_reportlog_has_it(project: Project, workers: tuple[str, ...]) -> None:
    pytest.importorskip("pytest_reportlog")
    project.test(TESTS)
    project.run(GATE, "--report-log=log.jsonl", *workers, use=["pytest_reportlog.plugin"])
    lines = (project.path / "log.jsonl").read_text(encoding="utf-8").splitlines()
    *_, setup, call, teardown, finish = map(json.loads, lines)
    phases = [(one["nodeid"], one["when"], one["outcome"]) for one in (setup, call, teardown)]
    assert phases == [
        (NAME, "setup", "passed"),
        (NAME, "call", "failed"),
        (NAME, "teardown", "passed"),
    ]
    assert call["longrepr"].splitlines() == BLOCK
    assert finish["exitstatus"] == 1


@PLAIN
def test_allure_has_it(project: Project, workers: tuple[str, ...]) -> None:
    pytest.importorskip("allure_pytest")
    project.test(TESTS)

    def ran(*gate: str) -> list[dict[str, Any]]:
        project.process(*gate, "--alluredir=al", "--clean-alluredir", *workers, use=use)
        found = [
            json.loads(path.read_bytes()) for path in Path(project.path, "al").glob("*result*")
        ]
        return [one for one in found if one["fullName"].startswith("ragassert")]

    use = ["allure_pytest.plugin"]
    (result,) = ran(GATE)
    assert (result["status"], result["name"]) == ("failed", f"gate[{MEAN}]")
    assert result["statusDetails"]["message"] == MESSAGE
    assert result["statusDetails"]["trace"].splitlines() == BLOCK
    (again,) = ran(GATE)
    assert again["historyId"] == result["historyId"]
    assert ran() == []


def test_allure_has_none_of_a_run_that_does_not_write_for_it(project: Project) -> None:
    """Its loggers are those of the process, in which a run around this one may have some."""
    allure = pytest.importorskip("allure_commons")
    told = []

    class Logger:
        def report_result(self, result: object) -> None:
            told.append(result)

    allure.hookimpl(Logger.report_result)
    project.test(TESTS)
    logger = Logger()
    allure.plugin_manager.register(logger)
    try:
        result = project.run(GATE, use=["allure_pytest.plugin"])
    finally:
        allure.plugin_manager.unregister(logger)
    assert result.parseoutcomes() == {"failed": 1, "passed": 6}
    assert told == []


OTHERS = """
class Counts:
    def pytest_runtest_logreport(self, report):
        print("TOLD", report.nodeid)

def pytest_configure(config):
    config.pluginmanager.register(Counts())

def pytest_runtest_logreport(report):
    print("TOLD", report.nodeid)

def pytest_runtest_logstart(nodeid):
    print("TOLD", nodeid)
"""


def test_no_other_plugin_is_told(project: Project) -> None:
    project.test(TESTS)
    project.pytester.makeconftest(OTHERS)
    result = project.run(GATE, "-s", "--junitxml=j.xml")
    told = [line for line in result.outlines if "TOLD" in line]
    assert len(told) == 6 * 7
    assert not any("gate" in line for line in told)


def test_a_writer_that_fails_costs_a_line(project: Project) -> None:
    project.test(TESTS)
    project.pytester.makeconftest(
        """
        from _pytest import junitxml

        class Broken(junitxml.LogXML):
            def pytest_runtest_logreport(self, report):
                if report.nodeid.startswith("ragassert"):
                    raise ValueError("no room")
                super().pytest_runtest_logreport(report)

        junitxml.LogXML = Broken
        """
    )
    result = project.process(GATE, "--junitxml=j.xml", "-p", "conftest")
    assert result.parseoutcomes() == {"failed": 1, "passed": 6}
    assert (
        "ragassert: could not write what fails the run into the results of other plugins: "
        "ValueError: no room" in section(result)
    )
