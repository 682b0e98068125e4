"""What a report prints of a result, in the metric's words: `report` lays it out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypedDict


class Printed(TypedDict):
    """What is printed of a result, with the fields of `MetricResult`; part of a report's row."""

    score: float | None
    minimum: float | None
    reason: str
    label: str | None
    grade: str | None
    details: dict[str, Any]


@dataclass(frozen=True)
class Line:
    """A line of figures, cut where it is too long."""

    text: str


@dataclass(frozen=True)
class Beside:
    """A text beside what stands at the left, on several lines where it is long.

    Attributes:
        kind: in the plural what is left out where there is no room.
    """

    left: str
    text: str
    kind: str = "lines"


@dataclass(frozen=True)
class JudgesWords:
    """A sentence of the judge's: beside the score where it fits, else below."""

    text: str


class EachContext:
    """Each of `details["contexts"]`: whether it is relevant, why, and how it begins."""


class EachCriterion:
    """Each of `details["criteria"]`: whether it is met, why, and the answer's words."""


class EachSpan:
    """Each of `details["spans"]` with its claim, in place of the claims."""


class ClaimCounts:
    """How many claims have which verdict."""


Headline = str | JudgesWords | ClaimCounts
Finding = Line | Beside | EachContext | EachCriterion | EachSpan
