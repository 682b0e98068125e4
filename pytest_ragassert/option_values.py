"""How values of options are written: readers of text, which say what they take where they refuse.

Only the standard library: they are loaded in every pytest run, used or not.
"""

from __future__ import annotations

import contextlib
import math
import re
from collections.abc import Callable
from datetime import datetime


def text(text: str) -> str:
    if not text.strip():
        raise ValueError("a name")
    return text.strip()


def words(text: str) -> tuple[str, ...]:
    words = tuple(re.split(r"[\s,]+", text.strip()))
    if not all(words):
        raise ValueError("a name, or several separated by commas")
    if len(set(words)) < len(words):
        raise ValueError("a list of different names: it has one twice")
    return words


def read_url(text: str) -> str:
    valid = False
    if text.strip():
        from .urls import parsed

        with contextlib.suppress(ValueError):
            valid = parsed(text).scheme in ("http", "https")
    if not valid:
        raise ValueError(
            "a URL that begins with http:// or https:// and a host"
            + "; a password in it has @ : / ? # as %40 %3A %2F %3F %23" * ("@" in text)
        )
    return text.strip()


def choice(*valid: str) -> Callable[[str], str]:
    def read(text: str) -> str:
        if text.strip() not in valid:
            raise ValueError("one of " + ", ".join(valid))
        return text.strip()

    return read


def number(low: float, high: float, what: str) -> Callable[[str], float]:
    def read(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            raise ValueError(what) from None
        if not (math.isfinite(value) and low <= value <= high):
            raise ValueError(what)
        return value

    return read


def whole(low: int, what: str) -> Callable[[str], int]:
    def read(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            raise ValueError(what) from None
        if value < low:
            raise ValueError(what)
        return value

    return read


def seconds(text: str) -> float:
    what = "a number of seconds above 0, at most 86400"
    value = number(0, 86_400, what)(text)
    if value == 0:
        raise ValueError(what)
    return value


_PRICES = "lines `MODEL INPUT OUTPUT` with two prices for a million tokens"


def prices(text: str) -> tuple[tuple[str, float, float], ...]:
    prices = []
    for line in filter(None, map(str.strip, text.splitlines())):
        try:
            model, asked, answered = line.split()
            price = number(0, math.inf, "a price")
            prices.append((model, price(asked), price(answered)))
        except ValueError:
            raise ValueError(_PRICES) from None
    if not prices:
        raise ValueError(_PRICES)
    return tuple(prices)


_GATES = "gates such as mean(faithfulness) >= 0.85, one a line or separated by ;"


def gates(text: str) -> tuple[str, ...]:
    if not text.strip(" \t\n;"):
        raise ValueError(_GATES)
    from .gates.expression import read_gates  # in the runs that have some

    return tuple(gate.text for gate in read_gates(text))


def date(text: str) -> str:
    what = "a date such as 2026-11-28 or 2026-11-28T10:00:00+00:00"
    try:
        datetime.fromisoformat(text.strip().replace("Z", "+00:00"))
    except ValueError:
        raise ValueError(what) from None
    return text.strip()
