"""Requests in flight: none is lost, none is given twice, and processes take turns."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_ragassert.judging.scheduling.semaphore import SharedSemaphore
from pytest_ragassert.storage.run_state.run_folder import RunFolder


def test_a_cancelled_request_leaves_its_slot(tmp_path: Path) -> None:
    async def scene() -> None:
        run = RunFolder(tmp_path / "run")
        one, other = SharedSemaphore(run, 1), SharedSemaphore(run, 1)
        holder = one.slot()
        await holder.__aenter__()
        waiting = [asyncio.ensure_future(_held(slots)) for slots in (one, other, other)]
        await asyncio.sleep(0.05)
        assert not any(task.done() for task in waiting)
        # one that waits for its own process, and one that is next of all
        waiting[0].cancel()
        waiting[1].cancel()
        await holder.__aexit__(None, None, None)
        assert await asyncio.wait_for(waiting[2], 5)
        for slots in (one, other):
            assert await asyncio.wait_for(_held(slots), 5)
            slots.close()

    asyncio.run(scene())


async def _held(slots: SharedSemaphore) -> bool:
    async with slots.slot():
        return True


def test_who_asks_much_lets_another_process_be_next(tmp_path: Path) -> None:
    served: list[str] = []

    async def hold(slots: SharedSemaphore, name: str) -> None:
        async with slots.slot():
            served.append(name)
            await asyncio.sleep(0.01)

    async def scene() -> None:
        run = RunFolder(tmp_path / "run")
        much, little = SharedSemaphore(run, 2), SharedSemaphore(run, 2)
        works = [hold(much, "much") for _ in range(30)] + [hold(little, "little") for _ in range(3)]
        await asyncio.gather(*works)
        for slots in (much, little):
            slots.close()

    asyncio.run(scene())
    assert len(served) == 33
    # of each few slots that come free it gets one
    assert [n for n, name in enumerate(served) if name == "little"][-1] < 18, served


@given(
    st.integers(1, 4),
    st.lists(st.tuples(st.integers(0, 6), st.booleans()), max_size=20),
    st.booleans(),
)
def test_no_slot_is_lost_and_none_is_given_twice(
    limit: int, comers: list[tuple[int, bool]], locked: bool
) -> None:
    """Whoever is cancelled, before, in or after the moment that the slot is given."""

    async def scene(run: RunFolder) -> None:
        slots, now, most = SharedSemaphore(run, limit), 0, 0

        async def work() -> None:
            nonlocal now, most
            async with slots.slot():
                now += 1
                most = max(most, now)
                try:
                    await asyncio.sleep(0)
                finally:
                    now -= 1

        async def cancelled(after: int, task: asyncio.Task[None]) -> None:
            for _ in range(after):
                await asyncio.sleep(0)
            task.cancel()

        tasks = [asyncio.ensure_future(work()) for _ in comers]
        ends = [
            cancelled(after, task)
            for task, (after, ends) in zip(tasks, comers, strict=True)
            if ends
        ]
        await asyncio.wait_for(asyncio.gather(*tasks, *ends, return_exceptions=True), 20)
        assert most <= limit
        # all slots are there again
        now = most = 0
        await asyncio.wait_for(asyncio.gather(*(work() for _ in range(limit))), 20)
        assert most == limit
        slots.close()

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run"
        if not locked:
            path.write_text("in the way of a folder")
        asyncio.run(scene(RunFolder(path)))


def test_a_lock_that_fails_is_told_to_all_that_wait(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Broken:
        def acquire(self, name: str) -> bool:
            raise OSError("no locks available")

    async def scene() -> None:
        slots = SharedSemaphore(RunFolder(tmp_path / "run"), 1)
        waiting = [asyncio.ensure_future(_held(slots)) for _ in range(3)]
        results = await asyncio.wait_for(asyncio.gather(*waiting, return_exceptions=True), 5)
        assert [str(result) for result in results] == ["no locks available"] * 3

    monkeypatch.setattr(RunFolder, "locks", lambda run: Broken())
    asyncio.run(scene())
