"""How much a run has still to ask, by what its tests asked so far."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from ..analysis.records.row_types import MeasuredRow


class Outlook(NamedTuple):
    """
    Attributes:
        used: different judgements of the tests that are over.
        stored: those of them that were answered before the run.
        coming: those of the tests to come, as if each used as many as its function's others.
        all_seen: a test of each function is over, so that something is known of all to come.
    """

    used: int
    stored: int
    coming: float
    all_seen: bool


class SeenTests:
    """What the tests of a run asked; of any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._tests: Counter[str] = Counter()
        self._over: set[str] = set()
        self._ended: Counter[str] = Counter()
        self._used: Counter[str] = Counter()
        self._keys: set[str] = set()
        self._stored = 0

    def collect(self, tests: Iterable[str]) -> None:
        """
        Args:
            tests: the node ids of all.
        """
        with self._lock:
            self._tests = Counter(map(function_of, tests))

    def end(self, test: str, rows: Iterable[MeasuredRow]) -> None:
        """A test is over; a later try adds what it asked anew.

        Args:
            test: its node id.
        """
        function = function_of(test)
        with self._lock:
            if test not in self._over:
                self._over.add(test)
                self._ended[function] += 1
            own = {
                asked["key"]: asked["stored"]
                for row in rows
                for asked in row["asked"]
                if not asked["embedding"]
            }
            for key in own.keys() - self._keys:
                self._keys.add(key)
                self._used[function] += 1
                self._stored += own[key]

    def outlook(self) -> Outlook:
        coming, all_seen = 0.0, True
        with self._lock:
            for function, tests in self._tests.items():
                ended = self._ended[function]
                if ended:
                    coming += max(0, tests - ended) * self._used[function] / ended
                else:
                    all_seen = False
            return Outlook(len(self._keys), self._stored, coming, all_seen)


def function_of(test: str) -> str:
    """The test function of a node id."""
    return test.partition("[")[0]
