"""Sessions that are closed, once, twice, or while they measure; and whose contexts they see."""

from __future__ import annotations

import contextvars
import decimal
import os
import subprocess
import sys
import textwrap
import threading
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from pytest_ragassert import ConfigurationError, Settings, aio, evaluate
from pytest_ragassert.engine.session import Session

from .conftest import MakeSettings
from .loopback.server import LoopbackJudge
from .replies import case

FAITHFUL = ["faithfulness"]


def measured(session: Session, **fields: Any) -> Any:
    return session.measure([session.job(case(**fields), "faithfulness", {})])


@pytest.mark.parametrize("judged", ["over HTTP", "offline"])
def test_a_closed_session_measures_nothing(
    settings: MakeSettings, tmp_path: Path, judged: str
) -> None:
    own = settings() if judged == "over HTTP" else Settings(judge="offline", cache_dir=tmp_path)
    session = Session(own)
    assert measured(session)[0].result.score == 1
    session.close()
    session.close()
    session.run.remove()
    for _ in range(2):
        with pytest.raises(ConfigurationError, match=r"session is closed.*evaluate\("):
            measured(session, answer="It stops.")


def test_a_session_that_never_measured_is_closed_too(settings: MakeSettings) -> None:
    session = Session(settings())
    session.close()
    session.close()
    with pytest.raises(ConfigurationError, match="session is closed"):
        measured(session)


def test_closing_ends_what_another_thread_measures(
    judge: LoopbackJudge, settings: MakeSettings
) -> None:
    session = Session(settings())
    asked, told = threading.Event(), []

    def hang(_: Any) -> dict[str, int]:
        asked.set()
        return {"hang": 60}

    judge.on(hang)

    def measure() -> None:
        try:
            measured(session)
        except ConfigurationError as error:
            told.append(str(error))

    thread = threading.Thread(target=measure)
    thread.start()
    assert asked.wait(30)
    session.close()
    thread.join(30)
    session.run.remove()
    assert told == ["the session was closed while it measured"]


def test_measuring_when_the_interpreter_ends_is_told(tmp_path: Path) -> None:
    script = """
        import atexit

        def late():
            try:
                evaluate(EvalCase(answer="A.", retrieved_contexts=["A."]), ["faithfulness"])
            except ConfigurationError as error:
                print(error)

        atexit.register(late)
        from pytest_ragassert import ConfigurationError, EvalCase, evaluate
        evaluate(EvalCase(answer="B.", retrieved_contexts=["B."]), ["faithfulness"])
    """
    run = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)],
        cwd=tmp_path,
        env={**os.environ, "RAGASSERT_JUDGE": "offline"},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout.startswith("the interpreter is ending")


def test_another_librarys_event_loop_is_no_matter(settings: MakeSettings) -> None:
    trio = pytest.importorskip("trio")
    own = settings()

    async def main() -> None:
        assert evaluate(case(), FAITHFUL, settings=own)["faithfulness"].score == 1
        with pytest.raises(ConfigurationError, match="asyncio's event loop; elsewhere"):
            await aio.evaluate(case(), FAITHFUL, settings=own)
        other = case(answer="It stops at the harbour.")
        call = await trio.to_thread.run_sync(lambda: evaluate(other, FAITHFUL, settings=own))
        assert call["faithfulness"].score == 1

    trio.run(main)


SEEN = contextvars.ContextVar("seen", default="nothing")


class Looking:
    id = "looking"

    def __init__(self) -> None:
        self.seen: list[str] = []

    async def run(self, step: Any, input: Any) -> str:
        self.seen.append(SEEN.get())
        return '{"claims": []}'


def test_judges_see_no_context_of_a_test(tmp_path: Path) -> None:
    looking = Looking()
    own = Settings(judge="mine", cache_dir=tmp_path)
    session = Session(own, make_judge={"mine": looking}.get)
    SEEN.set("the test's")
    assert measured(session)[0].result.vacuous
    session.close()
    session.run.remove()
    assert looking.seen == ["nothing"]


def test_the_precision_of_a_tests_decimals_is_no_matter(tmp_path: Path) -> None:
    one = case(answer="The harbour has 2,004,000 berths.", retrieved_contexts=["It has 2,096,000."])
    own = Settings(judge="offline", cache_dir=tmp_path)
    score = evaluate(one, FAITHFUL, settings=own)["faithfulness"]
    with decimal.localcontext(decimal.Context(prec=1, traps=[decimal.Inexact])):
        assert evaluate(one, FAITHFUL, settings=own)["faithfulness"] == score


@pytest.mark.parametrize("mocked", ["threading.Thread", "threading.Thread.start"])
def test_mocks_of_threads_hang_nothing(settings: MakeSettings, mocked: str) -> None:
    with mock.patch(mocked):
        assert evaluate(case(), FAITHFUL, settings=settings())["faithfulness"].score == 1


def test_a_call_of_the_loop_keeps_no_process(tmp_path: Path) -> None:
    # as the look-up of a host's name does where the network is slow
    script = """
        import asyncio, threading
        from pytest_ragassert.judging.calls.event_loop import LoopThread

        async def look_up():
            asyncio.get_running_loop().run_in_executor(None, threading.Event().wait)

        loop = LoopThread()
        loop.run(look_up())
        print(loop.stop())
    """
    run = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (run.stdout, run.stderr, run.returncode) == ("True\n", "", 0)
