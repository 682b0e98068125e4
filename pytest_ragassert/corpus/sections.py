"""Finds the sections of a document: a heading, and what is below it until the next heading."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from itertools import groupby

from .outline import Block, Outline


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and the blocks below it until the next heading.

    Attributes:
        above: the headings above it, the outermost first.
        heading: its own heading; None: it has none.
        blocks: at least one; the first is the heading, if there is one.
        page: the number of the page on which it begins, from 1; 0: the document has no pages.
    """

    above: tuple[str, ...]
    heading: str | None
    blocks: tuple[Block, ...]
    page: int = 0

    @property
    def path(self) -> tuple[str, ...]:
        """The headings above it and its own."""
        return self.above if self.heading is None else (*self.above, self.heading)


def are_near(before: Section, after: Section) -> bool:
    """Whether the first section is the same as the second, its sibling or its parent."""
    return after.above in (before.above, before.path)


def title_of(outline: Outline) -> str | None:
    """The title of a document; None if it has none.

    It is the first heading, if no other has its level or a higher one. A heading that is not of
    level 1 must also be the beginning of the text, and a title that the document states apart from
    its text takes precedence over it.
    """
    headings = [block for block in outline.blocks if block.level]
    if not headings or any(one.level <= headings[0].level for one in headings[1:]):
        return outline.title
    first = headings[0]
    if first.level == 1:
        return first.heading or outline.title
    return outline.title or (first.heading if first is outline.blocks[0] else None) or None


def sections_of(outline: Outline) -> list[Section]:
    """The sections of a document, in order. Without headings, each page is one, or all the text."""
    title = title_of(outline)
    sections: list[Section] = []
    open_headings: list[Block] = []
    blocks: list[Block] = []

    def close() -> None:
        if not blocks:
            return
        own = blocks[0].heading if blocks[0].level else None
        above = tuple(one.heading for one in (open_headings[:-1] if own is not None else []))
        top = open_headings[0].heading if open_headings else None
        # a title that is not a heading is above all of them
        if title and top != title:
            above = (title, *above)
        sections.append(Section(above, own, tuple(blocks)))
        blocks.clear()

    for block in outline.blocks:
        if block.level:
            close()
            while open_headings and open_headings[-1].level >= block.level:
                open_headings.pop()
            open_headings.append(block)
        blocks.append(block)
    close()
    return [part for one in sections for part in _by_page(one, outline.pages)]


def _by_page(section: Section, pages: tuple[int, ...]) -> list[Section]:
    if not pages:
        return [section]
    parts = groupby(section.blocks, key=lambda block: bisect_right(pages, block.start))
    return [Section(section.above, section.heading, tuple(blocks), page) for page, blocks in parts]
