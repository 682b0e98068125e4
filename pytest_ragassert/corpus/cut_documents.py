"""Makes passages of a document's outline: which sections are joined, cut or left out, and ids."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from .cutting import parts_of
from .joining import joined_sections
from .outline import Block, Outline
from .passages import Document, Passage
from .sections import Section, are_near, sections_of, title_of
from .sizes import FEWEST_WORDS, LARGEST, size_of, word_count

_LONGEST_SLUG = 60  # characters


@dataclass(frozen=True, slots=True)
class _Piece:
    """A stretch of a document's text that may become a passage.

    Attributes:
        section: the section with which it begins.
        last: the section with which it ends.
        number: which part of the first section it is, from 1.
        words: the number of its words, without headings and links.
        forward: it has few words, and nothing before it can take them.
    """

    section: Section
    last: Section
    number: int
    start: int
    end: int
    words: int
    forward: bool = False


def cut_document(name: str, outline: Outline) -> Document:
    """A document with its passages, which may be none."""
    sections = sections_of(outline)
    pieces = _enough(outline.text, _pieces(outline.text, sections))
    title = title_of(outline)
    ids = _ids(name, title, sections, pieces)
    passages = (
        Passage(identifier, name, _headings(piece), outline.text[piece.start : piece.end])
        for identifier, piece in zip(ids, pieces, strict=True)
    )
    headings = dict.fromkeys(section.heading for section in sections if section.heading)
    return Document(name, title, tuple(passages), tuple(headings))


def _headings(piece: _Piece) -> tuple[str, ...]:
    section = piece.section
    shown = section.above if piece.number == 1 else section.path
    return tuple(heading for heading in shown if heading)


def _pieces(text: str, sections: Sequence[Section]) -> Iterator[_Piece]:
    for group in joined_sections(text, sections):
        blocks = _without_quiet_ends([block for section in group for block in section.blocks])
        if not blocks:
            continue
        for number, (start, end) in enumerate(parts_of(text, blocks), start=1):
            words = _words(text, blocks, start, end)
            yield _Piece(group[0], group[-1], number, start, end, words)


def _without_quiet_ends(blocks: Sequence[Block]) -> Sequence[Block]:
    read = [index for index, block in enumerate(blocks) if not block.quiet]
    return blocks[read[0] : read[-1] + 1] if read else ()


def _words(text: str, blocks: Iterable[Block], start: int, end: int) -> int:
    said = (
        text[max(start, block.start) : min(end, block.end)]
        for block in blocks
        if not (block.level or block.quiet or block.links)
        and block.start < end
        and block.end > start
    )
    return sum(map(word_count, said))


def _enough(text: str, pieces: Iterable[_Piece]) -> list[_Piece]:
    """Join the pieces that have few words to a neighbour of the same parent; leave others out.

    The headings alone decide which neighbour this is: the previous piece, if that is near.
    """
    joined: list[_Piece] = []
    for piece in pieces:
        before = joined[-1] if joined else None
        few = 0 < piece.words < FEWEST_WORDS
        near = before is not None and are_near(before.last, piece.section)
        takes = near and before is not None and (few or before.forward)
        if before and takes and size_of(text[before.start : piece.end]) <= LARGEST:
            words = before.words + piece.words
            joined[-1] = replace(before, last=piece.last, end=piece.end, words=words, forward=False)
            continue
        joined.append(replace(piece, forward=few and not near))
    return [piece for piece in joined if piece.words >= FEWEST_WORDS]


# Ids


def _ids(
    name: str, title: str | None, sections: Sequence[Section], pieces: Sequence[_Piece]
) -> list[str]:
    if len(pieces) == 1:
        return [name]
    places: Counter[str] = Counter()
    of_sections: dict[int, str] = {}
    for section in sections:
        place = _place(section, title)
        places[place] += 1
        # two sections with the same headings
        of_sections[id(section)] = place if places[place] == 1 else f"{place}--{places[place]}"
    taken = {of_sections[id(piece.section)] for piece in pieces if piece.number == 1}
    ids: list[str] = []
    for piece in pieces:
        place = of_sections[id(piece.section)]
        if piece.number > 1:
            place = f"{place}-{piece.number}"
            while place in taken:
                # a section has this name
                place += "-part"
        ids.append(f"{name}#{place}")
    return ids


def _place(section: Section, title: str | None) -> str:
    path = section.path
    if len(path) > 1 and path[0] == title:
        path = path[1:]
    slugs = [slug for heading in path if (slug := _slug(heading))]
    if section.page:
        slugs = [f"page-{section.page}"]
    return "/".join(slugs) or "text"


def _slug(heading: str) -> str:
    """Return the words of a heading in small letters, with hyphens between them."""
    letters = (
        char if char.isalnum() or unicodedata.category(char)[0] == "M" else " "
        for char in unicodedata.normalize("NFC", heading).lower()
    )
    return "-".join("".join(letters).split())[:_LONGEST_SLUG].strip("-")
