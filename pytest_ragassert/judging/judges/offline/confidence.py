"""Estimates the offline judge's confidence in a verdict, from claims that people labelled.

A confidence is the probability that people agree on whether the claim is supported. It is a
logistic function of the grounds of the verdict. It has few weights, because it must generalize to
texts unlike those that it was fitted on. `python -m tests.benchmarks confidence` fits the weights,
and measures each set of claims with weights fitted on the others.

Confidence is lower where less is known. A claim that can't be read gets 0.5. A language other than
English, for which there are few labelled claims, halves the log-odds. Among the many statements of
a long text, one that is merely phrased differently is easily taken for one that is missing.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

# The possible grounds of a verdict: the share of words found ("share"); missing numbers or names
# ("missing"); a negation or the like that differs ("difference"); more plainly, a sentence that
# says all except one thing, or a claim in the first person that no passage makes ("plainly");
# "nothing": the claim could not be compared.
Decided = Literal["share", "missing", "difference", "plainly", "nothing"]

UNKNOWN, MOST = 0.5, 0.97  # words alone are never certain
# Log-odds of being right for: always; copied word for word; share found, from 0.8 on.
FULLY_SUPPORTED = (0.56, 2.2, 2.91)
# For: always; number of missing ones (its logarithm); share lacking below 0.5; decided; plainly.
NOT_SUPPORTED = (0.14, 1.01, 3.5, 1.17, 1.54)
FEW_STATEMENTS = 2  # with more statements than this, a verdict against all is less sure
ELSEWHERE = 0.5  # factor of the log-odds in languages other than English


@dataclass(frozen=True, slots=True)
class Grounds:
    """The grounds of a verdict.

    Attributes:
        verdict: the label in the wire format.
        share: the share of the words that was found, by weight, for the least supported statement.
        decided: the deciding observation.
        missing: how many numbers and names were not found.
        copied: each sentence of the claim is in a passage, word for word.
        statements: how many statements the claim makes.
        english: the claim was read as English.
    """

    verdict: str
    share: float
    decided: Decided = "share"
    missing: int = 0
    copied: bool = False
    statements: int = 1
    english: bool = True


def confidence_of(grounds: Grounds) -> float:
    """Return the probability that people agree with the verdict, from 0.5 to 0.97."""
    if grounds.decided == "nothing":
        return UNKNOWN
    weights = FULLY_SUPPORTED if grounds.verdict == "FULLY_SUPPORTED" else NOT_SUPPORTED
    return round(chance(weights, evidence_in(grounds)), 2)


def chance(weights: Iterable[float], evidence: Iterable[float]) -> float:
    """Return the logistic function of the evidence, limited to what words can show."""
    log_odds = sum(w * x for w, x in zip(weights, evidence, strict=True))
    return min(MOST, max(UNKNOWN, 1 / (1 + math.exp(-log_odds))))


def evidence_in(grounds: Grounds) -> tuple[float, ...]:
    """Return the values by which the weights of the verdict are multiplied."""
    known = 1.0 if grounds.english else ELSEWHERE
    if grounds.verdict == "FULLY_SUPPORTED":
        return (known, known * grounds.copied, known * (grounds.share - 0.8))
    known *= min(1.0, FEW_STATEMENTS / max(1, grounds.statements))
    return (
        known,
        known * math.log(max(1, grounds.missing)),
        known * max(0.0, 0.5 - grounds.share),
        known * (grounds.decided != "share"),
        known * (grounds.decided == "plainly"),
    )
