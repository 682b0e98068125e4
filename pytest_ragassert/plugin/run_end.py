"""Concludes a run after its tests: outcome, gates, and updates of committed files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pytest

from .ended_tests import EndedTests

if TYPE_CHECKING:
    from ..analysis.records.results_file import RunOutcome
    from ..analysis.records.row_types import MeasuredRow
    from ..analysis.regression.conclusion import Conclusion
    from ..report.run_failures import RunFailure
    from ..report.terminal import Screen
    from ..usage import Usage
    from .completeness import Completeness
    from .regression import Regression
    from .run import Run


class RunEnd:
    """
    Attributes:
        outcome: the outcome of the run; None before the end, if there is nothing to report, or if
            finding it failed.
        is_red: whether the run fails as a whole.
        partial: why the run is partial; None: it is whole, or that does not matter.
        incomplete: why not every test of the run ran to its end and passed; None: all did.
        asked_again: why something was asked again.
        verdicts: lines on the committed verdicts.
        unused_overrides: lines on overrides whose claim no test of this run checked.
        broken_off: the cost of answers whose tests did not end.
    """

    def __init__(self, run: Run, completeness: Completeness | None, tests: EndedTests) -> None:
        self.outcome: RunOutcome | None = None
        self.is_red = False
        self.partial: str | None = None
        self.incomplete: str | None = None
        self.asked_again: str | None = None
        self.verdicts: list[str] = []
        self.unused_overrides: list[str] = []
        self.broken_off: list[Usage] = []
        self._run = run
        self._completeness = completeness
        self._tests = tests
        self._regression: Regression | None = None
        self._is_concluded = False
        # whether something was recorded before this run
        self._knew = False

    def begin(self) -> None:
        """
        Raises:
            pytest.UsageError: the configured gates or baseline cannot be checked.
        """
        self._knew = self._run.has_records
        if self._run.judges_whole and not self._run.lists_only:
            from .regression_checks import regression_of

            self._regression = regression_of(self._run)

    def check_metrics(self) -> None:
        """Check the gates' names; called after metrics are registered and before any test runs.

        Raises:
            pytest.UsageError: a gate names a metric that does not exist.
        """
        if self._regression is not None and self._run.holds_gates:
            from .regression_checks import check_metrics

            check_metrics(self._run, self._regression)

    @property
    def conclusion(self) -> Conclusion | None:
        """The conclusion on gates and baseline; None if the run has neither."""
        return None if self._regression is None else self._regression.conclusion

    def conclude(self, session: pytest.Session) -> None:
        """Conclude the run, once."""
        if self._is_concluded:
            return
        self._is_concluded = True
        run = self._run
        with run.reporting("store the answers of this run"):
            run.put_back()
        with run.reporting("use the shared store for the last time"):
            run.settle_store()
        # a shard without tests also leaves its gates to the join
        has_tests = self._tests.number > 0 or run.shard is not None
        judged = self._regression is not None and has_tests
        with run.reporting("report how the run ended"):
            # an interrupt may come before any test has measured something
            self.broken_off = self._paid_for_nothing(session)
            asked = run.refused() or run.asked_ahead() or self.broken_off
            shown = run.has_rows or asked or self._tests.lack_answers()
            if judged or shown or run.shard is not None:
                self.outcome = self._concluded(session, judged=judged)
        if self.outcome is None:
            # a gate that could not be checked counts as failed
            self.is_red = judged
            return
        from ..report.outcome import is_red

        self.is_red = is_red(self.outcome)
        self._update_verdicts(self.outcome)
        self._find_unused_overrides(session)

    def failures(
        self, session: pytest.Session, screen: Screen, *, verbose: bool
    ) -> Sequence[RunFailure]:
        """What fails the run as a whole, if anything."""
        from ..report.run_failures import UNTOLD, EndedRun, run_failures

        with self._run.reporting("tell what fails the run"):
            ended = EndedRun(
                self.outcome,
                self.conclusion,
                self._run.tally.rows(),
                self.verdicts,
                tests_failed=session.testsfailed > 0,
            )
            return run_failures(ended, screen, verbose=verbose)
        return [UNTOLD]

    def _paid_for_nothing(self, session: pytest.Session) -> list[Usage]:
        """The cost of answers whose tests did not end because the run was interrupted or a worker
        died.
        """
        ended = (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)
        run = self._run
        if not run.path.exists() or (session.exitstatus in ended and not self._tests.crashed):
            return []
        from ..analysis.records.result_rows import asked_in

        known = run.tally.rows() if run.has_rows else []
        spent = run.tally.spent if run.has_rows else []
        told = {asked["key"] for asked in [*asked_in(known), *spent]}
        return list(run.run_folder().paid({*told, *run.asked_ahead()}).values())

    def _concluded(self, session: pytest.Session, *, judged: bool) -> RunOutcome:
        from ..report.outcome import run_outcome

        run, regression = self._run, self._regression
        if self._completeness is not None and run.must_know_whether_whole:
            self.partial = self._completeness.partial(session)
            self.incomplete = self._completeness.why_not(session)
        rows, gates, baseline = run.tally.rows(), None, None
        if self.incomplete is None and any(row["missed"] is not None for row in rows):
            # from a test that is decided without them
            self.incomplete = "verdicts are missing"
        if regression is not None and judged:
            with run.reporting("check gates and baseline"):
                self._check(regression, rows)
            gates, baseline = regression.conclusion.outcome, regression.conclusion.baseline
        return run_outcome(
            self._tests.of_each(repeated=session.testsfailed > 0),
            rows,
            refused=run.refused(),
            gates=gates,
            baseline=baseline,
            must_hold=run.must_hold_gates,
            store=run.store_outcome,
        )

    def _check(self, regression: Regression, rows: Sequence[MeasuredRow]) -> None:
        run, shard = self._run, self._run.shard
        off = None if run.holds_gates else "--ragassert-gates=off"
        if shard is None:
            regression.conclude(rows, whole=self.incomplete, partial=self.partial, off=off)
            return
        this = f"this is {shard}; python -m pytest_ragassert join"
        regression.conclude(
            rows,
            whole=self.incomplete,
            partial=self.partial or str(shard),
            off=off or f"{this} checks them",
            unwritten=f"{this} --update-baseline writes it",
        )

    def _update_verdicts(self, outcome: RunOutcome) -> None:
        run = self._run
        if self._knew and run.record_mode == "new_episodes" and run.judge != "offline":
            with run.reporting("tell why something was asked again"):
                from .missing_causes import asked_again_line

                self.asked_again = asked_again_line(run, run.tally.rows())
        if run.verdicts is None:
            return
        with run.reporting("write the committed verdicts"):
            from .update_verdicts import NotWritten, committed_lines

            try:
                self.verdicts = committed_lines(run, run.tally.rows(), self._keeps_unused())
            except NotWritten as error:
                self.verdicts = [str(error)]
                self._fail_for_verdicts(outcome)

    def _keeps_unused(self) -> str | None:
        """Why this run cannot tell which committed verdicts are unused; None: it can."""
        shard = self._run.shard
        if shard is None:
            return self.incomplete
        return f"this is {shard}; python -m pytest_ragassert join --prune-verdicts removes them"

    def _find_unused_overrides(self, session: pytest.Session) -> None:
        path = self._run.verdicts
        if path is None or self._completeness is None or not path.exists():
            return
        with self._run.reporting("find unused overrides"):
            if self._completeness.unchecked(session):
                return
            from .unused_overrides import unused_override_lines

            self.unused_overrides = unused_override_lines(path, self._run.tally.rows())

    def _fail_for_verdicts(self, outcome: RunOutcome) -> None:
        from ..report.outcome import failed_by

        outcome.verdicts = "failed"
        outcome.failed_by = failed_by(outcome, must_hold=self._run.must_hold_gates)
        self.is_red = True
