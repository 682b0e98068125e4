"""Checks that the cases of a list have different ids."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from ..case import EvalCase
from ..language.escaping import is_blank
from ..language.suggestions import shown_value

_MOST_IDS = 10  # repeated ids that a message lists


def distinct(cases: Iterable[EvalCase]) -> Iterator[EvalCase]:
    """Yield the cases; at the end, raise an error if two have the same id.

    Raises:
        ValueError: ids are repeated; the message names them.
    """
    counts: Counter[str] = Counter()
    for case in cases:
        if not is_blank(case.id):
            counts[str(case.id)] += 1
        yield case
    twice = [name for name, count in counts.items() if count > 1]
    if twice:
        others = ", ".join(map(shown_value, twice[1:_MOST_IDS]))
        also = f" (so do two each: {others}{', …' * (len(twice) > _MOST_IDS)})" if others else ""
        raise ValueError(
            f"two cases have the id {shown_value(twice[0])}{also}; ids tell cases apart in reports"
        )
