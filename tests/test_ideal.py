"""The ideal schedule that the speed benchmarks are held against."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from .benchmarks.rows import Row, busy_seconds, ideal_seconds


@pytest.mark.parametrize(
    ("requests", "at_once", "seconds"),
    [(800, 32, 7.5), (1800, 32, 16.875), (64, 32, 0.6), (63, 32, 0.6), (2, 32, 0.6), (4, 1, 1.2)],
)
def test_replies_one_after_another_in_every_slot(
    requests: int, at_once: int, seconds: float
) -> None:
    ideal = ideal_seconds(requests, latency=0.3, at_once=at_once, chain=2)
    assert ideal == pytest.approx(seconds)


@given(
    cases=st.integers(1, 60),
    chain=st.integers(1, 5),
    at_once=st.integers(1, 64),
    random=st.randoms(),
)
def test_no_schedule_is_faster(cases: int, chain: int, at_once: int, random: Random) -> None:
    """Whichever cases have their next request in flight in a round, and however many."""
    left, rounds = [chain] * cases, 0
    while left:
        random.shuffle(left)
        for case in range(min(len(left), random.randint(1, at_once))):
            left[case] -= 1
        left = [requests for requests in left if requests]
        rounds += 1
    assert rounds >= ideal_seconds(cases * chain, latency=1.0, at_once=at_once, chain=chain)


def test_what_was_not_reached_is_told() -> None:
    assert str(Row("a", "<= 1 s", "0.9 s")) == "| a | <= 1 s | 0.9 s |"
    assert str(Row("a", "<= 1 s", "1.1 s", False)) == "| a | <= 1 s | 1.1 s **(not reached)** |"


def test_nobody_asked_is_no_time() -> None:
    assert busy_seconds({"first": None, "last": None}) == 0.0
    assert busy_seconds({"first": 12.5, "last": 15.0}) == 2.5
