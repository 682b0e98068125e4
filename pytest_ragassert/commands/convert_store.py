"""Converts a store: each judgement gets a row of its own in place of the whole answer's."""

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

_AT_ONCE = 200  # answers that are converted in one transaction


class StoreConversion:
    """Converts a store.

    What is new is written, in one transaction, before anything old goes. Killed at any moment, the
    store has each verdict in one form or in both, and the next conversion ends what this one began.

    Args:
        committed: keys of whole questions whose answers are committed too.

    Attributes:
        for_lines: questions that stay, as committed verdicts can be converted only with them.
    """

    def __init__(self, places: Places, committed: Set[str]) -> None:
        self._places = places
        self._committed = committed
        self.counts = Counts()
        self.for_lines = 0

    def convert(self, store: Store) -> None:
        """
        Raises:
            Failed: the store can't be written; no verdict is lost.
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
            raise Failed(f"what is converted is there in both forms: {error}") from None

    def _whole(self, store: Store, key: str, new: Mapping[str, str]) -> dict[str, str] | None:
        """The rows for those of a whole answer's judgements that have none; None: it stays.

        Args:
            new: rows that are to be written already.
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
        """The rows of a judgement that had an answer of its own; none where they stay."""
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
            why = notices[0] if notices else "what was written can't be read again"
            raise Failed(f"not everything is converted: {why}")


def _has_answer(store: Store, key: str) -> bool:
    row = store.row(key)
    return row is not None and content_of(row).kind == "answer"
