"""Full-text search: SQLite's FTS5 ranks texts by BM25."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

_STOP_WORDS = """a an and are as at be by can could did do does for from get has have how i if in is
it long many may me much must my of on or our should so that the their there they this to up was we
what when where which who why will with you your"""
STOP_WORDS = frozenset(_STOP_WORDS.split())


class Text(NamedTuple):
    """A document, or a sentence of one."""

    document: str
    text: str


class Index:
    """Texts to be searched, held in memory."""

    def __init__(self, texts: Iterable[Text]) -> None:
        self._database = sqlite3.connect(":memory:")
        self._database.execute(
            "CREATE VIRTUAL TABLE texts USING fts5(document UNINDEXED, text, tokenize = 'porter')"
        )
        self._database.executemany("INSERT INTO texts VALUES (?, ?)", texts)

    def search(self, question: str, limit: int, document: str | None = None) -> list[Text]:
        """The texts (of one document, where it is named) that fit the question, best first."""
        words = [word for word in re.findall(r"\w\w+", question.lower()) if word not in STOP_WORDS]
        if not words:
            return []
        rows = self._database.execute(
            "SELECT document, text FROM texts WHERE texts MATCH :words "
            "AND (:document IS NULL OR document = :document) ORDER BY rank LIMIT :limit",
            {
                "words": " OR ".join(f'"{word}"' for word in words),
                "document": document,
                "limit": limit,
            },
        )
        return [Text(*row) for row in rows]

    def close(self) -> None:
        self._database.close()


def read_folder(folder: Path) -> dict[str, str]:
    """The documents of a folder by name, each paragraph on one line."""
    return {
        file.stem: "\n".join(
            " ".join(paragraph.split())
            for paragraph in file.read_text(encoding="utf-8").split("\n\n")
        )
        for file in sorted(folder.glob("*.md"))
    }


def index_of_documents(documents: Mapping[str, str]) -> Index:
    return Index(Text(name, text) for name, text in documents.items())
