"""Prints the traceback only once for failures with the same cause."""

from __future__ import annotations

from typing import Any

import pytest

from .answer_hook import fill_answer
from .recorder import ItemRecorder

# Functions that call project hooks for each test.
_CALLS_HOOKS = frozenset({fill_answer.__code__, ItemRecorder.record.__code__})
_MEASURING = " not measured: "


def cause_of(excinfo: pytest.ExceptionInfo[BaseException]) -> str | None:
    """A text that is equal for failures with the same cause; None if the cause is specific to the
    test.

    A cause is an error that prevents a judge from answering, or that a project's hook raises.
    """
    from ..errors import JudgeError

    error = excinfo.value
    if isinstance(error, JudgeError):
        # for an error that ends judging, each test prints one line
        return (None if error.ends_judging else error.message.partition(_MEASURING)[2]) or None
    if any(entry.frame.code.raw in _CALLS_HOOKS for entry in excinfo.traceback):
        last = excinfo.traceback[-1]
        return f"{last.path}:{last.lineno}: {type(error).__name__}: {error}"
    return None


def shorten(report: pytest.TestReport, first: str) -> None:
    """Reduce a failure to the lines and place of its error.

    Args:
        first: the test whose report shows the traceback.
    """
    longrepr: Any = report.longrepr
    chain = getattr(longrepr, "chain", None)
    if not chain:
        return
    traceback = chain[-1][0]
    entry = traceback.reprentries[-1]
    said = [line for line in entry.lines if line.startswith("E")]
    if not said:
        # in style native, the error lines look like the others
        return
    entry.lines = [*said, f"(the traceback is shown for {first})"]
    entry.reprfuncargs = entry.reprlocals = None
    traceback.reprentries, traceback.extraline = [entry], None
    longrepr.chain = [chain[-1]]
    longrepr.reprtraceback = traceback
