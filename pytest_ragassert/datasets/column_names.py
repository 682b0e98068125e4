"""Checks the names of a table's columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from ..language.suggestions import shown_value

# The name that pandas gives, when reading, to a column of row numbers that it wrote without a name.
ROW_NUMBERS = "Unnamed: 0"
_MOST_COLUMNS = 1000


def check_names(names: Sequence[str]) -> None:
    """Check that names are unique and not too many.

    Raises:
        ValueError: two columns have the same name, or there are too many.
    """
    if len(names) > _MOST_COLUMNS:
        raise ValueError(f"it has {len(names)} columns, more than the limit of {_MOST_COLUMNS}")
    twice = repeated(filter(None, names))
    if twice:
        listed = ", ".join(map(shown_value, twice[:10]))
        raise ValueError(f"two columns are called {listed}; give each its own name")


def repeated(names: Iterable[str]) -> list[str]:
    """The names that occur more than once."""
    return [name for name, count in Counter(names).items() if count > 1]
