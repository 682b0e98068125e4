"""Where a failure is to be shown: the line of the test's file at which the test failed."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest


def failing_line(report: pytest.TestReport, root: Path) -> int | None:
    """The line of the test's own file at which it failed, from 1; None where none of it did.

    Args:
        root: that the report's file is named from.
    """
    own = os.path.realpath(root / report.location[0])
    for path, line in _frames(report.longrepr):
        if os.path.realpath(root / path) == own:
            return line
    return None


def _frames(failure: Any) -> Iterator[tuple[str, int]]:
    """Where it was raised, then what called that, the nearest first."""
    if (crash := getattr(failure, "reprcrash", None)) is not None:
        yield crash.path, crash.lineno
    for entry in reversed(getattr(getattr(failure, "reprtraceback", None), "reprentries", ())):
        # of each frame but in some of pytest's styles
        if (place := getattr(entry, "reprfileloc", None)) is not None:
            yield place.path, place.lineno


def line_of_def(file: Path, line: int) -> int:
    """The line of a function's or a class's name, whose first decorator or name is at a line."""
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
