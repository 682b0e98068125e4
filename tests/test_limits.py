"""Turns of requests at equal distances, and the run's ledger, for all orders of asking."""

from __future__ import annotations

import asyncio
import contextlib
import io
import itertools
import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_ragassert.config.settings import Settings
from pytest_ragassert.judging.calls.send_permit import sending_under
from pytest_ragassert.judging.judges.openai.openai_client import OpenAIClient
from pytest_ragassert.judging.scheduling.circuit_breaker import CircuitBreaker
from pytest_ragassert.judging.scheduling.limits import Limits, next_send_time
from pytest_ragassert.judging.scheduling.semaphore import SharedSemaphore
from pytest_ragassert.runtime.clock import Clock
from pytest_ragassert.storage.run_state.run_folder import JUDGING, RunFolder
from pytest_ragassert.storage.run_state.usage_ledger import Entries, Ledger
from tests.loopback.server import LoopbackJudge

WINDOWS = (1, 10, 60)  # seconds
LATE = 0.05  # of a second: what the way to the server may add to one request and not to another


@given(
    rate=st.integers(1, 100_000),
    arriving=st.lists(st.tuples(st.floats(0, 20) | st.just(0.0), st.floats(0, 1)), max_size=60),
    start=st.floats(0.1, 1e7),
)
def test_no_window_gets_more_than_its_share_and_none_waits_in_vain(
    rate: int, arriving: list[tuple[float, float]], start: float
) -> None:
    last, now = None, start
    arrivals: list[float] = []
    for gap, late in arriving:
        now += gap
        turn = next_send_time(last, now, rate)
        # it goes out at once, or as soon as the last one is far enough
        assert turn == now or (last is not None and turn - last <= 60 / rate / 0.95)
        last = turn
        arrivals.append(turn + late * LATE)
    for seconds in WINDOWS:
        share = -(-rate * seconds // 60)
        for first, after in zip(arrivals, arrivals[share:], strict=False):
            assert after > first + seconds - 1e-6


@pytest.mark.parametrize("rate", [1, 60, 300, 60_000])
def test_nobody_makes_up_for_idle_time(rate: int) -> None:
    turns = [next_send_time(None, 7.0, rate)]
    turns.append(next_send_time(turns[-1], 700.0, rate))
    turns.append(next_send_time(turns[-1], 700.0, rate))
    assert turns[:2] == [7.0, 700.0]
    # and at least 95 % of what is allowed goes out
    assert 60 / rate < turns[2] - turns[1] < 60 / rate / 0.95


def test_what_a_test_waits_for_goes_before_what_is_asked_ahead(tmp_path: Path) -> None:
    """Of many that wait for their turn, whichever of them came first."""
    sent: list[str] = []

    async def send(name: str, slots: SharedSemaphore, limits: Limits) -> None:
        waited = name.startswith("waited")
        async with slots.slot(waited=lambda: waited):
            await limits.permitted()
            sent.append(name)

    async def scene() -> None:
        limits = Limits(Settings(requests_per_minute=300), RunFolder(tmp_path / "run"))
        slots = SharedSemaphore(RunFolder(tmp_path / "run"), 16, 60.0, limits.reserve)
        ahead = [asyncio.ensure_future(send(f"ahead {n}", slots, limits)) for n in range(6)]
        while not sent:
            await asyncio.sleep(0.001)
        waited = [asyncio.ensure_future(send(f"waited {n}", slots, limits)) for n in range(2)]
        start = Clock.now()
        await asyncio.gather(*waited)
        # the one or two that were chosen already, and these
        assert Clock.now() - start < 5 * 60 / 300
        for task in ahead:
            task.cancel()
        await asyncio.gather(*ahead, return_exceptions=True)
        slots.close()
        limits.close()

    asyncio.run(scene())
    first = sent.index("waited 0")
    assert first <= 3
    assert sent[first : first + 2] == ["waited 0", "waited 1"]


def test_thousands_that_wait_for_a_turn_cost_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[None] = []
    held = Ledger.held

    def counted(ledger: Ledger) -> contextlib.AbstractContextManager[Entries | None]:
        looks.append(None)
        return held(ledger)

    monkeypatch.setattr(Ledger, "held", counted)

    async def send(slots: SharedSemaphore, limits: Limits) -> None:
        async with slots.slot():
            await limits.permitted()

    async def scene() -> None:
        limits = Limits(Settings(requests_per_minute=1), RunFolder(tmp_path / "run"))
        slots = SharedSemaphore(RunFolder(tmp_path / "run"), 16, 60.0, limits.reserve)
        tasks = [asyncio.ensure_future(send(slots, limits)) for _ in range(10_000)]
        await asyncio.sleep(0.5)
        assert sum(task.done() for task in tasks) == 1
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        slots.close()
        limits.close()

    asyncio.run(scene())
    assert len(looks) < 15


def test_a_busy_machine_puts_off_those_that_come_after(tmp_path: Path) -> None:
    async def scene() -> None:
        limits = Limits(Settings(requests_per_minute=600), RunFolder(tmp_path / "run"))
        out: list[tuple[float, float]] = []

        async def send(seconds: float) -> None:
            await limits.permitted()
            async with limits.going_out():
                start = Clock.now()
                time.sleep(seconds)
                out.append((start, Clock.now()))

        # the first one is late on its way, when the turns of the others are taken already
        await asyncio.gather(send(0.3), send(0), send(0))
        await send(0)
        limits.close()
        for (_, before), (start, _) in itertools.pairwise(out):
            assert start - before > 0.1
        assert len(out) == 4

    asyncio.run(scene())


def test_one_that_is_cancelled_or_fails_on_its_way_lets_others_go(tmp_path: Path) -> None:
    async def scene() -> None:
        limits = Limits(Settings(requests_per_minute=6_000), RunFolder(tmp_path / "run"))
        with contextlib.suppress(ConnectionError):
            async with limits.going_out():
                raise ConnectionError

        async def hang() -> None:
            async with limits.going_out():
                await asyncio.Event().wait()

        hanging = asyncio.ensure_future(hang())
        await asyncio.sleep(0.02)
        waiting = asyncio.ensure_future(hang())
        await asyncio.sleep(0.005)
        for task in (waiting, hanging):
            task.cancel()
        await asyncio.gather(hanging, waiting, return_exceptions=True)

        async def go() -> None:
            async with limits.going_out():
                pass

        await asyncio.wait_for(go(), 5)
        limits.close()

    asyncio.run(scene())


def test_a_request_is_paced_where_its_bytes_go_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What making a connection takes puts no two requests nearer to each other at the server."""
    connect = asyncio.BaseEventLoop.create_connection
    slow = iter((0.4, 0.0, 0.0))

    async def late(*arguments: Any, **named: Any) -> Any:
        await asyncio.sleep(next(slow, 0.0))
        return await connect(*arguments, **named)

    with LoopbackJudge(latency=0.5) as judge:
        url = judge.base_url
        monkeypatch.setattr(asyncio.BaseEventLoop, "create_connection", late)

        async def scene() -> None:
            settings = Settings(base_url=url, api_key="sk-test", requests_per_minute=300)
            limits = Limits(settings, RunFolder(tmp_path / "run"))
            breaker = CircuitBreaker(RunFolder(tmp_path / "run"), JUDGING, 10.0, limits)
            client = OpenAIClient(settings)
            body = {"model": "any", "messages": [{"role": "user", "content": "{}"}]}

            async def ask(client_of: Any) -> Any:
                return await client_of.post("/chat/completions", cast_to=object, body=body)

            with sending_under(breaker):
                await asyncio.gather(*(client.send(ask, "any") for _ in range(3)))
            await client.close()
            await breaker.close()
            limits.close()

        asyncio.run(scene())
        times = sorted(request.at for request in judge.requests)
    assert len(times) == 3
    for before, after in itertools.pairwise(times):
        assert after - before > 0.15


def test_one_that_gives_up_leaves_its_turn(tmp_path: Path) -> None:
    async def scene() -> None:
        limits = Limits(Settings(requests_per_minute=60), RunFolder(tmp_path / "run"))
        await limits.reserve()
        await limits.reserve()
        start = Clock.now()
        # nobody used the first turn
        await asyncio.wait_for(limits.permitted(), 0.5)
        await limits.permitted()
        assert Clock.now() - start > 0.5
        limits.close()

    asyncio.run(scene())


def test_what_is_written_is_read_again_and_half_of_it_is_nothing() -> None:
    file = io.BytesIO()
    entries = Entries(file)
    assert (entries.calls, entries.tokens, entries.turn) == (0, 0, None)
    changes: list[Callable[[], None]] = [
        lambda: entries.set_turn(5.0),
        entries.add_call,
        entries.add_call,
        lambda: entries.add_tokens(40),
        lambda: entries.add_tokens(2),
    ]
    for change in changes:
        change()
    again = Entries(file)
    assert (again.calls, again.tokens, again.turn) == (2, 42, 5.0)
    entries.set_sent(9.0)
    assert (Entries(file).turn, Entries(file).sent) == (9.0, 9.0)
    file.truncate(20)
    assert Entries(file).calls == 0


COUNTS = """
import sys
from pathlib import Path
from pytest_ragassert.storage.run_state.run_folder import RunFolder
from pytest_ragassert.storage.run_state.usage_ledger import Ledger

ledger = Ledger(RunFolder(Path(sys.argv[1])))
print("ready", flush=True)
sys.stdin.read()
for _ in range(200):
    done = False
    while not done:
        with ledger.held() as entries:
            if entries is not None:
                entries.add_call()
                entries.add_tokens(3)
                done = True
ledger.close()
"""


def test_processes_count_together(tmp_path: Path, forked_python: str) -> None:
    command = [forked_python, "-c", COUNTS, str(tmp_path / "run")]
    begin, closed = os.pipe()
    started = [
        subprocess.Popen(command, stdin=begin, stdout=subprocess.PIPE, text=True) for _ in range(3)
    ]
    for process in started:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    os.close(closed)
    for process in started:
        process.communicate(timeout=60)
        assert process.returncode == 0
    os.close(begin)
    ledger = Ledger(RunFolder(tmp_path / "run"))
    with ledger.held() as entries:
        assert entries is not None
        assert (entries.calls, entries.tokens) == (600, 1800)
        with ledger.held() as another:
            assert another is None
    ledger.close()
