"""Cleans what pytest prints for a failed test or collection: no secrets and no CI commands.

Tracebacks contain texts of cases and replies, as messages and as values of variables.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import PurePath
from typing import Any

import pytest

from ..runtime.ci_log import inert, inert_wrapped, is_read
from ..runtime.redaction import SECRETS, redact

# Frames of these packages may show truncated keys, which redaction cannot recognize.
_CLIENTS = frozenset(
    {"pytest_ragassert", "openai", "httpx", "httpx2", "httpcore", "httpcore2", "h11", "anyio"}
)

Reporting = Callable[[str], AbstractContextManager[None]]


def show(report: pytest.TestReport | pytest.CollectReport, reporting: Reporting) -> None:
    """Shorten a report's failure and make it safe to print.

    Args:
        reporting: returns a context manager that turns errors into notices.
    """
    with reporting(f"show the failure of {report.nodeid}"):
        if report.longrepr is not None:
            shorten(report)
        make_printable(report)
        return
    # it may contain what must not be printed
    report.longrepr = None if report.longrepr is None else "the failure cannot be shown"


def make_printable(report: Any) -> None:
    """Clean a report's failure in a run that uses this package."""
    if SECRETS:
        without_secrets(report.longrepr)
        report.longrepr = _changed(report.longrepr, redact)
        for name in ("sections", "user_properties"):
            setattr(report, name, _changed(getattr(report, name, []), redact))
        _change_reason(report, redact)
    # loaded only if it is used
    if is_read() and "pytest_ragassert.language.escaping" in sys.modules:
        # pytest wraps the reasons of skipped and xfailed tests
        is_reason = isinstance(report.longrepr, tuple)
        report.longrepr = _changed(report.longrepr, inert_wrapped if is_reason else inert)
        _change_reason(report, inert_wrapped)


def without_secrets(part: Any) -> None:
    """Remove secrets and variables of the HTTP client from a traceback as pytest built it."""
    if SECRETS:
        _changed(part, redact)


def _change_reason(report: Any, change: Callable[[str], str]) -> None:
    if hasattr(report, "wasxfail"):
        report.wasxfail = change(report.wasxfail)


def _changed(part: Any, change: Callable[[str], str]) -> Any:
    """Clean a traceback, or a part of one, as pytest builds it from texts, lists, tuples and
    objects.
    """
    if isinstance(part, str):
        return change(part)
    if isinstance(part, list):
        return [_changed(one, change) for one in part]
    if isinstance(part, tuple):
        return tuple(_changed(one, change) for one in part)
    if type(part).__module__.startswith("_pytest."):
        if getattr(part, "reprlocals", None) is not None and _is_of_client(part):
            part.reprlocals = None
        for name, value in vars(part).items():
            object.__setattr__(part, name, _changed(value, change))
    return part


def _is_of_client(entry: Any) -> bool:
    path = getattr(getattr(entry, "reprfileloc", None), "path", "")
    return not _CLIENTS.isdisjoint(PurePath(path).parts)


# At the start of a line, after what pytest and exception groups put there.
_NAMED = re.compile(
    r"^([E |+-]*)pytest_ragassert\.(?:[a-z_]+\.)*(?=[A-Z]\w*(?:: |$))", re.MULTILINE
)
# Prefixes that pytest's list of failed tests does not need: lines are truncated, and the rest says
# the same.
_REDUNDANT = re.compile(
    r"\A(?:RagAssertionError: |JudgeError: (?=\w+ of case )"
    r"|MissingFieldError: (?=\w+ (?:needs|can't) )|CaseMistakes: )"
)


def shorten(report: pytest.TestReport | pytest.CollectReport) -> None:
    """Shorten the names in the failure of a report."""
    failure: Any = report.longrepr
    if isinstance(getattr(failure, "longrepr", None), str):
        # for a file that cannot be collected
        failure.longrepr = _short(failure.longrepr)
    own = (getattr(failure, "reprtraceback", None), getattr(failure, "reprcrash", None))
    for traceback, crash, *_ in getattr(failure, "chain", None) or [own]:
        for entry in getattr(traceback, "reprentries", ()):
            entry.lines = [_short(line) for line in entry.lines]
        if crash is not None:
            crash.message = _REDUNDANT.sub("", _short(crash.message))


def _short(text: str) -> str:
    return _NAMED.sub(r"\1", text)
