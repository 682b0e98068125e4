"""The common form of text files that a project commits: readable, strict, and merged by git."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

from ...errors import ConfigurationError
from ...language.suggestions import shown_value

# Characters that reorder or hide the text around them in a review; JSON escapes other controls
# itself.
_ACTING = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
_MOST_DIGITS = 4000
_CONFLICT = re.compile(r"^(?:<{7}|\|{7}|={7}|>{7})(?:\s|$)", re.MULTILINE)


def readable(value: Any, *, sort_keys: bool = False, indent: int | None = None) -> str:
    """Return JSON with its texts unescaped, except characters that affect the text around them.

    Raises:
        ValueError: it contains NaN.
        TypeError: JSON can't represent it.
    """
    text = json.dumps(
        value, ensure_ascii=False, allow_nan=False, sort_keys=sort_keys, indent=indent
    )
    return text if text.isascii() and "\x7f" not in text else _ACTING.sub(_escape, text)


def strictly_read(text: str) -> Any:
    """Return the JSON value.

    Raises:
        ValueError: it is not JSON, or contains NaN or an object with a repeated name.
    """
    return _DECODER.decode(text)


def json_value(text: str) -> Any:
    """Return the JSON value of a text by people or other programs, including NaN.

    Raises:
        ValueError: it is not JSON, or contains an object with a repeated name; says what is wrong.
    """
    try:
        return _TAKES_NAN.decode(text)
    except (ValueError, RecursionError) as error:
        if _CONFLICT.search(text):
            raise ValueError(
                "git left a conflict here; resolve it and delete its markers"
            ) from None
        if "\0" in text:
            raise ValueError(
                "not JSON: it contains a null character, possibly from a crash"
            ) from None
        raise ValueError(json_mistake(error)) from None


def json_mistake(error: Exception) -> str:
    """Return what is wrong with a text, from the error that reading it as JSON raised.

    For a single line, whose number the caller reports, it names only the column.
    """
    if isinstance(error, RecursionError):
        return "not JSON: it is nested too deeply"
    if not isinstance(error, json.JSONDecodeError):
        return f"not JSON: {error}"
    if not error.doc.strip():
        return "not JSON: it is empty"
    line = f"line {error.lineno}, " if "\n" in error.doc.strip() else ""
    return f"not JSON: {error.msg} ({line}column {error.colno})"


def check_conflict(line: str, where: str, path: Path) -> None:
    """Check that a line is not a conflict marker.

    Args:
        where: file and line, for the error.

    Raises:
        ConfigurationError: the line is a conflict marker from git.
    """
    if has_conflict(line):
        raise ConfigurationError(
            f"{where}: git left a conflict here; keep the lines of both sides and delete the lines "
            "that begin with <<<<<<<, |||||||, ======= and >>>>>>> (with "
            f'"{path.name} merge=union" in .gitattributes, git does this by itself)'
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
        raise ValueError(f"the key {shown_value(twice)} appears twice in one object")
    return read


def _whole_number(digits: str) -> int:
    # Python would need quadratic time, or name a setting of its own
    if len(digits) > _MOST_DIGITS:
        raise ValueError(f"a number of {len(digits)} digits; write it as a text")
    return int(digits)


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is not a JSON number")


_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_no_number)
_TAKES_NAN = json.JSONDecoder(object_pairs_hook=_object, parse_int=_whole_number)
