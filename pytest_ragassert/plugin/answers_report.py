"""Sorts the file of recorded answers at the end of a run, and reports how they were used."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ..errors import ConfigurationError
from ..report.answer_lines import Uses, missing_lines, use_line
from ..runtime.printable import printable
from ..storage.recorded_answers import Place, sort_answers
from .answer_hook import recording_options
from .recorder import fields_of
from .rerun_hints import recording_command

if TYPE_CHECKING:
    from .completeness import Completeness
    from .recorded_answers import Answered, RecordedAnswers
    from .run import Run


class AnswersReporter:
    """Registered if answers are recorded, except on xdist workers."""

    def __init__(self, run: Run, completeness: Completeness | None) -> None:
        self._run = run
        self._completeness = completeness
        # for each test, what its last attempt got
        self._told: dict[str, Answered] = {}

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if (told := fields_of(report).get("answered")) is not None:
            self._told[report.nodeid] = told

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        # before the record of the run is made, which contains the lines
        answers = self._run.recorded_answers
        if self._told and answers is not None:
            with self._run.reporting("sort the recorded answers"):
                self._run.answer_lines = self._finished(session, answers)

    def _finished(self, session: pytest.Session, answers: RecordedAnswers) -> list[str]:
        uses = self._uses(answers)
        if not (uses.new or uses.replaced or answers.refreshes):
            return [use_line(uses, answers.path.name)]
        why_not = None if self._completeness is None else self._completeness.why_not(session)
        prunes = answers.refreshes and why_not is None
        try:
            sort_answers(answers.path, uses.unused if prunes else ())
        except OSError as error:
            return [use_line(uses, f"{answers.path.name}, not written: {error.strerror or error}")]
        except ConfigurationError as error:
            return [use_line(uses, f"not sorted: {error}")]
        done = "written, without the unused" if prunes else "written"
        lines = [use_line(uses, f"{answers.path.name}, {done}")]
        if answers.refreshes and uses.unused and why_not is not None:
            lines.append(f"answers: nothing was removed, because {why_not}")
        return lines

    def _uses(self, answers: RecordedAnswers) -> Uses:
        at_start = answers.at_start
        touched = {Place(*place) for told in self._told.values() for place in told["places"]}
        cases = {
            (place.case, place.input) for place, answer in at_start.items() if not answer.is_empty
        }
        given = self._cases("application")
        return Uses(
            used=len(self._cases("recorded") - given),
            new=len(given - cases),
            replaced=len(given & cases),
            unused=at_start.keys() - touched,
        )

    def _cases(self, origin: str) -> set[tuple[str, str]]:
        told = (one for one in self._told.values() if one.get("origin") == origin)
        return {(case, input) for one in told for case, input, _ in one["places"]}

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        missing = {
            told["case"]: told["why"]
            for told in self._told.values()
            if told.get("origin") == "missing"
        }
        path = self._run.answers
        if not missing or path is None:
            return
        config = self._run.config
        command = recording_command(config, recording_options(self._run))
        lines = missing_lines(
            missing,
            len({told["case"] for told in self._told.values()}),
            self._run.shown(path),
            command,
            verbose=config.get_verbosity() > 0,
        )
        terminalreporter.write_sep("=", "ragassert: no recorded answer")
        for line in lines:
            terminalreporter.write_line(printable(line))
