"""Times of day as people write them: "9 pm", "9.30 p.m.", "21 Uhr", "в 9 часов вечера", 下午9点.

An hour is a number up to 24 that is followed by minutes after a colon, that is directly before or
after a word of the clock, or that begins a range which ends with such a time. Its value is that of
a 24-hour clock, so "9 pm" and "21:00" are the same.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from .language import HALVES, Language
from .languages import language_table
from .tokenizer import NUMERALS, Token, Tokens

_HOUR = re.compile(r"(\d{1,2})(?:[:.](\d{2}))?(:\d{2})?")
_RANGE = re.compile(
    r"\s?(?:[-—~]|(?:to|until|till|through|and|bis|und|до|по|и)\b|[至到和])\s?", re.IGNORECASE
)
_LATEST, _NOON, _MINUTES, _MONTHS = 24, 12, 60, 12
_WITHIN = 12  # characters before an hour in which the first hour of its range may be


class Time(NamedTuple):
    """A time of day, where it ends in the tidied text, and the half of the day it names."""

    value: str
    end: int
    half: str


def time_of_digits(tokens: Tokens, index: int, language: Language) -> Time | None:
    """Return the time whose hour is a token of digits, or None if that is not an hour."""
    token = tokens[index]
    written = _HOUR.fullmatch(token.text)
    if not written or int(written[1]) > _LATEST:
        return None
    end = token.start + len(token.text)
    found = time_after(tokens, token.start, end, int(written[1]), language, written[2] or "")
    if found is None and not token.tail:
        found = _of_range(tokens, index, language, written)
    if found is None and (token.kind == "time" or _is_time_with_point(tokens, index, language)):
        minute = written[2] + (written[3] or "")
        return Time(_value(int(written[1]), minute, ""), end, "")
    return found


def _is_time_with_point(tokens: Tokens, index: int, language: Language) -> bool:
    """Whether a point is between hour and minutes: "um 20.30"; "3.10" may be a day."""
    token = tokens[index]
    minute = token.text.partition(".")[2]
    return (
        len(minute) == 2
        and (minute == "00" or _MONTHS < int(minute) < _MINUTES)
        and not token.tail
        and tokens.lower(index - 1) in language.at_hour
    )


def time_after(
    tokens: Tokens, start: int, end: int, hour: int, language: Language, minute: str = ""
) -> Time | None:
    """Return the time of an hour between two offsets, or None if nothing makes it one."""
    text = tokens.text
    clock = language.clock.match(text, end)
    if hour > _LATEST or clock is None or text[start - 1 : start] == "第":
        return None
    if clock.end() == end and not (minute and language.day_halves):
        return None  # nothing follows, as with most numbers
    groups = clock.groupdict()
    half = next((name for name in HALVES if groups[name]), "")
    if not half and language.day_halves and (groups["hour"] or minute):
        half = _half_before(text, start, language)
    if not half and not groups["hour"]:
        return None
    if not half and language.hours_last and not _at(text, start, language):
        return None
    return Time(_value(hour, minute or _minute(groups), half), clock.end(), half)


def named_time(tokens: Tokens, index: int, language: Language) -> Time | None:
    """Return the time that begins with a word: "noon", "half past nine"."""
    token = tokens[index]
    if value := language.times.get(token.text.lower()):
        return Time(value, token.end, "")
    part = language.part_of_hour.match(tokens.text, token.start)
    if part is None:
        return None
    spelled = part["to"].lower()
    written = spelled if spelled.isdecimal() else _named_hour(spelled, language)
    if not 0 < len(written) <= 2 or int(written) > _NOON:
        return None
    minutes = next((far for name, far in _PARTS.items() if part.groupdict().get(name)), None)
    if minutes is None:
        minutes = -_counted(part["minutes_to"].lower(), language)
    hour, minute = divmod(int(written) * 60 + minutes, 60)
    later = time_after(tokens, token.start, part.end(), hour, language, f"{minute:02}")
    return later or Time(_value(hour, f"{minute:02}", ""), part.end(), "")


_PARTS = {"half_past": 30, "half_to": -30, "quarter_past": 15, "quarter_to": -15}
_PARTS["quarter_of"] = -45  # "четверть девятого" is 8:15


def _named_hour(word: str, language: Language) -> str:
    return language.small.get(word) or language.hours.get(word, "")


def _counted(words: str, language: Language) -> int:
    """Return minutes in digits or words."""
    return sum(int(word if word.isdecimal() else language.small[word]) for word in words.split())


def _of_range(
    tokens: Tokens, index: int, language: Language, written: re.Match[str]
) -> Time | None:
    """Return the time that begins a range whose end makes it one: "9-11 pm", "von 9 bis 18 Uhr"."""
    token = tokens[index]
    end = token.start + len(token.text)
    joint = _RANGE.match(tokens.text, end)
    if joint is None:
        return None
    last = next((n for n in (index + 1, index + 2) if _begins(tokens.at(n), joint)), None)
    if last is None or not (until := _HOUR.fullmatch(tokens[last].text)):
        return None
    final = tokens[last]
    after = final.start + len(final.text)
    found = time_after(tokens, final.start, after, int(until[1]), language, until[2] or "")
    if found is None:
        return None
    hour, minute, half = int(written[1]), written[2] or "", found.half
    value = _value(hour, minute, half)
    if _minutes(value) > _minutes(found.value) and half in ("am", "pm", "evening"):
        value = _value(hour, minute, "pm" if half == "am" else "am")  # "9-5 pm", "11-1 am"
    return Time(value, end, half)


def hours_of(value: str) -> tuple[str, ...]:
    """Return the ways to write a time of day, with minutes separate or not: "21:30" as 9:30, 9,
    10.
    """
    hour, _, minutes = value.partition(":")
    half = str(int(hour) % _NOON or _NOON)
    following = str(int(half) % _NOON + 1)  # "quarter to ten"
    return value, f"{half}:{minutes}", hour, half, following


def _begins(token: Token | None, joint: re.Match[str]) -> bool:
    return token is not None and token.start == joint.end()


def _half_before(text: str, start: int, language: Language) -> str:
    """Return the half of the day named by a word directly before the hour, or before its range."""
    before = _before(language.code).search(text[max(0, start - _WITHIN) : start])
    return language.day_halves[before[1]] if before else ""


@lru_cache(maxsize=8)
def _before(code: str) -> re.Pattern[str]:
    words = "|".join(sorted(language_table(code).day_halves, key=len, reverse=True))
    hour = rf"[\d:点點时時分半钟鐘{''.join(NUMERALS)}十]{{1,8}}"
    return re.compile(rf"({words})\s?(?:{hour}\s?[-—~到至和]\s?)?\Z")


def _at(text: str, start: int, language: Language) -> bool:
    """Whether a word before an hour shows that it is not a duration: "в 9 часов"."""
    words = text[max(0, start - _WITHIN) : start].lower().split()
    return bool(words) and words[-1] in language.year_words and "раз" not in words


def _minute(groups: dict[str, str | None]) -> str:
    """Return the minutes that a word of the clock names, in digits, numerals or words."""
    if minute := groups.get("minute") or groups.get("h_minute") or groups.get("bare_minute"):
        if minute.isdecimal():
            return minute
        tens, ten, ones = minute.rpartition("十")
        return str((NUMERALS.get(tens, 1) if ten else 0) * 10 + NUMERALS.get(ones, 0))
    quarters = {"half": "30", "quarter": "15", "three_quarters": "45"}
    return next((minute for name, minute in quarters.items() if groups.get(name)), "")


def _value(hour: int | str, minute: str, half: str) -> str:
    hour = int(hour)
    if half == "am" and hour > _NOON:
        return f"{hour}:{minute.zfill(2)}{half}"  # a mistake, which is not a time in the evening
    if half in ("am", "evening", "midnight") and hour == _NOON:
        hour = 0
    if (
        (half in ("pm", "evening") and 0 < hour < _NOON)
        or (half == "noon" and hour < 5)
        or (half == "night" and 5 < hour <= _NOON)
    ):
        hour += _NOON
    return f"{hour % _LATEST}:{minute.zfill(2)}"


def _minutes(value: str) -> int:
    hour, minute, *_ = value.split(":")
    return int(hour) * 60 + int(minute.removesuffix("am"))
