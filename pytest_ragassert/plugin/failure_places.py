"""Finds the line of the test's file at which the test failed."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest


def failing_line(report: pytest.TestReport, root: Path) -> int | None:
    """The 1-based line of the test's own file at which it failed; None if the failure has none
    there.

    Args:
        root: the folder that the report's file name is relative to.
    """
    own = os.path.realpath(root / report.location[0])
    for path, line in _frames(report.longrepr):
        if os.path.realpath(root / path) == own:
            return line
    return None


def _frames(failure: Any) -> Iterator[tuple[str, int]]:
    """The frames of the traceback, from the one that raised outwards."""
    if (crash := getattr(failure, "reprcrash", None)) is not None:
        yield crash.path, crash.lineno
    for entry in reversed(getattr(getattr(failure, "reprtraceback", None), "reprentries", ())):
        # some of pytest's styles lack it for some frames
        if (place := getattr(entry, "reprfileloc", None)) is not None:
            yield place.path, place.lineno


def line_of_def(file: Path, line: int) -> int:
    """The line with the name of the function or class whose first decorator or name is at the given
    line.
    """
    try:
        tree = ast.parse(file.read_bytes())
    except (OSError, ValueError, SyntaxError, RecursionError):
        return line
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            decorators = [one.lineno for one in node.decorator_list]
            if line in (node.lineno, *decorators[:1]):
                return node.lineno
    return line
