"""What pytest prints of a test or a collection that failed, in which no CI service finds a command.

Tracebacks hold texts of cases and replies, as messages and as values of variables.
"""

from __future__ import annotations

import sys
from typing import Any

import pytest

from ..text.ci_log import inert, is_read


def make_inert(report: Any) -> None:
    """Change what the report says of a failure, in a CI log of a run that uses this package."""
    # loaded only by those who use it
    if is_read() and "pytest_ragassert.text.visible" in sys.modules:
        report.longrepr = _inert(report.longrepr)
        if hasattr(report, "wasxfail"):
            report.wasxfail = inert(report.wasxfail)


def usage_error(error: Exception) -> pytest.UsageError:
    """What pytest prints in one line at the start, and ends."""
    return pytest.UsageError(inert(str(error)))


def _inert(part: Any) -> Any:
    """A traceback, or a part of one, as pytest builds it: of texts, lists, tuples and objects."""
    if isinstance(part, str):
        return inert(part)
    if isinstance(part, list):
        return list(map(_inert, part))
    if isinstance(part, tuple):
        return tuple(map(_inert, part))
    if type(part).__module__.startswith("_pytest."):
        for name, value in vars(part).items():
            object.__setattr__(part, name, _inert(value))
    return part
