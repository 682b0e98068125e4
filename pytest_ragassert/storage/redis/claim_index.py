"""The index of judged claims on a server, so that no look-up reads more than a claim's own.

Each claim has a hash, whose fields are the keys of the judgements on it. The value says when the
judgement was first put, how it was asked, and against which passages.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from ...runtime.canonical_json import is_digest
from ...steps.evidence.passage_hashes import is_hash, text_hash
from ..contents import Row, content_in
from ..judged_claims import answered_set_in, judged_claims_in
from ..judged_sets import ON_CLAIMS, JudgedSet, hashes_of, judged_set
from ..keys import QUESTION_SUFFIX, is_answer_key, question_key


class Judged(NamedTuple):
    """A judgement on a claim.

    Attributes:
        key: of its answer.
        asked: `Question.asked`; empty if another version asked.
        passages: `text_hash` of each passage, sorted.
        when: seconds since 1970 by the server's clock; unknown before it is put.
    """

    key: str
    asked: str
    passages: tuple[str, ...]
    when: float = 0.0

    def to_text(self, when: float) -> str:
        return f"{when:.6f} {self.asked or '-'} {','.join(self.passages)}"

    def set_of(self, claim: str) -> JudgedSet:
        return judged_set(claim, self.asked, self.passages)


def index_of(texts: Sequence[tuple[str, str]]) -> list[tuple[str, Judged]]:
    """Return the judgements in texts, given as pairs of key and text, each with the hash of its
    claim.
    """
    known = {key for key, _ in texts}
    found: list[tuple[str, Judged]] = []
    for key, text in texts:
        # what is imported has no question
        if key.endswith(QUESTION_SUFFIX) or (is_answer_key(key) and question_key(key) not in known):
            found += _judged(key, text)
    return found


def _judged(key: str, text: str) -> Iterator[tuple[str, Judged]]:
    if ON_CLAIMS not in text:
        return
    content = content_in(key, text)
    for claim in judged_claims_in(content):
        yield claim.about, Judged(claim.key, claim.asked, claim.passages)
    answered = answered_set_in(content)
    if answered is not None:
        hashes = hashes_of(answered.passages)
        yield answered.about.hex(), Judged(content.key, answered.asked.hex(), hashes)


def unindexed(row: Row) -> list[tuple[str, str]]:
    """Return the claims whose index has the row's judgement, each with its field there.

    This also finds those of earlier versions, of which only the fields that count are looked at.
    """
    if row.text is None or not is_answer_key(row.key):
        return []
    try:
        record: Any = json.loads(row.text)
        about = record["about"] if record["step"] == ON_CLAIMS else None
    except (ValueError, KeyError, TypeError, RecursionError):
        return []
    return [(text_hash(about), row.key)] if isinstance(about, str) else []


def judged_in(reply: Any) -> Iterator[Judged]:
    """Return the judgements in the reply to HGETALL; none of what is damaged."""
    pairs = reply.items() if isinstance(reply, dict) else _pairs(reply)
    for field, value in pairs:
        try:
            key, (when, asked, passages) = field.decode("ascii"), value.decode("ascii").split(" ")
            judged = Judged(key, asked.strip("-"), tuple(passages.split(",")), float(when))
        except (ValueError, AttributeError):
            continue
        if is_digest(key) and is_digest(judged.asked or key) and all(map(is_hash, judged.passages)):
            yield judged


def _pairs(reply: Any) -> Iterator[tuple[Any, Any]]:
    return zip(reply[::2], reply[1::2], strict=False) if isinstance(reply, list) else iter(())
