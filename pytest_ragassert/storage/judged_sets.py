"""The sets of passages that claims were judged against, small and without what they say."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

ON_CLAIMS = "verify_claims"  # the step, whose own module takes long to load


class JudgedSet(NamedTuple):
    """A set of passages that a claim was judged against, as bytes: there are many.

    Attributes:
        about: `text_hash` of the claim.
        asked: `Question.asked`.
        passages: `text_hash` of each passage, sorted, one behind the other.
    """

    about: bytes
    asked: bytes
    passages: bytes


def judged_set(about: str, asked: str, passages: Iterable[str]) -> JudgedSet:
    """The set of these hashes, in hexadecimal."""
    return JudgedSet(*map(bytes.fromhex, (about, asked, "".join(passages))))
