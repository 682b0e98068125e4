"""A verdict on a claim as it is stored: on its own, with passages named by their hashes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ...judgements import Verdict
from ...runtime.canonical_json import Json
from ..step import text_of
from .evidence_list import MOST_QUOTES, evidence_of
from .passage_hashes import text_hash

_FIELDS = {"verdict", "reason", "confidence", "evidence"}
FLAGS = ("conflict", "packed")  # only if they are true
_QUOTE = {"passage", "quote"}
_ALL_FIELDS = _FIELDS.union(FLAGS)


def by_hash(said: Json, hashes: dict[int, str]) -> Json:
    """Return a verdict in the form in which it is stored, with passages named by their hashes."""
    quotes: list[Json] = []
    for quote in evidence_of(said):
        own = {"passage": hashes.get(quote["passage"]), "quote": quote["quote"]}
        # a passage may appear several times
        if own not in quotes:
            quotes.append(own)
    return {
        **{name: said[name] for name in ("verdict", "reason", "confidence")},
        "evidence": quotes,
        **{flag: True for flag in FLAGS if said.get(flag)},
    }


def named_in(replies: Iterable[Json]) -> set[str]:
    """Return the hashes of the passages that replies quote."""
    named = {quote["passage"] for reply in replies for quote in reply["evidence"]}
    named.discard(None)
    return named


def ids_of(named: set[str], passages: Iterable[Json]) -> dict[str, int]:
    """Return the first id of each of these passages."""
    ids: dict[str, int] = {}
    for passage in passages:
        # few are quoted, and mostly the first ones
        if len(ids) == len(named):
            break
        hash = text_hash(passage["text"])
        if hash in named:
            ids.setdefault(hash, passage["id"])
    return ids


def by_id(id: int, reply: Json, ids: dict[str, int]) -> Json:
    """Return a stored verdict as a judge's verdict on the claim with an id; passages are named by
    ids.
    """
    evidence = [
        {"passage": ids.get(quote["passage"]), "quote": quote["quote"]}
        for quote in reply["evidence"]
    ]
    return {"id": id, **reply, "evidence": evidence}


def is_kept_verdict(reply: Any, is_passage: Callable[[Any], bool]) -> bool:
    """Whether it is a valid stored verdict: what `is_normal` requires, for each claim that is read.

    Args:
        is_passage: whether a quote may name that passage.
    """
    if not isinstance(reply, dict) or not _FIELDS <= reply.keys() <= _ALL_FIELDS:
        return False
    return (
        isinstance(reply["verdict"], str)
        and reply["verdict"] in Verdict.__members__
        and (reply["reason"] is None or text_of(reply["reason"]) == reply["reason"])
        and _is_confidence(reply["confidence"])
        and _are_quotes(reply["evidence"], is_passage)
        and (len(reply) == len(_FIELDS) or all(reply.get(flag, True) is True for flag in FLAGS))
    )


def _are_quotes(quotes: Any, is_passage: Callable[[Any], bool]) -> bool:
    """Whether they are quotes of a verdict, each of them once."""
    if not isinstance(quotes, list) or len(quotes) > MOST_QUOTES:
        return False
    known: list[Json] = []
    for quote in quotes:
        if not isinstance(quote, dict) or quote.keys() != _QUOTE or quote in known:
            return False
        words, passage = quote["quote"], quote["passage"]
        if words is None or text_of(words) != words:
            return False
        if passage is not None and not is_passage(passage):
            return False
        known.append(quote)
    return True


def _is_confidence(value: Any) -> bool:
    return value is None or (isinstance(value, float) and 0 <= value <= 1)
