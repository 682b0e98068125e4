"""The part of a results file with the gates and the comparison of the whole run."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from ...storage.files.records import Record
from .measurement import MeasuredClaim, Measurement

GatesOutcome = Literal["ok", "failed", "partial", "off"]


class BaselineClaim(Record):
    """A claim as in a line of a baseline."""

    source: str
    text: str
    verdict: str
    by_hand: bool = False
    carried: bool = False


class BaselineRecord(Record):
    """One metric's result for one case in a good run, as in a line of a baseline."""

    case: str
    metric: str
    judge: str
    score: float
    label: str | None = None
    inputs: dict[str, str] = Field(default_factory=dict)
    steps: dict[str, str] = Field(default_factory=dict)
    claims: list[BaselineClaim] = Field(default_factory=list)

    def measurement(self) -> Measurement:
        claims = tuple(MeasuredClaim(**claim.model_dump()) for claim in self.claims)
        return Measurement(**{**self.model_dump(exclude={"claims"}), "claims": claims})


class GateRecord(Record):
    """A quality gate of the run, and its result.

    Attributes:
        text: the gate as it was written.
        value: the gate's value; None if there is none.
        n: the number of measured cases that it is based on.
        why: an explanation beside the value.
        pulling: the cases that fail it, the worst first, each with its value.
    """

    text: str
    value: float | None = None
    n: int = 0
    passed: bool
    why: str = ""
    pulling: list[tuple[str, str]] = Field(default_factory=list)


class ConclusionRecord(Record):
    """The gates and the comparison of a run; fields as in `regression.conclusion.Conclusion`.

    Attributes:
        baseline: what the run was compared with; None without a comparison.
    """

    against: str = ""
    baseline: list[BaselineRecord] | None = None
    gates: list[GateRecord] = Field(default_factory=list)
    unchecked: str | None = None
    outcome: GatesOutcome | None = None
    partial: bool = False
    must_hold: bool = False
    errors: list[str] = Field(default_factory=list)
    notes: list[str] = Field(default_factory=list)
