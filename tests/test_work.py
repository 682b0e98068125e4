"""Work that asks the judge without measuring a case: in order, and no further than judging goes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pytest_ragassert import JudgeError, Settings
from pytest_ragassert.engine.request_estimate import Plan
from pytest_ragassert.engine.session import Session
from pytest_ragassert.engine.work import Begin, Done, plan_through, work_through
from pytest_ragassert.metrics.metric import Ask


class Judge:
    id = "scripted"

    def __init__(self) -> None:
        self.answers: list[str] = []

    def run(self, step: Any, input: dict[str, Any]) -> str:
        self.answers.append(input["answer"])
        if input["answer"] == "unreadable":
            return "?"
        return json.dumps({"reason": "", "score": 1 if input["answer"] == "good" else 0})


@pytest.fixture
def judge() -> Judge:
    return Judge()


@pytest.fixture
def session_of(judge: Judge, tmp_path: Path) -> Iterator[Callable[..., Session]]:
    made: list[Session] = []

    def make(**options: Any) -> Session:
        settings = Settings(judge="mine", cache_dir=tmp_path, **options)
        made.append(Session(settings, make_judge=lambda _: judge))
        return made[-1]

    yield make
    for session in made:
        session.close()


def rating(answer: str) -> Begin[float]:
    async def rated(ask: Ask) -> float:
        score = (await ask("rate_relevance", {"question": "Why?", "answer": answer}))["score"]
        return float(score)

    return rated


def test_outcomes_are_in_order_with_what_each_asked(
    session_of: Callable[..., Session], judge: Judge
) -> None:
    seen: list[Done[float]] = []
    answers = ["good", "bad", "unreadable", "good"]
    outcomes = work_through(session_of(), [rating(one) for one in answers], seen.append)
    done = [one for one in outcomes if one is not None]
    assert [one.value for one in done] == [1.0, 0.0, None, 1.0]
    assert [type(one.error) for one in done] == [type(None), type(None), JudgeError, type(None)]
    assert all(one.asked for one in done)
    assert sorted(map(id, seen)) == sorted(map(id, done))
    assert judge.answers.count("good") == 1


def test_nothing_is_begun_after_the_end_of_judging(
    session_of: Callable[..., Session], judge: Judge
) -> None:
    session = session_of(max_calls=2, concurrency=1)
    outcomes = work_through(session, [rating(f"answer {number}") for number in range(40)])
    begun = [one for one in outcomes if one is not None]
    assert len(judge.answers) == 2
    assert [one.value for one in begun[:2]] == [0.0, 0.0]
    assert begun[2].ends_judging
    assert len(begun) < 40


def test_an_error_of_the_work_itself_is_raised(session_of: Callable[..., Session]) -> None:
    async def wrong(ask: Ask) -> float:
        raise ZeroDivisionError

    begun: list[int] = []

    def counted(number: int) -> Begin[float]:
        async def one(ask: Ask) -> float:
            begun.append(number)
            return 0.0

        return one

    with pytest.raises(ZeroDivisionError):
        work_through(session_of(concurrency=1), [wrong, *map(counted, range(40))])
    assert len(begun) < 40


def test_a_plan_asks_nobody(session_of: Callable[..., Session], judge: Judge) -> None:
    session, plan = session_of(), Plan()
    work_through(session, [rating("good")])
    asked = len(judge.answers)
    outcomes = plan_through(session, plan, [rating("good"), rating("new")])
    assert [one and one.value for one in outcomes] == [1.0, 1.0]
    assert (len(plan.stored), len(plan.to_ask)) == (1, 1)
    assert len(judge.answers) == asked


def test_no_work_is_no_outcome(session_of: Callable[..., Session]) -> None:
    assert work_through(session_of(), []) == []
