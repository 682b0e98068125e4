"""What came of the gates and the baseline that a whole run was held against."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ..records.conclusion_record import GatesOutcome
from ..records.measurement import Measurement
from .comparison import Comparison
from .gates import GateResult


@dataclass(frozen=True)
class Conclusion:
    """
    Attributes:
        comparison: with what the run was compared with; None where there is nothing, or where the
            run writes its own results there.
        before: what that measured; None where there is no comparison.
        against: what that is, in words.
        gates: each with what came of it; empty where they are not checked.
        unchecked: why they are not; None: they are, or there are none.
        outcome: of the gates; None where there are none.
        partial: the run left cases out on purpose.
        must_hold: a partial run, whose gates are not checked, does not pass.
        errors: why the baseline was not written, or that it is another judge's.
        notes: what else is to be said of the baseline.
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
        """Whether the baseline was not written, or is another judge's."""
        return "failed" if self.errors else None

    @property
    def fails_unchecked(self) -> bool:
        """Whether the run does not pass because it is partial, so that no gate is checked."""
        return self.must_hold and self.outcome == "partial"

    def dropped(self) -> list[str]:
        """Metrics whose mean fell, with an interval that excludes zero."""
        found = self.comparison.metrics.values() if self.comparison is not None else ()
        intervals = ((one.metric, one.interval()) for one in found)
        return [metric for metric, held in intervals if held is not None and held.high < 0]
