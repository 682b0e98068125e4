"""Numbers as written and as read: values, units, years, months, times, spelled-out numbers."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from .language import Language
from .lexicon import bare, lexicon
from .notation import decimal_text, numeral_value, readings
from .rates import rate_after
from .times import Time, named_time, time_after, time_of_digits
from .tokenizer import MULTIPLIERS, NUMERALS, Token, Tokens
from .units import CURRENCY_SIGNS, DOLLARS, currency_of_code, units_agree
from .versions import is_version

Kind = Literal["number", "year", "month", "time", "decade", "version"]


@dataclass(frozen=True, slots=True)
class Number:
    """A number as written and as read."""

    text: str
    value: str  # canonical decimal text, so that `1,000` and `one thousand` are equal
    unit: str = ""  # the unit's one name ("kilogram", "%"), or "" if none is known
    kind: Kind = "number"
    before: str = ""  # the content word before it
    after: str = ""  # what it counts
    hedged: bool = False  # a bound or an estimate: "at least", "about"
    demanded: bool = True  # must be found if a claim has it; "one" is seldom a count


class NumberMatch(NamedTuple):
    """The numbers read, the index of the token after them, and the words of their units as
    stems.
    """

    numbers: tuple[Number, ...]
    end: int
    extra: tuple[str, ...] = ()


_CURRENCY_SCALES = {"m": 6, "b": 9}
_ORDINALS = frozenset({"st", "nd", "rd", "th"})
_ARTICLES = frozenset({"a", "ein", "eine", "einer", "einem", "einen"})
_PERCENT = "百分之"

_SPAN = re.compile(r"(1[0-9]|20)[0-9]{2}[-/](?=[0-9])")
_YEAR = re.compile(r"1\d{3}|20\d{2}")
_JOINS = frozenset(("", " ", "-", "\u00a0", "\u202f", "\u2009"))


def agree(one: Number, other: Number) -> bool:
    """Whether both may be the same quantity: equal values, and no two different units."""
    if "version" in (one.kind, other.kind):
        return _points(one) == _points(other)
    if "time" in (one.kind, other.kind) and one.kind != other.kind:
        time, hour = (one, other) if one.kind == "time" else (other, one)
        return hour.unit in ("", "hour") and time.value == f"{hour.value}:00"
    if one.value != other.value or (one.kind == "month") != (other.kind == "month"):
        return False
    return units_agree(one.unit, other.unit)


_POINTED = re.compile(r"\d+(?:[.,]\d+)*")


def _points(number: Number) -> str:
    """Return a number's digits with the points between them, as written."""
    if number.kind == "version":
        return number.value
    written = _POINTED.search(number.text)
    return written[0].replace(",", ".") if written else number.value


def number_at(tokens: Tokens, index: int, previous: str, language: Language) -> NumberMatch | None:
    """Return the number that begins at a token, or None.

    `previous` is the lower-case word directly before, or "".
    """
    reading = _number_at(tokens, index, previous, language)
    if reading is None or reading.numbers[-1].kind not in ("number", "year"):
        return reading
    token, end, text = tokens[index], reading.end, tokens.text
    if _BEFORE_CHRIST.match(text, token.end):
        end = index + 1  # "44 v. Chr." does not mean volts
    elif not (
        _BEFORE_CHRIST.match(text, tokens[max(end - 1, index)].end)
        or text.endswith("公元前", 0, token.start)
    ):
        return reading
    *others, year = reading.numbers
    year = replace(year, value=f"-{year.value.lstrip('-')}", kind="year", unit="", after="")
    return NumberMatch((*others, year), end, reading.extra)


_BEFORE_CHRIST = re.compile(
    r"\s?(?:B\.?\s?C\b|BCE\b|v\.\s?(?:Chr|u\.\s?Z|\Z)"
    r"|(?:(?:г|гг|год\w*)\.?\s)?до\s(?:н\.\s?э|нашей\sэры))"
)


def _number_at(tokens: Tokens, index: int, previous: str, language: Language) -> NumberMatch | None:
    token = tokens[index]
    if token.kind in ("digits", "time"):
        if time := time_of_digits(tokens, index, language):
            return _timed(tokens, index, time, language)
        return _digits(tokens, index, previous, language)
    if token.kind == "fraction":
        part = f"{unicodedata.numeric(token.text[-1]):.4f}".removeprefix("0")
        number = Number(token.text, decimal_text(token.text[:-1].strip() + part))
        return _measured(tokens, index + 1, number, previous, language)
    if token.kind == "version":
        return NumberMatch(
            (Number(token.text, token.text.lstrip("vV."), kind="version"),), index + 1
        )
    if token.kind == "date":
        return NumberMatch(_calendar(token), index + 1)
    if token.kind == "numeral":
        return _numeral(tokens, index, previous, language)
    if token.kind == "word" and lexicon(language.code).entry(token.text.lower()).may_count:
        if token.text == _PERCENT and (following := tokens.at(index + 1)):
            return _per_hundred(tokens, index, following, language)
        word = bare(token.text.lower())
        if time := named_time(tokens, index, language):
            return _timed(tokens, index, time, language)
        return _spelled(tokens, index, previous, language) or _month(tokens, index, word, language)
    return None


def _timed(tokens: Tokens, index: int, time: Time, language: Language) -> NumberMatch:
    """Return the time of day, with the words that identify it as units."""
    end = index + 1
    while end < len(tokens) and tokens[end].end <= time.end:
        end += 1
    words = (token.text.lower() for token in tokens.all[index + 1 : end] if token.kind == "word")
    number = Number(tokens.text[tokens[index].start : time.end].strip(), time.value, kind="time")
    return NumberMatch((number,), end, tuple(map(language.stem, words)))


def numbers_in(tokens: Tokens, language: Language) -> Iterator[Number]:
    """Return all numbers, without their surroundings (`before`, `hedged`)."""
    index, entry = 0, lexicon(language.code).entry
    while index < len(tokens):
        token = tokens[index]
        # most tokens are words, and few words count
        if token.kind in ("mark", "dense") or (
            token.kind == "word" and not entry(token.text.lower()).may_count
        ):
            index += 1
            continue
        reading = number_at(tokens, index, tokens.lower(index - 1), language)
        if reading is not None:
            yield from reading.numbers
        index = max(index + 1, reading.end if reading else 0)


_DAYS, _MONTHS = 31, 12
_DAY_MONTH = re.compile(r"(\d{1,2})\.(\d{1,2})\.(?!\d)")


def _digits(tokens: Tokens, index: int, previous: str, language: Language) -> NumberMatch:
    token, end = tokens[index], index + 1
    if is_version(tokens, index, language):
        return NumberMatch((Number(token.text, token.text + token.tail, kind="version"),), end)
    if language.decimal_comma and (date := _DAY_MONTH.match(tokens.text, token.start)):
        day, month = map(decimal_text, date.groups())
        if not (0 < int(day) <= _DAYS and 0 < int(month) <= _MONTHS):
            return NumberMatch((Number(token.text, token.text, kind="version"),), end)
        return NumberMatch((Number(date[0], month, kind="month"), Number(date[0], day)), end)
    tail, found = token.tail, readings(token.text, language)
    if len(found) > 1:
        return NumberMatch(tuple(Number(part, decimal_text(part)) for part in found), end)
    before = tokens.text[max(token.start - 2, 0) : token.start]
    currency = CURRENCY_SIGNS.get(before.rstrip()[-1:], "")
    if not currency and index and tokens.gap(index - 1) in _JOINS:
        currency = currency_of_code(tokens[index - 1].text)
    if currency == "dollar" and before[-1:] == "$" and index and tokens.gap(index - 1) == "$":
        currency = DOLLARS.get(tokens[index - 1].text, currency)  # "A$5"
    if currency == "yen" and language.code == "zh":
        currency = "yuan"
    shift = token.power
    if scale := language.scales.get(tail) or (currency and _CURRENCY_SCALES.get(tail)):
        shift, tail = scale, ""
    elif not tail and tokens.gap(index) in _JOINS:
        scale = language.scales.get(tokens.lower(end))
        shift, end = (scale, end + 1) if scale else (shift, end)
        if scale and _is_abbreviated(tokens, end, language):
            end += 1
    negative = before[-1:] == "-" and before[:-1] in ("", " ", "(", "\n")
    negative = negative or _is_negative(tokens, index, language)
    written = tokens.text[token.start : tokens[end - 1].end]
    number = Number(written, decimal_text(found[0], shift, negative), currency)
    if len(token.text) == 2 and (since := _SPAN.match(tokens.text, max(token.start - 5, 0))):
        number = replace(number, value=since[1] + token.text, kind="year")  # "2018-19"
    if len(token.text) == 4 and tail == "s":
        return NumberMatch((replace(number, kind="decade"),), end)
    if tail and tail not in _ORDINALS:
        # as written: "5Gb" is not "5GB"
        unit = currency or language.unit(token.written_tail) or tail
        if rate := rate_after(tokens, token.end, language):
            unit += rate.per
        return NumberMatch((replace(number, unit=unit),), end, (language.stem(tail),))
    may_be_year = written == number.value
    return _measured(tokens, end, number, previous, language, may_be_year)


def _measured(
    tokens: Tokens,
    end: int,
    number: Number,
    previous: str,
    language: Language,
    may_be_year: bool = False,
) -> NumberMatch:
    """Return the number with the unit or noun that follows it."""
    between = tokens.gap(end - 1).strip(" \u00a0\u202f\u2009-")
    sign = between[:1] if between[:1] and between[:1] in _UNIT_SIGNS else ""
    following = tokens.lower(end) if between == sign else ""
    is_year = may_be_year and not number.unit and _YEAR.fullmatch(number.value) is not None
    # "5-kg" has its unit after a hyphen, "1998-м" an ending
    ending = tokens.gap(end - 1) == "-" and len(following) == 1 and not following.isascii()
    named = sign + tokens[end].text if following else ""
    if following == "in" and language.code == "en" and _INCHES.match(tokens.text, tokens[end].end):
        named = "inch"
    if following and not ending and sign in ("", "°") and (unit := language.unit(named)):
        written = number.text + tokens.gap(end - 1) + tokens[end].text
        # "1200 г" may be grams
        dated = previous in language.year_words or previous in language.months
        if is_year and (unit == "year" or (following == "г" and dated)):
            return NumberMatch((replace(number, kind="year"),), end + 1, ("year",))
        if scale := _scale_of_degrees(tokens, end, unit, language):
            return NumberMatch((replace(number, text=written, unit=scale),), end + 2)
        if rate := rate_after(tokens, tokens[end].end, language):
            unit += rate.per
        number = replace(number, text=written, unit=number.unit or unit)
        return NumberMatch((number,), end + 1, (language.stem(following),))
    rate = rate_after(tokens, tokens[end - 1].end, language)
    if sign or (number.unit and rate):
        unit = number.unit or language.unit(sign)
        return NumberMatch((replace(number, unit=unit + (rate.per if rate else "")),), end)
    noun = bare(following)
    if not noun.isalpha() or language.is_small(noun) or noun in language.months:
        noun = ""
    # if nouns have capitals, a lower-case word is not what is counted: "1990 lebten hier"
    counted = noun and not (language.nouns_are_capital and tokens[end].text[0].islower())
    if is_year and not (counted and previous not in language.year_words):
        number = replace(number, kind="year")
    return NumberMatch((replace(number, after=language.stem(noun) if noun else ""),), end)


_UNIT_SIGNS = "%°¢‰℃℉" + "".join(CURRENCY_SIGNS)


# "in" is a unit if no place or time follows.
_INCHES = re.compile(
    r"\.?\s*(?:\Z|[,;:)\n|x×/]|by\b|in\b|and\b|or\b|tall|wide|long|high|deep|thick|across|diameter|screen)"
)


def _is_abbreviated(tokens: Tokens, end: int, language: Language) -> bool:
    """Whether a full stop after a scale belongs to an abbreviation, because a unit follows: "Mio.
    €".
    """
    if tokens.lower(end) != "." or tokens.gap(end - 1):
        return False
    following, gap = tokens.at(end + 1), tokens.gap(end).strip()
    if gap:
        return gap[0] in _UNIT_SIGNS
    return following is not None and bool(language.unit(following.text))


def _is_negative(tokens: Tokens, index: int, language: Language) -> bool:
    """Whether a word before a number makes it negative: "minus 5 °C"."""
    if not language.minus or not index:
        return False
    start = tokens[index].start
    return tokens.text[max(0, start - _MINUS) : start].rstrip().lower().endswith(language.minus)


_MINUS = 8  # characters


def _scale_of_degrees(tokens: Tokens, end: int, unit: str, language: Language) -> str:
    """Return the scale that a word after "degrees" names."""
    following = tokens.at(end + 1)
    if unit != "degree" or following is None or tokens.gap(end) not in _JOINS:
        return ""
    scale = language.unit("°" + following.text if len(following.text) == 1 else following.text)
    return scale if scale in ("celsius", "fahrenheit") else ""


_PART = re.compile(rf"\d+|[{''.join(NUMERALS)}十]+")


def _calendar(token: Token) -> tuple[Number, ...]:
    written = _PART.findall(token.text)
    parts = [decimal_text(p) if p[0].isdigit() else numeral_value(p) for p in written]
    if "/" in token.text:
        if int(parts[0]) <= 12 and int(parts[1]) <= 12:
            # a day and a month, in either order
            return tuple(Number(part, value) for part, value in zip(written, parts, strict=True))
        if int(parts[0]) <= 12:
            parts[:2] = parts[1::-1]
    if "." in token.text or "/" in token.text:
        parts.reverse()  # day.month.year
    kinds: tuple[Kind, ...] = ("year", "month", "number")
    if len(parts[0]) < 4:
        kinds = kinds[1:]  # "2月1日"
    return tuple(
        Number(token.text, value, kind=kind) for value, kind in zip(parts, kinds, strict=False)
    )


def _month(tokens: Tokens, index: int, word: str, language: Language) -> NumberMatch | None:
    """Return the month: a number beside a day or year, or a word that is found as such."""
    month, written = language.months.get(word), tokens[index].text
    if not month or not (written[0].isupper() or language.lower_months):
        return None
    dated = any((near := tokens.at(i)) and near.kind == "digits" for i in (index - 1, index + 1))
    if not dated and tokens.lower(index + 1) == "." and not tokens.gap(index):
        dated = (near := tokens.at(index + 2)) is not None and near.kind == "digits"  # "Feb. 1"
    if not dated and tokens.lower(index - 1) == "." and index > 1:
        # "1. Februar"
        dated = tokens[index - 2].kind == "digits" and not tokens.gap(index - 2)
    number = Number(written, month, kind="month", demanded=dated)
    return NumberMatch((number,), index + 1 if dated else index, (language.stem(word),))


def _spelled(tokens: Tokens, index: int, previous: str, language: Language) -> NumberMatch | None:
    """Return a number in words."""
    small, scales, hundred = language.small, language.scales, language.hundred
    word = bare(tokens.lower(index))
    begins = word in small or (previous in _ARTICLES and len(word) > 3 and word in scales)
    if not begins:
        return None
    total, current, end = 0, 1 if word in scales else 0, index
    largest, scaled = math.inf, index  # the last scale, and where it ended
    while end < len(tokens) and (end == index or tokens.gap(end - 1) in _JOINS):
        word = bare(tokens.lower(end))
        if word in small and _follows(int(small[word]), current):
            current += int(small[word])
        elif word and word == hundred and 0 < current < 100:
            current *= 100
        elif word in scales and word != hundred and current:
            if scales[word] >= largest:
                current, end = 0, scaled  # "a million, three million" are two numbers
                break
            total, current = total + current * 10 ** scales[word], 0
            largest, scaled = scales[word], end + 1
        elif not (
            word
            and word == language.number_and
            and current >= 100
            and tokens.lower(end + 1) in small
        ):
            break
        end += 1
    written = tokens.text[tokens[index].start : tokens[end - 1].end]
    first, last = tokens[index].start, tokens[end - 1].end
    if not total and (time := time_after(tokens, first, last, current, language)):
        return _timed(tokens, index, time, language)
    sign = "-" * _is_negative(tokens, index, language)
    number = Number(written, f"{sign}{total + current}", demanded=total + current != 1)
    return _measured(tokens, end, number, previous, language)


def _follows(number: int, sofar: int) -> bool:
    """Whether a spelled number continues: "twenty-one", "two hundred six", but not "nineteen
    forty".
    """
    if sofar == 0:
        return True
    tens = sofar % 10 == 0 and sofar % 100 > 10 and 0 < number < 10
    return tens or (sofar % 100 == 0 and number < 100)


def _numeral(tokens: Tokens, index: int, previous: str, language: Language) -> NumberMatch | None:
    """Return a number in Han numerals if something is counted or a multiplier shows that it is
    one.
    """
    text, following = tokens[index].text, tokens.at(index + 1)
    counts = (
        following is not None
        and following.kind == "word"
        and following.text in (language.counters | language.units.keys())
    )
    composed = len(text) > 1 and any(char in MULTIPLIERS for char in text)
    value = numeral_value(text)
    start, end = tokens[index].start, tokens[index].end
    time = (
        time_after(tokens, start, end, int(value), language)
        if value.isdecimal() and len(value) <= 2
        else None
    )
    # 一时 is "for a while"
    timed = time is not None and (bool(time.half) or not time.value.endswith(":00"))
    counts = counts or timed
    if not counts and not composed and "点" not in text and previous not in ("第", _PERCENT):
        return None
    if time:
        return _timed(tokens, index, time, language)
    number = Number(text, value, demanded=value != "1")
    return _measured(tokens, index + 1, number, previous, language)


def _per_hundred(
    tokens: Tokens, index: int, following: Token, language: Language
) -> NumberMatch | None:
    if following.kind == "numeral":
        value = numeral_value(following.text)
    elif following.kind == "digits":
        value = decimal_text(readings(following.text, language)[0])
    else:
        return None
    return NumberMatch((Number(tokens[index].text + following.text, value, "%"),), index + 2)
