"""Intervals of shares, also of 0 and 1, where resamples are all alike and say nothing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist

from .bootstrap import LEVEL


def wilson_interval(share: float, n: int, level: float = LEVEL) -> tuple[float, float]:
    """The limits of a share of `n` independent units (Wilson 1927).

    Args:
        share: in [0, 1]; of units that are themselves shares, their mean.
        n: 1 or more.
    """
    z2 = NormalDist().inv_cdf((1 + level) / 2) ** 2
    centre = (share + z2 / (2 * n)) / (1 + z2 / n)
    reach = math.sqrt(z2 / n * (share * (1 - share) + z2 / (4 * n))) / (1 + z2 / n)
    # rounding must not leave the figure itself outside
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
