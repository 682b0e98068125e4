"""Shortens cases among the arguments and variables of a traceback if the failure shows the case."""

from __future__ import annotations

import re
from typing import Any

import pytest

# The repr of an `EvalCase`, id or question first; pytest cuts the middle of a long one.
_TEXT = r"""(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")"""
_CASE = re.compile(rf"(?P<begin>EvalCase\((?:(?:id|question)={_TEXT})?).*\)", re.DOTALL)
_VARIABLE = re.compile(r"(?P<name>\w+ *= )(?P<value>EvalCase\(.*)", re.DOTALL)
_LONGEST = 80  # number of characters up to which a case is left as it is


def shorten_cases(report: pytest.TestReport) -> None:
    """Shorten each case in the printed arguments and variables to its id, or to its question if it
    has no id.
    """
    for traceback, *_ in getattr(report.longrepr, "chain", None) or ():
        for entry in getattr(traceback, "reprentries", ()):
            _shorten_entry(entry)


def _shorten_entry(entry: Any) -> None:
    arguments = getattr(entry, "reprfuncargs", None)
    if arguments is not None:
        arguments.args = [(name, _short(str(value))) for name, value in arguments.args]
    variables = getattr(entry, "reprlocals", None)
    if variables is not None:
        variables.lines = [_short_variable(line) for line in variables.lines]


def _short_variable(line: str) -> str:
    found = _VARIABLE.fullmatch(line)
    return line if found is None else found["name"] + _short(found["value"])


def _short(value: str) -> str:
    found = _CASE.fullmatch(value)
    if found is None or len(value) <= _LONGEST:
        return value
    begin = found["begin"]
    begin = begin if len(begin) <= _LONGEST else f"{begin[:_LONGEST]}…"
    return f"{begin}, …)" if "=" in begin else f"{begin}…)"
