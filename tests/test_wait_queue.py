"""Who goes next: who is waited for, then who leads to others, then who came first."""

from __future__ import annotations

from functools import partial
from operator import contains

from hypothesis import given
from hypothesis import strategies as st

from pytest_ragassert.judging.scheduling.semaphore import WaitQueue


def order_of(queue: WaitQueue[str]) -> list[str]:
    order = []
    while queue:
        waiter = queue.pop()
        assert waiter is not None
        order.append(waiter)
    assert queue.pop() is None
    return order


def test_who_is_waited_for_goes_before_who_leads_and_who_came_first() -> None:
    queue = WaitQueue[str](lambda waiter: True)
    for name in ("ahead", "ahead-leads", "waited", "waited-leads", "waited-late", "ahead-late"):
        queue.put(name, leads="leads" in name, waited=partial(contains, name, "waited"))
    assert order_of(queue) == [
        "waited-leads",
        "waited",
        "waited-late",
        "ahead-leads",
        "ahead",
        "ahead-late",
    ]


def test_who_comes_to_be_waited_for_goes_before_the_others() -> None:
    waited = {"d"}
    queue = WaitQueue[str](lambda waiter: True)
    for name in "abcde":
        queue.put(name, leads=False, waited=partial(contains, waited, name))
    assert queue.pop() == "d"
    waited.add("c")
    assert order_of(queue) == ["c", "a", "b", "e"]


@given(
    st.lists(st.tuples(st.booleans(), st.booleans(), st.booleans())),
    st.lists(st.integers(0, 9)),
)
def test_who_wants_its_turn_gets_it_once(
    waiters: list[tuple[bool, bool, bool]], gone: list[int]
) -> None:
    queue = WaitQueue[int](lambda number: number not in gone)
    become: set[int] = set()
    for number, (leads, waited, becomes) in enumerate(waiters):
        queue.put(
            number,
            leads=leads,
            waited=partial(contains, range(len(waiters)) if waited else become, number),
        )
        if becomes:
            become.add(number)
    order = []
    while (next_one := queue.pop()) is not None:
        order.append(next_one)
    wanting = [number for number in range(len(waiters)) if number not in gone]
    assert sorted(order) == wanting
    assert not queue

    def rank(number: int) -> tuple[bool, bool]:
        leads, waited, _ = waiters[number]
        return not (waited or number in become), not leads

    assert [rank(number) for number in order] == sorted(rank(number) for number in wanting)
