"""JSON lines: finds the lines of a file, reads those of committed files strictly, and adds one."""

from __future__ import annotations

import codecs
import contextlib
import json
import os
from collections.abc import Iterator
from functools import partial
from io import FileIO
from pathlib import Path
from typing import Any, BinaryIO

from ...errors import ConfigurationError
from ...language.escaping import visible
from .atomic import held_folder
from .committed_text import check_conflict, strictly_read
from .plain_files import open_plain, target_of, text_of, unreadable


def lines_of(file: BinaryIO, longest: int | None = None) -> Iterator[tuple[int, int, bytes]]:
    """Yield number, offset and bytes of each line from the file's position, except blank ones.

    Lines end only with a line feed, because texts may contain other line separators unescaped.

    Args:
        longest: maximum bytes of a line; None: any number.

    Raises:
        ValueError: a line has more.
    """
    offset = file.tell()
    most = -1 if longest is None else longest + 1
    for number, raw in enumerate(iter(partial(file.readline, most), b""), start=1):
        if longest is not None and len(raw) > longest:
            raise ValueError(f"line {number} is longer than {longest // 2**20} MiB")
        if raw.removeprefix(codecs.BOM_UTF8).strip():
            yield number, offset, raw
        offset += len(raw)


def read_lines(
    path: Path, option: str = "", *, cut_end: bool = False
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each object of a file, with file and line for errors.

    Args:
        option: how the user named the file, for the error that it can't be read.
        cut_end: a last line without its end may have been cut off when its writer was killed; it is
            ignored if it can't be read.

    Raises:
        ConfigurationError: the file can't be read, a line is not an object, or there is a git
            conflict; the message names file, line and character.
    """
    try:
        with open_plain(path) as file:
            for number, _, raw in lines_of(file):
                where = f"{path}, line {number}"
                try:
                    record = _read(_line(raw, path, number), path, where)
                except ConfigurationError:
                    if cut_end and not raw.endswith(b"\n"):
                        return
                    raise
                yield where, record
    except OSError as error:
        raise unreadable(path, error, option) from None


def add_line(path: Path, line: bytes) -> None:
    """Add a line at the end of a file, creating the file and its folder if they are missing.

    An incomplete line that a killed writer left is removed.

    Raises:
        OSError: it can't be written, or is not a plain file; the old content stays.
    """
    target = target_of(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    # a program that replaces the file in the meantime would lose the line
    with (
        held_folder(target.parent),
        open(target, "a+b", buffering=0, opener=_without_waiting) as file,
    ):
        size = _end_of_lines(file)
        try:
            while line:
                line = line[file.write(line) :]
        except OSError:
            # a full disk accepts a part of it
            with contextlib.suppress(OSError):
                file.truncate(size)
            raise


def _without_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0), 0o666)


def _end_of_lines(file: FileIO) -> int:
    """Make a file end with the end of a line, and return its size."""
    size = file.seek(0, os.SEEK_END)
    if size == 0:
        return size
    file.seek(size - 1)
    if file.read(1) == b"\n":
        return size
    file.seek(0)
    _, _, rest = file.readall().rpartition(b"\n")
    begins = size - len(rest)
    try:
        json.loads(rest)
    except (ValueError, RecursionError):
        file.truncate(begins)
        return begins
    return size + (file.write(b"\n") or 0)


def _line(raw: bytes, path: Path, number: int) -> str:
    try:
        return text_of(raw, number).rstrip("\r\n")
    except ValueError as error:
        raise ConfigurationError(f"{path}: {error}") from None


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
        raise ConfigurationError(
            f"{where}: a line must be a JSON object, not {type(value).__name__}"
        )
    return value
