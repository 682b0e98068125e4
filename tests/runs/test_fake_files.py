"""Tests with a fake file system (pyfakefs) measure as others do, and their files stay theirs."""

from __future__ import annotations

import pytest

from tests.loopback.server import LoopbackJudge

from .projects import Project, new_project

project = pytest.fixture(new_project)
pytest.importorskip("pyfakefs")

TESTS = """
import asyncio
import os
import pytest
from ferry import GOOD, case
from pytest_ragassert import aio, assert_faithful, evaluate

def test_faked(fs):
    fs.create_file("/fake/file.txt", contents="inside")
    assert_faithful(case("one", "Dogs are not allowed on board."))
    assert open("/fake/file.txt").read() == "inside"
    assert not os.path.exists(__file__)

def test_between():
    assert os.path.exists(__file__)
    assert_faithful(case("two"))

def test_awaited(fs):
    fs.create_file("/fake/file.txt")

    async def main():
        cases = [case(str(n), f"{GOOD} Boat {n} is new.") for n in range(2)]
        await asyncio.gather(*(aio.assert_faithful(one, min=0.5) for one in cases))

    asyncio.run(main())
    assert os.path.exists("/fake/file.txt") and not os.path.exists(__file__)

def test_paused_by_hand(fs):
    fs.pause()
    evaluate(case("three", "The crossing costs 9 euros."), ["faithfulness"])
    assert os.path.exists(__file__)

def test_after():
    assert_faithful(case("four", "Dogs are not allowed on board. " + GOOD))
"""


def test_measuring_tests_with_a_fake_file_system(project: Project, judge: LoopbackJudge) -> None:
    project.test(TESTS)
    project.judged_by(judge)
    # loaded before, as many projects do: what a test loads itself is not the fake's
    project.pytester.makeconftest("import openai")
    use = ("-p", "pyfakefs.pytest_plugin")
    workers = project.process(*use, "-n", "2")
    workers.assert_outcomes(passed=5)
    assert judge.count() > 0
    judge.reset()
    # all is stored, then all is asked for again; in one process, as pyfakefs looks through all
    # modules once in each
    modes = [f"--ragassert-record-mode={mode}" for mode in ("none", "all")]
    runs = [project.command(*use, mode)[3:] for mode in modes]
    with project.forking():
        alone = project.pytester.runpython_c(
            f"import pytest, sys; sys.exit(sum([pytest.main(args) for args in {runs}]))"
        )
    assert alone.ret == 0
    assert sum(" 5 passed in " in line for line in alone.outlines) == 2
    assert judge.count() > 0
    for result in (workers, alone):
        assert result.stderr.str() == ""
        assert not any(line.startswith("note:") for line in result.outlines)


def test_a_first_measurement_loads_what_it_needs(project: Project, judge: LoopbackJudge) -> None:
    project.test(TESTS)
    project.judged_by(judge)
    use = ("-p", "pyfakefs.pytest_plugin", "-k", "test_awaited or test_after")
    result = project.process(*use)
    result.assert_outcomes(passed=2, deselected=3)
    assert result.stderr.str() == ""
