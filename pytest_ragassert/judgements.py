"""The values of judgements: verdicts on claims, checks of criteria, scales for whole answers."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Literal


class Verdict(str, Enum):
    """A judge's verdict on a claim, based on the passages alone."""

    FULLY_SUPPORTED = "FULLY_SUPPORTED"
    PARTIALLY_SUPPORTED = "PARTIALLY_SUPPORTED"
    NO_EVIDENCE = "NO_EVIDENCE"
    CONTRADICTORY = "CONTRADICTORY"

    @property
    def words(self) -> str:
        """The label in plain words, as reports print it."""
        return _WORDS[self]

    @property
    def nli(self) -> Literal["SUPPORTED", "NEUTRAL", "CONTRADICTED"]:
        """The label in the vocabulary of natural language inference."""
        if self is Verdict.FULLY_SUPPORTED:
            return "SUPPORTED"
        return "CONTRADICTED" if self is Verdict.CONTRADICTORY else "NEUTRAL"


_WORDS = {
    Verdict.FULLY_SUPPORTED: "supported",
    Verdict.PARTIALLY_SUPPORTED: "partly supported",
    Verdict.NO_EVIDENCE: "no evidence",
    Verdict.CONTRADICTORY: "contradicted",
}

# From best to worst: if votes tie, the worse verdict counts.
BY_MERIT = tuple(Verdict)


class Met(str, Enum):
    """Whether an answer meets a criterion, judged from the answer alone."""

    YES = "YES"
    NO = "NO"
    UNCLEAR = "UNCLEAR"

    @property
    def words(self) -> str:
        """The label in plain words, as reports print it."""
        return _MET_WORDS[self]


_MET_WORDS = {Met.YES: "met", Met.NO: "not met", Met.UNCLEAR: "unclear"}

# Worst first: if votes tie, the worse value counts.
MET_BY_FAULT = (Met.NO, Met.UNCLEAR, Met.YES)


def label_named(name: object) -> Verdict | Met:
    """Look up the `Verdict` or `Met` with this name.

    Raises:
        ValueError: neither has the name.
    """
    return Met(name) if name in Met.__members__ else Verdict(name)


# For whole answers: classes, the criteria of a rubric, and grades.
CORRECT, WRONG, DONT_KNOW = ANSWER_CLASSES = ("CORRECT", "WRONG", "DONT_KNOW")
# The weight of each criterion; each is scored from 0 to 100.
RUBRIC: Mapping[str, float] = {"correctness": 0.5, "completeness": 0.3, "consistency": 0.2}
Grade = Literal["A", "B", "C", "D", "E"]
# The lowest score of each grade, in [0, 1], from best to worst.
GRADES: Mapping[str, float] = {"A": 0.8, "B": 0.6, "C": 0.4, "D": 0.2, "E": 0.0}
