"""Finds what the results of all worlds have in common: what is known despite missing judgements."""

from __future__ import annotations

import math
from typing import Any

from ...language.number_format import plural
from ...results import ClaimVerdict, MetricResult, verdicts_in_words
from .worlds import ASSUMED

# The details that list contexts or criteria, and the names of their items.
_LISTED = {"contexts": ("context",), "criteria": ("criterion", "criteria")}


class Agreement:
    """What the results of several worlds agree on.

    Attributes:
        metric: the metric's name.
        low, high: the lowest and the highest score.
        claims: the claims on which all worlds have the same verdict.
        details: the details that are the same in all worlds.
    """

    def __init__(self) -> None:
        self.metric = ""
        self.low, self.high = math.inf, -math.inf
        self.claims: list[ClaimVerdict] = []
        self.details: dict[str, Any] = {}
        self._seen = False
        self._claims = 0
        self._listed = dict.fromkeys(_LISTED, 0)

    def add(self, draft: MetricResult) -> None:
        """Take the result of another world into account."""
        self.low, self.high = min(self.low, draft.score), max(self.high, draft.score)
        claims = [one for one in map(_known, draft.claims) if one is not None]
        # other lists refer to claims by index, and some claims are left out
        details = {
            name: list(map(_without_assumed, value)) if name in _LISTED else value
            for name, value in draft.details.items()
            if name in _LISTED or not isinstance(value, list | tuple)
        }
        if self._seen:
            claims = _in_common(self.claims, claims)
            details = _agreed(self.details, details)
        self._seen = True
        self.metric, self.claims, self.details = draft.metric, claims, details
        self._claims = max(self._claims, len(draft.claims))
        for name, most in self._listed.items():
            self._listed[name] = max(most, len(draft.details.get(name, ())))

    @property
    def reason(self) -> str:
        """`5 claims: 1 contradicted, 2 supported, 2 not judged`"""
        said = []
        if self._claims:
            words = verdicts_in_words([claim.verdict for claim in self.claims])
            lacking = self._claims - len(self.claims)
            counts = [words.partition(": ")[2], f"{lacking} not judged" if lacking else ""]
            said.append(f"{plural(self._claims, 'claim')}: {', '.join(filter(None, counts))}")
        for name, count in self._listed.items():
            lacking = count - len(self.details.get(name, ()))
            if count:
                said.append(f"{lacking} of {plural(count, *_LISTED[name])} not judged")
        return "; ".join(said)


def _known(claim: ClaimVerdict) -> ClaimVerdict | None:
    """What is known of the claim; None if its verdict is assumed."""
    if claim.reason != ASSUMED:
        return claim
    if claim.by_hand is None:
        return None
    # what the judge would say makes no difference
    return ClaimVerdict(
        text=claim.text,
        verdict=claim.verdict,
        label_raw=claim.verdict,
        by_hand=claim.by_hand,
        sentence=claim.sentence,
        span=claim.span,
        source=claim.source,
        label_final=claim.label_final,
    )


def _in_common(some: list[ClaimVerdict], others: list[ClaimVerdict]) -> list[ClaimVerdict]:
    """The claims that are in both, in order."""
    if some == others:
        return some
    left = list(others)
    common = []
    for claim in some:
        for other in left:
            if claim == other or _without_votes(claim) == _without_votes(other):
                common.append(claim if claim == other else _without_votes(claim))
                left.remove(other)
                break
    return common


def _without_votes(claim: ClaimVerdict) -> ClaimVerdict:
    """The claim without its votes, some of which may be assumed."""
    return claim.model_copy(update={"votes": {}})


def _without_assumed(one: dict[str, Any]) -> dict[str, Any]:
    """A context or criterion of the details; with an override, without what the judge is assumed to
    say."""
    if one.get("reason") != ASSUMED or "by_hand" not in one:
        return one
    return {name: one[name] for name in ("criterion", "met", "id", "by_hand")}


def _agreed(one: Any, other: Any) -> Any:
    """What two details have in common."""
    found = {}
    for name in one.keys() & other.keys():
        mine, theirs = one[name], other[name]
        if name in _LISTED:
            found[name] = [each for each in mine if each in theirs]
        elif isinstance(mine, dict) and isinstance(theirs, dict):
            found[name] = _agreed(mine, theirs)
        elif mine == theirs:
            found[name] = mine
    return {name: found[name] for name in one if name in found}
