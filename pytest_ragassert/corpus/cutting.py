"""Cuts a long section into parts, at the best places: paragraphs, items and rows, sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ..language.sentences import split_sentences
from .outline import Block
from .sizes import LARGE, LARGEST, SMALL, size_of

Span = tuple[int, int]

# Where a text may be cut, the best first.
_BEFORE_BLOCK, _BEFORE_ITEM, _BEFORE_SENTENCE = range(3)
# A part that ends at a better place may be this much smaller than the largest one.
_ENOUGH = LARGE * 2 // 5


class _Unit(NamedTuple):
    """A stretch of a text that is not cut.

    Attributes:
        place: what kind of place its beginning is.
    """

    start: int
    end: int
    place: int


def parts_of(text: str, blocks: Sequence[Block]) -> list[Span]:
    """The parts of a section, in order, each no larger than `LARGEST`.

    A heading, a table's header row and the line before a list stay with what follows them.
    """
    start, end = blocks[0].start, blocks[-1].end
    if size_of(text[start:end]) <= LARGE:
        return [(start, end)]
    units = list(_units(text, blocks))
    parts: list[Span] = []
    first = 0
    while first < len(units):
        after = _end_of_part(text, units, first)
        parts.append((units[first].start, units[after - 1].end))
        first = after
    if len(parts) > 1 and size_of(text[slice(*parts[-1])]) < SMALL:
        whole = parts[-2][0], parts[-1][1]
        if size_of(text[slice(*whole)]) <= LARGEST:
            parts[-2:] = [whole]
    return parts


def _end_of_part(text: str, units: Sequence[_Unit], first: int) -> int:
    """Return the index of the first unit after the part that begins with a unit."""
    after = first + 1
    best, best_place = after, _BEFORE_SENTENCE + 1
    while True:
        size = size_of(text[units[first].start : units[after - 1].end])
        if size > LARGE and after > first + 1:
            return best
        if after == len(units):
            return after
        place = units[after].place
        if place <= best_place or size < _ENOUGH:
            best, best_place = after, place
        after += 1


def _units(text: str, blocks: Sequence[Block]) -> Iterator[_Unit]:
    begun: int | None = None  # where the blocks begin that introduce the next one
    for index, block in enumerate(blocks):
        place = _BEFORE_ITEM if block.continues else _BEFORE_BLOCK
        start = block.start if begun is None else begun
        begun = None
        introduces = (block.level or block.leads) and index + 1 < len(blocks)
        if introduces and size_of(text[start : block.end]) < LARGEST - LARGE:
            begun = start
            continue
        yield from _divided(text, start, block, place)


def _divided(text: str, start: int, block: Block, place: int) -> Iterator[_Unit]:
    """Yield a block, with what introduces it, as one unit or, if it is too large, as several."""
    whole = text[start : block.end]
    if size_of(whole) <= LARGEST and size_of(text[block.start : block.end]) <= LARGE:
        yield _Unit(start, block.end, place)
        return
    body = text[block.start : block.end]
    for first, last in split_sentences(body):
        for begin, end in _stretches(body, first, last):
            begin += block.start
            yield _Unit(min(begin, start), end + block.start, place)
            start, place = block.end, _BEFORE_SENTENCE


def _stretches(text: str, start: int, end: int) -> Iterator[Span]:
    """Yield a sentence, or, if it is very long, stretches that end with a line or a word."""
    while size_of(text[start:end]) > LARGE:
        # it may consist of characters that count as two
        most = start + (LARGE if text[start:end].isascii() else LARGE // 2)
        least = start + (most - start) // 2
        cut = text.rfind("\n", least, most)
        cut = cut if cut > 0 else text.rfind(" ", least, most)
        cut = cut + 1 if cut > 0 else most
        stretch = text[start:cut]
        if stretch.strip():
            yield start, start + len(stretch.rstrip())
        start = cut + len(text[cut:end]) - len(text[cut:end].lstrip())
    if start < end:
        yield start, end
