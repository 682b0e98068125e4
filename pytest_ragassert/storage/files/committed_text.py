"""What text files that a project commits have in common: readable, strict, and merged by git."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

from ...errors import ConfigurationError
from ...language.suggestions import shown_value

# What reorders or hides the text around it in a review; JSON itself escapes the other controls.
_ACTING = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
_MOST_DIGITS = 4000
_CONFLICT = re.compile(r"^(?:<{7}|\|{7}|={7}|>{7})(?:\s|$)", re.MULTILINE)


def readable(value: Any, *, sort_keys: bool = False, indent: int | None = None) -> str:
    """JSON with its texts as they are, but for what acts on the text around it.

    Raises:
        ValueError, TypeError: it holds NaN or what JSON has no place for.
    """
    text = json.dumps(
        value, ensure_ascii=False, allow_nan=False, sort_keys=sort_keys, indent=indent
    )
    return text if text.isascii() and "\x7f" not in text else _ACTING.sub(_escape, text)


def strictly_read(text: str) -> Any:
    """The JSON value.

    Raises:
        ValueError: it is none, or holds NaN, or an object that names something twice.
    """
    return _DECODER.decode(text)


def json_value(text: str) -> Any:
    """The JSON value of what people or other programs wrote, NaN included.

    Raises:
        ValueError: it is none, or an object that names something twice; says what is wrong.
    """
    try:
        return _TAKES_NAN.decode(text)
    except (ValueError, RecursionError) as error:
        if _CONFLICT.search(text):
            raise ValueError("git left a conflict here; decide it and delete its markers") from None
        if "\0" in text:
            raise ValueError("not JSON: it has a null character, as after a crash") from None
        raise ValueError(json_mistake(error)) from None


def json_mistake(error: Exception) -> str:
    """What is wrong with a text, from the error that reading it as JSON raised.

    Of a single line, whose place the caller tells, it says the column alone.
    """
    if isinstance(error, RecursionError):
        return "not JSON: it nests too deep"
    if not isinstance(error, json.JSONDecodeError):
        return f"not JSON: {error}"
    if not error.doc.strip():
        return "not JSON: it is empty"
    line = f"line {error.lineno}, " if "\n" in error.doc.strip() else ""
    return f"not JSON: {error.msg} ({line}column {error.colno})"


def check_conflict(line: str, where: str, path: Path) -> None:
    """
    Args:
        where: file and line, for the error.

    Raises:
        ConfigurationError: the line is a marker of a conflict that git left.
    """
    if has_conflict(line):
        raise ConfigurationError(
            f"{where}: git left a conflict here; keep the lines of both sides and delete the lines "
            "that begin with <<<<<<<, |||||||, ======= and >>>>>>> (with "
            f'"{path.name} merge=union" in .gitattributes git does so by itself)'
        )


def has_conflict(line: str) -> bool:
    return _CONFLICT.match(line) is not None


def _escape(match: re.Match[str]) -> str:
    return f"\\u{ord(match.group()):04x}"


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    read = dict(pairs)
    if len(read) < len(pairs):
        names = Counter(name for name, _ in pairs)
        twice = next(name for name, count in names.items() if count > 1)
        raise ValueError(f"the key {shown_value(twice)} stands twice in one object")
    return read


def _whole_number(digits: str) -> int:
    # Python would take quadratic time, or name a setting of its own
    if len(digits) > _MOST_DIGITS:
        raise ValueError(f"a number of {len(digits)} digits; write it as a text")
    return int(digits)


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is no JSON number")


_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_no_number)
_TAKES_NAN = json.JSONDecoder(object_pairs_hook=_object, parse_int=_whole_number)
