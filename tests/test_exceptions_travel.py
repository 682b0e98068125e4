"""Exceptions and results can be pickled and copied with all that they hold, and print short."""

from __future__ import annotations

import copy
import pickle
import re
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import pytest

import pytest_ragassert
from pytest_ragassert import (
    ClaimVerdict,
    ConfigurationError,
    EvalCase,
    JudgeError,
    MetricResult,
    MissingFieldError,
    RagAssertionError,
    Settings,
    Verdict,
    VerdictMissing,
)
from pytest_ragassert.case_mistakes import CaseMistakes
from pytest_ragassert.judging.judges.openai.error_body import ServerError
from pytest_ragassert.judging.judges.openai.openai_client import RefusedRequest
from pytest_ragassert.usage import Usage

from .runs.projects import Project, new_project

project = pytest.fixture(new_project)

CLAIM = ClaimVerdict(text="t", verdict=Verdict.NO_EVIDENCE, label_raw=Verdict.CONTRADICTORY)
RESULT = MetricResult(metric="faithfulness", score=0.5, claims=[CLAIM], details={"a": [1]})


class Own(JudgeError):
    def __init__(self, one: int, *, two: int) -> None:
        super().__init__(f"{one} and {two}", kind="quota", ends_judging=True)
        self.two = two


def paid() -> JudgeError:
    error = JudgeError("late", kind="timeout", ends_judging=True)
    error.usage = Usage(requests=3)
    return error


ERRORS = [
    RagAssertionError("low", [RESULT]),
    paid(),
    Own(1, two=2),
    RefusedRequest("no", ServerError(400, {"error": {}}), kind="request"),
    VerdictMissing("gone", {"key": "k", "others": {}}),
    MissingFieldError("a field"),
    ConfigurationError("no judge"),
    CaseMistakes("'c'", ["two", "mistakes"]),
]
WAYS: list[Callable[[Any], Any]] = [
    copy.copy,
    copy.deepcopy,
    *(lambda one, p=p: pickle.loads(pickle.dumps(one, p)) for p in range(pickle.HIGHEST_PROTOCOL)),
]


@pytest.mark.parametrize("error", ERRORS, ids=lambda one: type(one).__name__)
@pytest.mark.parametrize("way", WAYS)
def test_errors_travel_whole(error: Exception, way: Callable[[Any], Any]) -> None:
    again = way(error)
    assert type(again) is type(error)
    assert (str(again), again.args, again.__dict__) == (str(error), error.args, error.__dict__)
    assert way(type(error)) is type(error)


def raise_error(number: int) -> None:
    raise ERRORS[number]


def test_errors_leave_a_process() -> None:
    with ProcessPoolExecutor(1) as processes:
        for number, error in enumerate(ERRORS):
            with pytest.raises(type(error)) as raised:
                processes.submit(raise_error, number).result()
            told = {k: v for k, v in raised.value.__dict__.items() if k != "__notes__"}
            assert told == error.__dict__


@pytest.mark.parametrize(
    "value",
    [
        EvalCase(id="c", answer="A.", retrieved_contexts=["A."], results={"faithfulness": RESULT}),
        Settings(judge="offline", api_key="sk-some-key", minimums={"faithfulness": 0.5}),
        RESULT,
        CLAIM,
    ],
    ids=lambda one: type(one).__name__,
)
@pytest.mark.parametrize("way", WAYS)
def test_cases_settings_and_results_travel_whole(value: Any, way: Callable[[Any], Any]) -> None:
    assert way(value) == value


def test_every_exception_says_where_it_is_imported_from() -> None:
    public = [getattr(pytest_ragassert, name) for name in pytest_ragassert.__all__]
    errors = [one for one in public if isinstance(one, type) and issubclass(one, Exception)]
    assert len(errors) == 6
    for error in errors:
        assert getattr(__import__(error.__module__, fromlist=["x"]), error.__name__) is error


def test_reports_name_them_short(project: Project) -> None:
    project.test(
        """
        import pytest_ragassert
        from ferry import BAD, case
        import pytest

        def test_low():
            pytest_ragassert.assert_faithful(case("c", BAD))

        def test_chained():
            try:
                raise pytest_ragassert.JudgeError("first")
            except pytest_ragassert.JudgeError as error:
                raise pytest_ragassert.ConfigurationError from error

        def test_in_a_fixture(broken): ...

        @pytest.fixture
        def broken():
            raise pytest_ragassert.MissingFieldError("no field")
        """
    )
    project.test("import pytest_ragassert\nraise pytest_ragassert.JudgeError('here')", "test_bad")
    for style in ("long", "short", "line", "native"):
        result = project.run(f"--tb={style}", "--continue-on-collection-errors")
        lines = [one for one in result.outlines if "pytest_ragassert." in one]
        # what is left is source code
        assert all(re.search(r"^ *(>  )?.*(raise|except|assert_f)", line) for line in lines), lines
        assert any(" - faithfulness 0." in line for line in result.outlines)
        assert any(
            line.startswith("ERROR test_bad.py - JudgeError: here") for line in result.outlines
        )
