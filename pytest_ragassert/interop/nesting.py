"""How deep a value nests: copying and writing one that nests too deep, or holds itself, fails."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

DEEPEST = 100  # lists and dicts within each other
TOO_DEEP = f"it nests deeper than {DEEPEST}, or holds itself"


def is_bounded(value: Any) -> bool:
    """Whether a value's lists and dicts nest no deeper than `DEEPEST`, and none holds itself."""
    level = [value]
    for _ in range(DEEPEST):
        # each once: one that several hold would multiply from level to level
        inner = {id(one): one for held in level for one in _held(held)}
        level = list(inner.values())
        if not level:
            return True
    return False


def _held(value: Any) -> list[Any]:
    """The lists and dicts in a list or dict."""
    if isinstance(value, Mapping):
        value = value.values()
    elif not isinstance(value, list | tuple | set | frozenset):
        return []
    return [one for one in value if isinstance(one, Mapping | list | tuple | set | frozenset)]
