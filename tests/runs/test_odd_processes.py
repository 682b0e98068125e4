"""Tests that fork, and loops that are not asyncio's own, while coming cases are prepared."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

import pytest

from tests.loopback.server import LoopbackJudge

from .projects import Project, new_project
from .test_prefetching import trams

pytest.importorskip("xdist")

project = pytest.fixture(new_project)
CASES = 8
SERIAL, WORKERS = (), ("-n", "2")
BOTH = pytest.mark.parametrize("args", [SERIAL, WORKERS], ids=["serial", "workers"])
FORKS = pytest.mark.skipif(not hasattr(os, "fork"), reason="forks are POSIX")
# Python 3.12 warns of every fork of a process with threads.
AS_EVER = ("-W", "ignore::DeprecationWarning")


def is_asked_once(judge: LoopbackJudge, questions: int) -> None:
    assert judge.stats()["duplicates"] == 0
    assert judge.count() == questions
    # coming cases were prepared
    assert judge.max_in_flight > 1


def needs_nobody(
    project: Project,
    judge: LoopbackJudge,
    *args: str,
    use: Sequence[str] = (),
    cases: int = CASES,
) -> None:
    """Everything is stored: a run without workers asks nothing."""
    judge.reset()
    result = project.process("--ragassert-record-mode=none", *args, use=use)
    result.assert_outcomes(passed=cases)
    assert judge.count() == 0


# -- forks ---------------------------------------------------------------------------------------

CHILDREN = """
import multiprocessing, os, time, traceback
import pytest
from pytest_ragassert import EvalCase, assert_faithful, evaluate

def new(name, **fields):
    text = f"Tram {name} runs."
    return EvalCase(id=name, answer=text, retrieved_contexts=[text], **fields)

def score(case):
    return evaluate(case, ["faithfulness"])["faithfulness"].score

def ended(child):
    # a child that hangs is to fail the test
    end = time.monotonic() + 30
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.005)
    os.kill(child, 9)
    return "hung"

def in_child(work):
    child = os.fork()
    if not child:
        code = 1
        try:
            work()
            code = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code)
    return child
"""
FORKING = """
from children import *

@pytest.mark.rag_cases("cases.jsonl")
def test_tram(rag_case):
    assert_faithful(rag_case)
    if int(rag_case.id[1:]) % 4 == 0:
        # what is stored; what is new, to two at once; a case that the parent prepares meanwhile
        coming = new("LAST", question="Does tram LAST run?")
        works = [lambda: assert_faithful(rag_case.model_copy())]
        works += [lambda: score(new(f"1000{rag_case.id[1:]}"))] * 2 + [lambda: score(coming)]
        assert [ended(child) for child in [in_child(work) for work in works]] == [0] * 4
"""
PROCESSES = """
from children import *

forks = multiprocessing.get_context("fork")

def measured(queue, name):
    queue.put(score(new(name)))

@pytest.mark.rag_cases("cases.jsonl")
def test_tram(rag_case):
    assert_faithful(rag_case)
    if int(rag_case.id[1:]) % 4 == 0:
        queue = forks.SimpleQueue()
        names = [f"1000{rag_case.id[1:]}", f"2000{rag_case.id[1:]}"] * 2
        children = [forks.Process(target=measured, args=(queue, name)) for name in names]
        for child in children:
            child.start()
        for child in children:
            child.join(30)
        assert [child.exitcode for child in children] == [0] * 4
        assert [queue.get() for _ in children] == [1.0] * 4
    if int(rag_case.id[1:]) == LAST:
        with forks.Pool(2) as pool:
            names = ["30000", "30001", "30000", "30001"]
            assert pool.map_async(score, map(new, names)).get(30) == [1.0] * 4
"""


@FORKS
@BOTH
@pytest.mark.parametrize(
    ("tests", "cases"),
    [(FORKING, CASES + CASES // 4), (PROCESSES, CASES + 2 * CASES // 4 + 2)],
    ids=["fork", "processes"],
)
def test_tests_that_fork(
    project: Project, judge: LoopbackJudge, args: Sequence[str], tests: str, cases: int
) -> None:
    project.pytester.makepyfile(children=CHILDREN)
    project.test(tests.replace("LAST", str(CASES - 1)))
    trams(project, CASES)
    project.judged_by(judge)
    judge.latency = 0.02
    result = project.process(*args, *AS_EVER)
    result.assert_outcomes(passed=CASES)
    assert "Traceback" not in result.stdout.str() + result.stderr.str()
    is_asked_once(judge, 2 * cases)
    needs_nobody(project, judge, *AS_EVER)


# As pytest-forked does it for tests with its mark: the whole protocol in a child.
OWN_PROCESSES = """
import os
import pytest
from _pytest.runner import runtestprotocol

@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item, nextitem):
    if int(item.callspec.id[1:]) % 2 == 0:
        return None
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        reports = runtestprotocol(item, log=False, nextitem=nextitem)
        os.write(writer, b"." if all(r.passed for r in reports) else b"F")
        os._exit(0)
    os.close(writer)
    os.waitpid(child, 0)
    outcome = "passed" if os.read(reader, 1) == b"." else "failed"
    os.close(reader)
    report = pytest.TestReport(item.nodeid, item.location, {}, outcome, None, "call")
    item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True
"""
TRAMS = """
import pytest
from pytest_ragassert import assert_faithful

@pytest.mark.rag_cases("cases.jsonl")
def test_tram(rag_case):
    assert_faithful(rag_case)
"""


@FORKS
@BOTH
def test_some_tests_in_processes_of_their_own(
    project: Project, judge: LoopbackJudge, args: Sequence[str]
) -> None:
    project.pytester.makeconftest(OWN_PROCESSES)
    project.test(TRAMS)
    # so many that some children come while their case is prepared
    cases = 20
    trams(project, cases)
    project.judged_by(judge)
    judge.latency = 0.05
    project.process(*args, *AS_EVER).assert_outcomes(passed=cases)
    # the parent prepares what the children wait for
    is_asked_once(judge, 2 * cases)
    needs_nobody(project, judge, *AS_EVER, cases=cases)


# -- loops ---------------------------------------------------------------------------------------

POLICY = """
import asyncio, uvloop

asyncio.set_event_loop_policy(uvloop.EventLoopPolicy())
"""
POLICY_FIXTURE = """
import pytest, uvloop

@pytest.fixture(scope="session")
def event_loop_policy():
    return uvloop.EventLoopPolicy()

@pytest.fixture
def anyio_backend():
    return "asyncio", {"use_uvloop": True}
"""
ASYNC = """
import asyncio
import pytest
from pytest_ragassert import aio, assert_faithful

@pytest.mark.MARK
@pytest.mark.rag_cases("cases.jsonl")
async def test_tram(rag_case):
    assert LOOP in type(asyncio.get_running_loop()).__module__
    if int(rag_case.id[1:]) % 3 == 0:
        assert_faithful(rag_case)
    elif int(rag_case.id[1:]) % 3 == 1:
        await aio.assert_faithful(rag_case)
    else:
        await asyncio.gather(*(aio.evaluate(rag_case, ["faithfulness"]) for _ in range(3)))
"""
OLD_POLICIES = pytest.mark.skipif(sys.version_info >= (3, 14), reason="policies are deprecated")


@OLD_POLICIES
@BOTH
def test_uvloop_as_policy(project: Project, judge: LoopbackJudge, args: Sequence[str]) -> None:
    pytest.importorskip("uvloop")
    project.pytester.makeconftest(POLICY)
    project.pytester.makepyfile(children=CHILDREN)
    project.test(FORKING.replace("LAST", str(CASES - 1)))
    trams(project, CASES)
    project.judged_by(judge)
    judge.latency = 0.02
    project.process(*args, *AS_EVER).assert_outcomes(passed=CASES)
    is_asked_once(judge, 2 * (CASES + CASES // 4))
    needs_nobody(project, judge, *AS_EVER)


@pytest.mark.parametrize(
    ("plugin", "mark", "conftest", "args"),
    [
        ("asyncio", "asyncio", "", SERIAL),
        pytest.param("asyncio", "asyncio", POLICY_FIXTURE, SERIAL, marks=OLD_POLICIES),
        ("anyio", "anyio", POLICY_FIXTURE, WORKERS),
    ],
    ids=["asyncio", "asyncio uvloop", "anyio uvloop workers"],
)
def test_coroutines_while_coming_cases_are_prepared(
    project: Project,
    judge: LoopbackJudge,
    plugin: str,
    mark: str,
    conftest: str,
    args: Sequence[str],
) -> None:
    pytest.importorskip("uvloop" if conftest else "pytest_asyncio")
    project.pytester.makeconftest(conftest)
    if plugin == "asyncio":
        project.pytester.makeini("[pytest]\nasyncio_default_fixture_loop_scope = function\n")
    loop = '"uvloop"' if conftest else '"asyncio"'
    project.test(ASYNC.replace("MARK", mark).replace("LOOP", loop))
    trams(project, CASES)
    project.judged_by(judge)
    judge.latency = 0.05
    # pytest warns of a plugin by the name of a module that was imported before
    imported = ("-W", "ignore::pytest.PytestAssertRewriteWarning")
    strict = () if conftest else ("-W", "error", *imported)
    result = project.process(*args, *strict, use=[plugin])
    result.assert_outcomes(passed=CASES)
    assert result.stderr.str() == "" or args
    is_asked_once(judge, 2 * CASES)
    needs_nobody(project, judge, *strict, use=[plugin])
