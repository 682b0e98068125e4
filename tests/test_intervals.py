"""Bootstrap intervals, against a textbook's and scipy's figures, and by rules over all inputs."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_ragassert.analysis.stats.intervals import (
    Interval,
    Method,
    bca_limits,
    bootstrap_interval,
    mean,
    normal_interval,
    paired_difference,
    percentile_limits,
    quantile,
)

# The spatial test data, column A, of Efron and Tibshirani (1993), table 14.1.
SPATIAL = [48, 36, 20, 29, 42, 42, 20, 42, 22, 41, 45, 14, 6, 0, 33, 28, 34, 4, 32, 24, 47, 41, 24,
           26, 30, 41]  # fmt: skip
figures = st.lists(st.integers(-20, 20).map(lambda n: n / 4), min_size=2, max_size=12)


def variance(values: Sequence[float]) -> float:
    centre = sum(values) / len(values)
    return sum((value - centre) ** 2 for value in values) / len(values)


def test_the_textbook_s_example() -> None:
    """Its table 14.2: 171.5, percentile [100.8, 233.9], BCa [115.8, 259.6] of 2,000 resamples."""
    percentile = bootstrap_interval(SPATIAL, variance, level=0.9, method="percentile")
    corrected = bootstrap_interval(SPATIAL, variance, level=0.9, resamples=20_000)
    assert percentile.estimate == pytest.approx(171.5, abs=0.05)
    assert percentile.low == pytest.approx(100.8, abs=5)
    assert percentile.high == pytest.approx(233.9, abs=5)
    assert corrected.low == pytest.approx(115.8, abs=5)
    assert corrected.high == pytest.approx(259.6, abs=15)


# scipy.stats.intervals 1.17.1 of the same 2,000 resamples (bootstrap_result=, n_resamples=0)
@pytest.mark.parametrize(
    ("method", "level", "low", "high"),
    [
        ("bca", 0.9, 117.71477776243256, 274.3643620795962),
        ("bca", 0.95, 107.71802491866634, 297.73263711193954),
        ("percentile", 0.9, 97.5623520710059, 233.86678994082837),
        ("percentile", 0.95, 81.24275147928996, 252.0197115384616),
    ],
)
def test_scipy_s_limits(method: Method, level: float, low: float, high: float) -> None:
    found = bootstrap_interval(SPATIAL, variance, level=level, method=method)
    assert [found.low, found.high] == pytest.approx([low, high])
    assert (found.resamples, found.method, found.level) == (2000, method, level)


def test_the_limits_hold_the_true_mean_as_often_as_they_say() -> None:
    draw = Random(7)
    held = 0
    for trial in range(200):
        sample = [draw.expovariate(1) for _ in range(40)]
        held += bootstrap_interval(sample, mean, resamples=300, seed=trial).holds(1.0)
    assert 0.88 <= held / 200 <= 0.98


def test_whole_clusters_are_drawn() -> None:
    """Ten answers of ten equal claims each say as much as ten claims, not as a hundred."""
    answers = [float(number % 2) for number in range(10)]
    claims = [one for one in answers for _ in range(10)]
    owners = [number for number in range(10) for _ in range(10)]
    alone = bootstrap_interval(claims, mean)
    together = bootstrap_interval(claims, mean, clusters=owners)
    of_answers = bootstrap_interval(answers, mean)
    assert (together.low, together.high) == (of_answers.low, of_answers.high)
    assert together.high - together.low > 2.5 * (alone.high - alone.low)


def test_pairs_are_drawn_together() -> None:
    """What is hard for both judges is no difference between them."""
    hard = [number / 50 for number in range(50)]
    better = [value + 0.1 + 0.02 * (place % 2) for place, value in enumerate(hard)]
    found = paired_difference(better, hard, mean)
    assert found.estimate == pytest.approx(0.11)
    assert 0.10 < found.low < found.high < 0.12
    apart = bootstrap_interval(hard, mean)
    assert apart.high - apart.low > 10 * (found.high - found.low)


def test_undefined_resamples_are_left_out() -> None:
    units = [True, True, False]

    def share_where_any(drawn: Sequence[bool]) -> float | None:
        return sum(drawn) / len(drawn) if any(drawn) else None

    found = bootstrap_interval(units, share_where_any, resamples=500)
    assert 450 < found.resamples < 500  # (1/3)^3 of them hold no True
    assert found.low >= 1 / 3


def test_skewness_of_many_units_is_estimated_by_parts() -> None:
    """Near scipy's limits, which leaves out each of the 1,000 alone, of the same resamples."""
    draw = Random(3)
    found = bootstrap_interval([draw.expovariate(1) ** 3 for _ in range(1000)], mean)
    assert found.low == pytest.approx(4.441018805233161, rel=0.01)
    assert found.high == pytest.approx(6.888373716680251, rel=0.01)


def test_figures_equal_to_the_estimate_count_half() -> None:
    """As scipy counts them; few units of 0 and 1 have many such resamples."""
    units = [1.0, 1, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1]
    found = bootstrap_interval(units, mean)
    assert [found.low, found.high] == pytest.approx([1 / 3, 5 / 6])


@pytest.mark.parametrize(
    ("units", "options", "says"),
    [
        ([1.0], {}, "two or more units, not 1"),
        ([], {}, "two or more units, not 0"),
        ([1.0, 2.0], {"clusters": ["a", "a"]}, "two or more clusters of units, not 1"),
        ([1.0, 2.0], {"clusters": ["a"]}, "2 units and 1 clusters"),
        ([1.0, 2.0], {"level": 1.0}, "level is 1.0"),
        ([1.0, 2.0], {"level": math.nan}, "level is nan"),
        ([1.0, 2.0], {"resamples": 0}, "resamples is 0"),
        ([1.0, 2.0], {"method": "basic"}, "valid are bca, percentile"),
    ],
)
def test_what_has_no_interval(units: list[float], options: dict[str, Any], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        bootstrap_interval(units, mean, **options)


def test_a_figure_that_is_not_defined_has_no_interval() -> None:
    with pytest.raises(ValueError, match="not defined for these units"):
        bootstrap_interval([1.0, 2.0], lambda units: None)
    with pytest.raises(ValueError, match="not defined for any resample"):
        bootstrap_interval([1.0, 2.0], lambda u: 1.0 if u == [1.0, 2.0] else None, resamples=1)
    with pytest.raises(ValueError, match="3 and 2 units can't be paired"):
        paired_difference([1.0, 2.0, 3.0], [1.0, 2.0], mean)


@settings(max_examples=60)
@given(figures, st.integers(0, 5), st.sampled_from(["bca", "percentile"]))
def test_rules_of_an_interval(values: list[float], seed: int, method: Method) -> None:
    def found(of: list[float], level: float = 0.9) -> Interval:
        return bootstrap_interval(of, mean, seed=seed, method=method, level=level, resamples=60)

    interval = found(values)
    assert interval == found(values)
    assert min(values) <= interval.low <= interval.high <= max(values)
    wider = found(values, 0.99)
    if wider.method == interval.method:
        assert wider.low <= interval.low
        assert wider.high >= interval.high
    moved = found([value + 8 for value in values])
    assert moved.low == pytest.approx(interval.low + 8)
    assert moved.high == pytest.approx(interval.high + 8)


@settings(max_examples=60)
@given(figures, st.data())
def test_rules_of_a_difference(values: list[float], data: st.DataObject) -> None:
    others = data.draw(st.lists(st.sampled_from(values), min_size=len(values),
                                max_size=len(values)))  # fmt: skip
    one = paired_difference(values, others, mean, resamples=60, method="percentile")
    back = paired_difference(others, values, mean, resamples=60, method="percentile")
    assert [one.low, one.high] == pytest.approx([-back.high, -back.low])
    same = paired_difference(values, values, mean, resamples=60)
    assert (same.estimate, same.low, same.high) == (0, 0, 0)


@given(st.lists(st.integers(0, 9).map(float), min_size=1, max_size=30), st.floats(0.5, 0.99))
def test_rules_of_limits(drawn: list[float], level: float) -> None:
    low, high = percentile_limits(drawn, level)
    assert min(drawn) <= low <= high <= max(drawn)
    middle = sorted(drawn)[len(drawn) // 2]
    corrected = bca_limits(drawn, middle, [], level)
    if corrected is not None:
        assert min(drawn) <= corrected[0] <= corrected[1] <= max(drawn)
    assert bca_limits(drawn, max(drawn) + 1, [], level) is None


def test_the_bootstrap_of_many_means_comes_to_the_normal_distribution() -> None:
    draw = Random(3).random
    values = [draw() ** 2 for _ in range(500)]
    drawn = bootstrap_interval(values, mean, resamples=1000, method="percentile")
    known = normal_interval(values)
    width = known.high - known.low
    assert known.estimate == pytest.approx(drawn.estimate)
    assert known.low == pytest.approx(drawn.low, abs=width / 15)
    assert known.high == pytest.approx(drawn.high, abs=width / 15)
    assert normal_interval([0.25] * 3).low == normal_interval([0.25] * 3).high == 0.25
    with pytest.raises(ValueError, match="two or more values"):
        normal_interval([1.0])


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30), st.floats(0, 100))
def test_quantiles_are_those_of_the_standard_library(values: list[float], share: float) -> None:
    ordered = sorted(values)
    assert ordered[0] <= quantile(ordered, share / 100) <= ordered[-1]
    if len(values) > 1:
        tenths = statistics.quantiles(values, n=10, method="inclusive")
        assert quantile(ordered, 0.1) == pytest.approx(tenths[0])
        assert quantile(ordered, 0.5) == pytest.approx(statistics.median(values))
