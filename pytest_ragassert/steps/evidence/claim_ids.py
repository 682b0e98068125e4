"""Ids of claims, by which people name a claim and its passages."""

from __future__ import annotations

from collections.abc import Sequence

from ...runtime.canonical_json import digest
from .evidence_check import passages_of

SHORT_ID = 12  # characters of an id as people see and type it


def claim_id(claim: str, passages: Sequence[str | None]) -> str:
    """SHA-256 in hexadecimal, the same for every judge. Committed verdicts hold it.

    Args:
        passages: what the claim is checked against, in order; blank ones do not count.
    """
    return digest({"claim": claim, "passages": [text for _, text in passages_of(passages)]})
