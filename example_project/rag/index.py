"""Full-text search: SQLite's FTS5 ranks texts by BM25."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence

from .languages import spaced


class Index:
    """Texts to be searched, held in memory and known by their place in the order given."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._database = sqlite3.connect(":memory:")
        self._database.execute("CREATE VIRTUAL TABLE texts USING fts5(text, tokenize = 'porter')")
        self._database.executemany(
            "INSERT INTO texts (rowid, text) VALUES (?, ?)",
            ((place, spaced(text)) for place, text in enumerate(texts)),
        )

    def search(self, terms: Sequence[str], *, ranked: bool = True) -> list[int]:
        """The texts that hold any of the terms, best first, or as they were given."""
        if not terms:
            return []
        order = "rank" if ranked else "rowid"
        rows = self._database.execute(
            f"SELECT rowid FROM texts WHERE texts MATCH ? ORDER BY {order}", [" OR ".join(terms)]
        )
        return [place for (place,) in rows]

    def close(self) -> None:
        self._database.close()
