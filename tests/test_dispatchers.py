"""What every dispatcher promises: the live one, and the one that CONTRIBUTING.md shows."""

from __future__ import annotations

import asyncio
import importlib.util
import sys
from collections.abc import Awaitable, Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from pytest_ragassert.engine import session as session_module
from pytest_ragassert.engine.jobs import Measured
from pytest_ragassert.engine.runner import measure_on_loop
from pytest_ragassert.engine.session import Session
from pytest_ragassert.errors import JudgeError
from pytest_ragassert.judging.judges.judge import Reply, Unconnected
from pytest_ragassert.judging.judges.offline.offline_judge import OfflineJudge
from pytest_ragassert.judging.scheduling import asker, dispatcher
from pytest_ragassert.judging.scheduling.live_dispatcher import LiveDispatcher
from pytest_ragassert.steps.step import Step

from .conftest import MakeSettings
from .contributing import shown_code
from .replies import case

CASES = 6


class SlowJudge(Unconnected):
    """Answers as the offline judge, after a while.

    Attributes:
        texts: of each message that was sent, in order.
        error: raised for messages that hold `refused`.
        holds: it does not answer yet.
        most: messages that were on their way at once.
        calls: of `replies`.
    """

    id = "slow"
    uses_model = True

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.error: JudgeError | None = None
        self.refused = ""
        self.holds = False
        self.most = self.calls = self._now = 0
        self._offline = OfflineJudge()

    async def reply(self, step: Step, message: Any, model: str, sample: int) -> Reply:
        self.texts.append(f"{step.name} {message}")
        self._now += 1
        self.most = max(self.most, self._now)
        try:
            await asyncio.sleep(0.01)
            while self.holds:
                await asyncio.sleep(0.001)
            if self.error is not None and self.refused in str(message):
                raise self.error
            return Reply(self._offline.run(step, message))
        finally:
            self._now -= 1


class SlowBatchJudge(SlowJudge):
    async def replies(self, messages: Sequence[Any]) -> list[Reply | BaseException]:
        self.calls += 1
        works = [self.reply(*message) for message in messages]
        replies = await asyncio.gather(*works, return_exceptions=True)
        if self.error is not None and self.error.ends_judging:
            # it is no single message that is refused
            raise self.error
        return replies


@pytest.fixture
def batches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The dispatcher of CONTRIBUTING.md, added as it says."""
    code, registered = shown_code("Send questions another way")
    name = "pytest_ragassert.judging.scheduling.batch_dispatcher"
    file = tmp_path / "batch_dispatcher.py"
    file.write_text(code, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, name, module)
    spec.loader.exec_module(module)
    changed = {**vars(dispatcher)}
    exec(registered, changed)
    monkeypatch.setattr(asker, "dispatcher_of", changed["dispatcher_of"])


@pytest.fixture(params=["live", "batch"])
def judge_there(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> SlowJudge:
    judge: SlowJudge = SlowJudge()
    if request.param == "batch":
        request.getfixturevalue("batches")
        judge = SlowBatchJudge()
    monkeypatch.setattr(session_module, "judge_of", lambda *_: (judge, False))
    return judge


Open = Callable[..., Session]


@pytest.fixture
def opened(judge_there: SlowJudge, settings: MakeSettings) -> Iterator[Open]:
    made = []

    def open_session(**options: Any) -> Session:
        made.append(Session(settings(**options)))
        return made[-1]

    yield open_session
    for session in made:
        session.close()
        session.run.remove()


def run(session: Session, scene: Awaitable[None]) -> None:
    session.wait_for(asyncio.wait_for(scene, 20))


def measured(session: Session, number: int) -> asyncio.Task[Measured]:
    of = case(id=str(number), answer=f"The tram stops at {number} o'clock.")
    return asyncio.ensure_future(
        measure_on_loop(session.job(of, "faithfulness", {}), session.asker)
    )


def test_each_question_is_sent_once_and_within_the_limit(
    judge_there: SlowJudge, opened: Open
) -> None:
    session = opened(concurrency=2)

    async def scene() -> None:
        twice = [measured(session, number) for number in [*range(CASES), *range(CASES)]]
        assert all(one.result is not None for one in await asyncio.gather(*twice))

    run(session, scene())
    assert len(judge_there.texts) == len(set(judge_there.texts)) == 2 * CASES
    if isinstance(judge_there, SlowBatchJudge):
        # the claims together, and then the verdicts: all where the machine has nothing else to do
        assert judge_there.calls < CASES
    else:
        assert judge_there.most == 2
    # and they are stored
    session.close()
    again = opened()
    run(again, _stored(again))
    assert len(judge_there.texts) == 2 * CASES


async def _stored(session: Session) -> None:
    results = await asyncio.gather(*(measured(session, number) for number in range(CASES)))
    assert all(one.result is not None and one.result.stored for one in results)


def test_after_the_end_of_judging_nothing_is_sent(judge_there: SlowJudge, opened: Open) -> None:
    session = opened()

    async def scene() -> None:
        judge_there.error = JudgeError("no such key", kind="credentials", ends_judging=True)
        first = await measured(session, 1)
        judge_there.error = None
        later = await asyncio.gather(*(measured(session, number) for number in range(CASES)))
        assert all("no such key" in str(one.error) for one in (first, *later))

    run(session, scene())
    assert len(judge_there.texts) == 1


def test_an_error_of_one_question_is_no_other_ones(judge_there: SlowJudge, opened: Open) -> None:
    session = opened()
    judge_there.error, judge_there.refused = JudgeError("not this one", kind="request"), "at 3 o"

    async def scene() -> None:
        results = await asyncio.gather(*(measured(session, number) for number in range(CASES)))
        assert [one.error is not None for one in results] == [n == 3 for n in range(CASES)]

    run(session, scene())
    assert len(judge_there.texts) == 2 * CASES - 1


def test_a_cancelled_question_is_not_sent_and_the_others_are(
    judge_there: SlowJudge, opened: Open
) -> None:
    session = opened(concurrency=1)
    judge_there.holds = True

    async def scene() -> None:
        running = [measured(session, number) for number in range(3)]
        # one is on its way and the others wait, or all are being gathered
        gathered = getattr(session.asker._dispatcher, "_waiting", [])
        while not judge_there.texts and len(gathered) < len(running):
            await asyncio.sleep(0.001)
        waiting = next(flight for flight in session.asker.in_flight if not flight.sent)
        waiting.task.cancel()
        judge_there.holds = False
        results = await asyncio.gather(*running, return_exceptions=True)
        assert [isinstance(one, Measured) for one in results].count(False) == 1

    run(session, scene())
    assert len(judge_there.texts) == 2 * 2


def test_the_live_one_is_used(opened: Open, judge_there: SlowJudge) -> None:
    live = isinstance(opened().asker._dispatcher, LiveDispatcher)
    assert live is not isinstance(judge_there, SlowBatchJudge)
