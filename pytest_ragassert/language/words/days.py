"""Finds the days of the week in a text, including those within a range: "Mon-Fri"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from .language import Language, word_set
from .languages import language_table

DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_RANGE = re.compile(
    r"\.?\s*(?:[-‐-―~～]|to|through|thru|till|until|bis|по|до|[至到])\s*(?:einschließlich\s)?",
    re.IGNORECASE,
)
_DENSE_DAY = re.compile("(?:周|星期|礼拜)[一二三四五六日天]")
_WORD = re.compile(r"[^\W\d_]+")
# Also other words; the text beside them decides.
_DOUBTFUL = word_set("mo di mi do fr sa so mon sat sun wed fri вт ср")
_BESIDE = re.compile(r"\.?\s*(?:[-‐-―~～,/&:+\d]|bis\b|und\b|to\b|and\b|и\b|по\b)")


@lru_cache(maxsize=4096)
def days_in(text: str, code: str, *, surely: bool = False) -> frozenset[str]:
    """Return the days of the week that a text names or includes in a range, as in `DAYS`.

    Args:
        code: the text's language.
        surely: without words that may not be days: "sun", "So".
    """
    found: set[str] = set()
    last = ("", 0)
    for day, start, end in _days(text, language_table(code), surely=surely):
        if last[0] and _RANGE.fullmatch(text, last[1], start):
            found.update(_between(last[0], day))
        found.add(day)
        last = day, end
    return frozenset(found)


def _days(text: str, language: Language, *, surely: bool) -> Iterator[tuple[str, int, int]]:
    """Yield each day with its half-open offsets."""
    for match in (_DENSE_DAY if language.fixed else _WORD).finditer(text):
        word = match[0].lower()
        day = language.series.get(word)
        doubtful = word in _DOUBTFUL and not (
            match[0][0].isupper() and _BESIDE.match(text, match.end())
        )
        if day in DAYS and not (surely and doubtful):
            yield day, match.start(), match.end()


def _between(first: str, last: str) -> Iterator[str]:
    start = DAYS.index(first)
    for step in range(1, (DAYS.index(last) - start) % len(DAYS)):
        yield DAYS[(start + step) % len(DAYS)]
