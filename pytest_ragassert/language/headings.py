"""Finds what heads each sentence of a text: a heading, a table's header row, the line before a
list.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from .layout import (
    heading_level,
    indentation,
    is_bold_item,
    is_fence,
    leads_in,
    list_mark,
    underlined,
)
from .sentences import split_sentences


@lru_cache(maxsize=512)
def headings_of(text: str) -> tuple[int | None, ...]:
    """Return, for each sentence of `split_sentences`, the index of the one that heads it, or None.

    It is above the sentence, and is the nearest of these:

    * for a row, the header row of its table;
    * for an item of a list, and for lines and code directly below, the line before the list that
      ends with a colon, or the item under which the list is nested;
    * the Markdown heading, or the line that is all bold. A heading is headed by the one of an
      enclosing level.
    """
    if "\n" not in text and "\r" not in text:
        return (None,) * len(split_sentences(text))
    outline = _Outline()
    heads: list[int | None] = []
    for line in _lines(text):
        heads += [outline.head_of(line)] * (line.last - line.first + 1)
    return tuple(heads)


@dataclass(frozen=True, slots=True)
class _Line:
    """A line, or several lines that are one sentence.

    Attributes:
        text: without its indentation.
        first: the index of its first sentence.
        last: the index of its last sentence.
        directly: no blank line is before it.
    """

    text: str
    indent: int
    first: int
    last: int
    directly: bool


def _lines(text: str) -> Iterator[_Line]:
    spans = split_sentences(text)
    first = before = 0  # the line's first sentence; where the previous sentence ends
    for index, (_, end) in enumerate(spans):
        gap = text[end : spans[index + 1][0]] if index + 1 < len(spans) else "\n"
        if "\n" not in gap and "\r" not in gap:
            continue
        start = spans[first][0]
        above = f"{text[before:start]}|".splitlines()
        yield _Line(text[start:end], indentation(above[-1]), first, index, len(above) == 2)
        first, before = index + 1, end


@dataclass(frozen=True, slots=True)
class _Entry:
    """An item of a list, or a line that ends with a colon, which heads the items below it.

    Attributes:
        kind: the kind of the item's mark; None if it is not an item.
        index: the index of its last sentence.
        below: what heads the text below it that is not an item.
    """

    indent: int
    kind: str | None
    index: int
    below: int | None


class _Outline:
    """The headings, lists and table that contain the lines, which are read one by one."""

    def __init__(self) -> None:
        self._headings: list[tuple[int, int]] = []  # levels and indices
        self._entries: list[_Entry] = []
        self._header: int | None = None  # the header row of a table that continues

    def head_of(self, line: _Line) -> int | None:
        """Return the index of the sentence that heads the next line."""
        first, _, below = line.text.partition("\n")
        kind = underlined(first, below.strip()) if below else None
        if self._header is not None and line.directly and "|" in first:
            return self._header
        self._header = line.first if kind == "table" else None
        if kind == "table" or is_fence(first):
            return self._head_of_block(line)
        level = int(kind) if kind else heading_level(first)
        if level is not None:
            return self._head_of_heading(line, level)
        mark = list_mark(first)
        return self._head_of_item(line, mark) if mark else self._head_of_text(line)

    def _head_of_heading(self, line: _Line, level: int) -> int | None:
        self._entries.clear()
        while self._headings and self._headings[-1][0] >= level:
            self._headings.pop()
        head = self._heading()
        self._headings.append((level, line.first))
        return head

    def _head_of_block(self, line: _Line) -> int | None:
        """Return what heads a table's header row, or code."""
        if self._entries and self._entries[-1].kind is not None:
            self._leave(line)
        return self._entries[-1].below if self._entries else self._heading()

    def _head_of_item(self, line: _Line, kind: str) -> int | None:
        entries = self._entries
        while entries and entries[-1].indent > line.indent:
            entries.pop()
        level = [entry.kind for entry in entries if entry.indent == line.indent]
        if kind in level:
            while entries.pop().kind != kind:
                pass
        elif level and level[-1] and entries[-1].below != entries[-1].index:
            entries.pop()  # unlike "1. Fares:", a title to which a list of "- adults" belongs
        head = entries[-1].index if entries else self._heading()
        titled = leads_in(line.text) or is_bold_item(line.text)
        entries.append(_Entry(line.indent, kind, line.last, line.last if titled else head))
        return head

    def _head_of_text(self, line: _Line) -> int | None:
        entries = self._entries
        titled = leads_in(line.text)
        if not line.directly:
            self._leave(line)
        elif titled:
            while entries and entries[-1].kind and entries[-1].indent >= line.indent:
                entries.pop()
            if entries and not entries[-1].kind and entries[-1].index != line.first - 1:
                entries.pop()
        head = entries[-1].below if entries else self._heading()
        if titled:
            entries.append(_Entry(line.indent, None, line.last, line.last))
        return head

    def _leave(self, line: _Line) -> None:
        """Leave the lists that end because a line is not indented further than their items."""
        while self._entries and self._entries[-1].indent >= line.indent:
            self._entries.pop()

    def _heading(self) -> int | None:
        return self._headings[-1][1] if self._headings else None
