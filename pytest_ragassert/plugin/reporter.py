"""On the process that prints: the rows on its reports become tables and the session's section."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import TYPE_CHECKING

import pytest

from ..runtime.printable import printable
from .pytest_options import usage_error
from .recorder import ReportFields, fields_of
from .unjudged_tests import UnjudgedTests

if TYPE_CHECKING:
    from ..analysis.records.results_file import RunOutcome
    from ..analysis.records.row_types import MeasuredRow
    from ..analysis.run_record import RunRecord
    from ..report.terminal import Screen
    from ..usage import Usage
    from .completeness import Completeness
    from .regression import Regression
    from .run import Run


class Reporter:
    """Registered everywhere but on xdist's workers, so that `-n 0` and `-n 4` print the same."""

    def __init__(
        self, config: pytest.Config, run: Run, completeness: Completeness | None = None
    ) -> None:
        self._config = config
        self._run = run
        self._told: list[str] = []
        self._asked_again: str | None = None
        self._verdicts: list[str] = []
        self._misses: list[str] = []
        self._completeness = completeness
        # why the run is a part of all, and why not every test ran to its end and passed
        self._partial: str | None = None
        self._incomplete: str | None = None
        self._outcome: RunOutcome | None = None
        # something was recorded before this run
        self._knew = False
        # of each test in each process, how those of its phases ended that did not pass
        self._ends: dict[tuple[str, str], list[str]] = {}
        # the same of attempts that were repeated
        self._repeated: dict[tuple[str, str], list[str]] = {}
        # of a cause that several tests may fail for, the first that did
        self._causes: dict[str, str] = {}
        # tests that passed, and hashes of cases that had no answer before
        self._passed: set[str] = set()
        self._collected: dict[str, str] = {}
        self._tests = 0
        self._crashed = False
        self._broken_off: list[Usage] = []
        self._regression: Regression | None = None
        self._record: RunRecord | None = None
        self._unjudged = UnjudgedTests(self._ends_of)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionstart(self) -> None:
        self._knew = self._run.has_records
        if self._run.judges_whole and not self._run.lists_only:
            from ..errors import ConfigurationError
            from .regression import Regression

            self._regression = Regression(self._run)
            try:
                self._regression.check()
            except ConfigurationError as error:
                raise usage_error(error) from None

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self) -> None:
        # metrics of plugins are known, and no test has run
        if self._regression is not None and self._run.holds_gates:
            from ..errors import ConfigurationError
            from ..metrics.registry import Registry

            try:
                registry = Registry(self._run.hooks.metrics())
                self._regression.check_names([metric.name for metric in registry])
            except ConfigurationError as error:
                raise usage_error(error) from None

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            from ..report.outcome import OTHER

            self._ends[report.nodeid, ""] = [OTHER]

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._tests += report.when == "setup"
        if report.when == "call" and report.passed:
            self._passed.add(report.nodeid)
        # as xdist reports the test at which a worker died
        self._crashed = self._crashed or str(report.when) == "???"
        with self._run.reporting(f"report the result of {report.nodeid}"):
            self._note(report)

    def _note(self, report: pytest.TestReport) -> None:
        fields = fields_of(report)
        if (collected := fields.get("collected")) is not None:
            self._collected[report.nodeid] = collected
        # a worker's crash is reported by nobody's attempt
        process, number = fields.get("attempt", ("", 0))
        self._note_end(report, process, fields)
        if process and self._run.has_rows:
            self._run.tally.begin(report.nodeid, (process, number))
        text, rows = fields.get("sent"), []
        if text is not None:
            from ..analysis.records.result_rows import from_text

            sent = from_text(text)
            rows = sent.rows
            self._run.tally.add(report.nodeid, (process, number), report.when or "call", sent)
        if (cause := fields.get("cause")) is not None and self._config.get_verbosity() < 2:
            first = self._causes.setdefault(cause, report.nodeid)
            if first != report.nodeid:
                from .repeated_failures import shorten

                shorten(report, first)
        if report.failed and self._run.has_rows:
            self._add_sections(report, rows)

    def pytest_keyboard_interrupt(self) -> None:
        with self._run.reporting("pass the interrupt on to the workers"):
            self._end_judging()

    def _end_judging(self) -> None:
        if self._run.path.exists():
            # workers learn of it late, and the outcomes of their tests are not used
            self._run.run_folder().end_by_interrupt()

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        run = self._run
        with run.reporting("store the answers of this run"):
            run.put_back()
        judged = self._regression is not None and self._tests > 0
        with run.reporting("report how the run ended"):
            # an interrupt may come before any test has measured
            self._broken_off = self._paid_for_nothing(session)
            asked = run.refused() or run.asked_ahead() or self._broken_off
            if judged or run.has_rows or asked or self._lacks_answers():
                self._outcome = self._concluded(session, judged=judged)
        # what can't be said to hold does not
        red = judged if self._outcome is None else self._is_red(self._outcome)
        if red and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
        if self._outcome is not None:
            # what else may fail the run comes before its record
            self._update_verdicts(session, self._outcome)
            with run.reporting("record the run"):
                self._record = self._made_record(session, self._outcome)
        if self._record is not None:
            self._write(self._record)

    def _lacks_answers(self) -> bool:
        """Whether a test failed because a replay lacks its case's answer, or a verdict."""
        if not self._ends:
            return False
        from ..report.outcome import MISSING

        return any(MISSING in ends for ends in self._ends.values())

    def _paid_for_nothing(self, session: pytest.Session) -> list[Usage]:
        """What answers cost whose tests did not end, as the run was broken off or a worker died."""
        ended = (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)
        run = self._run
        if not run.path.exists() or (session.exitstatus in ended and not self._crashed):
            return []
        from ..analysis.records.result_rows import asked_in

        known = run.tally.rows() if run.has_rows else []
        spent = run.tally.spent if run.has_rows else []
        told = {asked["key"] for asked in [*asked_in(known), *spent]}
        return list(run.run_folder().paid({*told, *run.asked_ahead()}).values())

    def _is_red(self, outcome: RunOutcome) -> bool:
        from ..report.outcome import is_red

        return is_red(outcome)

    def _concluded(self, session: pytest.Session, *, judged: bool) -> RunOutcome:
        from ..report.outcome import run_outcome

        run, regression = self._run, self._regression
        if self._completeness is not None:
            self._partial = self._completeness.partial(session)
            self._incomplete = self._completeness.why_not(session)
        rows, gates, baseline = run.tally.rows(), None, None
        if self._incomplete is None and any(row["missed"] is not None for row in rows):
            # of a test that is decided all the same
            self._incomplete = "verdicts are missing"
        if regression is not None and judged:
            with run.reporting("check gates and baseline"):
                regression.conclude(
                    rows, whole=self._incomplete, partial=self._partial, hold=run.holds_gates
                )
            gates, baseline = regression.conclusion.outcome, regression.conclusion.baseline
        # subtests that failed before their test was repeated may fail the run all the same
        ends = self._ends or (self._repeated if session.testsfailed else {})
        return run_outcome(
            ends.values(),
            rows,
            refused=run.refused(),
            gates=gates,
            baseline=baseline,
            must_hold=run.must_hold_gates,
        )

    def _fail_for_verdicts(self, session: pytest.Session, outcome: RunOutcome) -> None:
        from ..report.outcome import failed_by

        outcome.verdicts = "failed"
        outcome.failed_by = failed_by(outcome, must_hold=self._run.must_hold_gates)
        if session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def _update_verdicts(self, session: pytest.Session, outcome: RunOutcome) -> None:
        run = self._run
        if self._knew and run.record_mode == "new_episodes" and run.judge != "offline":
            with run.reporting("tell why something was asked again"):
                from .missing_causes import asked_again_line

                self._asked_again = asked_again_line(run, run.tally.rows())
        if run.verdicts is None:
            return
        with run.reporting("write the committed verdicts"):
            from .update_verdicts import NotWritten, committed_lines

            try:
                self._verdicts = committed_lines(run, run.tally.rows(), self._incomplete)
            except NotWritten as error:
                self._verdicts = [str(error)]
                self._fail_for_verdicts(session, outcome)

    def _made_record(self, session: pytest.Session, outcome: RunOutcome) -> RunRecord:
        from .record_making import record_of_run

        run = self._run
        _, notices = self._notices()
        return record_of_run(
            run,
            int(session.exitstatus),
            outcome,
            None if self._regression is None else self._regression.conclusion,
            partial=self._partial,
            asked_again=self._asked_again,
            verdicts=self._verdicts,
            broken_off=self._broken_off,
            notices=[*run.unused_keys, *notices, *self._sampled(), *run.answer_lines],
        )

    def _write(self, record: RunRecord) -> None:
        """Write what a run leaves behind."""
        from .project_reports import write_reports

        run, rows = self._run, record.results
        self._told += write_reports(run, record, run.output)
        if run.record_mode != "off":
            with run.reporting("keep the failed claims"):
                from .lookup_records import keep_asked, keep_failed, keep_served_models

                self._told += keep_failed(run.folder, rows)
                keep_served_models(run.folder, rows)
                keep_asked(run, rows, self._passed, self._collected)
        with run.reporting("list the missing verdicts"):
            self._misses = self._missed(rows)

    @pytest.hookimpl(specname="pytest_terminal_summary", wrapper=True, tryfirst=True)
    def pytest_leave_out_unjudged(
        self, terminalreporter: pytest.TerminalReporter
    ) -> Generator[None, object, object]:
        """Around the terminal's own, which prints failures first."""
        with self._run.reporting("leave unjudged tests out of the failures"):
            self._unjudged.leave_out(terminalreporter)
        try:
            return (yield)
        finally:
            self._unjudged.put_back(terminalreporter)

    @pytest.hookimpl(tryfirst=True)
    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        # the list of failed tests, which is printed next, has them
        self._unjudged.put_back(terminalreporter)
        if self._outcome is None and not self._run.path.exists():
            return
        screen, lines = self._screen(), list[str]()
        if self._record is not None:
            with self._run.reporting("write the summary"):
                from ..report.summary import TerminalSummary

                _, late = self._notices()
                late = [one for one in late if one not in self._record.notices]
                verbosity = self._config.get_verbosity()
                summary = TerminalSummary(lines.append, screen, verbosity, [*late, *self._told])
                summary.write(self._record)
        troubles, _ = self._notices()
        sections = {"ragassert: no stored verdict": self._misses, "ragassert": [*lines, *troubles]}
        for title, own in sections.items():
            if own:
                terminalreporter.write_sep("=", title)
            for line in own:
                terminalreporter.write_line(printable(screen.safe(line)))

    def _notices(self) -> tuple[list[str], list[str]]:
        """Lines of what could not be told, here or by workers; and what the run notes."""
        from ..report.trouble_lines import START

        notices = self._run.notices()
        troubles = [one for one in notices if one.startswith(START)]
        return (
            [line for one in troubles for line in one.splitlines()],
            [one for one in notices if one not in troubles],
        )

    def _sampled(self) -> list[str]:
        sample = self._run.sample()
        return [] if sample is None else [f"a sample: {sample.taken} of {sample.of} cases"]

    def _missed(self, rows: Sequence[MeasuredRow]) -> list[str]:
        if all(row["missed"] is None for row in rows):
            return []
        from ..analysis.records.unjudged_cases import missed_judgements, unjudged_cases
        from ..judging.scheduling.replay_misses import recording
        from ..report.replay_miss_lines import miss_lines
        from .missing_causes import causes_of
        from .rerun_hints import recording_command

        misses = causes_of(self._run, rows, missed_judgements(rows))
        alone = any(row["missed"]["alone"] for row in rows if row["missed"] is not None)
        command = recording_command(self._config, recording(self._run.settings(), alone=alone))
        verbose = self._config.get_verbosity() > 0
        return miss_lines(unjudged_cases(rows, misses), command, verbose=verbose)

    def _ends_of(self, test: str) -> list[str]:
        return [end for (one, _), ends in self._ends.items() if one == test for end in ends]

    def _note_end(self, report: pytest.TestReport, process: str, fields: ReportFields) -> None:
        if report.outcome not in ("passed", "failed", "skipped"):
            # a plugin repeats the test: whatever its parts ended with is not the end
            repeated = self._ends.pop((report.nodeid, process), [])
            self._repeated.setdefault((report.nodeid, process), []).extend(repeated)
            return
        from ..report.outcome import OTHER, SKIPPED, SKIPPED_MISSING

        # a test may be made to fail for its subtests, which have told how they ended
        told = (report.nodeid, process) in self._ends
        end = fields.get("end") or (OTHER if report.failed and not told else None)
        if end is None:
            return
        self._ends.setdefault((report.nodeid, process), []).extend(end.split())
        if not {SKIPPED, SKIPPED_MISSING}.isdisjoint(end.split()) or fields.get("met"):
            # also where nothing else tells of it: no row, or the setup of another test
            _ = self._run.tally

    def _add_sections(self, report: pytest.TestReport, rows: list[MeasuredRow]) -> None:
        from ..analysis.records.result_rows import is_failure, is_told_in

        of_test = self._run.tally.rows_of(report.nodeid)
        failed = [r for r in rows if is_failure(r)]
        if not failed:
            # in Python 3.10 unittest reports all subtests when their test is over
            failed = [r for r in of_test if is_failure(r) and is_told_in(report.longreprtext, r)]
        if not failed:
            return
        from ..report.failure_report import failure_lines
        from .rerun_hints import rerun_hints

        verbose = self._config.get_verbosity() > 0
        table = failure_lines(failed, self._screen(), verbose=verbose, of_test=of_test)
        closer = rerun_hints(self._config, report.nodeid, failed, verbose=verbose)
        parts = {"ragassert": table, "look closer": [*map(self._screen().safe, closer)]}
        for title, lines in parts.items():
            text = printable("\n".join(lines))
            if isinstance(report.longrepr, str):
                report.longrepr += f"\n{f' {title} ':-^{self._screen().width}}\n{text}"
            elif add_section := getattr(report.longrepr, "addsection", None):
                # a skip's is a tuple
                add_section(title, text, "-")

    def _screen(self) -> Screen:
        from ..report.terminal import Screen

        writer = getattr(self._config.pluginmanager.get_plugin("terminalreporter"), "_tw", None)
        if writer is None:
            return Screen(encoding="ascii")
        return Screen(writer.fullwidth, getattr(writer._file, "encoding", None) or "utf-8")
