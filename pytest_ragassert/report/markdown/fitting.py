"""A document within a limit: sections whose items are left out from the best one on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

# Counts what a limit counts.
Size = Callable[[str], int]


@dataclass(frozen=True)
class Section:
    """A part of the document.

    Attributes:
        opening, closing: around the items.
        items: the worst first; each of these is made by `forms`, from the longest form on.
        left_out: a line on so many items that are left out.
        share: of the room that is left, how much it may take.
        most: items.
    """

    opening: str
    items: Sequence[Callable[[int], str]]
    left_out: Callable[[int], str]
    closing: str = ""
    share: float = 1.0
    most: int = 1_000_000
    forms: Sequence[int] = (0,)


def utf16_units(text: str) -> int:
    """As JavaScript counts characters: no less than code points, no less than a third of bytes."""
    return len(text) + sum(character > "\uffff" for character in text)


def utf8_bytes(text: str) -> int:
    return len(text.encode())


def fitted(head: str, sections: Iterable[Section], most: int, size: Size) -> str:
    """The document, a blank line between sections.

    Args:
        head: stands there in any case.
        most: by `size`.
    """
    parts = [head]
    room = most - size(head) - 1
    waiting = list(sections)
    # each section can at least say what it leaves out
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
    """In the longest form in which all items fit; of the shortest as many as fit."""
    chosen: list[str] = []
    for form in section.forms:
        chosen = _taken(section, form, room, size)
        if len(chosen) == len(section.items):
            break
    return _written(section, chosen)


def _taken(section: Section, form: int, room: int, size: Size) -> list[str]:
    # the line on the rest may be needed
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
