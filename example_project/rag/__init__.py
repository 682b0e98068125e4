"""Questions to the Skerra Ferry Cooperative, answered from its notices.

Two indexes are built at start: one of whole notices, for retrieval, and one of their sentences, for
the answer.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from .answer import answer, index_of_sentences
from .retriever import index_of_documents, read_folder

HERE = Path(__file__).resolve().parent.parent
MOST_NOTICES = 3


class Reply(NamedTuple):
    answer: str
    contexts: list[str]


class Ferry:
    """The application: `Ferry().ask("When does the last boat leave?")`."""

    def __init__(self) -> None:
        notices = read_folder(HERE / "corpus")
        self._notices = index_of_documents(notices)
        if os.environ.get("RAG_BROKEN") == "1":
            # A regression to look at: the index of sentences was not rebuilt for the new season.
            notices = {**notices, **read_folder(HERE / "archive")}
        self._sentences = index_of_sentences(notices)

    def ask(self, question: str) -> Reply:
        retrieved = self._notices.search(question, MOST_NOTICES)
        return Reply(
            answer(question, self._sentences, retrieved),
            [notice.text for notice in retrieved],
        )

    def close(self) -> None:
        self._notices.close()
        self._sentences.close()
