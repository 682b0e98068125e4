"""Prints the traceback of failures with one cause only once."""

from __future__ import annotations

from typing import Any

import pytest

from .answer_hook import fill_answer
from .recorder import ItemRecorder

# Functions that call a project's hooks for each test.
_CALLS_HOOKS = frozenset({fill_answer.__code__, ItemRecorder.record.__code__})
_MEASURING = " not measured: "


def cause_of(excinfo: pytest.ExceptionInfo[BaseException]) -> str | None:
    """The same text for failures with one cause; None of a failure that is its test's own.

    A cause is what keeps a judge from answering, or a project's hook that raises.
    """
    from ..errors import JudgeError

    error = excinfo.value
    if isinstance(error, JudgeError):
        # of an error that ends judging each test prints one line
        return (None if error.ends_judging else error.message.partition(_MEASURING)[2]) or None
    if any(entry.frame.code.raw in _CALLS_HOOKS for entry in excinfo.traceback):
        last = excinfo.traceback[-1]
        return f"{last.path}:{last.lineno}: {type(error).__name__}: {error}"
    return None


def shorten(report: pytest.TestReport, first: str) -> None:
    """Leave of a failure its error's lines and place.

    Args:
        first: the test whose report shows the rest.
    """
    longrepr: Any = report.longrepr
    chain = getattr(longrepr, "chain", None)
    if not chain:
        return
    traceback = chain[-1][0]
    entry = traceback.reprentries[-1]
    said = [line for line in entry.lines if line.startswith("E")]
    if not said:
        # style native: its lines of the error look like the others
        return
    entry.lines = [*said, f"(the traceback is shown for {first})"]
    entry.reprfuncargs = entry.reprlocals = None
    traceback.reprentries, traceback.extraline = [entry], None
    longrepr.chain = [chain[-1]]
    longrepr.reprtraceback = traceback
