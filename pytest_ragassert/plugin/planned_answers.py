"""Gets the answers to the cases of a plan: recorded ones, or the application's."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

import pytest

from ..judging.calls.user_calls import error_text
from ..report.answer_lines import planned_lines
from ..storage.recorded_answers import sort_answers
from .answer_hook import FILLED, fill, fill_answer, filled_ahead, waits_for_answer
from .collected_tests import MARKER, collected_case, is_skipped
from .project_hooks import implementers
from .recorded_answers import ANSWERED, fields_of, input_hash

if TYPE_CHECKING:
    from ..case import EvalCase
    from ..engine.session import Session
    from .run import Run

_BY_HOOK = (
    "their answers come from pytest_ragassert_answer, which a plan does not call (use "
    "--ragassert-plan-answers)"
)


class PlannedAnswers:
    """Provides answers to cases without one, and counts where they come from.

    Args:
        session: the run's session, for hooks.

    Raises:
        ConfigurationError: the recorded answers cannot be read.
    """

    def __init__(self, run: Run, session: Session) -> None:
        self._run = run
        self._session = session
        # hashes of the cases
        self._recorded: set[tuple[str, str]] = set()
        self._given: set[tuple[str, str]] = set()
        if run.recorded_answers is not None:
            # a damaged file ends the plan; no test is to blame
            _ = run.recorded_answers.at_start

    def ask_ahead(self, items: Sequence[pytest.Item]) -> None:
        """Call async hooks for many cases at a time, if the application is asked at all."""
        run = self._run
        if not run.plans_with_answers:
            return
        limit = asyncio.Semaphore(self._session.settings.concurrency)

        async def ask(item: pytest.Item, template: EvalCase) -> None:
            async with limit:
                await filled_ahead(template.fresh(), item, run, run.failed_answers)

        waiting: dict[tuple[str, str], tuple[pytest.Item, EvalCase]] = {}
        for item in items:
            case = collected_case(item)
            if case is None or is_skipped(item) or item.get_closest_marker(MARKER) is None:
                continue
            if waits_for_answer(case, item, run) and all(
                one.is_async for one in implementers(item)
            ):
                # several tests of a case share one call
                waiting.setdefault(_name(case), (item, case))

        async def ask_all() -> None:
            await asyncio.gather(*(ask(item, case) for item, case in waiting.values()))

        if waiting:
            self._session.wait_for(ask_all())

    def filled(self, template: EvalCase, item: pytest.Item) -> tuple[EvalCase, str | None]:
        """The case with its answer, and the reason if it has none although a hook could provide
        one.
        """
        run, case = self._run, template.fresh()
        if not waits_for_answer(case, item, run):
            return case, None
        try:
            if run.plans_with_answers:
                return self._asked(case, item), None
            if run.recorded_answers is not None:
                found = run.recorded_answers.wanted(case, item).recorded()
                if found is not None and not found.is_empty:
                    self._recorded.add(_name(case))
                    fill(case, fields_of(found))
                    return case, None
        except (Exception, pytest.fail.Exception, pytest.skip.Exception) as error:
            return template.fresh(), f"their cases have no answer: {error_text(error)}"
        return case, _BY_HOOK if implementers(item) else None

    def _asked(self, case: EvalCase, item: pytest.Item) -> EvalCase:
        name = _name(case)
        fill_answer(case, item, self._run)
        if item.stash.get(FILLED, None):
            told = item.stash.get(ANSWERED, None)
            recorded = told is not None and told.get("origin") == "recorded"
            (self._recorded if recorded else self._given).add(name)
        return case

    def is_case_of(self, item: pytest.Item, collected: str) -> bool:
        """Whether the item's case is the same as when its test last ran.

        Args:
            collected: the hash of the case in that run; empty: unknown.
        """
        case = collected_case(item)
        return case is None or not collected or input_hash(case) == collected

    def lines(self) -> list[str]:
        """The plan's lines on the answers; also sorts the recorded ones."""
        answers, trouble = self._run.recorded_answers, None
        if answers is not None and self._given:
            try:
                sort_answers(answers.path)
            except OSError as error:
                trouble = f"{answers.path} cannot be written: {error.strerror or error}"
        file = None if answers is None else answers.path.name
        return planned_lines(len(self._recorded), len(self._given), file, trouble)


def _name(case: EvalCase) -> tuple[str, str]:
    return case.id or "", input_hash(case)
