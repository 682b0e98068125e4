"""Event loops of all kinds, and coroutines that nobody awaited."""

from __future__ import annotations

import sys

import pytest

from tests.loopback.server import LoopbackJudge

from .projects import Project, new_project, table

project = pytest.fixture(new_project)

LOOPS = """
import asyncio
import threading
import pytest
from ferry import BAD, case
from pytest_ragassert import RagAssertionError, aio, assert_faithful, evaluate

def fresh(name):
    return case(name, f"The ferry runs every 40 minutes. The {name} is new.")

def test_after_asyncio_run():
    asyncio.run(asyncio.sleep(0))
    assert_faithful(fresh("pier"), min=0.5)

async def _inside(name):
    assert_faithful(fresh(name), min=0.5)
    await aio.assert_faithful(fresh(name + "s"), min=0.5)

def test_inside_running_loops():
    asyncio.run(_inside("dock"))
    asyncio.run(_inside("dock"))
    asyncio.run(_inside("buoy"))

def test_thread_without_a_loop():
    done = []
    thread = threading.Thread(target=lambda: done.append(assert_faithful(fresh("mast"), min=0.5)))
    thread.start()
    thread.join(30)
    assert not thread.is_alive() and done[0].score == 0.5

def test_thread_with_a_loop():
    thread = threading.Thread(target=asyncio.run, args=(_inside("rope"),))
    thread.start()
    thread.join(30)
    assert not thread.is_alive()

def test_the_callers_loop_goes_on():
    async def main():
        ticks = 0
        async def tick():
            nonlocal ticks
            while True:
                await asyncio.sleep(0.01)
                ticks += 1
        ticking = asyncio.ensure_future(tick())
        boats = [fresh(f"boat{n}") for n in range(4)]
        results = await asyncio.gather(*(aio.assert_faithful(boat, min=0.5) for boat in boats))
        together = await aio.evaluate([fresh("oar"), fresh("sail")], ["faithfulness"])
        ticking.cancel()
        assert [r.score for r in results] == [0.5] * 4 and len(together) == 2
        assert ticks > 3 or results[0].stored
        with pytest.raises(RagAssertionError):
            await aio.assert_faithful(case("bad", BAD))
    asyncio.run(main())

def test_a_closed_loop_is_no_matter():
    loop = asyncio.new_event_loop()
    loop.run_until_complete(_inside("keel"))
    loop.close()
    assert_faithful(fresh("hull"), min=0.5)

def test_given_up():
    async def main():
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(aio.assert_faithful(fresh("reef"), min=0.5), 0.01)
        await aio.assert_faithful(fresh("reef"), min=0.5)
    asyncio.run(main())
"""
ASYNCIO = """
import pytest
from ferry import BAD, case
from pytest_ragassert import RagAssertionError, aio, assert_faithful

@pytest.mark.asyncio
async def test_sync_assertion():
    assert_faithful(case("c"), min=0.5)

@pytest.mark.asyncio
async def test_awaited_assertion():
    assert (await aio.assert_faithful(case("d", "Dogs are not allowed on board."))).score == 1

@pytest.mark.asyncio
@pytest.mark.rag_cases([case("first"), case("second")])
async def test_case(rag_case):
    await aio.assert_faithful(rag_case)

@pytest.mark.asyncio
async def test_failing():
    await aio.assert_faithful(case("bad", BAD))
"""


@pytest.mark.filterwarnings("ignore:coroutine:RuntimeWarning")
def test_a_coroutine_that_nobody_awaited_fails_its_test(project: Project) -> None:
    project.test(
        """
        import asyncio
        import pytest
        from ferry import BAD, case
        from pytest_ragassert import aio

        def test_forgotten():
            aio.assert_faithful(case("bad", BAD))

        @pytest.mark.asyncio
        async def test_forgotten_in_a_coroutine():
            aio.evaluate(case("bad", BAD), ["faithfulness"])

        def test_of_others():
            asyncio.sleep(0)

        def test_awaited():
            asyncio.run(aio.assert_faithful(case("good")))
        """
    )
    project.pytester.makeini("[pytest]\nasyncio_default_fixture_loop_scope = function\n")
    args = ("-W", "ignore::RuntimeWarning", "-p", "no:unraisableexception")
    result = project.run(*args, use=("asyncio",))
    result.assert_outcomes(failed=2, passed=2)
    told = [line for line in result.outlines if "was called but not awaited" in line]
    assert any("aio.assert_faithful" in line for line in told)
    assert any("aio.evaluate" in line for line in told)


OTHER_LOOPS = """
import asyncio
import pytest
from ferry import case
from pytest_ragassert import aio, assert_faithful

@pytest.mark.anyio
async def test_anyio():
    assert_faithful(case("one"))
    assert (await aio.assert_faithful(case("two"))).passed

@pytest.fixture
def anyio_backend():
    return "asyncio"

def test_uvloop():
    uvloop = pytest.importorskip("uvloop")
    async def main():
        assert_faithful(case("three", "Dogs are not allowed on board."))
        await aio.assert_faithful(case("four", "Dogs are not allowed on board."))
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(main())
"""


@pytest.mark.skipif(sys.version_info < (3, 11), reason="asyncio.Runner came with 3.11")
def test_other_event_loops(project: Project, judge: LoopbackJudge) -> None:
    project.test(OTHER_LOOPS)
    project.judged_by(judge)
    result = project.process("-W", "error", use=["anyio"], fresh=True)
    assert result.parseoutcomes().get("failed") is None
    assert result.parseoutcomes()["passed"] >= 1
    assert result.stderr.str() == ""


def test_event_loops_of_all_kinds(project: Project, judge: LoopbackJudge) -> None:
    pytest.importorskip("pytest_asyncio")
    project.test(LOOPS, "test_loops")
    project.test(ASYNCIO, "test_asyncio")
    project.pytester.makeini("[pytest]\nasyncio_default_fixture_loop_scope = function\n")
    project.judged_by(judge)
    judge.latency = 0.05
    result = project.process("-W", "error", use=["asyncio"], fresh=True)
    result.assert_outcomes(passed=11, failed=1)
    text = result.stdout.str() + result.stderr.str()
    for noise in ("Event loop is closed", "never awaited", "nest_asyncio"):
        assert noise not in text
    if sys.version_info >= (3, 11):
        # before, pytest-asyncio asks for a loop, which makes one, and leaves it open
        assert "ResourceWarning" not in text
        assert result.stderr.str() == ""
    assert table(result)[0] == "case bad  How often does the ferry run?"
    # the user's line, and none of ours
    assert "pytest_ragassert/aio.py" not in text
    assert judge.stats()["duplicates"] == 0

    judge.reset()
    project.path.joinpath("test_asyncio.py").unlink()
    project.path.joinpath("tox.ini").unlink()
    project.run("-W", "error", "-k", "not given_up").assert_outcomes(passed=6, deselected=1)
    assert judge.count() == 0
