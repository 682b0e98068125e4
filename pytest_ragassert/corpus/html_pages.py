"""Finds the text and the blocks of an HTML page."""

from __future__ import annotations

import re
from collections.abc import Set

from bs4 import BeautifulSoup
from bs4.element import Tag

from ..language.layout import leads_in
from ..language.words.language import word_set
from .html_tree import parsed, title_of_page, visible_events
from .outline import Block, Outline

_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_INLINE = word_set(
    "a abbr acronym b bdi bdo big cite code data del dfn em font i img ins kbd label mark meter"
    " output picture progress q ruby rb s samp small source span strike strong sub sup time track"
    " tt u var wbr"
)
_LISTS = frozenset({"ul", "ol", "dl", "menu", "dir"})
_CELLS = frozenset({"td", "th"})
_ANCHOR = re.compile(r"\s*[¶#§🔗]\s*\Z")  # the links to itself that a heading ends with
_SPACE = re.compile(r"[ \t\n\r\f\v]+")
_SPACE_IN_LINE = re.compile(r"[ \t\xa0]+")


def html_outline(source: str) -> Outline:
    """The outline of an HTML page.

    Its text is what readers see: a block on each line, "- " or a number before the items of a
    list, and " | " between the cells of a table. Navigation, forms, scripts and hidden elements
    are left out, and so are the header and the footer of the page.

    Raises:
        ValueError: it can't be parsed.
    """
    page = parsed(source)
    writer = _Writer(_layout_tables(page))
    for event, tag, text in visible_events(page):
        if event == "text":
            writer.write(text)
        elif event == "enter":
            writer.enter(tag)
        else:
            writer.leave(tag)
    writer.end_block()
    return Outline("".join(writer.text), tuple(writer.blocks), title_of_page(page))


class _Writer:
    """Writes the text of a page, block by block."""

    def __init__(self, layout_tables: Set[int]) -> None:
        self._layout_tables = layout_tables
        self.text: list[str] = []
        self.blocks: list[Block] = []
        self._size = 0
        self._parts: list[str] = []  # of the block that is being written
        self._words = self._linked = False  # whether it has text outside, and inside, of links
        self._heading = 0  # its level
        self._leads = False
        self._mark = ""  # what is written before it
        self._links = self._preformatted = 0
        self._lists: list[int] = []  # the number of items of each open list; -1: without numbers
        self._tables: list[bool] = []  # whether each open table has rows as lines
        self._cells: list[str] | None = None  # of the row that is being written
        self._container: object = None  # the outermost list or table
        self._last_container: object = None  # that of the last block

    def write(self, text: str) -> None:
        if text.strip():
            if self._links:
                self._linked = True
            else:
                self._words = True
        self._parts.append(text if self._preformatted else _SPACE.sub(" ", text))

    def enter(self, tag: Tag) -> None:
        name = tag.name
        if name == "a":
            self._links += 1
        elif name == "br":
            self._parts.append("\n" if self._cells is None else " ")
        if name in _INLINE or name == "br":
            return
        if self._cells is not None:
            # a row is one line, whatever its cells contain
            if name in _CELLS:
                self._end_cell()
                self._leads = self._leads and name == "th"
            elif name == "tr":
                self._end_row()
            else:
                self._parts.append(" ")
                return
        else:
            self.end_block()
        if name in _HEADINGS and not self._lists:
            self._heading = _HEADINGS[name]
        elif name in _LISTS:
            self._open_container(tag)
            self._lists.append(0 if name == "ol" else -1)
        elif name == "li":
            self._mark = self._mark_of_item()
        elif name == "table":
            arranges = id(tag) in self._layout_tables
            if not arranges:
                self._open_container(tag)
            self._tables.append(not arranges)
        elif name == "tr" and self._tables and self._tables[-1]:
            self._cells = []
            self._leads = True
        elif name in ("pre", "listing", "xmp"):
            self._preformatted += 1
        elif name == "dt":
            self._leads = True

    def leave(self, tag: Tag) -> None:
        name = tag.name
        if name == "a":
            self._links -= 1
        if name in _INLINE or name == "br":
            return
        if self._cells is not None:
            if name in _CELLS:
                self._end_cell()
            elif name in ("tr", "table"):
                self._end_row()
            else:
                self._parts.append(" ")
        else:
            self.end_block()
        self._mark = ""
        if name in _LISTS and self._lists:
            self._lists.pop()
        elif name == "table" and self._tables:
            self._tables.pop()
        elif name in ("pre", "listing", "xmp"):
            self._preformatted -= bool(self._preformatted)
        if not self._lists and not self._tables:
            self._container = None

    def end_block(self) -> None:
        text = "".join(self._parts)
        if self._preformatted:
            text = text.strip("\n").rstrip()
        else:
            lines = (line.strip() for line in _SPACE_IN_LINE.sub(" ", text).split("\n"))
            text = "\n".join(line for line in lines if line)
        self._add(text)

    def _end_cell(self) -> None:
        text = " ".join("".join(self._parts).split())
        self._parts.clear()
        if self._cells is not None and text:
            self._cells.append(text)

    def _end_row(self) -> None:
        self._end_cell()
        cells, self._cells = self._cells or [], None
        self._add(" | ".join(cells))

    def _add(self, text: str) -> None:
        level, leads, links = self._heading, self._leads, self._linked and not self._words
        self._parts.clear()
        self._heading, self._leads, self._words, self._linked = 0, False, False, False
        if level:
            text = _ANCHOR.sub("", " ".join(text.split()))
        if not text.strip():
            return
        continues = self._container is not None and self._container is self._last_container
        between = ("\n" if continues else "\n\n") if self.text else ""
        line = self._mark + text
        self._mark = ""
        self.text += (between, line)
        start = self._size + len(between)
        start += len(line) - len(line.lstrip())
        self._size += len(between) + len(line)
        self.blocks.append(
            Block(
                start,
                self._size,
                level,
                text if level else "",
                continues=continues,
                leads=not level and (leads or leads_in(text)),
                links=links,
            )
        )
        self._last_container = self._container

    def _open_container(self, tag: Tag) -> None:
        if self._container is None:
            self._container = tag

    def _mark_of_item(self) -> str:
        indent = "  " * (min(len(self._lists), 10) - 1)
        if not self._lists or self._lists[-1] < 0:
            return f"{indent}- "
        self._lists[-1] += 1
        return f"{indent}{self._lists[-1]}. "


def _layout_tables(page: BeautifulSoup) -> set[int]:
    """The tables that only arrange a page, by identity: they contain headings or other tables."""
    opened: list[int] = []
    found: set[int] = set()
    for event, tag, _ in visible_events(page):
        if event == "enter" and opened and (tag.name == "table" or tag.name in _HEADINGS):
            found.add(opened[-1])
        if tag.name == "table" and event == "enter":
            opened.append(id(tag))
        elif tag.name == "table" and event == "leave":
            inner = opened.pop()
            if opened and inner in found:
                found.add(opened[-1])
    return found
