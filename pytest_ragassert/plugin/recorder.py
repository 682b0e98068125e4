"""Which test a measurement belongs to, and its rows until a report of the test takes them along."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, TypedDict

import pytest

if TYPE_CHECKING:
    from ..analysis.records.result_rows import Sent
    from ..analysis.records.row_types import AskedRow, MeasuredRow, TextsRow
    from ..engine.jobs import Measured
    from ..report.tally import Attempt
    from .recorded_answers import Answered
    from .xfail import Xfail


# The attempt of a test, and how many results of it, that the item's properties are of.
_SHOWN = pytest.StashKey[tuple[int, int]]()


class ItemRecorder:
    """Hears of measurements while a test runs, from whichever thread.

    Plugins repeat tests in several ways: each attempt with reports of its own, which may be logged
    when the attempt is over (pytest-rerunfailures) or never (flaky), or several attempts behind one
    report (pytest-retry). So rows are put on a report when it is made, and those measured since
    when it is logged; each report says which attempt of which process it belongs to.

    Args:
        process: a name for this process, which no other of the run has.
        reporting: as `Run.reporting`.
        keeps_texts: the process that prints wants the texts of all cases; else of those alone that
            a test fails for.

    Attributes:
        measured: the rows of the attempt, those that a report has taken along too.
        error: what the test's function raised last.
        in_call: the test's function runs: a report that is made now is a subtest's.
    """

    def __init__(
        self,
        config: pytest.Config,
        process: str,
        reporting: Callable[[str], AbstractContextManager[None]],
        *,
        keeps_texts: bool = False,
        adds_properties: bool = False,
    ) -> None:
        self._config = config
        self._adds_properties = adds_properties
        self._reporting = reporting
        self._process = process
        self._number = 0
        # else those of failed measurements alone
        self._keeps_all_texts = keeps_texts
        # of cases whose texts the process that prints has been told
        self._told: set[str] = set()
        self._item: pytest.Item | None = None
        self._rows: list[MeasuredRow] = []
        self._spent: list[AskedRow] = []
        self._texts: dict[str, TextsRow] = {}
        # by its text what is on reports that were made and not logged yet
        self._made: dict[str | None, Sent] = {}
        self.measured: list[MeasuredRow] = []
        self.xfails: list[Xfail] = []
        self.error: BaseException | None = None
        self.in_call = False

    @property
    def attempt(self) -> Attempt:
        return self._process, self._number

    def begin(self, item: pytest.Item) -> None:
        """An attempt of a test begins."""
        self._give_up()
        self._item = item
        self._number += 1
        self.measured = []
        self.xfails = []
        self.error = None

    def end(self) -> None:
        """The test is over."""
        self._give_up()
        self._item = None
        self.measured = []
        self.xfails = []
        self.error = None

    def _give_up(self) -> None:
        """What no report took along does not count; what it cost is told with the next one."""
        if not (self._rows or self._made):
            return
        from ..analysis.records.result_rows import asked_in

        for sent in self._made.values():
            self._spent += [*asked_in(sent.rows), *sent.spent]
            self._texts.update(sent.texts)
        self._spent += asked_in(self._rows)
        self._rows, self._made = [], {}

    def known_failure(self, metric: str, case: str | None) -> str | None:
        """Why the running test expects the metric to fail; None where it does not."""
        covers = (one.reason for one in self.xfails if one.covers(metric, case))
        return next(covers, None)

    def record(self, measured: Measured) -> None:
        from ..analysis.records.result_rows import is_failure
        from .measured_rows import case_texts, measured_row

        if self._item is None:
            return
        row = measured_row(measured)
        row["quarantine"] = measured.job.known_failure
        if self._keeps_all_texts or is_failure(row):
            name, texts = case_texts(measured)
            row["texts"] = name
            if name not in self._told:
                self._texts[name] = texts
                self._told.add(name)
        self._rows.append(row)
        self.measured.append(row)
        if measured.result is not None:
            self._item.ihook.pytest_ragassert_result(item=self._item, result=measured.result)

    def put_on_item(self, item: pytest.Item) -> None:
        """Put scores among the item's properties, before a report of it is made."""
        state = self._number, len(self.measured)
        # what an earlier attempt put there is taken away
        if self._adds_properties and item.stash.get(_SHOWN, (self._number, 0)) != state:
            from .score_properties import put_on_item

            put_on_item(item, self.measured)
            item.stash[_SHOWN] = state

    def _renew_properties(self, report: pytest.TestReport) -> None:
        if self._item is not None and self._adds_properties:
            from .score_properties import renew

            renew(report, self._item, self.measured)

    def put_on(self, report: pytest.TestReport) -> list[MeasuredRow]:
        """Put what was measured since the report before on one that is being made; its rows."""
        fields_of(report)["attempt"] = self.attempt
        if not self._left:
            return []
        text, sent = self._put(report)
        self._made[text] = sent
        return sent.rows

    @property
    def _left(self) -> bool:
        return bool(self._rows or self._spent or self._texts)

    def _put(self, report: pytest.TestReport) -> tuple[str, Sent]:
        from ..analysis.records.result_rows import Sent, to_text

        sent = Sent(self._rows, self._spent, self._texts)
        self._rows, self._spent, self._texts = [], [], {}
        # plain text, travels with the report
        fields_of(report)["sent"] = text = to_text(sent)
        return text, sent

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> Generator[None, None, None]:
        """Before xdist sends the report, and before this process reads it."""
        if self._item is not None and report.nodeid == self._item.nodeid:
            with self._reporting(f"report what {report.nodeid} measured"):
                self._complete(report)
        try:
            yield
        finally:
            # a report may be logged twice, and pytest keeps all of them
            fields_of(report).pop("sent", None)

    def _complete(self, report: pytest.TestReport) -> None:
        """Put on a report what was measured since it was made."""
        fields = fields_of(report)
        _, number = fields.get("attempt", self.attempt)
        if number < self._number or self._left:
            self._renew_properties(report)
        if number < self._number:
            # attempts were made since: the report says how the last one ended
            from .failure_reports import make_printable
            from .outages import end_of

            fields.pop("sent", None)
            fields["end"] = end_of(report, self.error, self._rows)
            make_printable(report)
        fields["attempt"] = self.attempt
        text = fields.get("sent")
        made = self._made.pop(text, None)
        if not self._left or (text is not None and made is None):
            # a process that was forked for the test has put on it what there is
            return
        if made is not None:
            self._rows = [*made.rows, *self._rows]
            self._spent = [*made.spent, *self._spent]
            self._texts = {**made.texts, **self._texts}
        self._put(report)


class ReportFields(TypedDict, total=False):
    """The plugin's own fields on a test's report: plain builtins, which travel with it.

    Attributes:
        attempt: the process and the number of its attempt that the report belongs to.
        sent: rows, as text.
        end: of the phase, as `outages.end_of` says it.
        met: whether the settings did not fit together where something was to be measured.
        cause: of the failure, which other tests may fail for too.
        unjudged: it failed for nothing but missing verdicts, and says so in one line.
        collected: a hash of the test's case as it was collected, where that has no answer.
        answered: where the answer of the test's case comes from, where answers are recorded.
        scores: for its line on the terminal, on the process that prints alone.
    """

    attempt: Attempt
    sent: str
    end: str | None
    met: bool
    cause: str | None
    unjudged: bool
    collected: str
    answered: Answered
    scores: str


def fields_of(report: pytest.TestReport) -> ReportFields:
    fields: ReportFields = vars(report).setdefault("ragassert", {})
    return fields
