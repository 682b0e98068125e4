"""Collects the rows of a run's tests from their reports.

A test may run several times: if a plugin repeats failures, if two workers each run all tests, or
again after a worker's crash. Each run of it is an *attempt*. The last one that began counts; what
the others asked of the judge still had a cost.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ..analysis.records.result_rows import Sent, asked_in, counted
from ..analysis.records.row_types import AskedRow, MeasuredRow, TextsRow

# A process, and the number of the attempt in it.
Attempt = tuple[str, int]


@dataclass
class _Test:
    """
    Attributes:
        attempt: the attempt that counts.
        phases: its rows, by the phase that measured them.
        repeated: attempts that no longer count.
    """

    attempt: Attempt
    phases: dict[str, list[MeasuredRow]] = field(default_factory=dict)
    repeated: set[Attempt] = field(default_factory=set)


class Tally:
    """The rows of all tests, independent of the number of workers.

    Attributes:
        texts: the texts of cases by digest, if they are kept.
        spent: questions asked only by attempts that do not count.
    """

    def __init__(self) -> None:
        self.texts: dict[str, TextsRow] = {}
        self.spent: list[AskedRow] = []
        self._tests: dict[str, _Test] = {}

    def begin(self, test: str, attempt: Attempt) -> None:
        """Note a report of an attempt, with or without rows."""
        known = self._tests.get(test)
        if known is None or known.attempt == attempt or attempt in known.repeated:
            return
        for rows in known.phases.values():
            self.spent += asked_in(rows)
        known.phases = {}
        known.repeated.add(known.attempt)
        known.attempt = attempt

    def add(self, test: str, attempt: Attempt, phase: str, sent: Sent) -> None:
        """The rows on a report."""
        self.spent += sent.spent
        self.texts.update(sent.texts)
        self.begin(test, attempt)
        if not sent.rows:
            return
        known = self._tests.setdefault(test, _Test(attempt))
        if known.attempt != attempt:
            self.spent += asked_in(sent.rows)
            return
        # a test with subtests has several reports for one phase
        known.phases.setdefault(phase, []).extend({**row, "nodeid": test} for row in sent.rows)

    def rows_of(self, test: str) -> list[MeasuredRow]:
        """All rows of a test so far, in the order of measuring."""
        known = self._tests.get(test)
        return [] if known is None else [row for rows in known.phases.values() for row in rows]

    def rows(self) -> list[MeasuredRow]:
        """The rows by test; a repeated measurement in a test counts once."""
        listed = []
        for test in sorted(self._tests):
            phases = self._tests[test].phases
            listed += counted(
                row for phase in ("setup", "call", "teardown") for row in phases.get(phase, ())
            )
        return listed
