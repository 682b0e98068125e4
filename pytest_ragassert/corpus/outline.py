"""The form into which every reader brings a document: a text and its blocks."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Block:
    """A heading, a paragraph, an item of a list, a row of a table, or a block of code.

    Attributes:
        start: where it begins in the text.
        end: where it ends, exclusively.
        level: the level of a heading, 1 for the highest; 0: it is not a heading.
        heading: the text of a heading, without markup.
        continues: it belongs to the same list or table as the previous block.
        leads: it introduces the next block: a table's header row, a line that ends with a colon.
        links: all its words are links, as in a table of contents.
        quiet: it is nothing that people read, such as a comment or a rule.
    """

    start: int
    end: int
    level: int = 0
    heading: str = ""
    continues: bool = False
    leads: bool = False
    links: bool = False
    quiet: bool = False


@dataclass(frozen=True, slots=True)
class Outline:
    """A document's text, and its blocks in order, without overlaps.

    Attributes:
        title: the title that the document states apart from its text; None: it states none.
        pages: for each page, where it begins in the text; empty if the document has no pages.
    """

    text: str
    blocks: tuple[Block, ...]
    title: str | None = None
    pages: tuple[int, ...] = ()
