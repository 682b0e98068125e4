"""The results of the gates and of the comparison with the baseline for a whole run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ..records.conclusion_record import GatesOutcome
from ..records.measurement import Measurement
from .comparison import Comparison
from .gates import GateResult


@dataclass(frozen=True)
class Conclusion:
    """The results of gates and comparison for a run.

    Attributes:
        comparison: the comparison of the run; None if there is nothing to compare with, or if the
            run writes its own results there.
        before: the measurements that it was compared with; None without a comparison.
        against: what it was compared with, in words.
        gates: the gates and their results; empty if they are not checked.
        unchecked: why gates are not checked; None: they are, or there are none.
        outcome: the outcome of the gates; None if there are none.
        partial: whether the run left out cases on purpose.
        must_hold: whether a partial run, whose gates are not checked, fails.
        errors: why the baseline was not written, or that it belongs to another judge.
        notes: other lines about the baseline.
    """

    comparison: Comparison | None = None
    before: tuple[Measurement, ...] | None = None
    against: str = ""
    gates: tuple[GateResult, ...] = ()
    unchecked: str | None = None
    outcome: GatesOutcome | None = None
    partial: bool = False
    must_hold: bool = False
    errors: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def baseline(self) -> Literal["failed"] | None:
        """Whether the baseline was not written, or belongs to another judge."""
        return "failed" if self.errors else None

    @property
    def fails_unchecked(self) -> bool:
        """Whether the run fails because it is partial, so that no gate is checked."""
        return self.must_hold and self.outcome == "partial"

    def dropped(self) -> list[str]:
        """Metrics whose mean fell, with an interval that excludes zero."""
        found = self.comparison.metrics.values() if self.comparison is not None else ()
        intervals = ((one.metric, one.interval()) for one in found)
        return [metric for metric, held in intervals if held is not None and held.high < 0]
