"""A generated project: cases that a loopback judge finds right, and the tests that use them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

TESTS = """\
import pytest
from pytest_ragassert import assert_factual_f1, assert_faithful


@pytest.mark.rag_cases("cases.jsonl")
def test_faithful(rag_case):
    assert_faithful(rag_case)
"""
CHUNKS, CHUNKS_OF_SIX = 2, 5
F1_TESTS = """\


@pytest.mark.rag_cases("cases.jsonl")
def test_factual_f1(rag_case):
    assert_factual_f1(rag_case)
"""
SIX = {
    "faithfulness": 0.8,
    "factual_f1": 0.7,
    "context_recall": 0.8,
    "context_precision": 0.7,
    "context_relevance": 0.5,
    "answer_relevancy": 0.0,  # vectors of a loopback judge mean nothing
}
RAG_TESTS = """\
import pytest
from pytest_ragassert import assert_rag


@pytest.mark.rag_cases("cases.jsonl")
def test_answer(rag_case):
    assert_rag(rag_case, **{minimums})
"""
EMPTY_TESTS = """\
import pytest


@pytest.mark.parametrize("number", range({count}))
def test_nothing(number):
    pass
"""
# Requests for a case; of six metrics two check the same claims against the same passages, as the
# reference says what the answer says.
OF_FAITHFULNESS, OF_SIX = 2, 8
QUESTIONS = 5  # of a case: faithfulness 2, factual F1 4, the answer's claims shared


def write_project(folder: Path, cases: int, *, f1: bool) -> None:
    """Write the cases, a test of faithfulness and, with `f1`, one of factual F1."""
    (folder / "test_rag.py").write_text(TESTS + (F1_TESTS if f1 else ""))
    _write_cases(folder, cases, CHUNKS)


def write_rag_project(folder: Path, cases: int, minimums: Mapping[str, float]) -> None:
    """Write cases of five chunks, and a test of these metrics, measured together."""
    (folder / "test_rag.py").write_text(RAG_TESTS.format(minimums=dict(minimums)))
    _write_cases(folder, cases, CHUNKS_OF_SIX)


def _write_cases(folder: Path, cases: int, chunks: int) -> None:
    lines = (json.dumps(_case(number, chunks)) + "\n" for number in range(cases))
    (folder / "cases.jsonl").write_text("".join(lines))


def _case(number: int, chunks: int) -> dict[str, object]:
    house, price, hour = f"House {number}", 100 + number, number % 12 + 1
    price_line = f"{house} charges {price} pounds for a room with breakfast."
    hour_line = f"Guests of {house} check out at {hour}:00."
    others = f"{house} stands near the harbour. Parking behind {house} is free."
    more = [
        f"Room {room} of {house} looks over the garden. It sleeps {room}. Its bath was renewed."
        for room in range(1, chunks - CHUNKS + 1)
    ]
    return {
        "id": f"house-{number}",
        "question": f"What does {house} charge, and when do guests check out?",
        "answer": f"{price_line} {hour_line}",
        "retrieved_contexts": [f"{price_line} {others}", f"{hour_line} Dogs are welcome.", *more],
        "ground_truth_answer": f"{hour_line} {price_line} ",
    }
