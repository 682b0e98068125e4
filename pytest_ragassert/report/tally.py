"""The rows of a run's tests, from the tests' reports.

A test may be run several times: by a plugin that repeats what failed, by two workers that each run
all tests, again after a worker's crash. Each time is an *attempt*, and the one that began last is
the one that counts; what the others asked of the judge was paid for all the same.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ..analysis.records.result_rows import Sent, asked_in, counted
from ..analysis.records.row_types import AskedRow, MeasuredRow, TextsRow

# A process, and the number of its attempt.
Attempt = tuple[str, int]


@dataclass
class _Test:
    """
    Attributes:
        attempt: the one that counts.
        phases: its rows by the phase that measured them.
        repeated: attempts that count no longer.
    """

    attempt: Attempt
    phases: dict[str, list[MeasuredRow]] = field(default_factory=dict)
    repeated: set[Attempt] = field(default_factory=set)


class Tally:
    """The same however many workers ran the tests.

    Attributes:
        texts: the cases' texts by their digest, where they are kept.
        spent: the questions that only attempts asked which do not count.
    """

    def __init__(self) -> None:
        self.texts: dict[str, TextsRow] = {}
        self.spent: list[AskedRow] = []
        self._tests: dict[str, _Test] = {}

    def begin(self, test: str, attempt: Attempt) -> None:
        """A report of an attempt came, with rows or without."""
        known = self._tests.get(test)
        if known is None or known.attempt == attempt or attempt in known.repeated:
            return
        for rows in known.phases.values():
            self.spent += asked_in(rows)
        known.phases = {}
        known.repeated.add(known.attempt)
        known.attempt = attempt

    def add(self, test: str, attempt: Attempt, phase: str, sent: Sent) -> None:
        """What a report carries."""
        self.spent += sent.spent
        self.texts.update(sent.texts)
        self.begin(test, attempt)
        if not sent.rows:
            return
        known = self._tests.setdefault(test, _Test(attempt))
        if known.attempt != attempt:
            self.spent += asked_in(sent.rows)
            return
        # of one phase there are several reports where a test has subtests
        known.phases.setdefault(phase, []).extend({**row, "nodeid": test} for row in sent.rows)

    def rows_of(self, test: str) -> list[MeasuredRow]:
        """All of a test so far, in the order of measuring."""
        known = self._tests.get(test)
        return [] if known is None else [row for rows in known.phases.values() for row in rows]

    def rows(self) -> list[MeasuredRow]:
        """By test; a measurement that a test repeats counts once."""
        listed = []
        for test in sorted(self._tests):
            phases = self._tests[test].phases
            listed += counted(
                row for phase in ("setup", "call", "teardown") for row in phases.get(phase, ())
            )
        return listed
