"""The retriever: the passages that fit a question best, in the question's language."""

from __future__ import annotations

from collections.abc import Sequence

from .corpus import Passage
from .index import Index
from .languages import language_of, search_terms


class Retriever:
    def __init__(self, passages: Sequence[Passage], *, ranked: bool = True) -> None:
        self._passages = passages
        self._ranked = ranked
        self._index = Index(f"{passage.heading}. {passage.text}" for passage in passages)

    def search(self, question: str, limit: int) -> list[Passage]:
        language = language_of(question)
        places = self._index.search(search_terms(question), ranked=self._ranked)
        found = (self._passages[place] for place in places)
        return [passage for passage in found if passage.language == language][:limit]

    def close(self) -> None:
        self._index.close()
