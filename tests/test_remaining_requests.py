"""How many judgements are to come, and what the line on a terminal makes of it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_ragassert.analysis.records.row_types import MeasuredRow
from pytest_ragassert.report.progress_line import ProgressLine
from pytest_ragassert.report.remaining_requests import Outlook, SeenTests

from .measured import result
from .measured import row as measured_row


def row(*keys: str, stored: bool = False, embedding: bool = False) -> MeasuredRow:
    asked = [
        {"key": key, "question": key, "stored": stored, "embedding": embedding} for key in keys
    ]
    return measured_row(result("faithfulness"), asked=asked)


def test_tests_to_come_ask_as_many_as_those_of_their_function() -> None:
    seen = SeenTests()
    seen.collect([*(f"test_a.py::test_rag[{n}]" for n in "abcd"), "test_b.py::test_other"])
    assert seen.outlook() == Outlook(0, 0, 0, False)
    seen.end("test_a.py::test_rag[a]", [row("1", "2"), row("2", "3")])
    assert seen.outlook() == Outlook(3, 0, 9, False)
    # one is the same; of a vector nobody asks the judge
    seen.end("test_a.py::test_rag[b]", [row("3"), row("4", stored=True), row("5", embedding=True)])
    assert seen.outlook() == Outlook(4, 1, 4, False)
    seen.end("test_b.py::test_other", [])
    assert seen.outlook() == Outlook(4, 1, 4, True)


def test_another_try_of_a_test_is_no_other_test() -> None:
    seen = SeenTests()
    seen.collect(["t.py::test[1]", "t.py::test[2]"])
    seen.end("t.py::test[1]", [row("1")])
    seen.end("t.py::test[1]", [row("1")])
    assert seen.outlook() == Outlook(1, 0, 1, True)


@given(st.integers(1, 6), st.lists(st.sets(st.integers(0, 9)), min_size=1, max_size=12))
def test_at_the_end_nothing_is_to_come(functions: int, asked: list[set[int]]) -> None:
    seen = SeenTests()
    tests = [f"t.py::test_{n % functions}[{n}]" for n in range(len(asked))]
    seen.collect(tests)
    for test, keys in zip(tests, asked, strict=True):
        assert seen.outlook().coming >= 0
        seen.end(test, [row(*map(str, keys))])
    assert seen.outlook() == Outlook(len(set().union(*asked)), 0, 0, True)


@pytest.mark.parametrize(
    ("outlook", "told"),
    [
        (Outlook(0, 0, 0, False), "ragassert: 128 asked, 0 stored, 16 in flight"),
        (Outlook(150, 62, 312, True), "ragassert: 128/400 asked, 62 stored, 16 in flight"),
        (Outlook(150, 62, 312, False), "ragassert: 128/400+ asked, 62 stored, 16 in flight"),
        # asked ahead of what tests used
        (Outlook(20, 0, 2, True), "ragassert: 128/128 asked, 0 stored, 16 in flight"),
    ],
)
def test_the_line_says_what_is_known(outlook: Outlook, told: str) -> None:
    assert ProgressLine().text(0.0, 128, 16, outlook) == told


@pytest.mark.parametrize(
    ("left", "all_seen", "told"),
    [
        (200, True, "about 20 s left"),
        (200, False, "at least 20 s left"),
        (1, True, "about 1 s left"),
        (1900, True, "about 3 min left"),
        (200_000, True, "about 6 h left"),
    ],
)
def test_the_time_left_goes_by_the_pace_of_the_last_seconds(
    left: int, all_seen: bool, told: str
) -> None:
    line = ProgressLine()
    # what was before does not count: the first answers took long
    assert "left" not in line.text(0.0, 1, 4, Outlook(1, 0, left, all_seen))
    assert "left" not in line.text(100.0, 2, 4, Outlook(1, 0, left, all_seen))
    assert "left" not in line.text(100.5, 50, 4, Outlook(50, 0, left, all_seen))
    # ten a second, five of them stored ones
    text = line.text(110.0, 52, 4, Outlook(102, 50, left, all_seen))
    assert text.endswith(f" in flight, {told}")


def test_no_time_is_told_where_nothing_is_left_or_nothing_moves() -> None:
    line = ProgressLine()
    for now in (0.0, 5.0, 10.0):
        assert "left" not in line.text(now, 3, 1, Outlook(3, 0, 9, True))
    assert "left" not in line.text(12.0, 12, 1, Outlook(12, 0, 0, True))
