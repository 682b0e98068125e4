"""The four verdicts, and how other vocabularies see them."""

from __future__ import annotations

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
