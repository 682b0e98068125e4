"""The table of a language: what the reader needs to know about it.

Each language has a module that fills a `Language`. Forms are lower case. A table of forms has
comma-separated rows whose first word represents the others.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from .units import unit_of_symbol

AM = r"a\.?\s?m\b\.?"
PM = r"p\.?\s?m\b\.?"
HALVES = ("am", "pm", "evening", "night", "noon", "midnight")
_NEVER = "(?!)"


def clock(
    hour: str = _NEVER,
    am: str = AM,
    pm: str = PM,
    evening: str = _NEVER,
    night: str = _NEVER,
    noon: str = _NEVER,
    midnight: str = _NEVER,
) -> re.Pattern[str]:
    """Return the pattern of what may follow an hour directly, and of the half of the day it names.

    Args:
        hour: "o'clock" and the like; its group `minute` contains minutes.
        am: the first half of the day, where twelve is midnight.
        pm: the second half.
        evening: the second half, where twelve is midnight.
        night: the evening's hours from six on, otherwise the early ones.
        noon: the hours around twelve.
        midnight: twelve at night.
    """
    parts = "|".join(
        f"(?P<{name}>{pattern})"
        for name, pattern in zip(HALVES, (am, pm, evening, night, noon, midnight), strict=True)
    )
    pattern = rf"(?P<hour>{hour}|h(?P<h_minute>[0-5]\d)\b)?(?:,?[\s-]?(?:{parts}))?"
    return re.compile(pattern, re.IGNORECASE)


def word_set(text: str) -> frozenset[str]:
    return frozenset(text.split())


def forms(text: str) -> dict[str, str]:
    """Map each form to the first word of its comma-separated row."""
    rows = [row.split() for row in text.split(",")]
    return {form: row[0] for row in rows for form in row}


def opposites(text: str) -> tuple[tuple[frozenset[str], frozenset[str]], ...]:
    """Read comma-separated rows of words that exclude each other: `begin start/end stop, ...`."""
    sides = (row.split("/") for row in text.split(","))
    return tuple((word_set(one), word_set(other)) for one, other in sides)


NEVER = re.compile("(?!)")


@dataclass(frozen=True)
class Language:
    """A language's function words, numbers, units and opposites.

    Attributes:
        stemmer: the name of its Snowball stemmer, or "" to use words as they are.
        stop_words: words that mean nothing by themselves.
        light: words that say how much, when or how surely, but name nothing.
        universals: light words for all cases or for only one: "always", "only".
        first_person: the speaker: "I", "my".
        pronouns: at the start of a sentence, they refer to the subject of the previous one.
        negators: negate the word that follows.
        after_no: words before which the first negator is an answer: "no it isn't".
        not_negating: words before which a negator does not negate: "not only", "no more than".
        carriers: if negated, they also negate what follows: "no evidence that ...".
        hedges: before a number, they make it a bound or an estimate.
        year_words: before a bare 1900, they make it a year, whatever follows.
        months: month forms to "1".."12".
        small: number words to decimal text.
        scales: number words to powers of ten: "thousand" to 3.
        hundred: the scale that multiplies inside a number: "two hundred six".
        number_and: what may be inside a number in words: "two hundred and six".
        units: unit words to the unit's English name.
        clock: what makes the number before it an hour (`clock.clock`).
        hours_last: the clock's word for an hour is also used for durations: "9 часов".
        day_halves: directly before an hour, these name its half of the day.
        times: words that begin a time of day to its value: "noon" to "12:00"; to "" if
            `part_of_hour` determines it.
        part_of_hour: "half past nine"; the group `to` is the hour.
        minus: directly before a number, these make it negative.
        rate: after a quantity, the unit that it refers to: " per hour". Its group `per` is the
            unit, which is one of time unless the group `any` is there.
        hours: forms of numbers that only name an hour: "девятого".
        at_hour: before "20.30", these make it a time if a comma is the decimal point.
        sections: before a number with a point, these make it a version or a section.
        series: words each of which excludes the others in its row: the days of the week.
        irregular: forms to one form of the same word, for words that the stemmer does not unite.
        opposites: words that exclude each other.
        once: what happens once, so that one of two dates must be false: "born".
        decimal_comma: `3,5` is three and a half and `1.000` is a thousand.
        nouns_are_capital: a capital alone does not identify a name.
        lower_months: months are written in lower case.
        compounds: words are written together, so a part may be found within a whole.
        fixed: words of a script without spaces that are kept whole.
        counters: what must follow a number word in a script without spaces.
        trim: removes endings and prefixes that the stemmer leaves.
    """

    code: str
    stemmer: str = ""
    stop_words: frozenset[str] = frozenset()
    light: frozenset[str] = frozenset()
    universals: frozenset[str] = frozenset()
    first_person: frozenset[str] = frozenset()
    pronouns: frozenset[str] = frozenset()
    negators: frozenset[str] = frozenset()
    after_no: frozenset[str] = frozenset()
    not_negating: frozenset[str] = frozenset()
    carriers: frozenset[str] = frozenset()
    hedges: frozenset[str] = frozenset()
    year_words: frozenset[str] = frozenset()
    months: dict[str, str] = field(default_factory=dict)
    small: dict[str, str] = field(default_factory=dict)
    scales: dict[str, int] = field(default_factory=dict)
    hundred: str = ""
    number_and: str = ""
    units: dict[str, str] = field(default_factory=dict)
    clock: re.Pattern[str] = field(default_factory=clock)
    hours_last: bool = False
    day_halves: dict[str, str] = field(default_factory=dict)
    times: dict[str, str] = field(default_factory=dict)
    part_of_hour: re.Pattern[str] = NEVER
    minus: tuple[str, ...] = ()
    rate: re.Pattern[str] = NEVER
    hours: dict[str, str] = field(default_factory=dict)
    at_hour: frozenset[str] = frozenset()
    sections: frozenset[str] = frozenset()
    series: dict[str, str] = field(default_factory=dict)
    irregular: dict[str, str] = field(default_factory=dict)
    opposites: tuple[tuple[frozenset[str], frozenset[str]], ...] = ()
    once: frozenset[str] = frozenset()
    decimal_comma: bool = False
    nouns_are_capital: bool = False
    lower_months: bool = False
    compounds: bool = False
    fixed: frozenset[str] = frozenset()
    counters: frozenset[str] = frozenset()
    trim: Callable[[str], str] | None = None

    def stem(self, word: str) -> str:
        """Return the stem that a lower-case word shares with its other forms."""
        return self._remembered_stem(word)

    @cached_property
    def _remembered_stem(self) -> Callable[[str], str]:
        return lru_cache(maxsize=65536)(self._stem)

    def _stem(self, word: str) -> str:
        word = self.irregular.get(word, word)
        if not self.stemmer:
            return word
        # imported late: most runs never use the offline judge
        module = importlib.import_module(f"snowballstemmer.{self.stemmer}_stemmer")
        # a stemmer stores the word that it is working on, so threads can't share one
        stemmed = str(getattr(module, f"{self.stemmer.title()}Stemmer")().stemWord(word))
        return self.trim(stemmed) if self.trim else stemmed

    def unit(self, written: str) -> str:
        """Return the one name of a unit as written, or "" if it is not a unit."""
        return self.units.get(written.lower()) or unit_of_symbol(written)

    def is_small(self, word: str) -> bool:
        """Whether a lower-case word names nothing."""
        return word in self.stop_words or word in self.light

    def stems(self, words: Iterable[str]) -> frozenset[str]:
        return frozenset(map(self.stem, words))

    @cached_property
    def carrier_stems(self) -> frozenset[str]:
        return self.stems(self.carriers)

    @cached_property
    def once_stems(self) -> frozenset[str]:
        return self.stems(self.once)

    @cached_property
    def opposite_stems(self) -> dict[str, frozenset[str]]:
        """Return the stems that exclude each stem."""
        found: dict[str, frozenset[str]] = {}
        for sides in self.opposites:
            one, other = map(self.stems, sides)
            found |= dict.fromkeys(one, other) | dict.fromkeys(other, one)
        return found
