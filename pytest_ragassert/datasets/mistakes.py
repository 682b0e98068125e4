"""What is wrong with the cases of a file, a folder or a list: all of it in one message."""

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
    """One mistake, and who has it.

    Attributes:
        where: file and line of the first case that has it.
        case: that case, as messages begin with it; may be empty.
        others: how many more cases have it.
    """

    where: str
    case: str
    others: int = 0


class Mistakes:
    """Collects mistakes of many cases; one that several have is reported once, with their count.

    Args:
        way_out: says how a column whose name is no field's is read.
        skip: cases with mistakes are left out.
    """

    def __init__(self, way_out: WayOut, *, skip: bool = False) -> None:
        self._skip, self._way_out = skip, way_out
        self._found: dict[str, _Mistake] = {}
        # with mistakes, and the last of them
        self._cases, self._last = 0, ""
        self._unknown: str | None = None
        self._whole = False

    @property
    def are_enough(self) -> bool:
        """Nothing will come of further cases, and nobody reads further mistakes."""
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
        """Add what kept a file, or what is behind a place in it, from being read."""
        self._whole = True
        self.add(where, error)

    def check(self, source: str) -> str | None:
        """Raise what was added; where cases are skipped, give what to say of them. What could not
        be read as a whole is raised all the same.

        Args:
            source: the file, folder or list of the cases.

        Raises:
            ValueError: there are some; names each and where it stands.
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
        # the file or folder of all of them is named once, and so are the fields
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
