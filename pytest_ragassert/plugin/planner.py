"""`--ragassert-plan`: counts what the collected tests would ask, and runs none."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from .collected_tests import MARKER, collected_case, declared_by, is_skipped
from .pytest_options import usage_error

if TYPE_CHECKING:
    from ..case import EvalCase
    from ..engine.jobs import Job
    from ..engine.request_estimate import Plan
    from ..engine.session import Session
    from .run import Run
    from .source_scan import Call

PLANNER = "ragassert-planner"
_NO_CASE = "they take no rag_case, so that their cases are known when they run"
_DECLARE = "say what they measure: @pytest.mark.rag_cases(…, metrics=[…])"
_INCOMPLETE = "their cases lack what the metrics need before they run"


class Planner:
    """A pytest plugin that plans in place of running tests."""

    def __init__(self, config: pytest.Config, run: Run) -> None:
        self._config = config
        self._run = run
        self._lines: list[str] | None = None
        # of each test function its calls, or why they are not known
        self._read: dict[Any, list[Call] | str] = {}

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool | None:
        if session.testsfailed and not session.config.option.continue_on_collection_errors:
            # pytest says so
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
        from ..engine.request_estimate import Plan
        from ..errors import ConfigurationError
        from ..report.plan_lines import plan_lines

        if self._run.judge == "offline":
            return ["the offline judge answers here: there is nothing to ask"]
        try:
            # it asks nobody, so that it needs no key
            absent = self._run.judge == "openai" and not self._run.has_key
            settings = self._run.settings(**({"api_key": "none"} if absent else {}))
            session = self._run.session_of(settings, self._run.hooks.metrics())
        except ConfigurationError as error:
            raise usage_error(error) from None
        plan, unknown = Plan(), defaultdict[str, list[str]](list)
        try:
            for item in items:
                why = self._plan_item(item, session, plan)
                if why is not None:
                    unknown[why].append(item.nodeid)
            session.asker.leave_thread()
        finally:
            session.close()
        lines = [f"judge {self._run.judge_label}; nothing is asked, and no test is run"]
        if settings.record_mode == "none":
            lines.append("record-mode none asks nothing: what would be asked is what is missing")
        return lines + plan_lines(
            plan,
            unknown,
            concurrency=settings.concurrency,
            per_minute=settings.requests_per_minute,
            prices=settings.prices,
        )

    def _plan_item(self, item: pytest.Item, session: Session, plan: Plan) -> str | None:
        """Add what a test asks; why that is not known, in part or all of it."""
        from ..engine.request_estimate import plan_job
        from ..errors import ConfigurationError, MissingFieldError

        if is_skipped(item):
            return None
        template = collected_case(item)
        if template is None or item.get_closest_marker(MARKER) is None:
            return _NO_CASE
        calls = self._calls(item)
        if isinstance(calls, str):
            return calls
        why = None
        for call in calls:
            case = template.fresh()
            try:
                for job in call(case, session):
                    if job.metric.missing(case):
                        raise MissingFieldError(job.name)
                    plan_job(job, session.asker, plan)
            except MissingFieldError:
                why = why or _INCOMPLETE
            except (ConfigurationError, TypeError, ValueError) as error:
                why = why or f"they can't be measured: {error}"
        return why

    def _calls(self, item: pytest.Item) -> list[Call] | str:
        """What a test measures; in words why that is not known."""
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


def _declared(name: str, options: Mapping[str, Any], case: EvalCase, session: Session) -> list[Job]:
    return [session.job(case, name, dict(options))]
