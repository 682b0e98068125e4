"""Agreement of a judge with people's labels: counts and figures.

A figure is None if it is not defined, such as precision without positive judgements.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from typing import NamedTuple, TypeVar

Label = TypeVar("Label", bound=Hashable)


class Confusion(NamedTuple):
    """Counts of yes-or-no judgements against the truth.

    Attributes:
        tp, fn: judged yes and no, where yes is true.
        fp, tn: judged yes and no, where no is true.
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
        """tp / (tp + fn): the share of the positives that were judged so."""
        return _share(self.tp, self.tp + self.fn)

    @property
    def specificity(self) -> float | None:
        """tn / (tn + fp): the recall of the negatives."""
        return _share(self.tn, self.tn + self.fp)

    @property
    def precision(self) -> float | None:
        """tp / (tp + fp): the share of the positive judgements that are right."""
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
    """The sum of the counts."""
    tp = fn = fp = tn = 0
    # many are equal, and counting them is faster than adding them
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

    Source: Cohen, A coefficient of agreement for nominal scales (1960). 1 is full agreement, 0 is
    agreement by chance, and less is below chance. None if both use a single, identical label, or if
    there are no pairs.

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
    # in integers, multiplied by n squared, so that rounding can't make 1 - p_e differ from 0
    return _share(agreed * n - by_chance, n * n - by_chance)


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None
