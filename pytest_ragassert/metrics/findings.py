"""What a metric contributes to the report of a result; `report` lays it out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypedDict


class Printed(TypedDict):
    """The printed part of a result, with the fields of `MetricResult`; part of a report's row."""

    score: float | None
    minimum: float | None
    reason: str
    label: str | None
    grade: str | None
    details: dict[str, Any]


@dataclass(frozen=True)
class Line:
    """A line of figures, shortened if it is too long."""

    text: str


@dataclass(frozen=True)
class Beside:
    """A label and a text to its right, on several lines if it is long.

    Attributes:
        kind: what is left out if there is no room, in the plural.
    """

    left: str
    text: str
    kind: str = "lines"


@dataclass(frozen=True)
class JudgesWords:
    """A sentence of the judge: beside the score if it fits, or else below."""

    text: str


class EachContext:
    """Each of `details["contexts"]`: whether it is relevant, why, and its beginning."""


class EachCriterion:
    """Each of `details["criteria"]`: whether it is met, why, and the answer's words."""


class EachSpan:
    """Each of `details["spans"]` with its claim, instead of the claims."""


class ClaimCounts:
    """The number of claims with each verdict."""


Headline = str | JudgesWords | ClaimCounts
Finding = Line | Beside | EachContext | EachCriterion | EachSpan
