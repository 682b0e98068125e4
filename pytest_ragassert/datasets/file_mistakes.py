"""What is wrong with the cases of a file, a folder or a list: all of it in one message."""

from __future__ import annotations

import os

from ..case import CaseMistakes

_MOST_TOLD = 20  # different mistakes that a message lists


class FileMistakes:
    """Collects mistakes of many cases; one that several have is reported once, with their count."""

    def __init__(self) -> None:
        self._places: dict[str, list[str]] = {}
        # of a mistake, the case that it was first met in
        self._cases: dict[str, str] = {}

    def add(self, where: str, error: ValueError) -> None:
        """
        Args:
            where: the case's file and line.
        """
        if not isinstance(error, CaseMistakes):
            self._places.setdefault(str(error), []).append(where)
            return
        for mistake in error.mistakes:
            self._places.setdefault(mistake, []).append(where)
            self._cases.setdefault(mistake, f"case {error.case}: ")

    def check(self, of: str) -> None:
        """
        Args:
            of: whose cases they are.

        Raises:
            ValueError: there are some; names each and where it stands.
        """
        told = [self._told(mistake, places) for mistake, places in self._places.items()]
        if len(told) == 1:
            raise ValueError(told[0])
        if told:
            more = len(told) - _MOST_TOLD
            rest = [f"and {more} more"] if more > 0 else []
            # the file or folder of all of them is named once
            short = [line.removeprefix(f"{of}, ").removeprefix(f"{of}{os.sep}") for line in told]
            listed = "".join(f"\n  {line}" for line in [*short[:_MOST_TOLD], *rest])
            raise ValueError(f"{of}: {len(told)} mistakes{listed}")

    def _told(self, mistake: str, places: list[str]) -> str:
        others = len(places) - 1
        many = f" (and {others} more case{'s' * (others > 1)})" if others else ""
        return f"{places[0]}{many}: {self._cases.get(mistake, '')}{mistake}"
