"""Estimates what a run still has to ask from what its tests asked so far."""

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
        used: the number of distinct judgements of finished tests.
        stored: how many of them were answered before the run.
        coming: the estimated number for coming tests, if each uses as many as the others of its
            function.
        all_seen: whether a test of each function is finished, so that every coming test can be
            estimated.
    """

    used: int
    stored: int
    coming: float
    all_seen: bool


class SeenTests:
    """Tracks what the tests of a run asked; thread-safe."""

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
            tests: the node ids of all tests.
        """
        with self._lock:
            self._tests = Counter(map(function_of, tests))

    def end(self, test: str, rows: Iterable[MeasuredRow]) -> None:
        """Note that a test is finished; a repeated attempt adds what it newly asked.

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
    """The node id without the parameters of the test function."""
    return test.partition("[")[0]
