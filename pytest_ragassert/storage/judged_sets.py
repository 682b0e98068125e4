"""The sets of passages that claims were judged against, in a compact form without their texts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

_HASH = 16  # bytes
ON_CLAIMS = "verify_claims"  # the step, whose own module takes long to import


class JudgedSet(NamedTuple):
    """A set of passages that a claim was judged against, as bytes, because there are many.

    Attributes:
        about: `text_hash` of the claim.
        asked: `Question.asked`.
        passages: `text_hash` of each passage, sorted and concatenated.
    """

    about: bytes
    asked: bytes
    passages: bytes


def judged_set(about: str, asked: str, passages: Iterable[str]) -> JudgedSet:
    """Return the set with these hashes, given in hexadecimal."""
    return JudgedSet(*map(bytes.fromhex, (about, asked, "".join(passages))))


def hashes_of(passages: bytes) -> tuple[str, ...]:
    """Return the hashes in `JudgedSet.passages`, in hexadecimal."""
    return tuple(passages[at : at + _HASH].hex() for at in range(0, len(passages), _HASH))
