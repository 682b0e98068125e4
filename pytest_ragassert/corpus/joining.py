"""Joins small neighbouring sections, so that a change in one affects no passage without it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from itertools import pairwise

from .sections import Section, are_near
from .sizes import LARGE, SMALL, size_of


def joined_sections(text: str, sections: Sequence[Section]) -> list[list[Section]]:
    """Groups of small neighbouring sections that are joined, in order; others are alone.

    A group is at most as large as `LARGE`. Which sections form a group depends on the headings of
    the document and on the texts of the group, not on the texts of other sections.
    """
    sizes = [size_of(text[one.blocks[0].start : one.blocks[-1].end]) for one in sections]
    groups: list[list[Section]] = []
    for first, last in _runs(sections):
        for start, end in _ranges(sections, sizes, first, last):
            groups.append(list(sections[start:end]))
    return groups


def _runs(sections: Sequence[Section]) -> Iterator[tuple[int, int]]:
    """Yield ranges of sections in which each is the parent or a sibling of the next one."""
    first = 0
    for index, (one, following) in enumerate(pairwise(sections), start=1):
        if not are_near(one, following):
            yield first, index
            first = index
    if sections:
        yield first, len(sections)


def _ranges(
    sections: Sequence[Section], sizes: Sequence[int], first: int, last: int
) -> Iterator[tuple[int, int]]:
    """Yield the ranges that are joined, or consist of one section.

    A range that is too large is divided at a place that its headings determine.
    """
    inside = sizes[first:last]
    if last - first == 1 or (max(inside) < SMALL and sum(inside) <= LARGE):
        yield first, last
        return
    # in the middle half, so that no range is much larger than the other
    margin = max(1, (last - first) // 4)
    places = range(first + margin, last - margin + 1)
    cut = min(places, key=lambda index: _hash(sections[index]))
    yield from _ranges(sections, sizes, first, cut)
    yield from _ranges(sections, sizes, cut, last)


def _hash(section: Section) -> bytes:
    return hashlib.sha256("\n".join(section.path).encode()).digest()
