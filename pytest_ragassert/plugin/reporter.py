"""Turns the rows on reports into tables and the summary section, on the controller."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import TYPE_CHECKING

import pytest

from ..runtime.printable import printable
from .ended_tests import EndedTests
from .recorder import fields_of
from .run_end import RunEnd
from .unjudged_tests import UnjudgedTests

if TYPE_CHECKING:
    from ..analysis.records.results_file import RunOutcome
    from ..analysis.records.row_types import MeasuredRow
    from ..analysis.run_record import RunRecord
    from ..report.terminal import Screen
    from .completeness import Completeness
    from .failure_sections import FailureSections
    from .run import Run


class Reporter:
    """Registered everywhere except on xdist workers, so that `-n 0` and `-n 4` print the same.

    Attributes:
        record: the record of the run when it is over; None if there is nothing to report.
    """

    def __init__(
        self, config: pytest.Config, run: Run, completeness: Completeness | None = None
    ) -> None:
        self._config = config
        self._run = run
        self._told: list[str] = []
        self._misses: list[str] = []
        self._ended = EndedTests()
        self._end = RunEnd(run, completeness, self._ended)
        # for each shared cause of failures, the first test that failed
        self._causes: dict[str, str] = {}
        # tests that passed, and hashes of cases that had no answer before
        self._passed: set[str] = set()
        self._collected: dict[str, str] = {}
        self.record: RunRecord | None = None
        self._unjudged = UnjudgedTests(self._ended.of)
        # sections of failed measurements; None: there are none
        self._sections: FailureSections | None = None

    @pytest.hookimpl(trylast=True)
    def pytest_sessionstart(self) -> None:
        self._end.begin()

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtestloop(
        self, session: pytest.Session
    ) -> Generator[None, object | None, object | None]:
        self._end.check_metrics()
        try:
            result = yield
        except session.Failed:
            # `-x` ends the loop this way, perhaps at the last test
            self._end.conclude(session)
            self._report_failures(session)
            raise
        # other plugins write results with the exit status when the session finishes
        self._end.conclude(session)
        self._report_failures(session)
        return result

    def _report_failures(self, session: pytest.Session) -> None:
        """Count what fails the run as a whole as failed tests."""
        if not self._end.is_red:
            return
        from .gate_reports import report_failures

        verbose = self._config.get_verbosity() > 0
        failures = self._end.failures(session, self._screen(), verbose=verbose)
        report_failures(session, failures, self._run.reporting)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        self._ended.note_collected(report)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._ended.count(report)
        if report.when == "call" and report.passed:
            self._passed.add(report.nodeid)
        with self._run.reporting(f"report the result of {report.nodeid}"):
            self._note(report)

    def _note(self, report: pytest.TestReport) -> None:
        fields = fields_of(report)
        if (collected := fields.get("collected")) is not None:
            self._collected[report.nodeid] = collected
        # no attempt reports the crash of a worker
        process, number = fields.get("attempt", ("", 0))
        if self._ended.note(report, process, fields):
            # even if nothing else shows it: no row, or only the setup of another test
            _ = self._run.tally
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
            if self._sections is None:
                from .failure_sections import FailureSections

                self._sections = FailureSections(self._config, self._run, self._screen)
            self._sections.add(report, rows)
        if self._run.has_rows and (rows or report.when == "call"):
            from .score_display import show_scores

            fails = self._ended.knows(report.nodeid, process)
            show_scores(self._run, report, rows, fails=fails)

    def pytest_keyboard_interrupt(self) -> None:
        with self._run.reporting("pass the interrupt on to the workers"):
            self._end_judging()

    def _end_judging(self) -> None:
        if self._run.path.exists():
            # workers notice it late, and the outcomes of their tests are not used
            self._run.run_folder().end_by_interrupt()

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        end = self._end
        # an interrupted run has no outcome, and pytest says why
        end.conclude(session)
        if end.is_red and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
        if end.outcome is not None:
            with self._run.reporting("record the run"):
                self.record = self._made_record(session, end.outcome)
        if self.record is not None:
            self._write(self.record)

    def _made_record(self, session: pytest.Session, outcome: RunOutcome) -> RunRecord:
        from .record_making import record_of_run

        run, end = self._run, self._end
        _, notices = self._notices()
        return record_of_run(
            run,
            int(session.exitstatus),
            outcome,
            end.conclusion,
            failed_tests=self._ended.failed(repeated=session.testsfailed > 0),
            partial=end.partial,
            incomplete=end.incomplete,
            asked_again=end.asked_again,
            verdicts=[*end.verdicts, *end.unused_overrides],
            broken_off=end.broken_off,
            notices=[*run.unused_keys, *notices, *self._sampled(), *run.answer_lines],
        )

    def _write(self, record: RunRecord) -> None:
        """Write the outputs of a run."""
        from .project_reports import no_summary, write_reports

        run, rows = self._run, record.results
        if run.adds_properties and getattr(self._config.option, "xmlpath", None):
            from .score_properties import add_to_suite

            with run.reporting("put the means into the JUnit file"):
                add_to_suite(self._config, rows)
        self._told += [*write_reports(run, record, run.output), *no_summary(run)]
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
        """Wrap the terminal's hook, which prints failures first."""
        with self._run.reporting("leave unjudged tests out of the failures"):
            self._unjudged.leave_out(terminalreporter)
        if self._sections is not None:
            with self._run.reporting("show the failures in colour, and what they share once"):
                self._sections.before_printing(terminalreporter)
        try:
            return (yield)
        finally:
            self._put_back(terminalreporter)

    def _put_back(self, terminal: pytest.TerminalReporter) -> None:
        """Restore the reports for other readers after the failures are printed."""
        self._unjudged.put_back(terminal)
        if self._sections is not None:
            self._sections.put_back()

    @pytest.hookimpl(tryfirst=True)
    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        # the list of failed tests, printed next, includes those that were left out
        self._put_back(terminalreporter)
        if self._end.outcome is None and not self._run.path.exists():
            return
        screen, lines = self._screen(), list[str]()
        if self.record is not None:
            with self._run.reporting("write the summary"):
                from ..report.summary import TerminalSummary

                _, late = self._notices()
                late = [one for one in late if one not in self.record.notices]
                verbosity = self._config.get_verbosity()
                summary = TerminalSummary(lines.append, screen, verbosity, [*late, *self._told])
                summary.write(self.record)
        troubles, _ = self._notices()
        sections = {"ragassert: no stored verdict": self._misses, "ragassert": [*lines, *troubles]}
        for title, own in sections.items():
            if own:
                terminalreporter.write_sep("=", title)
            for line in own:
                terminalreporter.write_line(printable(screen.safe(line)))

    def _notices(self) -> tuple[list[str], list[str]]:
        """Lines on errors while reporting, here or on workers, and the notes of the run."""
        from ..report.trouble_lines import START

        notices = self._run.notices()
        troubles = [one for one in notices if one.startswith(START)]
        return (
            [line for one in troubles for line in one.splitlines()],
            [one for one in notices if one not in troubles],
        )

    def _sampled(self) -> list[str]:
        sample = self._run.sample()
        return [] if sample is None else [f"sample: {sample.taken} of {sample.of} cases"]

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

    def _screen(self) -> Screen:
        from ..report.terminal import Screen

        writer = getattr(self._config.pluginmanager.get_plugin("terminalreporter"), "_tw", None)
        if writer is None:
            return Screen(encoding="ascii")
        return Screen(writer.fullwidth, getattr(writer._file, "encoding", None) or "utf-8")
