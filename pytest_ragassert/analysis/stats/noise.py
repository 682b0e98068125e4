"""Noise of a judge: its part of a difference between two runs, and the smallest visible drop.

A *flip* is a judgement (of a claim, a passage, an answer) that comes out otherwise when the same
question is asked again.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist, fmean

LEVEL, POWER = 0.95, 0.9
_NORMAL = NormalDist()


def flip_rate_of_votes(split: int, judgements: int, votes: int) -> float:
    """The chance that one sample of a judgement is on the lesser side, in [0, 0.5].

    It is the q of `split / judgements = 1 - q^n - (1 - q)^n` for n votes, the chance that n samples
    of two outcomes are not all alike; judgements are taken to waver alike.

    Raises:
        ValueError: fewer than two votes, no judgement, or more split than there are.
    """
    if votes < 2 or judgements < 1 or not 0 <= split <= judgements:
        raise ValueError(f"{split} of {judgements} judgements split by {votes} votes")
    share = split / judgements
    low, high = 0.0, 0.5
    if split == 0:
        return low
    if share >= 1 - 0.5 ** (votes - 1):
        return high
    for _ in range(60):
        middle = (low + high) / 2
        if 1 - middle**votes - (1 - middle) ** votes < share:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def flip_rate_of_pairs(differing: int, pairs: int) -> float:
    """The same from judgements that were made twice: the q of `differing / pairs = 2q(1 - q)`.

    Raises:
        ValueError: no pair, or more differing than there are.
    """
    return flip_rate_of_votes(differing, pairs, 2)


def flip_rate_of_majority(rate: float, votes: int) -> float:
    """The chance that a majority of n samples is wrong, each with the chance `rate`.

    Of an even number a tie counts as wrong, since ties go to the worse verdict: an upper bound.
    """
    least = votes // 2 + votes % 2
    return math.fsum(
        math.comb(votes, wrong) * rate**wrong * (1 - rate) ** (votes - wrong)
        for wrong in range(least, votes + 1)
    )


def error_from_flips(judgements: Sequence[int], rate: float) -> float:
    """The standard error of the difference of two runs' means that flips alone make.

    Args:
        judgements: of each case how many its score is the mean of; a flip moves it by one of them.
        rate: the chance that a judgement comes out on the lesser side.
    """
    if not judgements:
        raise ValueError("no case")
    variance = 2 * rate * (1 - rate) * math.fsum(1 / max(1, many) for many in judgements)
    return math.sqrt(variance) / len(judgements)


def error_of_differences(differences: Sequence[float]) -> float:
    """The standard error of the mean of paired differences: s / sqrt(n), s with n - 1.

    Raises:
        ValueError: fewer than two.
    """
    if len(differences) < 2:
        raise ValueError("a standard error needs two differences or more")
    centre = fmean(differences)
    variance = math.fsum((one - centre) ** 2 for one in differences) / (len(differences) - 1)
    return math.sqrt(variance / len(differences))


def smallest_visible(error: float, level: float = LEVEL, power: float = POWER) -> float:
    """The smallest change of a mean that a two-sided interval excludes zero for in `power` of runs.

    `(z((1 + level) / 2) + z(power)) * error`: Cohen, Statistical Power Analysis (1988), chapter 2,
    for a mean of differences. It is a statement about large n.

    Args:
        error: the standard error of the change.
        level, power: in (0, 1).
    """
    return (_NORMAL.inv_cdf((1 + level) / 2) + _NORMAL.inv_cdf(power)) * error


def fewest_cases(level: float = LEVEL) -> int:
    """How many cases must drop, all others unchanged, for a bootstrap interval to exclude zero.

    A resample of n cases has none of k of them with the chance (1 - k/n)^n, about e^-k, which must
    lie below the interval's tail, (1 - level) / 2.
    """
    return math.ceil(-math.log((1 - level) / 2))
