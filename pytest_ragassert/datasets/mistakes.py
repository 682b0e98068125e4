"""Collects all mistakes in the cases of a file, a folder or a list into one message."""

from __future__ import annotations

import os
from dataclasses import dataclass

from ..case import KNOWN_FIELDS
from ..case_mistakes import CaseMistakes
from .columns import WayOut

_MOST_LISTED = 20  # different mistakes that a message lists
_MOST_KEPT = 1000


@dataclass
class _Mistake:
    """One mistake, and the cases that have it.

    Attributes:
        where: file and line of the first of them.
        case: that case, as a prefix of messages; may be empty.
        others: the number of other cases.
    """

    where: str
    case: str
    others: int = 0


class Mistakes:
    """Collects mistakes of many cases; a mistake of several cases is reported once, with a count.

    Args:
        way_out: returns the advice for a column with an unknown name.
        skip: whether cases with mistakes are left out.
    """

    def __init__(self, way_out: WayOut, *, skip: bool = False) -> None:
        self._skip, self._way_out = skip, way_out
        self._found: dict[str, _Mistake] = {}
        # the number of cases with mistakes, and the last of them
        self._cases, self._last = 0, ""
        self._unknown: str | None = None
        self._whole = False

    @property
    def are_enough(self) -> bool:
        """Whether to stop reading, because nobody reads that many mistakes."""
        return self._are_too_many and not self._skip

    def add(self, where: str, error: ValueError) -> None:
        """Add the mistakes of a case.

        Args:
            where: the case's file and line.
        """
        if where != self._last:
            self._cases += 1
            self._last = where
        if not isinstance(error, CaseMistakes):
            self._add(str(error), where, "")
            return
        if error.unknown and self._unknown is None:
            self._unknown = error.unknown[0]
        for mistake in error.mistakes:
            self._add(mistake, where, error.whose)

    def add_whole(self, where: str, error: ValueError) -> None:
        """Add an error because of which a file, or the rest of it, could not be read."""
        self._whole = True
        self.add(where, error)

    def check(self, source: str) -> str | None:
        """Raise the mistakes; if cases are skipped, return the message about them instead.

        Errors of whole files are raised in any case.

        Args:
            source: the file, folder or list of the cases.

        Raises:
            ValueError: there are mistakes; the message names each and its place.
        """
        try:
            self._raise(source)
        except ValueError as error:
            if not self._skip or self._whole:
                raise
            return f"skipped {self._cases} case{'s' * (self._cases > 1)}: {error}"
        return None

    @property
    def _are_too_many(self) -> bool:
        return len(self._found) >= _MOST_KEPT

    def _add(self, mistake: str, where: str, case: str) -> None:
        if mistake in self._found:
            self._found[mistake].others += 1
        elif not self._are_too_many or self._whole:
            self._found[mistake] = _Mistake(where, case)

    def _raise(self, source: str) -> None:
        if not self._found:
            return
        messages = [_message(mistake, found) for mistake, found in self._found.items()]
        out = [] if self._unknown is None else [self._way_out(self._unknown)]
        if len(messages) == 1:
            raise ValueError("; ".join([*messages, *out]))
        # what is common to all, the file or folder and the list of fields, is named once
        messages = [
            line.removeprefix(f"{source}, ").removeprefix(f"{source}{os.sep}")
            for line in messages[:_MOST_LISTED]
        ]
        known = f"; {KNOWN_FIELDS}"
        if any(known in line for line in messages):
            messages = [line.replace(known, "") for line in messages]
            out.insert(0, KNOWN_FIELDS)
        count = f"{_MOST_KEPT} or more" if self._are_too_many else str(len(self._found))
        more = "" if self._are_too_many else f"{len(self._found) - _MOST_LISTED} "
        rest = [f"and {more}more"] if len(self._found) > _MOST_LISTED else []
        listed = "".join(f"\n  {line}" for line in [*messages, *rest, *out])
        raise ValueError(f"{source}: {count} mistakes{listed}")


def _message(mistake: str, found: _Mistake) -> str:
    others = found.others
    many = f" (and {others} more case{'s' * (others > 1)})" if others else ""
    return f"{found.where}{many}: {found.case}{mistake}"
