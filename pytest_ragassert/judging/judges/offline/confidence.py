"""How sure the offline judge may be of a verdict, learnt from claims that people labelled.

A confidence is the chance that people would agree on whether the claim is supported. It is a
logistic function of what the verdict rests on, with few weights, because it has to hold on texts
like none that they were fitted on. `python -m tests.benchmarks confidence` fits them, and measures
each set of claims by weights fitted on the others.

It says less where less is known: a claim that can't be read gets 0.5; another language than
English, of which few labelled claims are, halves the log-odds; and of the many statements of a long
text, one that is only worded otherwise is easily taken for one that stands nowhere.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

# What a verdict may rest on: the share of words found; numbers or names that stand nowhere; a
# negation or the like that differs; more plainly, a sentence that says all but one thing, or a
# claim in the first person that no passage makes. "nothing": the claim could not be compared.
Decided = Literal["share", "missing", "difference", "plainly", "nothing"]

UNKNOWN, MOST = 0.5, 0.97  # words alone are never certain
# Log-odds of being right for: always; copied word for word; share found, from 0.8 on.
FULLY_SUPPORTED = (0.56, 2.2, 2.91)
# For: always; number of missing ones (its logarithm); share lacking below 0.5; decided; plainly.
NOT_SUPPORTED = (0.14, 1.01, 3.5, 1.17, 1.54)
FEW_STATEMENTS = 2  # of more, a verdict against all is less sure
ELSEWHERE = 0.5  # of the log-odds in other languages than English


@dataclass(frozen=True, slots=True)
class Grounds:
    """What a verdict rests on.

    Attributes:
        verdict: the label in the wire format.
        share: which part of the words was found, by weight, of the least supported statement.
        decided: what decided.
        missing: how many numbers and names stand nowhere.
        copied: each sentence of the claim stands in a passage, word for word.
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
    """The chance that people agree with the verdict, from 0.5 to 0.97."""
    if grounds.decided == "nothing":
        return UNKNOWN
    weights = FULLY_SUPPORTED if grounds.verdict == "FULLY_SUPPORTED" else NOT_SUPPORTED
    return round(chance(weights, evidence_in(grounds)), 2)


def chance(weights: Iterable[float], evidence: Iterable[float]) -> float:
    """The logistic function of the evidence, within what words can tell."""
    log_odds = sum(w * x for w, x in zip(weights, evidence, strict=True))
    return min(MOST, max(UNKNOWN, 1 / (1 + math.exp(-log_odds))))


def evidence_in(grounds: Grounds) -> tuple[float, ...]:
    """What the weights of the verdict are multiplied by."""
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
