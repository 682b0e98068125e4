"""A generated project: cases that a loopback judge finds right, and the tests that use them."""

from __future__ import annotations

import json
from pathlib import Path

TESTS = """\
import pytest
from pytest_ragassert import assert_factual_f1, assert_faithful


@pytest.mark.rag_cases("cases.jsonl")
def test_faithful(rag_case):
    assert_faithful(rag_case)
"""
F1_TESTS = """\


@pytest.mark.rag_cases("cases.jsonl")
def test_factual_f1(rag_case):
    assert_factual_f1(rag_case)
"""
EMPTY_TESTS = """\
import pytest


@pytest.mark.parametrize("number", range({count}))
def test_nothing(number):
    pass
"""
QUESTIONS = 5  # of a case: faithfulness 2, factual F1 4, the answer's claims shared


def write_project(folder: Path, cases: int, *, f1: bool) -> None:
    """Write the cases, a test of faithfulness and, with `f1`, one of factual F1."""
    (folder / "test_rag.py").write_text(TESTS + (F1_TESTS if f1 else ""))
    lines = (json.dumps(_case(number)) + "\n" for number in range(cases))
    (folder / "cases.jsonl").write_text("".join(lines))


def _case(number: int) -> dict[str, object]:
    house, price, hour = f"House {number}", 100 + number, number % 12 + 1
    price_line = f"{house} charges {price} pounds for a room with breakfast."
    hour_line = f"Guests of {house} check out at {hour}:00."
    others = f"{house} stands near the harbour. Parking behind {house} is free."
    return {
        "id": f"house-{number}",
        "question": f"What does {house} charge, and when do guests check out?",
        "answer": f"{price_line} {hour_line}",
        "retrieved_contexts": [f"{price_line} {others}", f"{hour_line} Dogs are welcome."],
        "ground_truth_answer": f"{hour_line} {price_line} ",
    }
