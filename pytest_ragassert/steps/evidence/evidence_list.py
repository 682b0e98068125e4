"""Reads the evidence of a verdict, in any form that judges use, as a list of quotes."""

from __future__ import annotations

from typing import Any

from ...runtime.canonical_json import Json
from ..step import id_of, text_of

MOST_QUOTES = 3  # of one verdict


def evidence_of(verdict: Json) -> list[Json]:
    """Return the quotes of a verdict as `[{"passage", "quote"}]`, the deciding one first.

    A single quote may replace the list or, as in the first version of the step, be beside the
    verdict. An entry without words is not a quote. A quote without a passage may be in any passage.
    """
    given = verdict.get("evidence")
    quotes = _quotes(given if isinstance(given, list) else [given]) or _quotes([verdict])
    return quotes[:MOST_QUOTES]


def _quotes(entries: list[Any]) -> list[Json]:
    """Yield each quote once."""
    quotes: list[Json] = []
    for entry in entries:
        quote = _quote({"quote": entry} if isinstance(entry, str) else entry)
        if quote is not None and quote not in quotes:
            quotes.append(quote)
    return quotes


def _quote(entry: Any) -> Json | None:
    words = text_of(entry.get("quote")) if isinstance(entry, dict) else None
    return None if words is None else {"passage": id_of(entry.get("passage")), "quote": words}
