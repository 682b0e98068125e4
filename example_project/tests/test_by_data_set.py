"""What must hold of the answers to the questions in cases.jsonl: one test for each case."""

from __future__ import annotations

from pathlib import Path

import pytest
from rag import DONT_KNOW

from pytest_ragassert import (
    EvalCase,
    assert_factual_recall,
    assert_faithful,
    assert_mrr,
    load_cases,
)

# files of ragas, DeepEval, promptfoo and others are read as they are: docs/how-to/other-tools.md
CASES = load_cases(Path(__file__).parent.parent / "cases.jsonl")
ANSWERABLE = [case for case in CASES if case.metadata.get("answerable", True)]
UNANSWERABLE = [case for case in CASES if case not in ANSWERABLE]


@pytest.mark.rag_cases(ANSWERABLE)
def test_answer_says_only_what_the_passages_say(rag_case: EvalCase) -> None:
    assert_faithful(rag_case)


@pytest.mark.rag_cases(ANSWERABLE)
def test_answer_leaves_nothing_out(rag_case: EvalCase) -> None:
    assert_factual_recall(rag_case)


@pytest.mark.rag_cases(ANSWERABLE)
def test_right_passage_is_found(rag_case: EvalCase) -> None:
    assert_mrr(rag_case)  # the right id is first or second; no judge is asked


@pytest.mark.rag_cases(UNANSWERABLE)
def test_what_the_notices_do_not_say_is_not_known(rag_case: EvalCase) -> None:
    assert rag_case.answer == DONT_KNOW[rag_case.metadata.get("language", "en")]
