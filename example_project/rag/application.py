"""The application: a retriever and an answerer put together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from .corpus import Passage
from .extractive import extractive_answer
from .retriever import Retriever

MOST_PASSAGES = 3

Answerer = Callable[[str, Sequence[Passage]], str]


class Reply(NamedTuple):
    answer: str
    contexts: list[str]
    sources: list[str]  # of each context, its file
    ids: list[str]


class Ferry:
    """`Ferry(read_notices(folder)).ask("When does the last boat leave?")`"""

    def __init__(
        self,
        passages: Sequence[Passage],
        answerer: Answerer = extractive_answer,
        *,
        ranked: bool = True,
    ) -> None:
        self._retriever = Retriever(passages, ranked=ranked)
        self._answerer = answerer

    def ask(self, question: str) -> Reply:
        passages = self._retriever.search(question, MOST_PASSAGES)
        answer = self._answerer(question, passages)
        return Reply(
            answer,
            contexts=[passage.text for passage in passages],
            sources=[passage.source for passage in passages],
            ids=[passage.id for passage in passages],
        )

    def close(self) -> None:
        self._retriever.close()
