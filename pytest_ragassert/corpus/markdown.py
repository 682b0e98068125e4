"""Finds the blocks of a Markdown document with markdown-it-py, whose blocks have line numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from itertools import accumulate

from markdown_it import MarkdownIt
from markdown_it.token import Token

from ..language.layout import leads_in
from .outline import Block, Outline
from .sizes import word_count

_FRONT_MATTER = re.compile(
    r"(?P<rule>---|\+\+\+)[ \t]*\n(?P<fields>(?:(?!(?:---|\+\+\+|\.\.\.)[ \t]*(?:\n|\Z)).*\n)*)"
    r"(?:(?P=rule)|\.\.\.)[ \t]*(?:\n|\Z)"
)
_FIELD = re.compile(r"[\w-]+[ \t]*[:=]")
_TITLE = re.compile(r"^title[ \t]*[:=][ \t]*(?P<quote>[\"']?)(?P<title>.+?)(?P=quote)[ \t]*$", re.M)
_COMMENT = re.compile(r"\s*<!--(?:(?!-->).)*-->\s*\Z", re.DOTALL)
# Images have links around them as badges.
_LINK = re.compile(
    r"!?\[(?:!?\[[^\[\]]*\](?:\([^()\s]*\))?|[^\[\]])*\](?:\([^()\n]*\)|\[[^\[\]]*\])"
    r"|<?https?://[^\s<>]+>?"
)
_DEEPEST = 60  # levels of nesting; what is nested more deeply is part of its outermost block

# The first and last line of a block, exclusively, and the block, whose offsets are still missing.
_Part = tuple[int, int, Block]


def markdown_outline(source: str) -> Outline:
    """The outline of a Markdown text, whose lines end with a line feed.

    Front matter is not part of a block. A heading in code, a list or a quotation does not count.
    """
    front = _front_matter(source)
    shift = front.end() if front else 0
    title = _TITLE.search(front["fields"]) if front else None
    blocks = _blocks(source[shift:])
    if shift:
        blocks = [replace(one, start=one.start + shift, end=one.end + shift) for one in blocks]
    return Outline(source, tuple(blocks), title["title"].strip() if title else None)


def _front_matter(source: str) -> re.Match[str] | None:
    front = _FRONT_MATTER.match(source)
    # a text may also begin with a rule, and have another one later
    return front if front and _FIELD.match(front["fields"].lstrip()) else None


@lru_cache(maxsize=1)
def _block_parser() -> MarkdownIt:
    return MarkdownIt("commonmark", {"maxNesting": _DEEPEST}).enable("table").disable("inline")


@lru_cache(maxsize=1)
def _inline_parser() -> MarkdownIt:
    return MarkdownIt("commonmark")


def _blocks(text: str) -> list[Block]:
    offsets = [0, *accumulate(len(line) + 1 for line in text.split("\n"))]
    blocks: list[Block] = []
    for first, last, block in _parts(_block_parser().parse(text)):
        stretch = text[offsets[first] : offsets[last]]
        start = offsets[first] + len(stretch) - len(stretch.lstrip())
        end = offsets[first] + len(stretch.rstrip())
        if start < end:
            said = text[start:end]
            leads = block.leads or (not block.level and leads_in(said))
            links = _is_link(said)
            blocks.append(replace(block, start=start, end=end, leads=leads, links=links))
    return blocks


def _parts(tokens: list[Token]) -> Iterator[_Part]:
    for index, token in enumerate(tokens):
        if token.map is None or token.level > 1:
            continue
        first, last = token.map
        if token.type == "heading_open" and token.level == 0:
            yield first, last, Block(0, 0, int(token.tag[1:]), _plain(tokens[index + 1].content))
        elif token.type == "list_item_open":
            continues = tokens[index - 1].type == "list_item_close"
            yield first, last, Block(0, 0, continues=continues)
        elif token.type == "table_open":
            yield first, first + 2, Block(0, 0, leads=True)
            for row in range(first + 2, last):
                yield row, row + 1, Block(0, 0, continues=True)
        elif token.level == 0 and not token.type.endswith("_list_open"):
            comment = token.type == "html_block" and _COMMENT.match(token.content)
            yield first, last, Block(0, 0, quiet=token.type == "hr" or bool(comment))


def _is_link(said: str) -> bool:
    rest, count = _LINK.subn("", said)
    return count > 0 and word_count(rest) == 0


def _plain(content: str) -> str:
    """Return the text of a heading as readers see it."""
    (inline,) = _inline_parser().parseInline(content)
    shown = (
        one.content
        if one.type in ("text", "code_inline", "image")
        else " " * one.type.endswith("break")
        for one in inline.children or []
    )
    return " ".join("".join(shown).split())
