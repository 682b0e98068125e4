"""Which claims stored questions ask for, to be looked up by claim.

An answer to a question about several claims holds a judgement on each. A claim is found here by its
id, or by its text and how it was asked, whatever passages it was held against.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Set
from typing import NamedTuple

from ..runtime.canonical_json import Json
from ..steps.evidence.claim_ids import claim_id
from ..steps.verify_claims import VERIFY_CLAIMS
from .contents import Content, Row, asked_in, content_of

_DIGITS = 32


class JudgedClaim(NamedTuple):
    """A claim that a stored question asks for.

    Attributes:
        id: `claim_id` of the claim and its passages.
        key: of the question.
        about: `text_hash` of the claim.
        asked: `Question.asked`; empty where another version asked.
        passages: `text_hash` of each passage, sorted.
    """

    id: str
    key: str
    about: str
    asked: str
    passages: tuple[str, ...]


def text_hash(text: str) -> str:
    """The first 32 hexadecimal digits of a text's SHA-256."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]


def judged_claims_in(content: Content) -> list[JudgedClaim]:
    """The claims that a row asks for; none where it is no question about claims, or damaged."""
    if content.kind != "question" or content.step != VERIFY_CLAIMS.name:
        return []
    record = content.record
    claims = list(claims_in(record["input"]))
    if not claims:
        return []
    question = asked_in(record)
    asked = question.asked if question is not None and question.key == content.key else ""
    passages = tuple(sorted(text_hash(passage["text"]) for passage in record["input"]["passages"]))
    return [JudgedClaim(id, content.key, text_hash(text), asked, passages) for id, text in claims]


def found_in(rows: Iterable[Row], id: str, about: Set[str], asked: str) -> list[JudgedClaim]:
    """What `Store.judged_claims` gives, by reading every question."""
    claims = (claim for row in rows for claim in judged_claims_in(content_of(row)))
    return sorted(
        claim
        for claim in claims
        if claim.id.startswith(id)
        and (not about or claim.about in about)
        and asked in ("", claim.asked)
    )


def claims_in(input: Json) -> Iterator[tuple[str, str]]:
    """Id and text of each claim of a stored `verify_claims` question; none where it is damaged."""
    try:
        passages = [passage["text"] for passage in input["passages"]]
        claims = [claim["text"] for claim in input["claims"]]
        pairs = [(claim_id(claim, passages), claim) for claim in claims]
    except (KeyError, TypeError, AttributeError):
        return
    yield from pairs
