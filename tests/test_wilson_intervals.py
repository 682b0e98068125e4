"""Intervals of shares: known figures, and rules over all inputs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_ragassert.analysis.stats.intervals import interval_of_mean, wilson_interval

shares, counts = st.floats(0, 1), st.integers(1, 10_000)


def test_known_figures() -> None:
    # Newcombe (1998), table I: 81 of 263, 15 of 148, 0 of 20, 1 of 29
    for part, n, low, high in (
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ):
        assert wilson_interval(part / n, n) == pytest.approx((low, high), abs=5e-5)


def test_three_of_three_say_little() -> None:
    low, high = wilson_interval(1, 3)
    assert low == pytest.approx(0.4385, abs=1e-4)
    assert high == 1


@given(shares, counts)
def test_it_holds_the_share_and_never_is_a_point(share: float, n: int) -> None:
    low, high = wilson_interval(share, n)
    assert 0 <= low <= share <= high <= 1
    assert low < high
    wider = wilson_interval(share, n, 0.99)
    # but for rounding
    assert wider[0] <= low + 1e-12
    assert high <= wider[1] + 1e-12


@given(st.lists(st.tuples(shares, counts), min_size=1, max_size=4))
def test_the_interval_of_a_mean_holds_it(parts: list[tuple[float, int]]) -> None:
    low, high = interval_of_mean(parts)
    mean = sum(share for share, _ in parts) / len(parts)
    assert low <= mean + 1e-12
    assert mean - 1e-12 <= high
    assert low < high


def test_the_mean_of_one_is_its_own() -> None:
    assert interval_of_mean([(0.4, 20)]) == pytest.approx(wilson_interval(0.4, 20))
