"""The option type, and the readers that parse and check option values.

Imports only the standard library: every pytest run loads it, even if it measures nothing.
"""

from __future__ import annotations

import contextlib
import math
import re
from collections.abc import Callable
from datetime import datetime
from typing import Any, Literal, NamedTuple


class Chosen(NamedTuple):
    """An option's value and its source: `command line`, a variable's name, or `ini`."""

    value: Any
    source: str


class Option(NamedTuple):
    """One option; `name` is the command line name without `--ragassert-`."""

    name: str
    read: Callable[[str], Any]
    help: str
    metavar: str
    command_line: bool = True
    repeatable: bool = False
    # separator between the values of a repeatable option in the text for `read`
    joined_by: str = ","
    # allowed values; without a value on the command line, the option takes the first
    flags: tuple[str, ...] = ()
    # the field in `Settings`, if it differs from the name
    plural: str | None = None
    # the value if the option has none on the command line
    alone: str | None = None
    # its value may contain a key, so an invalid one is not shown
    is_secret: bool = False
    # its value is never shown
    never_shown: bool = False
    # for whole runs: rerun hints leave the option out
    of_whole_runs: bool = False
    # the type of the ini value, for native TOML
    ini_type: Literal["string", "float", "int", "linelist"] = "string"

    @property
    def field(self) -> str:
        """The name in `Settings`, and after `ragassert_` in an ini file."""
        return self.plural or self.name.replace("-", "_")

    @property
    def variable(self) -> str:
        return "RAGASSERT_" + self.field.upper()

    @property
    def takes(self) -> str:
        """What the option takes, in the words of the reader's error message."""
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
        raise ValueError("a list of different names: one is listed twice")
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


def store(text: str) -> str:
    if not text.strip():
        raise ValueError("disk, or the URL of a shared store")
    from ..storage.store_url import read_store  # in the runs that have one

    return read_store(text)


def namespace(text: str) -> str:
    if not text.strip():
        raise ValueError("a name")
    from ..storage.store_url import read_namespace

    return read_namespace(text)


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
    """Read a whole number from 1, or a share below 1."""
    what = "a number of cases (a whole number from 1) or a share of them below 1, such as 0.05"
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


_PRICES = "lines `MODEL INPUT OUTPUT` with two prices per million tokens"


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


class Shard(NamedTuple):
    """The number of a shard, from 1, and the number of shards."""

    number: int
    of: int

    def __str__(self) -> str:
        return f"shard {self.number} of {self.of}"


AUTO: Literal["auto"] = "auto"


def shard(text: str) -> Shard | Literal["auto"]:
    if text.strip() == AUTO:
        return AUTO
    written = re.fullmatch(r"\s*([0-9]{1,6})\s*/\s*([0-9]{1,6})\s*", text)
    read = None if written is None else Shard(int(written[1]), int(written[2]))
    if read is None or not 1 <= read.number <= read.of:
        raise ValueError("I/N, such as 3/8 for the third of eight shards, or auto")
    return read


_GATES = "gates such as mean(faithfulness) >= 0.85, one per line or separated by ;"


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


EXTRA_BODY = "a JSON object with additional members for the request body"
HEADERS = "headers, one per line, as `Name: value`"


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
