"""Tests that fail only because verdicts are missing: one line each, in no section of failures."""

from __future__ import annotations

import re
import sys
from xml.etree import ElementTree

import pytest

from tests.loopback.server import LoopbackJudge

from .projects import Project, new_project, section
from .test_budgets import outcome
from .test_committed import recorded

pytest.importorskip("xdist")

project = pytest.fixture(new_project)
WORKERS = pytest.mark.parametrize("workers", [(), ("-n", "4")], ids=["serial", "workers"])

UNJUDGED = """
import asyncio
import unittest

import pytest
from ferry import GOOD, case
from pytest_ragassert import aio, assert_faithful, evaluate

def lacking(name):
    return case(name, f"Nobody ever spoke of {name}.")

def test_known():
    assert_faithful(case("known"))

def test_missing():
    print("said aloud")
    assert_faithful(lacking("missing"))

class TestCase(unittest.TestCase):
    def test_unittest(self):
        assert_faithful(lacking("unittest"))

@pytest.fixture
def measured():
    return evaluate(lacking("setup"), ["faithfulness"])

def test_setup(measured):
    pass

@pytest.mark.xfail(reason="not yet")
def test_expected():
    assert_faithful(lacking("expected"))

def test_subtests(subtests):
    for name in ("one", "two"):
        with subtests.test(name):
            assert_faithful(lacking(name))
    with subtests.test("good"):
        assert_faithful(case("good"))

def test_two_ways(subtests):
    with subtests.test("lacking"):
        assert_faithful(lacking("three"))
    with subtests.test("wrong"):
        assert [] == "wrong"

def test_wrong():
    assert {} == "other"
"""
TASKS = """

def test_tasks():
    async def both():
        async with asyncio.TaskGroup() as tasks:
            for name in ("first", "second"):
                tasks.create_task(aio.assert_faithful(lacking(name)))
    asyncio.run(both())

def test_tasks_and_others():
    async def wrong():
        raise OSError("disk")
    async def both():
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(aio.assert_faithful(lacking("third")))
            tasks.create_task(wrong())
    asyncio.run(both())
"""
HAS_GROUPS = sys.version_info >= (3, 11)
HAS_SUBTESTS = pytest.version_tuple >= (9, 0)


def in_ci(
    project: Project, judge: LoopbackJudge, source: str, *args: str, use: tuple[str, ...] = ()
) -> pytest.RunResult:
    """The project's replay as CI runs it, with other tests than were recorded."""
    recorded(project, judge)
    project.test(source)
    project.set(CI="true")
    return project.process(*args, use=use)


def short_summary(result: pytest.RunResult) -> dict[str, str]:
    """By test what the list of failed tests says of it; of several lines the last."""
    found = {}
    for line in section(result, "short test summary info"):
        if match := re.match(r"(?:SUB)?(?:FAILED|ERROR|XFAIL)(?:\S*) (\S+)(?: - (.*))?$", line):
            found[match[1].rpartition("::")[2]] = match[2] or ""
    return found


@pytest.mark.skipif(not HAS_SUBTESTS, reason="pytest has no fixture of that name")
@WORKERS
def test_they_have_a_line_each_and_no_traceback(
    project: Project, judge: LoopbackJudge, workers: tuple[str, ...]
) -> None:
    source = UNJUDGED + (TASKS if HAS_GROUPS else "")
    result = in_ci(project, judge, source, "--junitxml=junit.xml", *workers)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    # as without us
    count = result.parseoutcomes()
    assert count["errors"] == 1
    assert count["failed"] == 5 + 4 + 2 * HAS_GROUPS
    headings = [line.strip("_ ") for line in result.outlines if re.match("_{3,} .* _{3,}$", line)]
    mixed = ["test_tasks_and_others"] if HAS_GROUPS else []
    assert sorted(headings) == sorted(
        ["test_two_ways", "test_two_ways [wrong]", "test_wrong", *mixed]
    )
    assert "ERRORS" not in result.stdout.str()
    assert "said aloud" not in result.stdout.str()
    lines = short_summary(result)
    for test, case in (
        ("test_missing", "missing"),
        ("test_unittest", "unittest"),
        ("test_setup", "setup"),
        *([("test_tasks", "first")] if HAS_GROUPS else []),
    ):
        start = f"VerdictMissing: faithfulness of case {case} not measured: "
        assert lines[test].startswith(start)
    assert count["xfailed"] == 1
    (last,) = (line for line in section(result) if line.startswith("ragassert-outcome: "))
    told = dict(pair.split("=") for pair in last.split()[1:])
    assert (told["failed-by"], told["missing"]) == ("missing", str(5 + HAS_GROUPS * 2))
    assert told["other"] == str(2 + HAS_GROUPS)
    # the message of a case is its line
    cases = ElementTree.parse(project.path / "junit.xml").iter("testcase")
    messages = {
        case.attrib["name"]: [
            (one.tag, one.attrib["message"], one.text or "")
            for one in case
            if one.tag in ("failure", "error")
        ]
        for case in cases
    }
    for test, tag in (("test_missing", "failure"), ("test_setup", "error")):
        ((found, message, text),) = messages[test]
        assert found == tag
        assert lines[test] in message
        assert len(text.splitlines()) == 1


@pytest.mark.parametrize(
    "args",
    [("-x",), ("--tb=line",), ("--tb=native", "-rA"), ("-rA", "-vv", "--showlocals"), ("--tb=no",)],
    ids=" ".join,
)
def test_no_option_brings_them_back(
    project: Project, judge: LoopbackJudge, args: tuple[str, ...]
) -> None:
    source = UNJUDGED.partition("def test_subtests")[0]
    result = in_ci(project, judge, source, *args)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert result.parseoutcomes()["failed"] == (1 if "-x" in args else 2)
    for heading in ("FAILURES", "ERRORS"):
        assert f"= {heading} =" not in result.stdout.str()
    assert "Traceback" not in result.stdout.str()
    (line,) = (line for line in result.outlines if line.startswith("FAILED test_it.py::test_miss"))
    assert " - VerdictMissing: faithfulness of case missing not measured: " in line


def test_what_failed_last_is_run_again(project: Project, judge: LoopbackJudge) -> None:
    source = UNJUDGED.partition("class TestCase")[0]
    recorded(project, judge)
    project.test(source)
    project.set(CI="true")
    runs = [
        project.pytester.runpytest_subprocess("-p", "ragassert", *args) for args in ((), ("--lf",))
    ]
    assert [run.parseoutcomes() for run in runs] == [
        {"passed": 1, "failed": 1},
        {"failed": 1},
    ]


ALL_MISSING = """
from ferry import case
from pytest_ragassert import assert_faithful, assert_rag

def test_missing():
    assert_faithful(case("missing", "Nobody ever spoke of it."))

def test_several():
    assert_rag(case("several", "Nobody ever spoke of that."))
"""
SOME_MISSING = (
    ALL_MISSING
    + """
def test_known():
    assert_faithful(case("known"))
"""
)
WRONG = """
def test_wrong():
    assert_faithful(case("wrong", None))
"""
SKIP = "--ragassert-on-missing=skip"


@WORKERS
def test_they_are_skipped_where_that_is_wanted(
    project: Project, judge: LoopbackJudge, workers: tuple[str, ...]
) -> None:
    result = in_ci(project, judge, SOME_MISSING + WRONG, SKIP, "-rs", *workers)
    assert result.parseoutcomes() == {"passed": 1, "skipped": 2, "failed": 1}
    skips = [line for line in result.outlines if line.startswith("SKIPPED [")]
    assert len(skips) == 2
    assert all("VerdictMissing: faithfulness of case " in line for line in skips)
    assert "skipped because of missing verdicts: 2" in section(result)
    told = outcome(result)
    assert (told["skipped-missing"], told["other"], told["measured"]) == ("2", "1", "1")
    assert (told["failed-by"], told["skipped"]) == ("other", "0")
    assert "missing" not in told
    (head,) = (line for line in result.outlines if line.startswith("ragassert: judge"))
    assert head.endswith("; on-missing skip")


def test_a_run_that_skipped_some_is_green_and_prunes_nothing(
    project: Project, judge: LoopbackJudge
) -> None:
    result = in_ci(project, judge, SOME_MISSING, SKIP)
    assert result.ret == 0
    assert outcome(result)["failed-by"] == "none"
    # what it lacks is told all the same
    assert section(result, "ragassert: no stored verdict")


def test_a_run_that_skipped_all_is_red(project: Project, judge: LoopbackJudge) -> None:
    result = in_ci(project, judge, ALL_MISSING, SKIP)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert (
        "nothing was measured, so the run fails: each test that measures was skipped because of "
        "missing verdicts"
    ) in section(result)
    assert outcome(result)["failed-by"] == "missing"
