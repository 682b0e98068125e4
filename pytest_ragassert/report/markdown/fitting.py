"""Fits a document into a limit by shortening items and omitting the least important ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

# Measures a text in the unit of a limit.
Size = Callable[[str], int]


@dataclass(frozen=True)
class Section:
    """A part of the document.

    Attributes:
        opening, closing: the text around the items.
        items: the items, the worst first, each rendered by `forms`.
        left_out: returns a line on the number of omitted items.
        share: the share of the remaining room that the section may take.
        most: maximum number of items.
    """

    opening: str
    items: Sequence[Callable[[int], str]]
    left_out: Callable[[int], str]
    closing: str = ""
    share: float = 1.0
    most: int = 1_000_000
    forms: Sequence[int] = (0,)


def utf16_units(text: str) -> int:
    """The size in UTF-16 code units, as in JavaScript: at least the number of code points, and at
    least a third of the bytes.
    """
    return len(text) + sum(character > "\uffff" for character in text)


def utf8_bytes(text: str) -> int:
    return len(text.encode())


def fitted(head: str, sections: Iterable[Section], most: int, size: Size) -> str:
    """The document, with a blank line between sections.

    Args:
        head: the beginning, which is always included.
        most: the maximum size, as measured by `size`.
    """
    parts = [head]
    room = most - size(head) - 1
    waiting = list(sections)
    # each section has room at least for the number of omitted items
    least = [size(_written(one, [])) + 2 for one in waiting]
    for number, section in enumerate(waiting):
        later = sum(least[number + 1 :])
        share = int((room - later) * section.share)
        text = _within(section, max(share, least[number]), size)
        if size(text) + 2 <= room:
            parts.append(text)
            room -= size(text) + 2
    return "\n\n".join(parts) + "\n"


def _within(section: Section, room: int, size: Size) -> str:
    """The section in the longest form in which all items fit, or as many items in the shortest form
    as fit.
    """
    chosen: list[str] = []
    for form in section.forms:
        chosen = _taken(section, form, room, size)
        if len(chosen) == len(section.items):
            break
    return _written(section, chosen)


def _taken(section: Section, form: int, room: int, size: Size) -> list[str]:
    # reserve room for the line on omitted items
    room -= size(_written(section, [])) + 2
    taken: list[str] = []
    for item in section.items[: section.most]:
        text = item(form)
        room -= size(text) + 1
        if room < 0:
            break
        taken.append(text)
    return taken


def _written(section: Section, items: Sequence[str]) -> str:
    rest = len(section.items) - len(items)
    last = [section.left_out(rest)] if rest else []
    return "\n".join(filter(None, [section.opening, *items, section.closing, *last]))
