"""Converts a store: replaces the row of a whole answer by one row per judgement."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from itertools import islice

from ..judging.scheduling.former_answers import answer_in_text
from ..storage.answers import read_answer
from ..storage.contents import UnreadableStore, content_of
from ..storage.judgement_rows import rows_of
from ..storage.keys import FORMATS, question_key
from ..storage.open_store import open_store
from ..storage.store import Store
from .conversion import DAMAGE, UNFIT, UNKNOWN, Counts, as_kept, judgements_of, question_in
from .locations import Places
from .output import Failed

_AT_ONCE = 200  # number of answers converted in one transaction


class StoreConversion:
    """Converts a store.

    New rows are written, in one transaction, before old ones are deleted. If the process is killed,
    the store has each verdict in one format or in both, and the next conversion completes the work.

    Args:
        committed: keys of whole questions whose answers are also committed.

    Attributes:
        for_lines: number of questions that stay because converting committed verdicts needs them.
    """

    def __init__(self, places: Places, committed: Set[str]) -> None:
        self._places = places
        self._committed = committed
        self.counts = Counts()
        self.for_lines = 0

    def convert(self, store: Store) -> None:
        """
        Raises:
            Failed: the store cannot be written; no verdict is lost.
        """
        former = iter(
            [
                (content.key, content.is_of_whole_question)
                for content in map(content_of, store.rows())
                if content.kind == "answer" and content.record["format"] == FORMATS[0]
            ]
        )
        while batch := list(islice(former, _AT_ONCE)):
            self._convert(store, batch)

    def _convert(self, store: Store, batch: Sequence[tuple[str, bool]]) -> None:
        new: dict[str, str] = {}
        old: list[str] = []
        for key, is_whole in batch:
            if not is_whole:
                new |= self._single(store, key)
            elif (rows := self._whole(store, key, new)) is not None:
                new |= rows
                old.append(key)
        self._write(new)
        done = [question_key(key) for key in old if key not in self._committed]
        self.for_lines += len(old) - len(done)
        former = [store.row(key) for key in (*old, *done)]
        try:
            store.delete([row for row in former if row is not None])
        except UnreadableStore as error:
            raise Failed(f"the converted answers exist in both formats: {error}") from None

    def _whole(self, store: Store, key: str, new: Mapping[str, str]) -> dict[str, str] | None:
        """Rows for the judgements of a whole answer that have none yet; None: the answer stays.

        Args:
            new: rows that are already going to be written.
        """
        counts = self.counts
        question, row = question_in(store, key), store.row(key)
        if question is None or row is None or row.text is None:
            counts.stay[UNKNOWN] += 1
            return None
        try:
            answer = answer_in_text(question, row.text)
            made = {} if answer is None else judgements_of(question, answer, self._places)
            left = {
                one: answer
                for one, answer in made.items()
                if one not in new and not _has_answer(store, one)
            }
            rows = rows_of(question, left, names_passages=self._places.names_passages)
        except DAMAGE:
            made = {}
        if not made:
            counts.stay[UNFIT] += 1
            return None
        counts.whole += 1
        counts.made += len(made)
        counts.there += len(made) - len(left)
        return dict(rows)

    def _single(self, store: Store, key: str) -> dict[str, str]:
        """Rows for an answer to a single judgement; empty if it stays."""
        question, row = question_in(store, key), store.row(key)
        if question is None or row is None or row.text is None:
            self.counts.stay[f"{UNKNOWN}, each one judgement"] += 1
            return {}
        try:
            answer = read_answer(row.text, question, stored=True)
            if answer is None or not question.step.fits(question.input, answer.reply):
                raise ValueError
        except DAMAGE:
            self.counts.stay[UNFIT] += 1
            return {}
        self.counts.single += 1
        kept = as_kept(question, answer, self._places)
        text = kept.to_text(question, names_passages=self._places.names_passages)
        return {key: text, question_key(key): question.to_text()}

    def _write(self, rows: Mapping[str, str]) -> None:
        notices: list[str] = []
        with open_store(self._places.folder, notices.append) as store:
            store.put_many(list(rows.items()))
            written = {key: store.get(key) for key in rows}
        if notices or written != rows:
            why = notices[0] if notices else "a written row could not be read back"
            raise Failed(f"not everything was converted: {why}")


def _has_answer(store: Store, key: str) -> bool:
    row = store.row(key)
    return row is not None and content_of(row).kind == "answer"
