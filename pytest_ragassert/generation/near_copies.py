"""Finds questions that ask the same."""

from __future__ import annotations

from collections.abc import Sequence

from ..language.folding import fold
from ..metrics.metric import Ask

# A quote: the id of its passage, and half-open offsets in the passage's text.
Place = tuple[str, int, int]


class NearCopies:
    """Questions that are kept, against which others are compared."""

    def __init__(self) -> None:
        self._kept: dict[str, str] = {}

    async def add(self, ask: Ask, question: str, places: Sequence[Place]) -> None:
        """Add a question, with the quotes that prove its answer."""
        self._kept.setdefault(fold(question).text.casefold(), question)

    async def copied_from(self, ask: Ask, question: str, places: Sequence[Place]) -> str | None:
        """Return a kept question that asks the same, or None."""
        return self._kept.get(fold(question).text.casefold())
