"""Ids of claims and criteria, by which people name one with what it is held against."""

from __future__ import annotations

from collections.abc import Sequence

from ...runtime.canonical_json import Json, digest
from .evidence_check import passages_of

SHORT_ID = 12  # characters of an id as people see and type it


def claim_id(claim: str, passages: Sequence[str | None]) -> str:
    """SHA-256 in hexadecimal, the same for every judge. Committed verdicts hold it.

    Args:
        passages: what the claim is checked against; blank ones do not count, nor does their order,
            nor how often one comes.
    """
    return _digest(claim, sorted({text for _, text in passages_of(passages)}))


def former_claim_id(claim: str, passages: Sequence[str | None]) -> str:
    """The id that earlier versions gave, for which order and repetitions counted."""
    return _digest(claim, [text for _, text in passages_of(passages)])


def criterion_id(judgement: Json) -> str:
    """SHA-256 in hexadecimal, the same for every judge: of a criterion, the answer and the question
    that it replies to.

    Args:
        judgement: the input of the judgement on the criterion.
    """
    return digest(judgement)


def _digest(claim: str, texts: list[str]) -> str:
    return digest({"claim": claim, "passages": texts})
