"""Whose turn is next: who is waited for, then who leads to other requests, then who came first."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from itertools import chain
from typing import Generic, TypeVar

Comer = TypeVar("Comer")


class Turns(Generic[Comer]):
    """
    Args:
        wants: whether a comer wants its turn still.
    """

    def __init__(self, wants: Callable[[Comer], bool]) -> None:
        self._wants = wants
        self._waited: dict[bool, deque[Comer]] = {True: deque(), False: deque()}
        self._ahead: dict[bool, deque[tuple[Comer, Callable[[], bool]]]]
        self._ahead = {True: deque(), False: deque()}

    def come(self, comer: Comer, *, leads: bool, waited: Callable[[], bool]) -> None:
        """
        Args:
            leads: other requests follow from it.
            waited: whether a test waits for it by now; once one does, it stays so.
        """
        if waited():
            self._waited[leads].append(comer)
        else:
            self._ahead[leads].append((comer, waited))

    def __bool__(self) -> bool:
        """Whether somebody wants a turn."""
        ahead = (comer for comers in self._ahead.values() for comer, _ in comers)
        waited = (comer for comers in self._waited.values() for comer in comers)
        return any(map(self._wants, chain(waited, ahead)))

    def next(self) -> Comer | None:
        """Whose turn it is, who waits no more; None: nobody's."""
        self._see_who_is_waited_for()
        for comers in self._waited.values():
            while comers:
                comer = comers.popleft()
                if self._wants(comer):
                    return comer
        # those that want none were left out when it was seen who is waited for
        for others in self._ahead.values():
            if others:
                return others.popleft()[0]
        return None

    def _see_who_is_waited_for(self) -> None:
        for leads, comers in self._ahead.items():
            self._ahead[leads] = deque()
            for comer, waited in comers:
                if self._wants(comer):
                    self.come(comer, leads=leads, waited=waited)
