"""A text's vector as it is stored: JSON text."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass, field
from typing import Any

from ..judges.judge import Usage
from ..steps.canonical import canonical_json
from .usage import read_usage

FORMAT = 1


@dataclass(frozen=True)
class Embedding:
    """A text's vector.

    Attributes:
        usage: its share of what the request cost.
        stored: it was there before this run began.
        local: made in this process, where it costs nothing and is not stored.
    """

    key: str
    vector: list[float]
    usage: Usage = field(default_factory=Usage)
    stored: bool = False
    local: bool = False


def embedding_text(embedding: Embedding, embedder: str) -> str:
    return canonical_json(
        {
            "format": FORMAT,
            "step": "embed_text",
            "embedder": embedder,
            "vector": embedding.vector,
            "usage": asdict(embedding.usage),
        }
    )


def read_embedding(key: str, embedder: str, text: str, stored: bool) -> Embedding | None:
    """The vector in a stored text; None where it is damaged or another's."""
    try:
        record: Any = json.loads(text)
        made_by = record["format"], record["step"], record["embedder"]
        if made_by != (FORMAT, "embed_text", embedder):
            return None
        numbers, usage = record["vector"], read_usage(record["usage"])
        if not numbers or not all(type(number) in (int, float) for number in numbers):
            return None
        vector = [float(number) for number in numbers]
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError):
        return None
    if not all(map(math.isfinite, vector)):
        return None
    return Embedding(key, vector, usage, stored)
