"""Hashes of texts, by which a judgement names the passages that it was made against."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable

from ...language.escaping import is_blank
from ...runtime.canonical_json import Json

HASH_DIGITS = 32  # of a passage's SHA-256, by which it is named
_HASH = re.compile("[0-9a-f]{32}")


def text_hash(text: str) -> str:
    """The first 32 hexadecimal digits of a text's SHA-256."""
    return whole_hash(text)[:HASH_DIGITS]


def whole_hash(text: str) -> str:
    """A text's SHA-256 in hexadecimal."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def is_hash(value: object) -> bool:
    """Whether it is what `text_hash` may give."""
    return isinstance(value, str) and _HASH.fullmatch(value) is not None


def passage_hashes(passages: Iterable[Json]) -> dict[int, str]:
    """The hash of each passage that says something, by its id."""
    return {one["id"]: text_hash(one["text"]) for one in passages if not is_blank(one["text"])}


def passage_set(hashes: Iterable[str]) -> list[str]:
    """The hashes in the order in which a set of passages is written; each once."""
    return sorted(set(hashes))
