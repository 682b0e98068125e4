"""Keeps tests that fail only because of missing verdicts out of pytest's FAILURES section.

Our own section says what they lack. They count as failed, and the list of failed tests includes
them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

import pytest

from .recorder import fields_of

_LISTS = ("failed", "error")  # of the terminal's reports, from which it prints failures


class UnjudgedTests:
    """Removes these tests from the terminal's reports while it prints failures.

    Args:
        ends_of: returns the ends of a test's phases and subtests, by its node id.
    """

    def __init__(self, ends_of: Callable[[str], Collection[str]]) -> None:
        self._ends_of = ends_of
        self._whole: dict[str, list[Any]] = {}

    def leave_out(self, terminal: pytest.TerminalReporter) -> None:
        for name in _LISTS:
            reports = terminal.stats.get(name, [])
            judged = [report for report in reports if not self._is_unjudged(report)]
            if len(judged) < len(reports):
                self._whole[name] = reports
                terminal.stats[name] = judged

    def put_back(self, terminal: pytest.TerminalReporter) -> None:
        terminal.stats.update(self._whole)
        self._whole = {}

    def _is_unjudged(self, report: Any) -> bool:
        if not isinstance(report, pytest.TestReport):
            return False
        fields = fields_of(report)
        if fields.get("unjudged"):
            return True
        # pytest fails a test because of its subtests, in a report without an error
        if fields.get("end") or not isinstance(report.longrepr, str):
            return False
        from ..report.outcome import MISSING

        return set(self._ends_of(report.nodeid)) == {MISSING}
