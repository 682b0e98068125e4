"""What may be judged: verdicts on claims, whether criteria are met, the scales of whole answers."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Literal


class Verdict(str, Enum):
    """What a judge says of a claim, from the passages alone."""

    FULLY_SUPPORTED = "FULLY_SUPPORTED"
    PARTIALLY_SUPPORTED = "PARTIALLY_SUPPORTED"
    NO_EVIDENCE = "NO_EVIDENCE"
    CONTRADICTORY = "CONTRADICTORY"

    @property
    def words(self) -> str:
        """The label as people read it."""
        return _WORDS[self]

    @property
    def nli(self) -> Literal["SUPPORTED", "NEUTRAL", "CONTRADICTED"]:
        """The label in natural language inference's vocabulary."""
        if self is Verdict.FULLY_SUPPORTED:
            return "SUPPORTED"
        return "CONTRADICTED" if self is Verdict.CONTRADICTORY else "NEUTRAL"


_WORDS = {
    Verdict.FULLY_SUPPORTED: "supported",
    Verdict.PARTIALLY_SUPPORTED: "partly supported",
    Verdict.NO_EVIDENCE: "no evidence",
    Verdict.CONTRADICTORY: "contradicted",
}

# From best to worst: where verdicts tie, the worse one counts.
BY_MERIT = tuple(Verdict)


class Met(str, Enum):
    """Whether an answer meets a criterion: a judge's word, from the answer alone."""

    YES = "YES"
    NO = "NO"
    UNCLEAR = "UNCLEAR"

    @property
    def words(self) -> str:
        """The label as people read it."""
        return _MET_WORDS[self]


_MET_WORDS = {Met.YES: "met", Met.NO: "not met", Met.UNCLEAR: "unclear"}

# The worst first: where votes tie, the worse one counts.
MET_BY_FAULT = (Met.NO, Met.UNCLEAR, Met.YES)


def label_named(name: object) -> Verdict | Met:
    """A verdict on a claim, or whether a criterion is met, by its name.

    Raises:
        ValueError: it is neither's.
    """
    return Met(name) if name in Met.__members__ else Verdict(name)


# Answers as a whole: their class, the criteria of a rubric, and grades.
CORRECT, WRONG, DONT_KNOW = ANSWER_CLASSES = ("CORRECT", "WRONG", "DONT_KNOW")
# Each criterion's weight; of 100 points each.
RUBRIC: Mapping[str, float] = {"correctness": 0.5, "completeness": 0.3, "consistency": 0.2}
Grade = Literal["A", "B", "C", "D", "E"]
# Each grade's least score, in [0, 1], from best to worst.
GRADES: Mapping[str, float] = {"A": 0.8, "B": 0.6, "C": 0.4, "D": 0.2, "E": 0.0}
