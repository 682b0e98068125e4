"""`--ragassert-plan`: counts what the collected tests would ask, without running them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from .collected_tests import MARKER, collected_case, declared_by, is_skipped
from .pytest_options import usage_error

if TYPE_CHECKING:
    from ..case import EvalCase
    from ..engine.jobs import Job
    from ..engine.request_estimate import Plan
    from ..engine.session import Session
    from ..storage.last_run import PastTest
    from .planned_answers import PlannedAnswers
    from .run import Run
    from .source_scan import Call

PLANNER = "ragassert-planner"
_NO_CASE = "they do not use rag_case, so their cases are only known when they run"
_DECLARE = "declare what they measure: @pytest.mark.rag_cases(…, metrics=[…])"
_INCOMPLETE = "before they run, their cases lack fields that the metrics need"


class _Unknown(NamedTuple):
    """Why it is unknown what a test asks.

    Attributes:
        is_mistake: whether the test could not be measured.
    """

    text: str
    is_mistake: bool = False


class Planner:
    """A pytest plugin that plans instead of running tests."""

    def __init__(self, config: pytest.Config, run: Run) -> None:
        self._config = config
        self._run = run
        self._lines: list[str] | None = None
        # for each test function, its calls, or why they are unknown
        self._read: dict[Any, list[Call] | str] = {}

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool | None:
        if session.testsfailed and not session.config.option.continue_on_collection_errors:
            # pytest reports it
            return None
        self._lines = self._planned(session.items)
        return True

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self._lines is None:
            return
        from ..language.escaping import visible
        from ..report.terminal import Screen
        from ..runtime.printable import printable

        writer = terminalreporter._tw
        screen = Screen(writer.fullwidth, getattr(writer._file, "encoding", None) or "utf-8")
        terminalreporter.write_sep("=", "ragassert plan")
        for line in self._lines:
            terminalreporter.write_line(printable(screen.safe(visible(line))))

    def _planned(self, items: list[pytest.Item]) -> list[str]:
        from ..errors import ConfigurationError

        run = self._run
        if run.judge == "offline":
            return ["the offline judge answers without requests: there is nothing to plan"]
        try:
            # it sends no requests, so it needs no key
            absent = run.judge == "openai" and not run.has_key
            made_up = {"api_key": "none", **run.adopted_judge} if absent else {}
            settings = run.settings(**made_up)
            # it runs the hooks that answer cases; the run closes it
            session = run.made_session = run.session_of(settings, run.hooks.metrics())
            session.asker.keep_nothing()
            return self._lines_of(items, session)
        except ConfigurationError as error:
            raise usage_error(error) from None

    def _lines_of(self, items: list[pytest.Item], session: Session) -> list[str]:
        """
        Raises:
            ConfigurationError: the recorded answers or the committed verdicts cannot be read.
        """
        from ..engine.request_estimate import Plan
        from ..report.plan_lines import ByLastRun, plan_lines
        from ..storage.last_run import read_last_run
        from .planned_answers import PlannedAnswers

        run, settings, plan = self._run, session.settings, Plan()
        answers = PlannedAnswers(run, session)
        answers.ask_ahead(items)
        last = read_last_run(run.folder)
        unknown: dict[str, list[str]] = defaultdict(list)
        past: dict[str, list[PastTest]] = defaultdict(list)
        for item in items:
            if is_skipped(item):
                continue
            why = self._plan_item(item, session, plan, answers, last.get(item.nodeid))
            if why is not None and item.nodeid in last and not why.is_mistake:
                past[why.text].append(last[item.nodeid])
            elif why is not None:
                unknown[why.text].append(item.nodeid)
        session.asker.leave_thread()
        asks = "nothing is asked" if not run.plans_with_answers else "it is asked nothing"
        lines = [f"judge {run.judge_label}; {asks}, and no test is run", *answers.lines()]
        if settings.record_mode == "none":
            lines.append(
                "record-mode none asks nothing: the counts are those of missing judgements"
            )
        return lines + plan_lines(
            plan,
            unknown,
            past={why: ByLastRun.of(records) for why, records in past.items()},
            concurrency=settings.concurrency,
            per_minute=settings.requests_per_minute,
            prices=settings.prices,
        )

    def _plan_item(
        self,
        item: pytest.Item,
        session: Session,
        plan: Plan,
        answers: PlannedAnswers,
        last: PastTest | None,
    ) -> _Unknown | None:
        """Add what a test asks; return why part or all of it is unknown.

        Args:
            last: what it asked for when it last ran, used for the unknown part.
        """
        from ..engine.request_estimate import plan_job
        from ..errors import ConfigurationError

        jobs, why = self._jobs(item, session, answers)
        if why is not None and last is not None and not why.is_mistake:
            from ..engine.past_estimate import plan_past

            plan_past(last, session.asker, plan, same_case=answers.is_case_of(item, last.case))
            return why
        for job in jobs:
            try:
                plan_job(job, session.asker, plan)
            except (ConfigurationError, TypeError, ValueError, RuntimeError) as error:
                why = why or _wrong(error)
            except (pytest.fail.Exception, pytest.skip.Exception) as error:
                why = why or _wrong(RuntimeError(f"metric {job.name}: {error}"))
        return why

    def _jobs(
        self, item: pytest.Item, session: Session, answers: PlannedAnswers
    ) -> tuple[list[Job], _Unknown | None]:
        """The jobs of a test for which its case has the needed fields, and why others are left
        out.
        """
        from ..errors import ConfigurationError, MissingFieldError
        from ..judging.calls.user_calls import error_text

        template = collected_case(item)
        if template is None or item.get_closest_marker(MARKER) is None:
            return [], _Unknown(_NO_CASE)
        calls = self._calls(item)
        if isinstance(calls, str):
            return [], _Unknown(calls)
        filled, unanswered = answers.filled(template, item)
        jobs: list[Job] = []
        why: _Unknown | None = None
        for call in calls:
            try:
                for job in call(filled.fresh(), session):
                    if job.missing:
                        raise MissingFieldError(job.name)
                    jobs.append(job)
            except MissingFieldError:
                why = why or _Unknown(unanswered or _INCOMPLETE)
            except (ConfigurationError, TypeError, ValueError) as error:
                why = why or _wrong(error)
            except Exception as error:  # a project's metric, which may raise anything
                why = why or _wrong(RuntimeError(error_text(error)))
        return jobs, why

    def _calls(self, item: pytest.Item) -> list[Call] | str:
        """What a test measures, or a text on why that is unknown."""
        from .source_scan import Unread, source_calls

        declared = declared_by(item)
        if declared:
            return [partial(_declared, name, options) for name, options in declared.items()]
        test = getattr(item, "function", None)
        if test not in self._read:
            try:
                self._read[test] = source_calls(test)
            except Unread as error:
                self._read[test] = f"{error}; {_DECLARE}"
        return self._read[test]


def _wrong(error: Exception) -> _Unknown:
    return _Unknown(f"they cannot be measured: {error}", is_mistake=True)


def _declared(name: str, options: Mapping[str, Any], case: EvalCase, session: Session) -> list[Job]:
    return [session.job(case, name, dict(options))]
