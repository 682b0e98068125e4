"""The rate limit's rule and the run's ledger, for all orders of asking."""

from __future__ import annotations

import io
import os
from multiprocessing import get_context
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_ragassert.asking.limits import WINDOWS, next_turn
from pytest_ragassert.store.ledger import Entries, Ledger
from pytest_ragassert.store.run_folder import RunFolder


@given(
    rate=st.integers(1, 200),
    gaps=st.lists(st.floats(0, 20) | st.just(0.0), max_size=150),
    start=st.floats(0, 1e7),
)
def test_no_window_gets_more_than_its_share_and_none_waits_in_vain(
    rate: int, gaps: list[float], start: float
) -> None:
    entries, now = Entries(io.BytesIO()), start
    turns: list[float] = []
    for gap in gaps:
        now += gap
        turn = next_turn(entries, now, rate)
        entries.add_call(turn)
        # the share is used up in some window that ends here, or it goes out at once
        full = any(
            len(turns) >= share and turn == turns[-share] + seconds
            for seconds, share in shares(rate)
        )
        assert turn == now or full or turn == turns[-1]
        turns.append(turn)
    assert turns == sorted(turns)
    for seconds, share in shares(rate):
        for first, after in zip(turns, turns[share:], strict=False):
            assert after >= first + seconds


def shares(rate: int) -> list[tuple[int, int]]:
    return [(seconds, max(1, -(-rate * seconds // 60))) for seconds in WINDOWS]


@pytest.mark.parametrize(
    ("rate", "at_once"), [(1, 1), (60, 1), (61, 2), (600, 10), (6000, 100)], ids=str
)
def test_the_first_burst_is_one_seconds_share(rate: int, at_once: int) -> None:
    entries = Entries(io.BytesIO())
    for _ in range(at_once):
        assert next_turn(entries, 7.0, rate) == 7.0
        entries.add_call(7.0)
    assert next_turn(entries, 7.0, rate) > 7.0


def test_a_minutes_limit_holds_in_a_minute_too() -> None:
    entries = Entries(io.BytesIO())
    turns: list[float] = []
    for _ in range(5):
        turns.append(next_turn(entries, 0.0, 3))
        entries.add_call(turns[-1])
    assert turns == [0, 10, 20, 60, 70]


def test_half_an_entry_is_overwritten() -> None:
    file = io.BytesIO()
    entries = Entries(file)
    assert (entries.calls, entries.tokens, entries.time(1)) == (0, 0, None)
    entries.add_call(5.0)
    assert entries.tokens == 0
    file.seek(0, os.SEEK_END)
    file.write(b"\x01\x02\x03")
    entries.add_call(6.0)
    entries.add_tokens(40)
    entries.add_tokens(2)
    assert (entries.calls, entries.tokens) == (2, 42)
    assert [entries.time(back) for back in (1, 2, 3)] == [6.0, 5.0, None]


def count(folder: Path, times: int) -> None:
    ledger = Ledger(RunFolder(folder))
    for _ in range(times):
        done = False
        while not done:
            with ledger.held() as entries:
                if entries is not None:
                    entries.add_call(0.0)
                    entries.add_tokens(3)
                    done = True
    ledger.close()


def test_processes_count_together(tmp_path: Path) -> None:
    context = get_context("spawn")
    workers = [context.Process(target=count, args=(tmp_path / "run", 200)) for _ in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    ledger = Ledger(RunFolder(tmp_path / "run"))
    with ledger.held() as entries:
        assert entries is not None
        assert (entries.calls, entries.tokens) == (600, 1800)
        with ledger.held() as another:
            assert another is None
    ledger.close()
