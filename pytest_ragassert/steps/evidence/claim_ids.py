"""Ids of claims and criteria, with which users name one of them together with its passages or
answer.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...runtime.canonical_json import Json, digest
from .evidence_check import passages_of

SHORT_ID = 12  # characters of an id that users see and type


def claim_id(claim: str, passages: Sequence[str | None]) -> str:
    """Return the id of a claim: SHA-256 in hexadecimal, the same for every judge.

    Committed verdicts contain it.

    Args:
        passages: what the claim is checked against; blank ones, order and repetitions do not count.
    """
    return _digest(claim, sorted({text for _, text in passages_of(passages)}))


def former_claim_id(claim: str, passages: Sequence[str | None]) -> str:
    """Return the id that earlier versions used, in which order and repetitions count."""
    return _digest(claim, [text for _, text in passages_of(passages)])


def criterion_id(judgement: Json) -> str:
    """Return the id of a criterion: SHA-256 in hexadecimal of criterion, answer and question.

    Args:
        judgement: the input of the judgement on the criterion.
    """
    return digest(judgement)


def _digest(claim: str, texts: list[str]) -> str:
    return digest({"claim": claim, "passages": texts})
