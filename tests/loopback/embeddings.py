"""Deterministic vectors for texts, nearer where texts share words, and their bodies."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from typing import Any

Json = dict[str, Any]
STEP = "embed_text"
DIMENSION = 16


def read_input(body: Mapping[str, Any]) -> list[str]:
    """The texts of an embeddings request, whether one or several."""
    given = body.get("input")
    texts = given if isinstance(given, list) else [given]
    return [text for text in texts if isinstance(text, str)]


def vector(text: str) -> list[float]:
    """The sum of its words' vectors, so that the order of words is no matter."""
    total = [0.0] * DIMENSION
    for word in re.findall(r"\w+", text.lower()) or [text]:
        digest = hashlib.sha256(word.encode("utf-8", "surrogatepass")).digest()
        for place, byte in enumerate(digest[:DIMENSION]):
            total[place] += byte / 255 - 0.5
    return total


def embeddings(
    texts: list[str], *, model: Any, prompt_tokens: int, changes: Mapping[str, Any]
) -> Json:
    """Return an embeddings response; `changes` may hold data or usage."""
    data = [
        {"object": "embedding", "index": index, "embedding": vector(text)}
        for index, text in enumerate(texts)
    ]
    usage = {"prompt_tokens": prompt_tokens, "total_tokens": prompt_tokens}
    return {
        "object": "list",
        "data": changes.get("data", data),
        "model": model,
        "usage": changes.get("usage", usage),
    }
