"""How sure the offline judge may be of a verdict, learnt from claims that people labelled.

A confidence is the chance that people would agree on whether the claim is supported. For verdicts
that the share of found words decided it is a logistic function of that share, fitted on one half of
labelled claims in three languages and checked on the other; for those that a number, a name or a
difference decided, how often people agreed. `python -m tests.benchmarks accuracy` prints both
halves.
"""

from __future__ import annotations

import math

OFFSET, SLOPE = -1.86, 3.14  # of the log-odds that a claim is supported, by the share found
DECIDED = 0.82  # no evidence: a number or name stands nowhere, or the nearest sentence differs
OPPOSED = 0.7  # contradicted; few labelled claims are


def confidence_of(verdict: str, share: float, sure: bool) -> float:
    """The chance that people agree with a verdict, in [0, 1].

    `share` is the part of the words that was found, by weight; `sure` says that something else
    decided.
    """
    if verdict == "CONTRADICTORY":
        return OPPOSED
    if sure:
        return DECIDED
    supported = 1 / (1 + math.exp(-(OFFSET + SLOPE * share)))
    return round(supported if verdict == "FULLY_SUPPORTED" else 1 - supported, 2)
