"""Intervals: how far the true figure may be from the measured one, by chance alone.

A bootstrap for any figure; Wilson's interval for shares, including 0 and 1, for which all resamples
are equal and show nothing.

The bootstrap draws with replacement. It draws whole clusters if units belong together (claims of
one answer), because such units are similar and their number suggests too much precision. Each
function gives the same interval for the same arguments, on any machine and Python version.

Source of both bootstrap methods: Efron and Tibshirani, An Introduction to the Bootstrap (1993),
chapters 13 and 14.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from random import Random
from statistics import NormalDist
from typing import Literal, TypeVar

from .noise import error_of_differences

Unit = TypeVar("Unit")
# A figure of units; None if it is not defined for them, such as recall without positives.
Statistic = Callable[[Sequence[Unit]], "float | None"]
Method = Literal["bca", "percentile"]
IntervalMethod = Literal["bca", "percentile", "normal"]

LEVEL, RESAMPLES, SEED = 0.95, 2000, 0
# The number of parts that are left out in turn to measure the figure's skewness. If there are more
# clusters, several are left out at once, which is faster and gives the same estimate.
_MOST_LEFT_OUT = 200
_NORMAL = NormalDist()


@dataclass(frozen=True)
class Interval:
    """A figure and the interval around it.

    Attributes:
        estimate: the figure of all units.
        low, high: the limits.
        level: how often such intervals contain the true figure, in (0, 1).
        resamples: the number of resamples for which the figure is defined; 0 for the normal
            distribution.
        method: `percentile` even if `bca` was asked for but is not defined, usually because all
            resamples are on one side of the estimate.
    """

    estimate: float
    low: float
    high: float
    level: float
    resamples: int
    method: IntervalMethod

    def holds(self, value: float) -> bool:
        """Whether the value is within the limits, limits included."""
        return self.low <= value <= self.high


def mean(values: Sequence[float]) -> float | None:
    """The arithmetic mean; None without values."""
    return math.fsum(values) / len(values) if values else None


def quantile(ordered: Sequence[float], share: float) -> float:
    """A quantile of sorted values, by linear interpolation between the two nearest (R's type 7).

    Args:
        share: in [0, 1].
    """
    place = share * (len(ordered) - 1)
    lower = math.floor(place)
    upper = min(lower + 1, len(ordered) - 1)
    return ordered[lower] + (ordered[upper] - ordered[lower]) * (place - lower)


def bootstrap_interval(
    units: Sequence[Unit],
    statistic: Statistic[Unit],
    *,
    clusters: Sequence[Hashable] | None = None,
    level: float = LEVEL,
    resamples: int = RESAMPLES,
    seed: int = SEED,
    method: Method = "bca",
) -> Interval:
    """Compute the bootstrap interval of a statistic.

    Args:
        clusters: for each unit, what it belongs to, such as a case's id. Default: every unit is
            independent.
        level: in (0, 1).
        resamples: the number of resamples, at least 1.
        seed: the seed of the random numbers.
        method: `bca` corrects bias and skewness, `percentile` uses the resamples as they are.

    Raises:
        ValueError: there are fewer than two clusters; the statistic is not defined for the units,
            or for any resample; or an argument is out of range.
    """
    groups = _grouped(units, clusters)
    if len(groups) < 2:
        things = "units" if clusters is None else "clusters of units"
        raise ValueError(f"an interval needs two or more {things}, not {len(groups)}")
    if not 0 < level < 1:
        raise ValueError(f"level is {level!r}, not between 0 and 1")
    if resamples < 1:
        raise ValueError(f"resamples is {resamples!r}, not 1 or more")
    if method not in ("bca", "percentile"):
        raise ValueError(f"method is {method!r}; valid are bca, percentile")
    estimate = statistic(units)
    if estimate is None:
        raise ValueError("the statistic is not defined for these units")
    drawn = _resampled(groups, statistic, resamples, seed)
    if not drawn:
        raise ValueError("the statistic is not defined for any resample of these units")
    if method == "bca":
        limits = bca_limits(drawn, estimate, _leaving_out(groups, statistic), level)
        if limits is not None:
            return Interval(estimate, *limits, level, len(drawn), "bca")
    low, high = percentile_limits(drawn, level)
    return Interval(estimate, low, high, level, len(drawn), "percentile")


def normal_interval(values: Sequence[float], level: float = LEVEL) -> Interval:
    """Compute the interval of the mean by the normal distribution, a limit for many resamples.

    Raises:
        ValueError: there are fewer than two values.
    """
    if len(values) < 2:
        raise ValueError(f"an interval needs two or more values, not {len(values)}")
    centre = math.fsum(values) / len(values)
    reach = _NORMAL.inv_cdf((1 + level) / 2) * error_of_differences(values)
    return Interval(centre, centre - reach, centre + reach, level, 0, "normal")


def paired_difference(
    first: Sequence[Unit],
    second: Sequence[Unit],
    statistic: Statistic[Unit],
    *,
    clusters: Sequence[Hashable] | None = None,
    level: float = LEVEL,
    resamples: int = RESAMPLES,
    seed: int = SEED,
    method: Method = "bca",
) -> Interval:
    """Compute the interval of statistic(first) - statistic(second), for paired units.

    Both sides are resampled together, so that what is hard for both makes no difference: two
    judges on the same claims, or two runs of the same cases. Arguments as in `bootstrap_interval`.

    Raises:
        ValueError: the sides differ in length, or as in `bootstrap_interval`.
    """
    if len(first) != len(second):
        raise ValueError(f"{len(first)} and {len(second)} units can't be paired")

    def difference(pairs: Sequence[tuple[Unit, Unit]]) -> float | None:
        one = statistic([pair[0] for pair in pairs])
        other = statistic([pair[1] for pair in pairs])
        return None if one is None or other is None else one - other

    return bootstrap_interval(
        list(zip(first, second, strict=True)),
        difference,
        clusters=clusters,
        level=level,
        resamples=resamples,
        seed=seed,
        method=method,
    )


def percentile_limits(drawn: Sequence[float], level: float) -> tuple[float, float]:
    """The limits of the middle part, of size `level`, of the resamples' figures."""
    ordered = sorted(drawn)
    tail = (1 - level) / 2
    return quantile(ordered, tail), quantile(ordered, 1 - tail)


def bca_limits(
    drawn: Sequence[float], estimate: float, left_out: Sequence[float], level: float
) -> tuple[float, float] | None:
    """Percentiles corrected for bias and skewness (Efron and Tibshirani, formulas 14.9 to 14.15).

    Args:
        drawn: the resamples' figures.
        left_out: the figures without one part of the units, for each part in turn.

    Returns:
        None if all of `drawn` are above or below the estimate, or the skewness is too great.
    """
    ordered = sorted(drawn)
    # figures equal to the estimate count half, which matters if there are few distinct ones
    below = sum((one < estimate) + (one <= estimate) for one in ordered) / (2 * len(ordered))
    if not 0 < below < 1:
        return None
    bias = _NORMAL.inv_cdf(below)
    skewness = _acceleration(left_out)

    limits = []
    for share in ((1 - level) / 2, (1 + level) / 2):
        reach = bias + _NORMAL.inv_cdf(share)
        if skewness * reach >= 1:  # beyond this the formula reverses the limits
            return None
        moved = _NORMAL.cdf(bias + reach / (1 - skewness * reach))
        limits.append(quantile(ordered, moved))
    return limits[0], limits[1]


def _acceleration(left_out: Sequence[float]) -> float:
    if len(left_out) < 2:
        return 0.0
    centre = math.fsum(left_out) / len(left_out)
    gaps = [centre - one for one in left_out]
    spread = math.fsum(gap**2 for gap in gaps)
    # differences between equal figures are rounding errors
    if spread <= len(gaps) * (1e-12 * max(1.0, abs(centre))) ** 2:
        return 0.0
    return math.fsum(gap**3 for gap in gaps) / (6 * spread * math.sqrt(spread))


def _grouped(units: Sequence[Unit], clusters: Sequence[Hashable] | None) -> list[list[Unit]]:
    if clusters is None:
        return [[unit] for unit in units]
    if len(clusters) != len(units):
        raise ValueError(f"{len(units)} units and {len(clusters)} clusters can't be paired")
    groups: dict[Hashable, list[Unit]] = {}
    for unit, cluster in zip(units, clusters, strict=True):
        groups.setdefault(cluster, []).append(unit)
    return list(groups.values())


def _resampled(
    groups: list[list[Unit]], statistic: Statistic[Unit], resamples: int, seed: int
) -> list[float]:
    # Only random() is guaranteed to give the same numbers in every version of Python.
    draw, count = Random(seed).random, len(groups)
    drawn = []
    for _ in range(resamples):
        chosen = [groups[int(draw() * count)] for _ in range(count)]
        figure = statistic([unit for group in chosen for unit in group])
        if figure is not None:
            drawn.append(figure)
    return drawn


def _leaving_out(groups: list[list[Unit]], statistic: Statistic[Unit]) -> list[float]:
    parts = min(len(groups), _MOST_LEFT_OUT)
    figures = []
    for part in range(parts):
        kept = (group for place, group in enumerate(groups) if place % parts != part)
        figure = statistic([unit for group in kept for unit in group])
        if figure is not None:
            figures.append(figure)
    return figures


def wilson_interval(share: float, n: int, level: float = LEVEL) -> tuple[float, float]:
    """The limits of a share of `n` independent units (Wilson 1927).

    Args:
        share: in [0, 1]; if the units are shares themselves, their mean.
        n: at least 1.
    """
    z2 = NormalDist().inv_cdf((1 + level) / 2) ** 2
    centre = (share + z2 / (2 * n)) / (1 + z2 / n)
    reach = math.sqrt(z2 / n * (share * (1 - share) + z2 / (4 * n))) / (1 + z2 / n)
    # the figure itself must be inside despite rounding
    return max(0.0, min(share, centre - reach)), min(1.0, max(share, centre + reach))


def interval_of_mean(
    shares: Sequence[tuple[float, int]], level: float = LEVEL
) -> tuple[float, float]:
    """The limits of the mean of independent shares, from the limits of each.

    "Square and add" (Newcombe 1998; Zou and Donner 2008).

    Args:
        shares: each with its number of units.
    """
    count = len(shares)
    mean = math.fsum(share for share, _ in shares) / count
    limits = [(share, *wilson_interval(share, n, level)) for share, n in shares]
    below = math.hypot(*(share - low for share, low, _ in limits)) / count
    above = math.hypot(*(high - share for share, _, high in limits)) / count
    return max(0.0, mean - below), min(1.0, mean + above)
