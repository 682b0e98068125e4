"""Returns, as lines, what a store and committed verdicts know that concerns some judgements."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from ...steps.evidence.passage_hashes import text_hash
from ..contents import UnreadableStore
from ..store import Store
from .misses import Recorded
from .verdict_line import VerdictLine, line_of


class StoredLines:
    """Judgements in a store: any by its key, and all on some claims.

    Args:
        claims: the texts of the claims.
        but: keys that are ignored, such as those that were just stored.
    """

    def __init__(self, store: Store, claims: Iterable[str], but: Collection[str] = ()) -> None:
        self._store = store
        self._about = frozenset(map(text_hash, claims))
        self._but = but

    def lines_under(self, keys: Collection[str]) -> dict[str, VerdictLine]:
        texts = self._store.get_many(set(keys).difference(self._but))
        lines = {key: line_of(key, text) for key, text in texts.items()}
        return {key: line for key, line in lines.items() if line is not None}

    def lines(self) -> Iterator[VerdictLine]:
        if not self._about:
            return
        try:
            found = self._store.judged_claims(about=self._about)
        except UnreadableStore:
            # a notice reports it
            return
        lines = self.lines_under({one.key for one in found})
        yield from (lines[key] for key in sorted(lines))


class CombinedLines:
    """Several places with recorded judgements, combined into one."""

    def __init__(self, places: Sequence[Recorded]) -> None:
        self._places = places

    def lines_under(self, keys: Collection[str]) -> dict[str, VerdictLine]:
        found: dict[str, VerdictLine] = {}
        for place in self._places:
            found |= place.lines_under(set(keys) - found.keys())
        return found

    def lines(self) -> Iterator[VerdictLine]:
        seen: set[str] = set()
        for place in self._places:
            for line in place.lines():
                if line.key not in seen:
                    seen.add(line.key)
                    yield line


class LinesBefore:
    """Committed verdicts without those that this run has added."""

    def __init__(self, verdicts: Recorded, but: Collection[str]) -> None:
        self._verdicts = verdicts
        self._but = but

    def lines_under(self, keys: Collection[str]) -> dict[str, VerdictLine]:
        return self._verdicts.lines_under(set(keys).difference(self._but))

    def lines(self) -> Iterator[VerdictLine]:
        yield from (line for line in self._verdicts.lines() if line.key not in self._but)
