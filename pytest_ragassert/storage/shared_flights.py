"""The interface of single flight between machines."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence


class SharedFlights(ABC):
    """Single flight as `Flights`, over a network. A call takes a round trip, so that no event loop
    waits for it, and many keys are taken together.
    """

    @abstractmethod
    def acquire_in_order(self, groups: Sequence[Sequence[str]], /) -> list[int]:
        """Take the keys of each group in order, until one is not free, without waiting.

        Whoever takes several keys one after another takes them in sorted order, so that no two
        processes wait for each other.

        Returns:
            How many keys were taken of each group.
        """

    @abstractmethod
    def release_many(self, names: Sequence[str], /) -> None:
        """Give keys back. Those of a process that dies are freed within seconds."""

    def acquire(self, name: str, /) -> bool:
        return self.acquire_in_order([[name]]) == [1]

    def release(self, name: str, /) -> None:
        self.release_many([name])
