"""The application: a retriever and an answerer put together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from .citing import with_numbers
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
    cited: str  # the answer with the place of its context in each sentence


class Ferry:
    """`Ferry(read_notices(folder)).ask("When does the last boat leave?")`"""

    def __init__(
        self,
        passages: Sequence[Passage],
        answerer: Answerer = extractive_answer,
        *,
        ranked: bool = True,
        listed_by_notice: bool = False,
    ) -> None:
        self._listed_by_notice = listed_by_notice
        self._retriever = Retriever(passages, ranked=ranked)
        self._answerer = answerer

    def ask(self, question: str) -> Reply:
        passages = self._retriever.search(question, MOST_PASSAGES)
        answer = self._answerer(question, passages)
        cited = with_numbers(answer, passages)
        if self._listed_by_notice:
            passages = sorted(passages, key=lambda passage: passage.id)
        return Reply(
            answer,
            contexts=[passage.text for passage in passages],
            sources=[passage.source for passage in passages],
            ids=[passage.id for passage in passages],
            cited=cited,
        )

    def close(self) -> None:
        self._retriever.close()
