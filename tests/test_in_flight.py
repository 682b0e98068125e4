"""Questions asked ahead: dropped while nobody waits for them, else asked once and answered."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from typing import Any

import pytest

from pytest_ragassert import EvalCase
from pytest_ragassert.engine.jobs import Measured
from pytest_ragassert.engine.runner import measure_on_loop
from pytest_ragassert.engine.session import Session
from pytest_ragassert.errors import JudgeError
from pytest_ragassert.judging.judges.judge import Reply
from pytest_ragassert.judging.scheduling.in_flight import NotPrefetched, PrefetchScope, prefetching
from pytest_ragassert.storage.files.locks import LockFile

from .conftest import MakeSettings
from .loopback.server import LoopbackJudge
from .replies import case

Scene = Callable[["Asking"], Awaitable[None]]


class Asking:
    """A session with one request in flight, and what measures with it."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.asker = session.asker

    def waited(self, of: EvalCase) -> asyncio.Task[Measured]:
        return asyncio.ensure_future(self._measured(of))

    def ahead(self, of: EvalCase, ahead: PrefetchScope) -> asyncio.Task[Measured]:
        async def measured() -> Measured:
            with prefetching(ahead):
                return await self._measured(of)

        return asyncio.ensure_future(measured())

    def _measured(self, of: EvalCase) -> Coroutine[Any, Any, Measured]:
        return measure_on_loop(self.session.job(of, "faithfulness", {}), self.asker)

    async def queued(self, count: int) -> None:
        """Until so many questions are on their way."""
        while len(self.asker.in_flight) < count:
            await asyncio.sleep(0.005)
        await asyncio.sleep(0.05)

    async def all_waited(self) -> None:
        """Until a test waits for each question on its way."""
        while not all(flight.waited for flight in self.asker.in_flight):
            await asyncio.sleep(0.005)


@pytest.fixture
def play(judge: LoopbackJudge, settings: MakeSettings) -> Iterator[Callable[[Scene], None]]:
    session = Session(settings(concurrency=1))

    def run(scene: Scene) -> None:
        judge.latency = 0
        session.wait_for(asyncio.wait_for(_answered(session), 10))
        judge.reset()
        judge.latency = 0.2
        session.wait_for(asyncio.wait_for(scene(Asking(session)), 20))

    yield run
    session.close()
    session.run.remove()


async def _answered(session: Session) -> None:
    """The first answer is known: only then is more than one request sent."""
    asking = Asking(session)
    await asking.waited(case(id="first", answer="It stops here."))


OWN = case(id="own", answer="The tram stops at 6.")
COMING = case(id="coming", answer="The tram stops at 7.")


def test_what_is_dropped_before_it_went_out_is_asked_anew(
    judge: LoopbackJudge, play: Callable[[Scene], None]
) -> None:
    async def scene(asking: Asking) -> None:
        ahead = PrefetchScope()
        own, coming = asking.waited(OWN), asking.ahead(COMING, ahead)
        await asking.queued(2)
        asking.asker.in_flight.drop({ahead})
        now = asking.waited(COMING)
        with pytest.raises(NotPrefetched):
            await coming
        assert (await own).result is not None
        assert (await now).result is not None
        assert ahead.sent == set()

    play(scene)
    assert judge.count() == 4
    assert judge.stats()["duplicates"] == 0


def test_what_somebody_waits_for_by_now_is_not_dropped(
    judge: LoopbackJudge, play: Callable[[Scene], None]
) -> None:
    async def scene(asking: Asking) -> None:
        ahead = PrefetchScope()
        own, coming = asking.waited(OWN), asking.ahead(COMING, ahead)
        await asking.queued(2)
        now = asking.waited(COMING)
        await asking.all_waited()
        asking.asker.in_flight.drop({ahead})
        for task in (own, coming, now):
            assert (await task).result is not None
        # it went out when somebody waited
        assert ahead.sent == set()

    play(scene)
    assert judge.count() == 4


def test_what_went_out_comes_and_is_counted(
    judge: LoopbackJudge, play: Callable[[Scene], None]
) -> None:
    noted: dict[str, int] = {}

    async def scene(asking: Asking) -> None:
        ahead = PrefetchScope()
        coming = asking.ahead(COMING, ahead)
        await asking.queued(1)
        asking.asker.in_flight.drop({ahead})
        coming.cancel()
        await asking.asker.in_flight.settle(10)
        assert len(ahead.sent) == 1
        spent = asking.session.run.asked_ahead()
        noted.update((key, usage.requests) for key, usage in spent.items())
        assert noted.keys() == ahead.sent
        assert (await asking.waited(COMING)).result is not None

    play(scene)
    assert list(noted.values()) == [1]
    assert judge.count() == 2


def test_what_met_the_blocked_sockets_of_another_test_is_asked_anew(
    judge: LoopbackJudge, play: Callable[[Scene], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scene(asking: Asking) -> None:
        reply = asking.asker.judge.reply
        blocks = ["the other test's"]

        async def blocked(*args: Any) -> Reply:
            if not blocks:
                return await reply(*args)
            # its test comes to it before the error does
            await asking.all_waited()
            raise JudgeError(blocks.pop(), kind="blocked")

        monkeypatch.setattr(asking.asker.judge, "reply", blocked)
        coming = asking.ahead(COMING, PrefetchScope())
        await asking.queued(1)
        now = asking.waited(COMING)
        assert str((await coming).error).endswith("not measured: the other test's")
        assert (await now).result is not None
        # who asked by himself gets the error
        blocks.append("its own")
        own = (await asking.waited(OWN)).error
        assert isinstance(own, JudgeError)
        assert own.blocked
        assert (await asking.waited(OWN)).result is not None

    play(scene)
    assert judge.count() == 4


def test_what_another_process_asks_is_left_to_it(
    judge: LoopbackJudge, play: Callable[[Scene], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    taken = LockFile.acquire
    elsewhere = True

    def acquire(self: LockFile, name: str) -> bool:
        return not elsewhere and taken(self, name)

    async def scene(asking: Asking) -> None:
        nonlocal elsewhere
        with monkeypatch.context() as patched:
            patched.setattr(LockFile, "acquire", acquire)
            with pytest.raises(NotPrefetched):
                await asking.ahead(COMING, PrefetchScope())
            # a test waits, and goes on when the other one has come to nothing
            now = asking.waited(COMING)
            await asyncio.sleep(0.1)
            assert judge.count() == 0
            elsewhere = False
            assert (await now).result is not None

    play(scene)
    assert judge.count() == 2


def test_who_joins_a_flight_in_the_moment_of_its_end_asks_anew(
    judge: LoopbackJudge, play: Callable[[Scene], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    def asked() -> None:
        tries.append("once")
        if len(tries) > 10:
            # the loop would never get a turn again
            raise RuntimeError("it spins")

    tries: list[str] = []

    async def scene(asking: Asking) -> None:
        async def at_once(work: Callable[..., Any], *args: Any) -> Any:
            try:
                return work(*args)
            finally:
                # a connection of this thread would be left to the garbage collector
                asking.asker.leave_thread()

        job = asking.session.job(COMING, "faithfulness", {})
        with monkeypatch.context() as patched:
            patched.setattr(LockFile, "acquire", lambda *_: False)
            patched.setattr(asking.asker._cache, "in_thread", at_once)
            coming = asking.ahead(COMING, PrefetchScope())
            while not asking.asker.in_flight:
                await asyncio.sleep(0)
            (flight,) = asking.asker.in_flight
            while not flight.task.done():
                await asyncio.sleep(0)
            # over, but nobody was told so yet
            assert asking.asker.in_flight
            patched.undo()
            patched.setattr(asking.asker._cache, "in_thread", at_once)
            assert (await measure_on_loop(job, asking.asker, asked)).result is not None
            with pytest.raises(NotPrefetched):
                await coming

    play(scene)
    assert judge.count() == 2


def test_who_waits_for_a_verdict_waits_for_what_decides_whether_it_is_carried_over(
    judge: LoopbackJudge, settings: MakeSettings, play: Callable[[Scene], None]
) -> None:
    contexts = [f"Line {n} is closed for repairs until the end of the year." for n in "ABCD"]
    session = Session(settings())
    try:
        before = case(answer="Trams run on Sundays.", retrieved_contexts=contexts[:3])
        (measured,) = session.measure([session.job(before, "faithfulness", {})])
        assert measured.result is not None
    finally:
        session.close()
        session.run.remove()
    changed = case(answer="Trams run on Sundays.", retrieved_contexts=contexts)

    async def scene(asking: Asking) -> None:
        ahead = PrefetchScope()
        own, coming = asking.waited(OWN), asking.ahead(changed, ahead)
        await asking.queued(3)  # of the changed case, the claim against all and against what is new
        now = asking.waited(changed)
        await asking.all_waited()
        asking.asker.in_flight.drop({ahead})
        results = [(await task).result for task in (own, coming, now)]
        for result in results[1:]:
            assert result is not None
            assert result.claims[0].carried is not None
        assert ahead.sent == set()

    play(scene)
    assert judge.count("verify_claims") == 2
