"""Finds which rows of a table, or labelled items of a list, a statement is about."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from ....language.headings import headings_of
from ....language.layout import is_row, list_mark_end
from ....language.markup import plain
from ....language.words.claim_match import ReadPassage, Statement, read_passage
from ....language.words.languages import language_table
from ....language.words.reader import read_words
from ....language.words.vocabulary import Holdings

# A line that may be a row or an item. If there is only one line, nothing need be read.
_ROWS = re.compile(r"[\n\r][ \t>]*(?:[^\w\s]|\w{1,5}[.)、．，：]|[\u2460-\u27bf]|\d\ufe0f?\u20e3)")
_LABEL = re.compile(r"([^:：|\n]{1,60}?)(?:[:：](?!\d)|\s[–—-]\s)")
# maximum content words: a longer cell is prose, whose words other rows may share
_LONGEST_VALUE = 6
_SHORTEST_HEAD = 4  # letters of a word that begins a compound


@dataclass(frozen=True, slots=True)
class _Row:
    """A row: its half-open offsets, the words and numbers of its label, and its other cells."""

    start: int
    end: int
    label: frozenset[str]
    value: str


@dataclass(frozen=True, slots=True)
class Asked:
    """Passages without the rows that a statement is not about.

    Attributes:
        passages: with such rows replaced by line breaks, so that all offsets remain valid.
        elsewhere: what of the statement is found only in such rows, for people.
    """

    passages: Sequence[ReadPassage]
    elsewhere: tuple[str, ...] = ()


def rows_asked(statement: Statement, passages: Sequence[ReadPassage]) -> Asked:
    """Return the parts of the passages that may be about the statement's subject.

    If the label of one row of a table appears in a statement, the other rows are about something
    else: what an adult pays does not support "child: 12 euros".
    """
    others = {
        place: rows
        for place, passage in enumerate(passages)
        if (rows := _others(statement, passage))
    }
    if not others:
        return Asked(passages)
    kept = [
        read_passage(_without(passage.text, others[place]), passage.code)
        if place in others
        else passage
        for place, passage in enumerate(passages)
    ]
    return Asked(kept, tuple(_elsewhere(statement, kept, others)))


def _others(statement: Statement, passage: ReadPassage) -> list[_Row]:
    """Return the other rows of the tables in which the statement is about some of the rows."""
    if not _ROWS.search(passage.text):
        return []
    others: list[_Row] = []
    for rows in _tables(passage.text, passage.code):
        about = [row for row in rows if _is_about(statement, row, rows)]
        if about:
            others += [row for row in rows if row not in about]
    return others


def _is_about(statement: Statement, row: _Row, rows: Sequence[_Row]) -> bool:
    said = {word for word in row.label if _says(statement, word)}
    if 2 * len(said) < len(row.label):
        return False
    beside = frozenset[str]().union(*(other.label for other in rows if other is not row))
    return not said <= beside


def _says(statement: Statement, word: str) -> bool:
    if word in statement.content or any(word == n.value for n in statement.words.numbers):
        return True
    return (
        language_table(statement.code).compounds
        and len(word) >= _SHORTEST_HEAD
        and any(own.startswith(word) for own in statement.content)
    )


def _without(text: str, rows: Sequence[_Row]) -> str:
    kept, end = [], 0
    for row in sorted(rows, key=lambda row: row.start):
        # as blank lines, so that the text above and below is not joined
        kept += [text[end : row.start], "\n" * (row.end - row.start)]
        end = row.end
    return "".join([*kept, text[end:]])


def _elsewhere(
    statement: Statement, kept: Sequence[ReadPassage], others: dict[int, list[_Row]]
) -> list[str]:
    """Return the statement's words and numbers that appear only in the cells of other rows."""
    values = [row.value for rows in others.values() for row in rows]
    found: list[str] = []
    for number in statement.numbers:
        if not any(passage.sentences_holding(number) for passage in kept) and any(
            read_passage(value, statement.code).sentences_holding(number) for value in values
        ):
            found.append(number.text)
    here = frozenset[str]().union(*(statement.found_in(p.holdings) for p in kept))
    short = [
        value
        for value in values
        if len(read_words(value, statement.code).content) <= _LONGEST_VALUE
    ]
    there = frozenset[str]().union(
        *(statement.found_in(Holdings(value, statement.code)) for value in short)
    )
    apart = (there - here) & statement.content
    return found + [word for word in dict.fromkeys(statement.words.content) if word in apart]


@lru_cache(maxsize=512)
def _tables(text: str, code: str) -> tuple[tuple[_Row, ...], ...]:
    """Return the rows of each table, and the labelled items of each list that has several."""
    passage = read_passage(text, code)
    tables: list[list[_Row]] = []
    last: tuple[str, int | None, int] | None = None
    for number, (sentence, head) in enumerate(
        zip(passage.sentences, headings_of(text), strict=True)
    ):
        read = _row(text, sentence.start, sentence.end, code)
        if read is None:
            continue
        kind, row = read
        if last != (kind, head, number - 1):
            tables.append([])
        tables[-1].append(row)
        last = kind, head, number
    return tuple(tuple(rows) for rows in tables if len(rows) > 1)


def _row(text: str, start: int, end: int, code: str) -> tuple[str, _Row] | None:
    line = text[start:end]
    if is_row(line):
        if "\n" in line or "\r" in line:
            return None  # the header row, with the rule below it
        cells = [cell.strip() for cell in plain(line).strip(" \t>|").split("|")]
        label, value, kind = cells[0], " | ".join(cells[1:]), "row"
    elif (mark := list_mark_end(line, 0, len(line))) and (found := _LABEL.match(line, mark)):
        label, value, kind = plain(found[1]), plain(line[found.end() :]), "item"
    else:
        return None
    words = read_words(label, code)
    says = frozenset({*words.content, *(number.value for number in words.numbers)})
    return (kind, _Row(start, end, says, value)) if says and value.strip() else None
