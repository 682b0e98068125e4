"""Figures of agreement between judgements and people's labels, for artifacts and calibration."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from ..stats.agreement import Confusion


class ConfusionFigures(BaseModel):
    """Counts of yes-or-no judgements against the truth; each use defines what "yes" means.

    Attributes:
        tp, fn, fp, tn: counts of true positives, false negatives, false positives, true negatives.
        recall: tp / (tp + fn).
        precision: tp / (tp + fp).
        f1: 2 tp / (2 tp + fp + fn).
        specificity: tn / (tn + fp).
        accuracy: (tp + tn) / n.
        balanced_accuracy: (recall + specificity) / 2.
        kappa: Cohen's kappa.

    All except the counts are in [0, 1], kappa in [-1, 1]; None if a figure is not defined.
    """

    model_config = ConfigDict(extra="ignore")

    tp: int
    fn: int
    fp: int
    tn: int
    recall: float | None = None
    precision: float | None = None
    f1: float | None = None
    specificity: float | None = None
    accuracy: float | None = None
    balanced_accuracy: float | None = None
    kappa: float | None = None

    @classmethod
    def of(cls, counts: Confusion) -> ConfusionFigures:
        return cls(
            **counts._asdict(),
            recall=counts.recall,
            precision=counts.precision,
            f1=counts.f1,
            specificity=counts.specificity,
            accuracy=counts.accuracy,
            balanced_accuracy=counts.balanced_accuracy,
            kappa=counts.kappa,
        )
