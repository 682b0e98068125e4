"""JSON lines: where the lines of a file are, and strict reading of those that a project commits."""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from ...errors import ConfigurationError
from ...language.escaping import visible
from .committed_text import check_conflict, strictly_read
from .plain_files import open_plain, text_of, unreadable


def lines_of(file: BinaryIO) -> Iterator[tuple[int, int, bytes]]:
    """Number, offset and bytes of each line from where a file stands, except blank ones.

    Lines end with a line feed alone, since texts may hold the other line ends unescaped.
    """
    offset = file.tell()
    for number, raw in enumerate(file, start=1):
        if raw.removeprefix(codecs.BOM_UTF8).strip():
            yield number, offset, raw
        offset += len(raw)


def read_lines(path: Path, option: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Each object of a file, with file and line for errors.

    Args:
        option: how the user named the file, for the error that it can't be read.

    Raises:
        ConfigurationError: the file can't be read, a line is no object, or git left a conflict;
            names file, line and character.
    """
    try:
        with open_plain(path) as file:
            for number, _, raw in lines_of(file):
                where = f"{path}, line {number}"
                try:
                    line = text_of(raw, number).rstrip("\r\n")
                except ValueError as error:
                    raise ConfigurationError(f"{path}: {error}") from None
                yield where, _read(line, path, where)
    except OSError as error:
        raise unreadable(path, error, option) from None


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
