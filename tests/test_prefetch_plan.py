"""What is prepared next, how far ahead, and when no more: by rules over all orders of events."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_ragassert import EvalCase, Settings
from pytest_ragassert.engine.jobs import Job
from pytest_ragassert.engine.prefetch_plan import Place, Prefetch, PrefetchPlan, equal_cases
from pytest_ragassert.engine.session import Session


def jobs(folder: Path, *names: str) -> list[Job]:
    session = Session(Settings(judge="offline", cache_dir=folder))
    case = EvalCase(id="c", answer="It runs.")
    try:
        return [session.job(case, name, {}) for name in names]
    finally:
        session.close()


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> list[Job]:
    return jobs(tmp_path_factory.mktemp("store"), "faithfulness", "context_relevance")


def places(count: int, function: str = "f") -> list[Place]:
    return [Place(function, EvalCase(id=f"c{n}"), n, f"{function}[{n}]") for n in range(count)]


def taken(plan: PrefetchPlan) -> list[tuple[int, str]]:
    """All that may be prepared now."""
    found = []
    while (one := plan.next()) is not None:
        found.append((one.place.index, one.template.name))
    return found


def test_the_coming_places_follow_in_order_each_lesson_once(two: list[Job]) -> None:
    first, second = two
    of = places(4)
    plan = PrefetchPlan([of], windowed=False, wraps=False)
    plan.begin(of[0])
    assert plan.learn(of[0], first)
    assert not plan.learn(of[0], replace(first, case=of[1].case, minimum=0.1))
    assert taken(plan) == [(n, "faithfulness") for n in (1, 2, 3)]
    plan.begin(of[1])
    assert plan.learn(of[1], second)
    assert taken(plan) == [(n, "context_relevance") for n in (2, 3)]
    assert not plan.learn(of[2], first)
    assert taken(plan) == []


def test_what_is_declared_is_prepared_here_too(two: list[Job]) -> None:
    first, second = two
    of = places(2)
    plan = PrefetchPlan([of], windowed=False, wraps=False)
    plan.begin(of[0])
    plan.learn(of[0], first, [first, second])
    assert taken(plan) == [
        (0, "context_relevance"),
        (1, "faithfulness"),
        (1, "context_relevance"),
    ]


def test_in_workers_own_places_go_first_and_earlier_ones_last(two: list[Job]) -> None:
    of = places(6)
    plan = PrefetchPlan([of], windowed=False, wraps=True)
    plan.begin(of[2])
    plan.learn(of[2], two[0])
    plan.begin(of[2], following=of[5])
    assert taken(plan) == [(n, "faithfulness") for n in (5, 3, 4, 0, 1)]


def test_another_workers_stop_holds_here(two: list[Job]) -> None:
    f, g = places(3, "f"), places(3, "g")
    plan = PrefetchPlan([f, g], windowed=False, wraps=True)
    plan.learn(f[0], two[0])
    plan.learn(g[0], two[0])
    stopped = plan.next(lambda name: name == "f")
    assert stopped is not None
    assert stopped.place is g[1]
    assert taken(plan) == [(2, "faithfulness")]


def test_while_it_is_paused_nothing_is_prepared(two: list[Job]) -> None:
    of = places(3)
    plan = PrefetchPlan([of], windowed=False, wraps=False)
    plan.learn(of[0], two[0])
    plan.paused = True
    assert plan.next() is None
    plan.paused = False
    assert plan.next() is not None
    plan.close()
    assert plan.next() is None


@given(
    st.integers(2, 30),
    st.lists(st.sampled_from(["passes", "fails", "wastes"]), max_size=30),
    st.booleans(),
)
def test_how_far_ahead(two: list[Job], count: int, ends: list[str], windowed: bool) -> None:
    of = places(count)
    plan = PrefetchPlan([of], windowed=windowed, wraps=False)
    prepared: list[Prefetch] = []
    passed, stopped = 0, False
    for place, end in zip(of, ends, strict=False):
        plan.begin(place)
        plan.learn(place, two[0])
        while (one := plan.next()) is not None:
            assert not stopped
            one.sent.add(f"key {one.place.index}")
            prepared.append(one)
        reach = place.index + 2 + passed if windowed else count
        assert all(one.place.index <= reach for one in prepared)
        if not stopped:
            assert len(prepared) == min(count - 1, reach)
        if end == "passes":
            passed += 1
            plan.passed(place)
        mine = [one for one in prepared if one.place is place]
        useless, stops = plan.end(place, (lambda _: False) if end == "wastes" else bool)
        assert stops == (end == "wastes" and bool(mine) and not stopped)
        if stops:
            stopped = True
            assert set(useless) == {one for one in prepared if one.place.index >= place.index}


def test_equal_by_value() -> None:
    class Odd:
        def __eq__(self, other: object) -> bool:
            raise ValueError("neither true nor false")

        __hash__ = None  # type: ignore[assignment]  # it can't be told by value

    case = EvalCase(id="c", answer="It runs.", metadata={"n": [1]})
    same = case.fresh()
    same.results["faithfulness"] = None  # type: ignore[assignment]  # any result
    assert equal_cases(same, case)
    same.metadata["n"].append(2)
    assert not equal_cases(same, case)
    open = EvalCase(id="c", metadata={"n": [1]})
    assert not equal_cases(case, open)
    assert equal_cases(case, open, {"answer": "It runs."})
    assert not equal_cases(EvalCase(metadata={"n": Odd()}), EvalCase(metadata={"n": Odd()}))
