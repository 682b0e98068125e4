"""On the process that prints: the rows on its reports become tables and the session's section."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from ..printed import printable
from .printing import usage_error
from .recording import fields_of

if TYPE_CHECKING:
    from ..report.display import Screen
    from ..report.rows import Row
    from ..results_file import RunOutcome
    from .complete import Completeness
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
        self._verdicts: list[str] = []
        self._misses: list[str] = []
        self._completeness = completeness
        self._outcome: RunOutcome | None = None
        # of each test in each process, how those of its phases ended that did not pass
        self._ends: dict[tuple[str, str], list[str]] = {}
        self._tests = 0
        self._regression: Regression | None = None

    @pytest.hookimpl(trylast=True)
    def pytest_sessionstart(self) -> None:
        if self._run.judges_whole and not self._run.lists_only:
            from ..errors import ConfigurationError
            from .regression import Regression

            self._regression = Regression(self._run)
            try:
                self._regression.check()
            except ConfigurationError as error:
                raise usage_error(error) from None

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        fields = fields_of(report)
        # a worker's crash is reported by nobody's attempt
        process, number = fields.get("attempt", ("", 0))
        self._note_end(report, process, fields)
        self._tests += report.when == "setup"
        if process and self._run.has_rows:
            self._run.tally.begin(report.nodeid, (process, number))
        text = fields.get("sent")
        if text is None:
            return
        from ..report.rows import from_text

        sent = from_text(text)
        self._run.tally.add(report.nodeid, (process, number), report.when or "call", sent)
        if report.failed:
            self._add_sections(report, sent.rows)

    def pytest_keyboard_interrupt(self) -> None:
        if self._run.path.exists():
            from ..errors import JudgeError
            from ..store.run_folder import EMBEDDING, JUDGING

            # workers hear of it late, and nobody looks at what their tests come to
            why = "the run was interrupted: nothing more is asked"
            end = JudgeError(why, kind="connection", ends_judging=True)
            for what in (JUDGING, EMBEDDING):
                self._run.run_folder().end(what, end)

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        self._run.put_back()
        refused = self._run.refused()
        judged = self._regression is not None and self._tests > 0
        # an interrupt may come before any test has measured
        spent = self._run.has_rows or refused or bool(self._run.asked_ahead())
        if not (spent or judged):
            return
        from ..report.outcome import is_red, run_outcome

        rows, gates, baseline = self._run.tally.rows(), None, None
        why = self._completeness.why_not(session) if self._completeness else None
        if self._regression is not None and judged:
            self._regression.conclude(rows, whole=why)
            gates, baseline = self._regression.outcome, self._regression.trouble
        outcome = run_outcome(
            self._ends.values(), rows, refused=refused, gates=gates, baseline=baseline
        )
        self._outcome = outcome
        if is_red(outcome) and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
        if (folder := self._run.artifacts) is not None:
            from .artifacts import write_artifacts

            self._told += write_artifacts(self._run, folder, int(session.exitstatus), outcome)
        interrupted = session.exitstatus == pytest.ExitCode.INTERRUPTED
        if rows and self._run.history is not None and not interrupted:
            from .history import append_run

            self._told += append_run(self._run, self._run.history, rows)
        if self._run.verdicts is not None:
            from .committing import committed_lines

            self._verdicts = committed_lines(self._run, rows, why)
        if self._run.record_mode != "off":
            from .keeping import keep_failed, keep_served_models

            self._told += keep_failed(self._run.folder, rows)
            keep_served_models(self._run.folder, rows)
        self._misses = self._missed(rows)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self._outcome is None:
            return
        from ..report.ahead import unused_lines
        from ..report.rows import asked_in
        from ..report.summary import summary_lines

        run = self._run
        rows = run.tally.rows()
        lines = summary_lines(
            rows,
            [*run.notices(), *self._sampled(), *self._told],
            self._screen(),
            judge=run.judge_label,
            offline=run.judge == "offline",
            prices=run.value("prices", ()),
            spent=run.tally.spent,
            unused=unused_lines([*asked_in(rows), *run.tally.spent], run.asked_ahead()),
            verdicts=self._verdicts,
            outcome=self._outcome,
            whole=[]
            if self._regression is None
            else self._regression.lines(self._screen(), verbose=self._config.get_verbosity() > 0),
        )
        if self._misses:
            terminalreporter.write_sep("=", "ragassert: no stored verdict")
            for line in self._misses:
                terminalreporter.write_line(printable(self._screen().safe(line)))
        terminalreporter.write_sep("=", "ragassert")
        for line in lines:
            terminalreporter.write_line(printable(line))

    def _sampled(self) -> list[str]:
        sample = self._run.sample()
        return [] if sample is None else [f"a sample: {sample.taken} of {sample.of} cases"]

    def _missed(self, rows: list[Row]) -> list[str]:
        from ..report.misses import miss_lines, missed_rows

        missed = missed_rows(rows)
        if not missed:
            return []
        from ..asking.missing import recording
        from .closer import recording_command
        from .committing import causes_of

        alone = any(row["error"]["missed"].get("alone") for row in missed)
        command = recording_command(self._config, recording(self._run.settings(), alone=alone))
        verbose = self._config.get_verbosity() > 0
        return miss_lines(missed, causes_of(self._run, rows, missed), command, verbose=verbose)

    def _note_end(self, report: pytest.TestReport, process: str, fields: dict[str, Any]) -> None:
        if report.outcome not in ("passed", "failed", "skipped"):
            # a plugin repeats the test: whatever its parts ended with is not the end
            self._ends.pop((report.nodeid, process), None)
            return
        from ..report.outcome import OTHER, SKIPPED

        end = fields.get("end") or (OTHER if report.failed else None)
        if end is None:
            return
        self._ends.setdefault((report.nodeid, process), []).extend(end.split())
        if end == SKIPPED or fields.get("met"):
            # also where nothing else tells of it: no row, or the setup of another test
            _ = self._run.tally

    def _add_sections(self, report: pytest.TestReport, rows: list[Row]) -> None:
        from ..report.rows import is_failure

        failed = [r for r in rows if is_failure(r)]
        if not failed:
            return
        from ..report.table import failure_lines
        from .closer import closer_lines

        verbose = self._config.get_verbosity() > 0
        of_test = self._run.tally.rows_of(report.nodeid)
        table = failure_lines(failed, self._screen(), verbose=verbose, of_test=of_test)
        closer = closer_lines(self._config, report.nodeid, failed, verbose=verbose)
        parts = {"ragassert": table, "look closer": [*map(self._screen().safe, closer)]}
        for title, lines in parts.items():
            text = printable("\n".join(lines))
            if isinstance(report.longrepr, str):
                report.longrepr += f"\n{f' {title} ':-^{self._screen().width}}\n{text}"
            elif add_section := getattr(report.longrepr, "addsection", None):
                # a skip's is a tuple
                add_section(title, text, "-")

    def _screen(self) -> Screen:
        from ..report.display import Screen

        writer = getattr(self._config.pluginmanager.get_plugin("terminalreporter"), "_tw", None)
        if writer is None:
            return Screen(encoding="ascii")
        return Screen(writer.fullwidth, getattr(writer._file, "encoding", None) or "utf-8")
