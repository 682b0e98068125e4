"""Finds the blocks of a text without markup, and of reStructuredText."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from ..language.layout import is_rule, leads_in, list_mark
from .outline import Block, Outline

_PARAGRAPH = re.compile(r"[^\n]*\S[^\n]*(?:\n[^\n]*\S[^\n]*)*")
_ADORNMENT = re.compile(r"([=\-~^\"'*+#`:._])\1{2,}[ \t]*\Z")
_LONGEST_HEADING = 100  # characters
_MARGIN = 3  # an underline may be this much shorter than its heading, whose letters may be narrow


def plain_outline(text: str) -> Outline:
    """The outline of a text, whose lines end with a line feed.

    Blank lines separate paragraphs. A line is a heading if the next one underlines it, as in
    reStructuredText. The first kind of underline that a text has is that of its highest level.
    """
    levels: dict[str, int] = {}
    return Outline(text, tuple(_blocks(text, levels)))


def _blocks(text: str, levels: dict[str, int]) -> Iterator[Block]:
    for paragraph in _PARAGRAPH.finditer(text):
        lines = paragraph[0].split("\n")
        start = paragraph.start()
        heading = _heading(lines)
        if heading:
            kind, count, title = heading
            level = levels.setdefault(kind, len(levels) + 1)
            end = start + len("\n".join(lines[:count]))
            yield _trimmed(text, Block(start, end, level, " ".join(title.split())))
            start, lines = end + 1, lines[count:]
        if lines:
            yield from _of_lines(text, start, lines)


def _heading(lines: list[str]) -> tuple[str, int, str] | None:
    """Return the kind of a heading's underline, the number of its lines, and its text."""
    for first in (0, 1):
        if len(lines) < first + 2 or (first and not _ADORNMENT.match(lines[0])):
            return None
        title, below = lines[first].strip(), lines[first + 1]
        mark = _ADORNMENT.match(below)
        if mark and not _ADORNMENT.match(title) and len(title) <= _LONGEST_HEADING:
            same = not first or lines[0].rstrip() == below.rstrip()
            if title and same and len(below.rstrip()) >= len(title) - _MARGIN:
                return f"{mark[1]}{first}", first + 2, title
    return None


def _of_lines(text: str, start: int, lines: list[str]) -> Iterator[Block]:
    """Yield a paragraph, or the items of a list."""
    begun, at = start, start
    continues = False
    for index, line in enumerate(lines):
        if index and list_mark(line):
            yield _block(text, begun, at - 1, continues)
            continues, begun = True, at
        at += len(line) + 1
    yield _block(text, begun, at - 1, continues)


def _block(text: str, start: int, end: int, continues: bool) -> Block:
    stretch = text[start:end]
    block = Block(start, end, continues=continues, leads=leads_in(stretch), quiet=is_rule(stretch))
    return _trimmed(text, block)


def _trimmed(text: str, block: Block) -> Block:
    stretch = text[block.start : block.end]
    start = block.start + len(stretch) - len(stretch.lstrip())
    return replace(block, start=start, end=block.start + len(stretch.rstrip()))
