"""What an option is, and how its values are written: readers of text, which say what they take.

Only the standard library: they are loaded in every pytest run, used or not.
"""

from __future__ import annotations

import contextlib
import math
import re
from collections.abc import Callable
from datetime import datetime
from typing import Any, Literal, NamedTuple


class Chosen(NamedTuple):
    """An option's value and where it was given: `command line`, a variable's name, `ini`."""

    value: Any
    source: str


class Option(NamedTuple):
    """One option; `name` as on the command line, without `--ragassert-`."""

    name: str
    read: Callable[[str], Any]
    help: str
    metavar: str
    command_line: bool = True
    repeatable: bool = False
    # what separates values of a repeatable one in the text that `read` takes
    joined_by: str = ","
    # values of an option that stands alone on the command line for the first of them
    flags: tuple[str, ...] = ()
    # its field where that is not its name
    plural: str | None = None
    # its value where it stands alone on the command line; it may have another there
    alone: str | None = None
    # its value may hold a key: one that can't be read is not shown
    is_secret: bool = False
    # its value is shown nowhere
    never_shown: bool = False
    # of a whole run: the command that runs a failed test again leaves it out
    of_whole_runs: bool = False
    # the type of the ini value, for projects that write it in native TOML
    ini_type: Literal["string", "float", "int", "linelist"] = "string"

    @property
    def field(self) -> str:
        """Its name in `Settings` and behind `ragassert_` in an ini file."""
        return self.plural or self.name.replace("-", "_")

    @property
    def variable(self) -> str:
        return "RAGASSERT_" + self.field.upper()

    @property
    def takes(self) -> str:
        """What its values are, in words: what the reader says where it refuses one."""
        try:
            self.read("")
        except ValueError as error:
            return str(error)
        raise AssertionError(f"{self.name} takes the empty text")

    def parse(self, text: str, source: str) -> Any:
        try:
            return self.read(text)
        except ValueError as error:
            from ..runtime.redaction import NOT_SHOWN, shown_wrong_value
            from .wrong_part import WrongPart

            if isinstance(error, WrongPart):
                raise ValueError(f"{source}: {error}") from None
            shown = shown_wrong_value(text) if self.is_secret else repr(text)
            shown = NOT_SHOWN if self.never_shown else shown
            raise ValueError(f"{source}: {shown} is not {error}") from None


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
        from ..runtime.urls import has_wrong_port, parsed

        with contextlib.suppress(ValueError):
            valid = parsed(text).scheme in ("http", "https")
        if has_wrong_port(text):
            raise ValueError("a URL whose port is a number from 1 to 65535")
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


def size_or_share(text: str) -> float:
    """A whole number from 1, or a share below 1."""
    what = "a whole number of cases from 1, or a share of them below 1, such as 0.05"
    value = number(0, math.inf, what)(text)
    if value == 0 or (value > 1 and not value.is_integer()):
        raise ValueError(what)
    return value


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


_FIELDS = "lines `COLUMN = FIELD`"


def columns(text: str) -> dict[str, str]:
    fields: dict[str, str] = {}
    for line in filter(None, map(str.strip, text.splitlines())):
        column, equals, field = (part.strip() for part in line.rpartition("="))
        if not (column and equals and field) or column in fields:
            raise ValueError(f"{_FIELDS}, each column once")
        fields[column] = field
    if not fields:
        raise ValueError(_FIELDS)
    return fields


_GATES = "gates such as mean(faithfulness) >= 0.85, one a line or separated by ;"


def gates(text: str) -> tuple[str, ...]:
    if not text.strip(" \t\n;"):
        raise ValueError(_GATES)
    from .gate_syntax import read_gates  # in the runs that have some

    return tuple(gate.text for gate in read_gates(text))


def date(text: str) -> str:
    what = "a date such as 2026-11-28 or 2026-11-28T10:00:00+00:00"
    try:
        datetime.fromisoformat(text.strip().replace("Z", "+00:00"))
    except ValueError:
        raise ValueError(what) from None
    return text.strip()


EXTRA_BODY = "a JSON object with further members of the request's body"
HEADERS = "headers, one a line, as `Name: value`"


def extra_body(text: str) -> dict[str, Any]:
    if not text.strip():
        raise ValueError(EXTRA_BODY)
    from .request_extras import read_extra_body  # in the runs that have some

    return read_extra_body(text, EXTRA_BODY)


def headers(text: str) -> tuple[tuple[str, str], ...]:
    if not text.strip():
        raise ValueError(HEADERS)
    from .request_extras import read_headers  # in the runs that have some

    return read_headers(text, HEADERS)
