"""A cache of values computed from texts, limited by weight."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Generic, TypeVar

Value = TypeVar("Value")


class TextCache(Generic[Value]):
    """The most recently used values by text. Threads may share it.

    Args:
        make: computes a text's value.
        weigh: returns a value's approximate size in memory.
        limit: of all weights together; a value that alone exceeds it is not kept.
    """

    def __init__(
        self, make: Callable[[str], Value], weigh: Callable[[Value], int], limit: int
    ) -> None:
        self._make, self._weigh, self._limit = make, weigh, limit
        self._weight = 0
        self._kept: OrderedDict[str, tuple[Value, int]] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, text: str) -> Value:
        with self._lock:
            known = self._kept.get(text)
            if known is not None:
                self._kept.move_to_end(text)
                return known[0]
        made = self._make(text)
        weight = self._weigh(made)
        if weight <= self._limit:
            with self._lock:
                self._keep(text, made, weight)
        return made

    def _keep(self, text: str, made: Value, weight: int) -> None:
        if text in self._kept:  # another thread was quicker
            return
        self._kept[text] = made, weight
        self._weight += weight
        while self._weight > self._limit:
            _, (_, dropped) = self._kept.popitem(last=False)
            self._weight -= dropped
