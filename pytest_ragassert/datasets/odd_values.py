"""Collects what is odd in a source and was read anyway, as few warnings."""

from __future__ import annotations

import re

from ..language.number_format import plural

_MOST = 20  # warnings
_TAKEN_FOR = re.compile(r"taken for [^;]*")


class OddValues:
    """The odd values of a source; what cells of a column have in common is one warning."""

    def __init__(self) -> None:
        # by what is odd: the first message, and how often it was found
        self._found: dict[tuple[str, ...], tuple[str, int]] = {}

    def note(self, where: str, text: str) -> None:
        """Note a value.

        Args:
            where: the file and the row, with a comma between them; or the row.
            text: the message; if it concerns a field, it begins with its name.
        """
        taken = _TAKEN_FOR.search(text)
        column = (where.rpartition(", ")[0], text.partition(" ")[0])
        kind = (where, text) if taken is None else (*column, taken[0])
        first, count = self._found.get(kind, (f"{where}: {text}", 0))
        self._found[kind] = first, count + 1

    def warnings(self, source: str) -> list[str]:
        """The messages: the first of each kind with the number of the others."""
        lines = [
            f"{first}; the same in {plural(count - 1, 'more row')}" if count > 1 else first
            for first, count in self._found.values()
        ]
        more = len(lines) - _MOST
        return lines[:_MOST] + ([f"{source}: {more} more like these"] if more > 0 else [])
