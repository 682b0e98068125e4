"""Finds which claims stored questions ask for, by claim.

A claim is found by its id, or by its text and how it was asked, whatever passages it was compared
with. A question of format 2 may ask for several claims.
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
        key: the key of the judgement, or of the whole question if an earlier version asked several.
        about: `text_hash` of the claim.
        asked: `Question.asked`; empty if another version asked.
        passages: `text_hash` of each passage, sorted.
    """

    id: str
    key: str
    about: str
    asked: str
    passages: tuple[str, ...]


def judged_claims_in(content: Content) -> list[JudgedClaim]:
    """Return the claims that a row asks for; none if it is damaged or not a question about
    claims.
    """
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
    """Return `Question.asked` of the question in a row; empty if another version asked."""
    told = content.record.get("asked")
    if is_digest(told):
        return told
    question = asked_in(content.record)
    return question.asked if question is not None and question.key == content.key else ""


def _judgement_in(record: Json) -> list[tuple[str, str]]:
    """Return id and text of the claim in a question for one judgement; none if it is damaged or
    another kind of question.
    """
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
    """Return what `Store.judged_sets` does, by reading every answer."""
    return filter(None, (answered_set_in(content_of(row)) for row in rows))


def answered_set_in(content: Content) -> JudgedSet | None:
    """Return the set of passages of a stored verdict; None for other answers and carried ones."""
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
    """Return what `Store.judged_claims` does, by reading every question."""
    claims = (claim for row in rows for claim in judged_claims_in(content_of(row)))
    return sorted(
        claim
        for claim in claims
        if claim.id.startswith(id)
        and (not about or claim.about in about)
        and asked in ("", claim.asked)
    )


def claims_in(input: Json) -> Iterator[tuple[str, str]]:
    """Return id and text of each claim of a stored `verify_claims` question that contains the
    passages' texts; none if it is damaged.
    """
    try:
        passages = [passage["text"] for passage in input["passages"]]
        claims = [claim["text"] for claim in input["claims"]]
        pairs = [(claim_id(claim, passages), claim) for claim in claims]
    except (KeyError, TypeError, AttributeError):
        return
    yield from pairs
