"""Finds the line of the user's code that raised an error, or whose call does not return."""

from __future__ import annotations

import os
import sysconfig
import traceback
from collections.abc import Iterable, Iterator
from types import CodeType, FrameType
from typing import Any

# the package's own folder, which contains this module's
_PACKAGE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "")
_STANDARD = tuple(os.path.join(sysconfig.get_path(name), "") for name in ("stdlib", "platstdlib"))
_INSTALLED = f"{os.sep}site-packages{os.sep}"
_Line = tuple[CodeType, int]


def of_error(error: BaseException) -> str:
    """Return the first and the last line of the user's code in an error's traceback, for example
    `conftest.py:12 in run`, or "". It shows no source, which may contain a key.
    """
    return _told((f.f_code, line) for f, line in traceback.walk_tb(error.__traceback__))


def of_frame(frame: FrameType | None) -> str:
    """Return the same for a running frame."""
    lines = [] if frame is None else [(f.f_code, n) for f, n in traceback.walk_stack(frame)]
    return _told(reversed(lines))


def of_coroutine(coroutine: Any) -> str:
    """Return the same for a coroutine that waits for something."""
    return _told(_waiting(coroutine))


def _waiting(coroutine: Any) -> Iterator[_Line]:
    while (frame := getattr(coroutine, "cr_frame", None)) is not None:
        yield frame.f_code, frame.f_lineno
        coroutine = coroutine.cr_await


def _told(lines: Iterable[_Line]) -> str:
    others = [line for line in lines if not _is_of(line, (_PACKAGE, *_STANDARD, "<"))]
    users = [line for line in others if _INSTALLED not in line[0].co_filename] or others
    shown = dict.fromkeys(f"{_short(code)}:{line} in {code.co_name}" for code, line in users)
    ends = list(shown)
    return ", ".join([ends[0], ends[-1]] if len(ends) > 1 else ends)


def _is_of(line: _Line, places: tuple[str, ...]) -> bool:
    name = line[0].co_filename
    return name.startswith(places) and _INSTALLED not in name.removeprefix(_PACKAGE)


def _short(code: CodeType) -> str:
    try:
        name = os.path.relpath(code.co_filename)
    except (OSError, ValueError):  # the working directory is gone, or on another drive
        return code.co_filename
    return code.co_filename if name.startswith(os.pardir) else name
