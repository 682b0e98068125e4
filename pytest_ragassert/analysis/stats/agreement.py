"""Agreement of a judge with people's labels: counts and figures.

A figure is None where it is not defined, as precision is where nothing was said to be positive.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from typing import NamedTuple, TypeVar

Label = TypeVar("Label", bound=Hashable)


class Confusion(NamedTuple):
    """Counts of a yes-or-no judgement against the truth.

    Attributes:
        tp: yes, and it is so. fn: no, and it is so.
        fp: yes, and it isn't so. tn: no, and it isn't so.
    """

    tp: int = 0
    fn: int = 0
    fp: int = 0
    tn: int = 0

    @property
    def n(self) -> int:
        return sum(self)

    @property
    def recall(self) -> float | None:
        """tp / (tp + fn): how much of what is so was said."""
        return _share(self.tp, self.tp + self.fn)

    @property
    def specificity(self) -> float | None:
        """tn / (tn + fp): the other side's recall."""
        return _share(self.tn, self.tn + self.fp)

    @property
    def precision(self) -> float | None:
        """tp / (tp + fp): how much of what was said is so."""
        return _share(self.tp, self.tp + self.fp)

    @property
    def f1(self) -> float | None:
        """2 tp / (2 tp + fp + fn), the harmonic mean of precision and recall."""
        return _share(2 * self.tp, 2 * self.tp + self.fp + self.fn)

    @property
    def accuracy(self) -> float | None:
        return _share(self.tp + self.tn, self.n)

    @property
    def balanced_accuracy(self) -> float | None:
        """The mean of recall and specificity: .5 by guessing, however rare one side is."""
        if self.recall is None or self.specificity is None:
            return None
        return (self.recall + self.specificity) / 2

    @property
    def kappa(self) -> float | None:
        """Cohen's kappa of judgement and truth."""
        cells = {
            (True, True): self.tp,
            (True, False): self.fn,
            (False, True): self.fp,
            (False, False): self.tn,
        }
        return cohens_kappa(cells)


def confusion(pairs: Iterable[tuple[bool, bool]]) -> Confusion:
    """The counts of pairs of truth and judgement."""
    counts = Counter(pairs)
    return Confusion(
        tp=counts[True, True],
        fn=counts[True, False],
        fp=counts[False, True],
        tn=counts[False, False],
    )


def added(confusions: Iterable[Confusion]) -> Confusion:
    """The counts together."""
    tp = fn = fp = tn = 0
    # equal ones are many, and counted faster than added
    for one, times in Counter(confusions).items():
        tp, fn, fp, tn = (
            tp + times * one.tp,
            fn + times * one.fn,
            fp + times * one.fp,
            tn + times * one.tn,
        )
    return Confusion(tp, fn, fp, tn)


def cohens_kappa(cells: Mapping[tuple[Label, Label], int]) -> float | None:
    """(p_o - p_e) / (1 - p_e): agreement beyond what chance alone would give.

    Source: Cohen, A coefficient of agreement for nominal scales (1960). 1 is full agreement, 0
    chance's, below it less than that; None where both use one and the same label only, or there is
    nothing.

    Args:
        cells: how often the two gave each pair of labels.
    """
    n = sum(cells.values())
    first: Counter[Label] = Counter()
    second: Counter[Label] = Counter()
    agreed = 0
    for (one, other), count in cells.items():
        first[one] += count
        second[other] += count
        agreed += count * (one == other)
    by_chance = sum(count * second[label] for label, count in first.items())
    # whole numbers, times n squared, so that rounding makes no chance of certainty
    return _share(agreed * n - by_chance, n * n - by_chance)


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None
