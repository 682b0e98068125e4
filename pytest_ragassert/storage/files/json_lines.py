"""Committed JSON lines: one spelling a line, strict reading, files written whole."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from ...errors import ConfigurationError
from ...language.sanitize import visible
from .atomic import update_whole
from .committed_text import check_conflict, readable, strictly_read
from .plain_files import read_text, unreadable, unwritable


def line_of(record: dict[str, Any]) -> str:
    """A record as a line without its end, its members in the order given.

    Raises:
        ValueError: it holds NaN or what JSON has no place for.
    """
    return readable(record)


def read_lines(path: Path, option: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Each object of a file, with file and line for errors; any line ends, blank lines passed over.

    Args:
        option: how the user named the file, for the error that it can't be read.

    Raises:
        ConfigurationError: the file can't be read, a line is no object, or git left a conflict;
            names file, line and character.
    """
    try:
        text = read_text(path)
    except OSError as error:
        raise unreadable(path, error, option) from None
    except ValueError as error:
        raise ConfigurationError(f"{path}: {error}") from None
    # not splitlines(): texts may hold its other line ends unescaped
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            where = f"{path}, line {number}"
            yield where, _read(line.rstrip("\r"), path, where)


def _read(line: str, path: Path, where: str) -> dict[str, Any]:
    check_conflict(line, where, path)
    try:
        value = strictly_read(line)
    except json.JSONDecodeError as error:
        begins = max(0, min(error.pos - 40, len(line) - 70))
        shown = visible(line[begins : begins + 70])
        before = len(visible(f"{line[begins : error.pos]}^")) - 1
        raise ConfigurationError(
            f"{where}, character {error.pos + 1}: not JSON ({error.msg})\n"
            f"  {shown}\n  {' ' * before}^"
        ) from None
    except (ValueError, RecursionError) as error:
        raise ConfigurationError(f"{where}: {error}") from None
    if not isinstance(value, dict):
        raise ConfigurationError(f"{where}: a line is a JSON object, not {type(value).__name__}")
    return value


def update_lines(path: Path, change: Callable[[], str], option: str) -> None:
    """Give a file the text that `change` makes of what is there; all of it or nothing.

    No other writer comes between; a file that has the text already is left alone.

    Args:
        option: how the user named the file, for the error.

    Raises:
        ConfigurationError: the file can't be written; what `change` raises.
    """
    try:
        update_whole(path, lambda: change().encode())
    except OSError as error:
        raise unwritable(path, option, error) from None
