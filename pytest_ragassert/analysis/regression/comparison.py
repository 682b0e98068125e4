"""Compares two runs: means with intervals, changed cases and claims, and the noise of votes."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean

from ...language.number_format import TOLERANCE
from ..records.measurement import CRITERION, MeasuredClaim, Measurement
from ..stats.intervals import RESAMPLES, Interval, bootstrap_interval, mean, normal_interval
from ..stats.noise import (
    LEVEL,
    error_from_flips,
    error_of_differences,
    fewest_cases,
    flip_rate_of_majority,
    flip_rate_of_pairs,
    flip_rate_of_votes,
    smallest_visible,
)

_NORMAL_FROM = 10_000  # pairs; with more, the bootstrap is no better than the formula
_MOST_DRAWN = 2_000_000  # figures in all resamples of a metric together


@dataclass(frozen=True)
class ClaimChanges:
    """How a case's claims changed; claims are the same if source and text are.

    Attributes:
        flipped: the claims whose verdict changed, each with the verdict before; `by_hand` if either
            verdict is an override, `carried` if either was carried over from other passages.
        same: the number of claims with the same verdict, given by the judge both times.
    """

    flipped: tuple[tuple[str, MeasuredClaim], ...]
    new: tuple[MeasuredClaim, ...]
    vanished: tuple[MeasuredClaim, ...]
    same: int

    @property
    def by_hand(self) -> int:
        """The number of flips that are due to an override."""
        return sum(claim.by_hand for _, claim in self.flipped)

    @property
    def flipped_by_judge(self) -> int:
        """The number of flips by the judge, which was asked both times."""
        return sum(claim.is_judges for _, claim in self.flipped)


@dataclass(frozen=True)
class Change:
    """The results of one case and metric in both runs."""

    before: Measurement
    after: Measurement

    @property
    def difference(self) -> float:
        """The score after minus the score before; negative if it got worse."""
        return self.after.value - self.before.value

    @property
    def worse(self) -> bool:
        return self.difference < -TOLERANCE

    @property
    def better(self) -> bool:
        return self.difference > TOLERANCE

    @cached_property
    def inputs(self) -> tuple[str, ...]:
        """The inputs that differ; if none differ and the judge is the same, the judgement did."""
        names = (*self.before.inputs, *self.after.inputs)
        differ = [
            name
            for name in dict.fromkeys(names)
            if self.before.inputs.get(name) != self.after.inputs.get(name)
        ]
        other = _criteria(self.before) != _criteria(self.after)
        return (*differ, *(["criteria"] if other else []))

    @cached_property
    def claims(self) -> ClaimChanges:
        return _claim_changes(self.before.claims, self.after.claims)

    @property
    def same(self) -> bool:
        """Whether neither the score nor the label nor any claim changed."""
        claims = self.claims
        moved = claims.flipped or claims.new or claims.vanished
        return not (self.worse or self.better or moved or self.before.label != self.after.label)


@dataclass(frozen=True)
class MetricChange:
    """A metric's changes over all cases that both runs measured."""

    metric: str
    changes: tuple[Change, ...]

    @cached_property
    def differences(self) -> list[float]:
        return [change.difference for change in self.changes]

    @property
    def before(self) -> float:
        return fmean(change.before.value for change in self.changes)

    @property
    def after(self) -> float:
        return fmean(change.after.value for change in self.changes)

    def interval(self, level: float = LEVEL) -> Interval | None:
        return interval_of_change(self.differences, level)

    @property
    def flip_rate(self) -> float | None:
        """The flip rate of claims that the same judge judged twice; None if there are none."""
        again = [c for c in self.changes if not c.inputs and c.before.judge == c.after.judge]
        # overrides and carried verdicts say nothing about how the judge varies
        flipped = sum(change.claims.flipped_by_judge for change in again)
        pairs = flipped + sum(change.claims.same for change in again)
        return flip_rate_of_pairs(flipped, pairs) if pairs else None

    def smallest_drop(self, level: float = LEVEL) -> float | None:
        """The smallest drop of the mean that these cases show in 90 of 100 runs.

        It is computed from the spread of the differences, and from the flip rates of claims judged
        again or of votes, if known; the larger result counts. It is never less than what the fewest
        cases that an interval can detect make, each by its smallest step.
        """
        if len(self.changes) < fewest_pairs(level):
            return None
        error = error_of_differences(self.differences)
        voted = waverings(change.after for change in self.changes)
        error = max([error, *(one.error for one in voted.values())])
        if (rate := self.flip_rate) is not None:
            error = max(error, error_from_flips([len(c.after.claims) for c in self.changes], rate))
        step = min(1 / max(1, len(change.after.claims)) for change in self.changes)
        least = min(fewest_cases(level), len(self.changes)) * step / len(self.changes)
        return min(1.0, max(smallest_visible(error, level), least))


@dataclass(frozen=True)
class Comparison:
    """What changed from one run to another.

    Attributes:
        metrics: the metrics that both runs measured, by name.
        without: measurements only in the new run, or of cases whose inputs all changed.
        gone: measurements only in the old run, or of cases whose inputs all changed.
        ambiguous: keys with several different measurements in one run; these are not compared.
    """

    metrics: Mapping[str, MetricChange]
    without: tuple[Measurement, ...]
    gone: tuple[Measurement, ...]
    ambiguous: tuple[tuple[str, str, str], ...]

    @property
    def changes(self) -> Iterator[Change]:
        for metric in self.metrics.values():
            yield from metric.changes

    @property
    def cases(self) -> int:
        """The number of compared cases."""
        return len({change.after.case for change in self.changes})


def compared(
    before: Iterable[Measurement], after: Iterable[Measurement], *, judges_too: bool = True
) -> Comparison:
    """Compare two runs.

    Args:
        judges_too: whether only results of the same judge are compared; results of a judge without
            results in the other run are ignored.
    """
    new, twice_now = _by_key(after, judges_too)
    asked = {one.judge for one in new.values()}
    known = (one for one in before if not (judges_too and asked) or one.judge in asked)
    old, twice = _by_key(known, judges_too)
    ambiguous = {*twice, *twice_now}
    both = old.keys() & new.keys() - ambiguous
    renamed = {key for key in both if _is_another(old[key], new[key])}
    pairs = [Change(old[key], new[key]) for key in sorted(both - renamed)]
    by_metric: dict[str, list[Change]] = {}
    for change in pairs:
        by_metric.setdefault(change.after.metric, []).append(change)
    return Comparison(
        {name: MetricChange(name, tuple(by_metric[name])) for name in sorted(by_metric)},
        tuple(new[key] for key in sorted(new.keys() - (both - renamed) - ambiguous)),
        tuple(old[key] for key in sorted(old.keys() - (both - renamed) - ambiguous)),
        tuple(sorted(ambiguous)),
    )


def fewest_pairs(level: float = LEVEL) -> int:
    """How many cases an interval of a change needs.

    With fewer, even a drop in all of them is likely enough by chance: n random differences all have
    the same sign with probability 2 * 0.5^n, which must not exceed 1 - level.
    """
    return math.ceil(round(math.log2(2 / (1 - level)), 9))


def interval_of_change(differences: Sequence[float], level: float = LEVEL) -> Interval | None:
    """The paired bootstrap interval of the mean difference; None if there are too few pairs.

    Percentiles are used; with few distinct figures they tend to show no change.
    """
    if len(differences) < fewest_pairs(level):
        return None
    if len(differences) >= _NORMAL_FROM:
        return normal_interval(differences, level)
    resamples = max(200, min(RESAMPLES, _MOST_DRAWN // len(differences)))
    return bootstrap_interval(
        differences, mean, level=level, resamples=resamples, method="percentile"
    )


def _by_key(
    measurements: Iterable[Measurement], judges_too: bool
) -> tuple[dict[tuple[str, str, str], Measurement], set[tuple[str, str, str]]]:
    """The measurements that count, and the keys with several different results."""
    found: dict[tuple[str, str, str], Measurement] = {}
    ambiguous = set()
    for one in measurements:
        if not one.counts:
            continue
        key = one.key if judges_too else (one.case, one.metric, "")
        known = found.setdefault(key, one)
        if known.content != one.content:
            ambiguous.add(key)
    return found, ambiguous


def _is_another(before: Measurement, after: Measurement) -> bool:
    """Whether all inputs differ: ids made from positions in a file name other cases after one is
    inserted."""
    names = before.inputs.keys() & after.inputs.keys() & {"question", "references", "answer"}
    known = [name for name in names if before.inputs[name] or after.inputs[name]]
    differ = all(before.inputs[name] != after.inputs[name] for name in known)
    return len(known) > 1 and "question" in known and differ


def _criteria(measured: Measurement) -> set[str]:
    return {one.text for one in measured.claims if one.source == CRITERION}


def _claim_changes(before: Sequence[MeasuredClaim], after: Sequence[MeasuredClaim]) -> ClaimChanges:
    # a text may occur in several sentences: the n-th there corresponds to the n-th here
    old, new = _numbered(before), _numbered(after)
    both = [(old[key], new[key]) for key in new if key in old]
    return ClaimChanges(
        flipped=tuple(
            (
                was.verdict,
                now._replace(
                    by_hand=was.by_hand or now.by_hand, carried=was.carried or now.carried
                ),
            )
            for was, now in both
            if was.verdict != now.verdict
        ),
        new=tuple(claim for key, claim in new.items() if key not in old),
        vanished=tuple(claim for key, claim in old.items() if key not in new),
        same=sum(
            was.verdict == now.verdict and was.is_judges and now.is_judges for was, now in both
        ),
    )


def _numbered(claims: Sequence[MeasuredClaim]) -> dict[tuple[str, str, int], MeasuredClaim]:
    seen: Counter[tuple[str, str]] = Counter()
    numbered = {}
    for claim in claims:
        name = claim.source, " ".join(claim.text.split())
        numbered[(*name, seen[name])] = claim
        seen[name] += 1
    return numbered


@dataclass(frozen=True)
class Wavering:
    """How much a metric's votes vary.

    Attributes:
        rate: the probability that one sample of a judgement is in the minority, in [0, 0.5].
        of_majority: the probability that the majority is wrong.
        error: the standard error of the difference of two such runs' means.
    """

    rate: float
    of_majority: float
    error: float

    def smallest_drop(self, level: float = LEVEL) -> float:
        """The smallest drop that 9 of 10 such runs distinguish from the judge's variation."""
        return min(1.0, smallest_visible(self.error, level))


def waverings(measurements: Iterable[Measurement]) -> dict[str, Wavering]:
    """By metric, in alphabetical order; metrics without several votes are left out."""
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
