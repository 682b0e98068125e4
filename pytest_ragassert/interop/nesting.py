"""Limits the depth of values, because copying or writing one that contains itself would fail."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

DEEPEST = 100  # levels of lists and dicts
TOO_DEEP = f"it nests deeper than {DEEPEST} levels, or contains itself"


def is_bounded(value: Any) -> bool:
    """Whether a value's lists and dicts nest at most `DEEPEST` levels, and none contains itself."""
    level = [value]
    for _ in range(DEEPEST):
        # each once: the number of shared ones would multiply from level to level
        inner = {id(one): one for held in level for one in _children(held)}
        level = list(inner.values())
        if not level:
            return True
    return False


def _children(value: Any) -> list[Any]:
    """The lists and dicts directly in a list or dict."""
    if isinstance(value, Mapping):
        value = value.values()
    elif not isinstance(value, list | tuple | set | frozenset):
        return []
    return [one for one in value if isinstance(one, Mapping | list | tuple | set | frozenset)]
