"""Report lines name this package's exceptions without its name, which would fill the FAILED line.

The standard library prints a class with its module, and a class must say its real one, or it can't
be pickled.
"""

from __future__ import annotations

import re
from typing import Any

import pytest

# At the start of a line, behind what pytest and exception groups put there.
_NAMED = re.compile(
    r"^([E |+-]*)pytest_ragassert\.(?:[a-z_]+\.)*(?=[A-Z]\w*(?:: |$))", re.MULTILINE
)
# What the list of failed tests, where a line is cut off at its end, says by the rest of the line.
_REDUNDANT = re.compile(
    r"\A(?:RagAssertionError: |(?:JudgeError|VerdictMissing): (?=\w+ of case )"
    r"|MissingFieldError: (?=\w+ (?:needs|can't) )|CaseMistakes: )"
)


def shorten(report: pytest.TestReport | pytest.CollectReport) -> None:
    """Shorten the names in the failure of a report."""
    failure: Any = report.longrepr
    if isinstance(getattr(failure, "longrepr", None), str):
        # of a file that can't be collected
        failure.longrepr = _short(failure.longrepr)
    own = (getattr(failure, "reprtraceback", None), getattr(failure, "reprcrash", None))
    for traceback, crash, *_ in getattr(failure, "chain", None) or [own]:
        for entry in getattr(traceback, "reprentries", ()):
            entry.lines = [_short(line) for line in entry.lines]
        if crash is not None:
            crash.message = _REDUNDANT.sub("", _short(crash.message))


def _short(text: str) -> str:
    return _NAMED.sub(r"\1", text)
