"""The names of a table's columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from ..language.suggestions import shown_value

# The column in which pandas wrote its rows' numbers without a name, when it reads them.
ROW_NUMBERS = "Unnamed: 0"
_MOST_COLUMNS = 1000


def check_names(names: Sequence[str]) -> None:
    """
    Raises:
        ValueError: two columns have one name, or there are too many.
    """
    if len(names) > _MOST_COLUMNS:
        raise ValueError(f"it has {len(names)} columns; {_MOST_COLUMNS} are the most")
    twice = repeated(filter(None, names))
    if twice:
        listed = ", ".join(map(shown_value, twice[:10]))
        raise ValueError(f"two columns are called {listed}; name each once")


def repeated(names: Iterable[str]) -> list[str]:
    """The names that are there twice."""
    return [name for name, count in Counter(names).items() if count > 1]
