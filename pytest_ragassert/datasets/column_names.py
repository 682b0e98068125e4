"""The names of a table's columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ..language.suggestions import shown_value

_MOST_COLUMNS = 1000


def check_names(names: Sequence[str]) -> None:
    """
    Raises:
        ValueError: two columns have one name, or there are too many.
    """
    if len(names) > _MOST_COLUMNS:
        raise ValueError(f"it has {len(names)} columns; {_MOST_COLUMNS} are the most")
    twice = [name for name, count in Counter(filter(None, names)).items() if count > 1]
    if twice:
        listed = ", ".join(map(shown_value, twice[:10]))
        raise ValueError(f"two columns are called {listed}; name each once")
