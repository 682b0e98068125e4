"""A text's vector as it is stored: JSON text."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass, field
from typing import Any

from ...runtime.canonical_json import canonical_json, digest
from ...usage import Usage, read_usage
from ..record import FORMAT, now

EMBED_TEXT = "embed_text"


def vector_key(embedder: str, model: str, text: str) -> str:
    """SHA-256 in hexadecimal: all that a vector depends on."""
    return digest({"step": EMBED_TEXT, "embedder": embedder, "model": model, "text": text})


@dataclass(frozen=True)
class Embedding:
    """A text's vector.

    Attributes:
        usage: its share of what the request cost.
        stored: it was there before this run began.
        committed: it comes from committed verdicts.
        local: made in this process, where it costs nothing and is not stored.
    """

    key: str
    vector: list[float]
    usage: Usage = field(default_factory=Usage)
    stored: bool = False
    local: bool = False
    committed: bool = False


def embedding_text(embedding: Embedding, text: str, embedder: str, model: str) -> str:
    """A record as of an answer, with the vector for a reply and the text for what it is about."""
    return canonical_json(
        {
            "format": FORMAT,
            "step": EMBED_TEXT,
            "judge": embedder,
            "model": model,
            "about": text,
            "reply": {"vector": embedding.vector},
            "usage": asdict(embedding.usage),
            "when": now(),
        }
    )


def read_embedding(key: str, embedder: str, text: str, stored: bool) -> Embedding | None:
    """The vector in a stored text; None where it is damaged or another's."""
    try:
        record: Any = json.loads(text)
        made_by = record["format"], record["step"], record["judge"]
        if made_by != (FORMAT, EMBED_TEXT, embedder) or not is_under(key, record):
            return None
        vector, usage = vector_of(record["reply"]["vector"]), read_usage(record["usage"])
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    return None if vector is None else Embedding(key, vector, usage, stored)


def is_under(key: str, record: Any) -> bool:
    """Whether the key is that of the record's embedder and text."""
    return vector_key(record["judge"], record["model"] or "", record["about"]) == key


def vector_of(numbers: Any) -> list[float] | None:
    """The vector; None where they are no list of finite numbers."""
    if not isinstance(numbers, list) or not numbers:
        return None
    if not all(type(number) in (int, float) for number in numbers):
        return None
    try:
        vector = [float(number) for number in numbers]
    except OverflowError:
        return None
    return vector if all(map(math.isfinite, vector)) else None
