"""Which claims stored questions ask for, to be looked up by claim.

A claim is found here by its id, or by its text and how it was asked, whatever passages it was held
against. A question of format 2 may ask for several claims.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from typing import NamedTuple

from ..runtime.canonical_json import Json, is_digest
from ..steps.evidence.claim_ids import claim_id
from ..steps.evidence.passage_hashes import is_hash, passage_hashes, passage_set, text_hash
from ..steps.verify_claims import VERIFY_CLAIMS
from .contents import Content, Row, asked_in, content_of
from .judged_sets import JudgedSet, judged_set


class JudgedClaim(NamedTuple):
    """A claim that a stored question asks for.

    Attributes:
        id: `claim_id` of the claim and its passages.
        key: of the judgement; of the whole question, where an earlier version asked for several.
        about: `text_hash` of the claim.
        asked: `Question.asked`; empty where another version asked.
        passages: `text_hash` of each passage, sorted.
    """

    id: str
    key: str
    about: str
    asked: str
    passages: tuple[str, ...]


def judged_claims_in(content: Content) -> list[JudgedClaim]:
    """The claims that a row asks for; none where it is no question about claims, or damaged."""
    if content.kind != "question" or content.step != VERIFY_CLAIMS.name:
        return []
    record = content.record
    claims = _judgement_in(record) or list(claims_in(record["input"]))
    if not claims:
        return []
    passages = tuple(_hashes_in(record["input"]))
    asked = _asked_in(content)
    return [JudgedClaim(id, content.key, text_hash(text), asked, passages) for id, text in claims]


def _asked_in(content: Content) -> str:
    """`Question.asked` of the question in a row; empty where another version asked."""
    told = content.record.get("asked")
    if is_digest(told):
        return told
    question = asked_in(content.record)
    return question.asked if question is not None and question.key == content.key else ""


def _judgement_in(record: Json) -> list[tuple[str, str]]:
    """Id and text of the claim of a question to one judgement; none where it is none, or
    damaged."""
    id, input = record.get("id"), record["input"]
    claim, passages = input.get("claim"), input.get("passages")
    if not is_digest(id) or not isinstance(claim, str):
        return []
    if not isinstance(passages, list) or not all(map(is_hash, passages)):
        return []
    return [(id, claim)]


def _hashes_in(input: Json) -> list[str]:
    passages = input["passages"]
    return passage_set(passages if "claim" in input else passage_hashes(passages).values())


def judged_sets_in(rows: Iterable[Row]) -> Iterator[JudgedSet]:
    """What `Store.judged_sets` gives, by reading every answer."""
    return filter(None, (answered_set_in(content_of(row)) for row in rows))


def answered_set_in(content: Content) -> JudgedSet | None:
    """The set of passages of a stored verdict; None where it is none, or was carried over."""
    record = content.record
    if content.kind != "answer" or content.step != VERIFY_CLAIMS.name or "from" in record:
        return None
    asked, passages = record.get("asked"), record.get("passages")
    if not is_digest(asked) or not isinstance(passages, list):
        return None
    if not passages or not all(map(is_hash, passages)):
        return None
    return judged_set(text_hash(record["about"]), asked, passages)


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
    """Id and text of each claim of a stored `verify_claims` question that holds the passages'
    texts; none where it is damaged."""
    try:
        passages = [passage["text"] for passage in input["passages"]]
        claims = [claim["text"] for claim in input["claims"]]
        pairs = [(claim_id(claim, passages), claim) for claim in claims]
    except (KeyError, TypeError, AttributeError):
        return
    yield from pairs
