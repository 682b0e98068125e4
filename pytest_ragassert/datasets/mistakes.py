"""What is wrong with the cases of a file, a folder or a list: all of it in one message."""

from __future__ import annotations

import os

from ..case import CaseMistakes
from .columns import way_out

_MOST_LISTED = 20  # different mistakes that a message lists


class Mistakes:
    """Collects mistakes of many cases; one that several have is reported once, with their count."""

    def __init__(self) -> None:
        self._places: dict[str, list[str]] = {}
        # the first case that has the mistake
        self._cases: dict[str, str] = {}
        self._unknown: str | None = None
        self._whole = False

    def add(self, where: str, error: ValueError) -> None:
        """Add the mistakes of a case.

        Args:
            where: the case's file and line.
        """
        if not isinstance(error, CaseMistakes):
            self._places.setdefault(str(error), []).append(where)
            return
        if error.unknown and self._unknown is None:
            self._unknown = error.unknown[0]
        for mistake in error.mistakes:
            self._places.setdefault(mistake, []).append(where)
            self._cases.setdefault(mistake, f"case {error.case}: ")

    def add_whole(self, where: str, error: ValueError) -> None:
        """Add what kept a file, or what is behind a place in it, from being read."""
        self.add(where, error)
        self._whole = True

    def check(self, source: str, *, skip: bool = False) -> str | None:
        """Raise what was added.

        Args:
            source: the file, folder or list of the cases.
            skip: cases with mistakes were left out: give what to say of them. What could not be
                read as a whole is raised all the same.

        Raises:
            ValueError: there are some; names each and where it stands.
        """
        try:
            self._raise(source)
        except ValueError as error:
            if not skip or self._whole:
                raise
            cases = len({where for places in self._places.values() for where in places})
            return f"skipped {cases} case{'s' * (cases > 1)}: {error}"
        return None

    def _raise(self, source: str) -> None:
        messages = [self._message(mistake, places) for mistake, places in self._places.items()]
        out = [] if self._unknown is None else [way_out(self._unknown)]
        if len(messages) == 1:
            raise ValueError("; ".join([*messages, *out]))
        if messages:
            more = len(messages) - _MOST_LISTED
            rest = [f"and {more} more"] if more > 0 else []
            # the file or folder of all of them is named once
            short = [
                line.removeprefix(f"{source}, ").removeprefix(f"{source}{os.sep}")
                for line in messages
            ]
            listed = "".join(f"\n  {line}" for line in [*short[:_MOST_LISTED], *rest, *out])
            raise ValueError(f"{source}: {len(messages)} mistakes{listed}")

    def _message(self, mistake: str, places: list[str]) -> str:
        others = len(places) - 1
        many = f" (and {others} more case{'s' * (others > 1)})" if others else ""
        return f"{places[0]}{many}: {self._cases.get(mistake, '')}{mistake}"
