"""What the judge's wavering does to a run's means, and which drops can be told from it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_ragassert.analysis.records.measurement import Measurement
from pytest_ragassert.analysis.regression.comparison import (
    compared,
    fewest_pairs,
    interval_of_change,
    waverings,
)
from pytest_ragassert.analysis.regression.gates import evaluated_gates
from pytest_ragassert.analysis.stats.intervals import bootstrap_interval, mean
from pytest_ragassert.analysis.stats.noise import (
    error_from_flips,
    error_of_differences,
    fewest_cases,
    flip_rate_of_majority,
    flip_rate_of_pairs,
    flip_rate_of_votes,
    smallest_visible,
)
from pytest_ragassert.config.gate_syntax import read_gate

# Student's sleep data (1908): the paired differences of R's `sleep`, whose standard error is 0.389
# (t = 4.0621 for a mean of 1.58).
SLEEP = [1.2, 2.4, 1.3, 1.3, 0.0, 1.0, 1.8, 0.8, 4.6, 1.4]


@given(st.floats(0, 0.5), st.integers(2, 9))
def test_a_flip_rate_is_found_again_from_its_splits(rate: float, votes: int) -> None:
    share = 1 - rate**votes - (1 - rate) ** votes
    found = flip_rate_of_votes(round(share * 10**9), 10**9, votes)
    assert found == pytest.approx(rate, abs=2e-3 if rate > 0.45 else 1e-5)


@pytest.mark.parametrize(
    ("split", "judgements", "votes", "rate"),
    [(0, 10, 3, 0.0), (9, 100, 3, 0.0309), (10, 10, 3, 0.5), (48, 100, 2, 0.4), (1, 2, 2, 0.5)],
)
def test_flip_rates_by_hand(split: int, judgements: int, votes: int, rate: float) -> None:
    assert flip_rate_of_votes(split, judgements, votes) == pytest.approx(rate, abs=1e-4)
    if votes == 2:
        assert flip_rate_of_pairs(split, judgements) == pytest.approx(rate, abs=1e-4)


@pytest.mark.parametrize("given_figures", [(1, 1, 1), (0, 0, 3), (3, 2, 3), (-1, 2, 3)])
def test_what_is_no_share_of_splits_is_an_error(given_figures: tuple[int, int, int]) -> None:
    with pytest.raises(ValueError, match="judgements split by"):
        flip_rate_of_votes(*given_figures)


def test_a_majority_flips_less_and_a_tie_flips() -> None:
    # scipy 1.17.1: binom.sf(1, 3, .1), binom.sf(2, 5, .1), binom.sf(0, 2, .1)
    assert flip_rate_of_majority(0.1, 3) == pytest.approx(0.028)
    assert flip_rate_of_majority(0.1, 5) == pytest.approx(0.00856)
    assert flip_rate_of_majority(0.1, 2) == pytest.approx(0.19)
    assert flip_rate_of_majority(0.1, 1) == pytest.approx(0.1)


def test_the_error_of_student_s_differences() -> None:
    assert error_of_differences(SLEEP) == pytest.approx(1.58 / 4.0621, abs=1e-4)
    with pytest.raises(ValueError, match="two or more differences"):
        error_of_differences([0.5])


def test_the_error_that_flips_make_is_the_one_that_is_drawn() -> None:
    draw, claims, rate = Random(3), [1, 4, 4, 10], 0.1
    means = []
    for _ in range(4000):
        pairs = [
            sum((draw.random() < rate) - (draw.random() < rate) for _ in range(many)) / many
            for many in claims
        ]
        means.append(sum(pairs) / len(claims))
    spread = math.sqrt(sum(one**2 for one in means) / len(means))
    assert error_from_flips(claims, rate) == pytest.approx(spread, rel=0.05)


def test_the_smallest_visible_change() -> None:
    """Cohen's d of .5 at the two-sided 5 % level and a power of .9: z sums to 3.2415, n is 43."""
    assert smallest_visible(1.0) == pytest.approx(3.2415, abs=1e-4)
    assert math.ceil((smallest_visible(1.0) / 0.5) ** 2) == 43
    assert smallest_visible(1.0, level=0.9, power=0.8) == pytest.approx(1.6449 + 0.8416, abs=1e-4)


def test_the_fewest_cases_that_an_interval_sees() -> None:
    few = fewest_cases()
    assert few == 4
    for dropped, seen in ((few - 1, False), (few, True)):
        differences = [-0.25] * dropped + [0.0] * (200 - dropped)
        interval = bootstrap_interval(differences, mean, method="percentile")
        assert (interval.high < 0) == seen


def test_the_fewest_pairs_make_a_common_sign_a_rare_accident() -> None:
    assert [fewest_pairs(level) for level in (0.5, 0.9, 0.95, 0.99)] == [2, 5, 6, 8]
    assert interval_of_change([-1.0] * 5) is None
    interval = interval_of_change([-1.0] * 6)
    assert interval is not None
    assert (interval.low, interval.high) == (-1, -1)


def test_a_run_s_votes_tell_what_it_could_see() -> None:
    """30 claims of ten cases, three votes each."""
    voted = [
        Measurement(f"c{n}", "faithfulness", "j", 1.0, votes=3, judgements=3, split=n % 2 == 0)
        for n in range(10)
    ]
    alone = Measurement("c0", "factual_f1", "j", 1.0)
    vacuous = Measurement("c9", "faithfulness", "j", 1.0, vacuous=True, votes=3, judgements=1)
    ((metric, found),) = waverings([*voted, alone, vacuous]).items()
    assert metric == "faithfulness"
    assert found.rate == pytest.approx(flip_rate_of_votes(5, 30, 3))
    assert found.of_majority == pytest.approx(flip_rate_of_majority(found.rate, 3))
    error = math.sqrt(2 * found.of_majority * (1 - found.of_majority) / 30)
    assert found.error == pytest.approx(error)
    assert found.smallest_drop() == pytest.approx(3.2415 * error, rel=1e-4)


# -- simulated runs --------------------------------------------------------------------------------

GATE = read_gate("drop(faithfulness) <= 0.02")


class Judged:
    """Runs over the same cases, of which each claim's verdict flips with a chance."""

    def __init__(self, seed: int, cases: int, claims: int, flip: float) -> None:
        self._draw = Random(seed).random
        self._claims = claims
        self._flip = flip
        self.truth = [[self._draw() < 0.9 for _ in range(claims)] for _ in range(cases)]

    def worse(self, drop: float) -> list[list[bool]]:
        """The truth with a share `drop` of all claims no longer supported."""
        chance = drop / 0.9
        return [[one and self._draw() >= chance for one in claims] for claims in self.truth]

    def run(self, truth: Sequence[Sequence[bool]]) -> list[Measurement]:
        return [
            Measurement(f"c{n}", "faithfulness", "j", sum(self._seen(one) for one in claims)
                        / self._claims)
            for n, claims in enumerate(truth)
        ]  # fmt: skip

    def _seen(self, one: bool) -> bool:
        return one != (self._draw() < self._flip)


def fired(runs: int, cases: int, claims: int, *, drop: float = 0.0, flip: float = 0.03) -> float:
    """The share of pairs of runs in which the gate finds a drop."""
    count = 0
    for seed in range(runs):
        judged = Judged(seed, cases, claims, flip)
        before, after = judged.run(judged.truth), judged.run(judged.worse(drop))
        (held,) = evaluated_gates([GATE], after, compared(before, after))
        count += not held.passed
    return count / runs


@pytest.fixture(autouse=True)
def _fewer_resamples(monkeypatch: pytest.MonkeyPatch) -> None:
    """As many as tell 95 % intervals from 0, so that hundreds of runs take seconds."""
    monkeypatch.setattr("pytest_ragassert.analysis.regression.comparison.RESAMPLES", 300)


@pytest.mark.parametrize(
    ("cases", "claims", "flip"), [(6, 4, 0.1), (12, 2, 0.1), (40, 4, 0.03), (40, 1, 0.03)]
)
def test_without_a_change_the_gate_fires_in_at_most_5_of_100_runs(
    cases: int, claims: int, flip: float
) -> None:
    # three standard errors of the simulation, of a share of .05 in 300 runs, are .038
    assert fired(300, cases, claims, flip=flip) <= 0.05 + 0.02


def test_a_drop_of_5_points_is_caught_in_9_of_10_runs_and_of_a_binary_metric_is_not() -> None:
    """200 cases. With one claim a case, which is right or wrong, 200 say too little."""
    assert fired(40, 200, 4, drop=0.05) >= 0.9
    assert fired(40, 200, 1, drop=0.05) < 0.85
    assert fired(40, 200, 4) <= 0.05 + 0.05


def test_of_very_many_cases_nothing_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr("pytest_ragassert.analysis.regression.comparison.bootstrap_interval")
    many = interval_of_change([0.0, -0.1] * 5000)
    assert many is not None
    assert many.method == "normal"
    assert many.estimate == pytest.approx(-0.05)
    assert many.high < -0.048
