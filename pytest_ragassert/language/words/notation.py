"""Reads digits and numerals as decimal text, in the notation of each language."""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

from .language import Language
from .tokenizer import MULTIPLIERS, NUMERALS

_SPACES = "'\u00a0\u202f\u2009 "
_SEPARATOR = re.compile(rf"[,{_SPACES}]")


class _Notation(NamedTuple):
    grouped: re.Pattern[str]
    grouped_by_other: re.Pattern[str]  # the other language's notation, if that is certain
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
    """Return canonical decimal text, moved by `shift` places; versions ("1.2.3") are not
    changed.
    """
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
    """Return the digits of a value without zeros at its ends, which all its notations share."""
    return value.lstrip("-").replace(".", "").replace(":", "").strip("0") or "0"


def readings(run: str, language: Language) -> list[str]:
    """Return the numbers, with a decimal point, in a run of digits and separators."""
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


def numeral_value(text: str) -> str:
    """Return the decimal text of Han numerals: 三千五百, 二〇三一, 三点五."""
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
