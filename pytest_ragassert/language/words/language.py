"""The table of a language: what the reader has to know of it.

One module for each language fills a `Language`. Forms are lower case; a table of forms is written
as comma-separated rows whose first word stands for the others.
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
    """What may stand right behind an hour to make it one, and which half of the day it names.

    Args:
        hour: "o'clock" and its like; its group `minute` are minutes.
        am: the first half of the day, of which twelve is midnight.
        pm: the second half.
        evening: the second half, of which twelve is midnight.
        night: the evening's hours from six on, else the early ones.
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
    """Each form to the first word of its comma-separated row."""
    rows = [row.split() for row in text.split(",")]
    return {form: row[0] for row in rows for form in row}


def opposites(text: str) -> tuple[tuple[frozenset[str], frozenset[str]], ...]:
    """Comma-separated rows of words that exclude each other: `begin start/end stop, ...`."""
    sides = (row.split("/") for row in text.split(","))
    return tuple((word_set(one), word_set(other)) for one, other in sides)


NEVER = re.compile("(?!)")


@dataclass(frozen=True)
class Language:
    """A language's small words, numbers, units and opposites.

    Attributes:
        stemmer: the name of its Snowball stemmer, "" where words are taken as they stand.
        stop_words: say nothing by themselves.
        light: say how much, when or how surely, but name nothing.
        universals: light words that speak of all cases or of one alone: "always", "only".
        first_person: the speaker: "I", "my".
        pronouns: at a sentence's start they speak of what the sentence before is about.
        negators: negate the word that follows.
        after_no: words before which the first negator is an answer: "no it isn't".
        not_negating: words before which a negator does not negate: "not only", "no more than".
        carriers: negated, they negate what follows too: "no evidence that ...".
        hedges: before a number they make it a bound or an estimate.
        year_words: before a bare 1900 they make it a year, whatever follows.
        months: month forms to "1".."12".
        small: number words to decimal text.
        scales: number words to powers of ten: "thousand" to 3.
        hundred: the scale that multiplies inside a number: "two hundred six".
        number_and: what may stand inside a number in words: "two hundred and six".
        units: unit words to the unit's English name.
        clock: what makes the number before it an hour (`clock.clock`).
        hours_last: the clock's word for an hour is also that of a duration: "9 часов".
        day_halves: what right before an hour names its half of the day.
        times: words that begin a time of day to its value: "noon" to "12:00"; to "" where
            `part_of_hour` tells it.
        part_of_hour: "half past nine"; the group `to` is the hour.
        minus: right before a number they make it negative.
        rate: behind a quantity, what it is counted for: " per hour". Its group `per` is the unit,
            which is one of time unless the group `any` is there.
        hours: forms of numbers that only name an hour: "девятого".
        at_hour: before "20.30" they make it a time, where a comma is the decimal point.
        sections: before a number with a point they make it a version or a section.
        series: words of which each excludes the others of its row: the days of the week.
        irregular: forms to one form of the same word, where the stemmer sees none.
        opposites: words that exclude each other.
        once: what happens once, so that one of two dates must be false: "born".
        decimal_comma: `3,5` is three and a half and `1.000` a thousand.
        nouns_are_capital: a capital alone tells no name.
        lower_months: months are written small.
        compounds: words are written together, so that a part may be found within a whole.
        fixed: words of a script without spaces that are taken whole.
        counters: what must follow a number word in a script without spaces.
        trim: what the stemmer leaves of endings and prefixes is cut off by this.
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
        """The stem that a lower-case word shares with its other forms."""
        return self._remembered_stem(word)

    @cached_property
    def _remembered_stem(self) -> Callable[[str], str]:
        return lru_cache(maxsize=65536)(self._stem)

    def _stem(self, word: str) -> str:
        word = self.irregular.get(word, word)
        if not self.stemmer:
            return word
        # imported late: most runs never ask the offline judge
        module = importlib.import_module(f"snowballstemmer.{self.stemmer}_stemmer")
        # a stemmer keeps the word it works on in itself, so that threads can't share one
        stemmed = str(getattr(module, f"{self.stemmer.title()}Stemmer")().stemWord(word))
        return self.trim(stemmed) if self.trim else stemmed

    def unit(self, written: str) -> str:
        """The one name of a unit as written, "" where it is none."""
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
        """Each stem to those that exclude it."""
        found: dict[str, frozenset[str]] = {}
        for sides in self.opposites:
            one, other = map(self.stems, sides)
            found |= dict.fromkeys(one, other) | dict.fromkeys(other, one)
        return found
