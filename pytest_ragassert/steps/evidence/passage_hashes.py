"""Hashes of texts, by which a judgement names the passages that it was made against."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable

from ...language.escaping import is_blank
from ...runtime.canonical_json import Json

HASH_DIGITS = 32  # digits of a passage's SHA-256 that name it
_HASH = re.compile("[0-9a-f]{32}")


def text_hash(text: str) -> str:
    """Return the first 32 hexadecimal digits of a text's SHA-256."""
    return whole_hash(text)[:HASH_DIGITS]


def whole_hash(text: str) -> str:
    """Return a text's SHA-256 in hexadecimal."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def is_hash(value: object) -> bool:
    """Whether it has the form of a result of `text_hash`."""
    return isinstance(value, str) and _HASH.fullmatch(value) is not None


def passage_hashes(passages: Iterable[Json]) -> dict[int, str]:
    """Return the hash of each passage that is not blank, by its id."""
    return {one["id"]: text_hash(one["text"]) for one in passages if not is_blank(one["text"])}


def passage_set(hashes: Iterable[str]) -> list[str]:
    """Return the hashes in the order in which a set of passages is written, each once."""
    return sorted(set(hashes))
