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
from .tokens import MULTIPLIERS, NUMERALS, Token, Tokens

Kind = Literal["number", "year", "month", "time", "decade"]


@dataclass(frozen=True, slots=True)
class Number:
    """A number as written and as read."""

    text: str
    value: str  # canonical decimal text, so that `1,000` and `one thousand` are equal
    unit: str = ""  # the unit's one name ("kilogram", "%"), "" where none is known
    kind: Kind = "number"
    before: str = ""  # the content word before it
    after: str = ""  # what it counts
    hedged: bool = False  # a bound or an estimate: "at least", "about"
    demanded: bool = True  # must be found where a claim has it; "one" is seldom a count


class Reading(NamedTuple):
    """Numbers read, the place of the token after them, and their units' words as stems."""

    numbers: tuple[Number, ...]
    end: int
    extra: tuple[str, ...] = ()


_CURRENCIES = {"$": "dollar", "€": "euro", "£": "pound", "¥": "yen", "₹": "rupee", "₽": "rouble"}
_CURRENCY_SCALES = {"m": 6, "b": 9}
_ORDINALS = frozenset({"st", "nd", "rd", "th"})
_ARTICLES = frozenset({"a", "ein", "eine", "einer", "einem", "einen"})
_PERCENT = "百分之"

_SPACES = "'\u00a0\u202f\u2009 "
_SPAN = re.compile(r"(1[0-9]|20)[0-9]{2}[-/](?=[0-9])")
_YEAR = re.compile(r"1\d{3}|20\d{2}")
_SEPARATOR = re.compile(rf"[,{_SPACES}]")
_JOINS = frozenset(("", " ", "-", "\u00a0", "\u202f", "\u2009"))


class _Notation(NamedTuple):
    grouped: re.Pattern[str]
    grouped_by_other: re.Pattern[str]  # the other language's way, where that is sure
    plain: re.Pattern[str]
    point: str
    group: str


def _notation(point: str, group: str) -> _Notation:
    p, g = re.escape(point), re.escape(group)
    return _Notation(
        re.compile(rf"\d{{1,3}}([{g}{_SPACES}])\d{{3}}(?:\1\d{{3}})*(?:{p}\d+)?"),
        re.compile(rf"\d{{1,3}}(?:{p}\d{{3}})+{g}\d+|\d{{1,3}}(?:{p}\d{{3}}){{2,}}"),
        re.compile(rf"\d*{p}\d+|\d+{g}\d{{1,2}}|\d+"),
        point,
        group,
    )


_POINT, _COMMA = _notation(".", ","), _notation(",", ".")


def decimal_text(text: str, shift: int = 0, negative: bool = False) -> str:
    """Canonical text of decimal digits, moved by `shift` places; versions ("1.2.3") as they are."""
    if not text.isascii():
        text = "".join(str(unicodedata.decimal(c)) if c.isdecimal() else c for c in text)
    if text.count(".") > 1:
        return text
    whole, _, fraction = text.partition(".")
    point = len(whole) + shift
    digits = (whole + fraction).ljust(point, "0")
    whole, fraction = digits[:point].lstrip("0") or "0", digits[point:].rstrip("0")
    value = f"{whole}.{fraction}" if fraction else whole
    return f"-{value}" if negative and value != "0" else value


def significant(value: str) -> str:
    """The digits of a value without zeros at its ends: what all its notations share."""
    return value.lstrip("-").replace(".", "").replace(":", "").strip("0") or "0"


def agree(one: Number, other: Number) -> bool:
    """Whether both may be the same quantity: equal values, and no two different units."""
    if one.value != other.value or (one.kind == "month") != (other.kind == "month"):
        return False
    return one.unit == other.unit or not one.unit or not other.unit


def number_at(tokens: Tokens, index: int, previous: str, language: Language) -> Reading | None:
    """The number that begins at a token, None where none does.

    `previous` is the lower-case word just before, "" where there is none.
    """
    token = tokens[index]
    if token.kind == "digits":
        return _digits(tokens, index, previous, language)
    if token.kind in ("date", "time"):
        return Reading(_calendar(token), index + 1)
    if token.kind == "numeral":
        return _numeral(tokens, index, previous, language)
    if token.kind == "word" and lexicon(language.code).entry(token.text.lower()).may_count:
        if token.text == _PERCENT and (following := tokens.at(index + 1)):
            return _per_hundred(tokens, index, following, language)
        word = bare(token.text.lower())
        return _spelled(tokens, index, previous, language) or _month(tokens, index, word, language)
    return None


def numbers_in(tokens: Tokens, language: Language) -> Iterator[Number]:
    """All numbers, without what surrounds them (`before`, `hedged`)."""
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


def readings(run: str, language: Language) -> list[str]:
    """The numbers, with a decimal point, that a run of digits and separators holds."""
    notation = _COMMA if language.decimal_comma else _POINT
    if notation.grouped.fullmatch(run):
        whole, _, fraction = run.partition(notation.point)
        for separator in notation.group + _SPACES:
            whole = whole.replace(separator, "")
        return [f"{whole}.{fraction}" if fraction else whole]
    if notation.grouped_by_other.fullmatch(run):
        return [run.replace(notation.point, "").replace(notation.group, ".")]
    if notation.plain.fullmatch(run):
        return [run.replace(",", ".")]
    parts = run.split()
    if len(parts) > 1:
        return [reading for part in parts for reading in readings(part, language)]
    return [part for part in _SEPARATOR.split(run) if part]


def _digits(tokens: Tokens, index: int, previous: str, language: Language) -> Reading:
    token, end = tokens[index], index + 1
    tail, found = token.tail, readings(token.text, language)
    if len(found) > 1:
        return Reading(tuple(Number(part, decimal_text(part)) for part in found), end)
    before = tokens.text[max(token.start - 2, 0) : token.start]
    currency = _CURRENCIES.get(before[-1:], "")
    if currency == "yen" and language.code == "zh":
        currency = "yuan"
    shift = token.power
    if scale := language.scales.get(tail) or (currency and _CURRENCY_SCALES.get(tail)):
        shift, tail = scale, ""
    elif not tail and tokens.gap(index) in _JOINS:
        scale = language.scales.get(tokens.lower(end))
        shift, end = (scale, end + 1) if scale else (shift, end)
    negative = before[-1:] == "-" and before[:-1] in ("", " ", "(", "\n")
    written = tokens.text[token.start : tokens[end - 1].end]
    number = Number(written, decimal_text(found[0], shift, negative), currency)
    if len(token.text) == 2 and (since := _SPAN.match(tokens.text, max(token.start - 5, 0))):
        number = replace(number, value=since[1] + token.text, kind="year")  # "2018-19"
    if len(token.text) == 4 and tail == "s":
        return Reading((replace(number, kind="decade"),), end)
    if tail and tail not in _ORDINALS:
        unit = currency or language.unit(tail) or tail
        return Reading((replace(number, unit=unit),), end, (language.stem(tail),))
    may_be_year = written == number.value
    return _measured(tokens, end, number, previous, language, may_be_year)


def _measured(
    tokens: Tokens,
    end: int,
    number: Number,
    previous: str,
    language: Language,
    may_be_year: bool = False,
) -> Reading:
    """The number with the unit or noun that follows it."""
    between = tokens.gap(end - 1).strip(" \u00a0\u202f\u2009-")
    sign = between[:1] if between[:1] and between[:1] in "%°€$£¥₽₹‰℃" else ""
    following = tokens.lower(end) if between == sign else ""
    is_year = may_be_year and not number.unit and _YEAR.fullmatch(number.value) is not None
    # "5-kg" has its unit after a hyphen, "1998-м" an ending
    ending = tokens.gap(end - 1) == "-" and len(following) == 1 and not following.isascii()
    if following and not ending and sign in ("", "°") and (unit := language.unit(sign + following)):
        written = number.text + tokens.gap(end - 1) + tokens[end].text
        if is_year and (unit == "year" or following == "г"):
            return Reading((replace(number, kind="year"),), end + 1, ("year",))
        number = replace(number, text=written, unit=number.unit or unit)
        return Reading((number,), end + 1, (language.stem(following),))
    if sign:
        return Reading((replace(number, unit=number.unit or language.unit(sign)),), end)
    noun = bare(following)
    if not noun.isalpha() or language.is_small(noun) or noun in language.months:
        noun = ""
    # where nouns have capitals, a small word is not what is counted: "1990 lebten hier"
    counted = noun and not (language.nouns_are_capital and tokens[end].text[0].islower())
    if is_year and not (counted and previous not in language.year_words):
        number = replace(number, kind="year")
    return Reading((replace(number, after=language.stem(noun) if noun else ""),), end)


_PART = re.compile(rf"\d+|[{''.join(NUMERALS)}十]+")


def _calendar(token: Token) -> tuple[Number, ...]:
    written = _PART.findall(token.text)
    parts = [decimal_text(p) if p[0].isdigit() else numeral_value(p) for p in written]
    if token.kind == "time":
        minute = parts[1].zfill(2) if len(parts) > 1 else "00"
        if (half := token.text.rstrip(".").lower()).endswith(("m", ".m")):
            parts[0] = str(int(parts[0]) % 12 + 12 * ("p" in half))
        return (Number(token.text, f"{parts[0]}:{minute}", kind="time"),)
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


def _month(tokens: Tokens, index: int, word: str, language: Language) -> Reading | None:
    """A month is a number beside a day or year, else a word that may be found as one."""
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
    return Reading((number,), index + 1 if dated else index, (language.stem(word),))


def _spelled(tokens: Tokens, index: int, previous: str, language: Language) -> Reading | None:
    """A number in words."""
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
    number = Number(written, str(total + current), demanded=total + current != 1)
    return _measured(tokens, end, number, previous, language)


def _follows(number: int, sofar: int) -> bool:
    """Whether spelling goes on: "twenty-one", "two hundred six", but not "nineteen forty"."""
    if sofar == 0:
        return True
    tens = sofar % 10 == 0 and sofar % 100 > 10 and 0 < number < 10
    return tens or (sofar % 100 == 0 and number < 100)


def _numeral(tokens: Tokens, index: int, previous: str, language: Language) -> Reading | None:
    """A number in Han numerals: where something is counted or a multiplier shows that it is one."""
    text, following = tokens[index].text, tokens.at(index + 1)
    counts = (
        following is not None
        and following.kind == "word"
        and following.text in (language.counters | language.units.keys())
    )
    composed = len(text) > 1 and any(char in MULTIPLIERS for char in text)
    if not counts and not composed and "点" not in text and previous not in ("第", _PERCENT):
        return None
    value = numeral_value(text)
    number = Number(text, value, demanded=value != "1")
    return _measured(tokens, index + 1, number, previous, language)


def numeral_value(text: str) -> str:
    """The decimal text of Han numerals: 三千五百, 二〇三一, 三点五."""
    whole, _, fraction = text.partition("点")
    scaled = fraction.lstrip("".join(NUMERALS))
    decimals = "".join(str(NUMERALS[char]) for char in fraction[: len(fraction) - len(scaled)])
    if scaled:
        shift = sum(len(str(MULTIPLIERS[char])) - 1 for char in scaled)
        return decimal_text(f"{numeral_value(whole)}.{decimals}", shift)
    if not any(char in MULTIPLIERS for char in whole):
        digits = "".join(str(NUMERALS[char]) for char in whole)
        return decimal_text(f"{digits}.{decimals}" if decimals else digits)
    total = section = digit = 0
    for char in whole:
        if char in NUMERALS:
            digit = NUMERALS[char]
        elif MULTIPLIERS[char] < 10**4:
            section, digit = section + (digit or 1) * MULTIPLIERS[char], 0
        else:
            total, section, digit = (total + section + digit or 1) * MULTIPLIERS[char], 0, 0
    return decimal_text(f"{total + section + digit}.{decimals}")


def _per_hundred(
    tokens: Tokens, index: int, following: Token, language: Language
) -> Reading | None:
    if following.kind == "numeral":
        value = numeral_value(following.text)
    elif following.kind == "digits":
        value = decimal_text(readings(following.text, language)[0])
    else:
        return None
    return Reading((Number(tokens[index].text + following.text, value, "%"),), index + 2)
