"""What is wrong with the cases of a file, a folder or a list: all of it in one message."""

from __future__ import annotations

import os

from ..case import CaseMistakes

_MOST_LISTED = 20  # different mistakes that a message lists


class Mistakes:
    """Collects mistakes of many cases; one that several have is reported once, with their count."""

    def __init__(self) -> None:
        self._places: dict[str, list[str]] = {}
        # the first case that has the mistake
        self._cases: dict[str, str] = {}

    def add(self, where: str, error: ValueError) -> None:
        """Add the mistakes of a case.

        Args:
            where: the case's file and line.
        """
        if not isinstance(error, CaseMistakes):
            self._places.setdefault(str(error), []).append(where)
            return
        for mistake in error.mistakes:
            self._places.setdefault(mistake, []).append(where)
            self._cases.setdefault(mistake, f"case {error.case}: ")

    def check(self, source: str) -> None:
        """Raise what was added.

        Args:
            source: the file, folder or list of the cases.

        Raises:
            ValueError: there are some; names each and where it stands.
        """
        messages = [self._message(mistake, places) for mistake, places in self._places.items()]
        if len(messages) == 1:
            raise ValueError(messages[0])
        if messages:
            more = len(messages) - _MOST_LISTED
            rest = [f"and {more} more"] if more > 0 else []
            # the file or folder of all of them is named once
            short = [
                line.removeprefix(f"{source}, ").removeprefix(f"{source}{os.sep}")
                for line in messages
            ]
            listed = "".join(f"\n  {line}" for line in [*short[:_MOST_LISTED], *rest])
            raise ValueError(f"{source}: {len(messages)} mistakes{listed}")

    def _message(self, mistake: str, places: list[str]) -> str:
        others = len(places) - 1
        many = f" (and {others} more case{'s' * (others > 1)})" if others else ""
        return f"{places[0]}{many}: {self._cases.get(mistake, '')}{mistake}"
