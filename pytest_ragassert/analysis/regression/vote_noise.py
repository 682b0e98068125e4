"""How often a run's votes waver, metric by metric, and what that hides of a mean."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ..records.measurement import Measurement
from ..stats.noise import (
    LEVEL,
    error_from_flips,
    flip_rate_of_majority,
    flip_rate_of_votes,
    smallest_visible,
)


@dataclass(frozen=True)
class Wavering:
    """A metric's votes.

    Attributes:
        rate: the chance that one sample of a judgement is on the lesser side, in [0, 0.5].
        of_majority: the chance that the majority is.
        error: the standard error of the difference of two such runs' means.
    """

    rate: float
    of_majority: float
    error: float

    def smallest_drop(self, level: float = LEVEL) -> float:
        """The smallest drop that 9 of 10 such runs tell from the judge's wavering alone."""
        return min(1.0, smallest_visible(self.error, level))


def waverings(measurements: Iterable[Measurement]) -> dict[str, Wavering]:
    """By metric, in alphabetical order; those without several votes are left out."""
    by_metric: dict[str, list[Measurement]] = {}
    for one in measurements:
        if one.counts and one.votes > 1 and one.judgements:
            by_metric.setdefault(one.metric, []).append(one)
    return {metric: _wavering(of_it) for metric, of_it in sorted(by_metric.items())}


def _wavering(voted: list[Measurement]) -> Wavering:
    whole = sum(one.judgements for one in voted)
    rate = majority = 0.0
    for votes in sorted({one.votes for one in voted}):
        own = [one for one in voted if one.votes == votes]
        judgements = sum(one.judgements for one in own)
        flips = flip_rate_of_votes(sum(one.split for one in own), judgements, votes)
        rate += flips * judgements / whole
        majority += flip_rate_of_majority(flips, votes) * judgements / whole
    error = error_from_flips([one.judgements for one in voted], min(0.5, majority))
    return Wavering(rate, majority, error)
