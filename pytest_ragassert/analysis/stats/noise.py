"""A judge's noise: its part in a difference between two runs, and the smallest visible drop.

A *flip* is a judgement (of a claim, a passage, an answer) that comes out differently when the same
question is asked again.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist, fmean

LEVEL, POWER = 0.95, 0.9
_NORMAL = NormalDist()


def flip_rate_of_votes(split: int, judgements: int, votes: int) -> float:
    """The probability that one sample of a judgement is in the minority, in [0, 0.5].

    It is the q of `split / judgements = 1 - q^n - (1 - q)^n` for n votes: the probability that n
    samples with two outcomes are not all equal. All judgements are assumed to vary equally.

    Raises:
        ValueError: there are fewer than two votes, no judgements, or more splits than judgements.
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
        ValueError: there are no pairs, or more differing ones than there are pairs.
    """
    return flip_rate_of_votes(differing, pairs, 2)


def flip_rate_of_majority(rate: float, votes: int) -> float:
    """The probability that a majority of n samples is wrong if each is wrong with `rate`.

    For an even number a tie counts as wrong, because ties go to the worse verdict: an upper bound.
    """
    least = votes // 2 + votes % 2
    return math.fsum(
        math.comb(votes, wrong) * rate**wrong * (1 - rate) ** (votes - wrong)
        for wrong in range(least, votes + 1)
    )


def error_from_flips(judgements: Sequence[int], rate: float) -> float:
    """The standard error that flips alone cause in the difference of two runs' means.

    Args:
        judgements: for each case, how many judgements its score is the mean of; a flip changes the
            score by one of them.
        rate: the probability that one sample of a judgement is in the minority.
    """
    if not judgements:
        raise ValueError("there are no cases")
    variance = 2 * rate * (1 - rate) * math.fsum(1 / max(1, many) for many in judgements)
    return math.sqrt(variance) / len(judgements)


def error_of_differences(differences: Sequence[float]) -> float:
    """The standard error of the mean of paired differences: s / sqrt(n), s with n - 1.

    Raises:
        ValueError: there are fewer than two differences.
    """
    if len(differences) < 2:
        raise ValueError("a standard error needs two or more differences")
    centre = fmean(differences)
    variance = math.fsum((one - centre) ** 2 for one in differences) / (len(differences) - 1)
    return math.sqrt(variance / len(differences))


def smallest_visible(error: float, level: float = LEVEL, power: float = POWER) -> float:
    """The smallest change of a mean whose two-sided interval excludes zero in `power` of runs.

    `(z((1 + level) / 2) + z(power)) * error`: Cohen, Statistical Power Analysis (1988), chapter 2,
    for a mean of differences. It applies to large n.

    Args:
        error: the standard error of the change.
        level, power: in (0, 1).
    """
    return (_NORMAL.inv_cdf((1 + level) / 2) + _NORMAL.inv_cdf(power)) * error


def fewest_cases(level: float = LEVEL) -> int:
    """How many cases must drop, all others unchanged, for a bootstrap interval to exclude zero.

    A resample of n cases contains none of k of them with probability (1 - k/n)^n, about e^-k, which
    must be below the interval's tail, (1 - level) / 2.
    """
    return math.ceil(-math.log((1 - level) / 2))
