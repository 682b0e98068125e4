"""Reads the evidence of a verdict, in any shape that a judge gives it, as a list of quotes."""

from __future__ import annotations

from typing import Any

from ...runtime.canonical_json import Json
from ..step import id_of, text_of

MOST_QUOTES = 3  # of one verdict


def evidence_of(verdict: Json) -> list[Json]:
    """The quotes of a verdict as `[{"passage", "quote"}]`, the deciding one first.

    One quote may stand in place of the list, or, as the first version of the step asked for it,
    beside the verdict. What has no words is no quote; one without a passage may stand in any.
    """
    given = verdict.get("evidence")
    quotes = _quotes(given if isinstance(given, list) else [given]) or _quotes([verdict])
    return quotes[:MOST_QUOTES]


def _quotes(entries: list[Any]) -> list[Json]:
    """Each quote once."""
    quotes: list[Json] = []
    for entry in entries:
        quote = _quote({"quote": entry} if isinstance(entry, str) else entry)
        if quote is not None and quote not in quotes:
            quotes.append(quote)
    return quotes


def _quote(entry: Any) -> Json | None:
    words = text_of(entry.get("quote")) if isinstance(entry, dict) else None
    return None if words is None else {"passage": id_of(entry.get("passage")), "quote": words}
