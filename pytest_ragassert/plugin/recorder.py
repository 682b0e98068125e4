"""Assigns measurements to tests, and keeps their rows until a report of the test takes them."""

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


# The attempt, and its number of results, that the item's properties describe.
_SHOWN = pytest.StashKey[tuple[int, int]]()


class ItemRecorder:
    """Receives measurements while a test runs, from any thread.

    Plugins repeat tests in several ways: each attempt has its own reports, which are logged after
    the attempt (pytest-rerunfailures) or never (flaky), or several attempts share one report
    (pytest-retry). So rows are added to a report when it is made, and later ones when it is logged.
    Each report names the attempt and process that it belongs to.

    Args:
        process: a name for this process, unique in the run.
        reporting: as for `Run.reporting`.
        keeps_texts: whether the controller needs the texts of all cases, not only those of failing
            ones.

    Attributes:
        measured: the rows of the attempt, including those already on a report.
        error: the last exception that the test's function raised.
        in_call: whether the test's function is running, so that a report made now is a subtest's.
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
        # if not, only those of failed measurements
        self._keeps_all_texts = keeps_texts
        # digests of the case texts already sent to the controller
        self._told: set[str] = set()
        self._item: pytest.Item | None = None
        self._rows: list[MeasuredRow] = []
        self._spent: list[AskedRow] = []
        self._texts: dict[str, TextsRow] = {}
        # what is on reports that were made but not logged yet, by its text
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
        """Rows that no report took do not count; their cost goes on the next report."""
        if not (self._rows or self._made):
            return
        from ..analysis.records.result_rows import asked_in

        for sent in self._made.values():
            self._spent += [*asked_in(sent.rows), *sent.spent]
            self._texts.update(sent.texts)
        self._spent += asked_in(self._rows)
        self._rows, self._made = [], {}

    def known_failure(self, metric: str, case: str | None) -> str | None:
        """Why the running test expects the metric to fail; None if it does not."""
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
        """Add scores to the item's properties before its report is made."""
        state = self._number, len(self.measured)
        # remove what an earlier attempt added
        if self._adds_properties and item.stash.get(_SHOWN, (self._number, 0)) != state:
            from .score_properties import put_on_item

            put_on_item(item, self.measured)
            item.stash[_SHOWN] = state

    def _renew_properties(self, report: pytest.TestReport) -> None:
        if self._item is not None and self._adds_properties:
            from .score_properties import renew

            renew(report, self._item, self.measured)

    def put_on(self, report: pytest.TestReport) -> list[MeasuredRow]:
        """Add what was measured since the last report to a new report; return its rows."""
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
        # plain text, which is sent with the report
        fields_of(report)["sent"] = text = to_text(sent)
        return text, sent

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> Generator[None, None, None]:
        """Called before xdist sends the report, and before this process reads it."""
        if self._item is not None and report.nodeid == self._item.nodeid:
            with self._reporting(f"report what {report.nodeid} measured"):
                self._complete(report)
        try:
            yield
        finally:
            # a report may be logged twice, and pytest keeps all of them
            fields_of(report).pop("sent", None)

    def _complete(self, report: pytest.TestReport) -> None:
        """Add to a report what was measured since it was made."""
        fields = fields_of(report)
        _, number = fields.get("attempt", self.attempt)
        if number < self._number or self._left:
            self._renew_properties(report)
        if number < self._number:
            # there were more attempts since: the report describes the last one
            from .failure_reports import make_printable
            from .outages import end_of

            fields.pop("sent", None)
            fields["end"] = end_of(report, self.error, self._rows)
            make_printable(report)
        fields["attempt"] = self.attempt
        text = fields.get("sent")
        made = self._made.pop(text, None)
        if not self._left or (text is not None and made is None):
            # a process forked for the test has already added everything
            return
        if made is not None:
            self._rows = [*made.rows, *self._rows]
            self._spent = [*made.spent, *self._spent]
            self._texts = {**made.texts, **self._texts}
        self._put(report)


class ReportFields(TypedDict, total=False):
    """The plugin's own fields on a test's report: plain builtins, which are sent with it.

    Attributes:
        attempt: the process and the number of the attempt that the report belongs to.
        sent: the rows as text.
        end: how the phase ended, as from `outages.end_of`.
        met: whether something was to be measured with inconsistent settings.
        cause: the cause of the failure, if other tests may share it.
        unjudged: whether it failed only because of missing verdicts, shown in one line.
        collected: a hash of the test's case as collected, if it had no answer.
        answered: where the answer of the test's case comes from, if answers are recorded.
        scores: the scores for its line on the terminal; only on the controller.
        known: whether it passed except for failures that `rag_xfail` expects.
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
    known: bool


def fields_of(report: pytest.TestReport) -> ReportFields:
    fields: ReportFields = vars(report).setdefault("ragassert", {})
    return fields
