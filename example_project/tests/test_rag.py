"""What must hold of the ferry's answers."""

from __future__ import annotations

import pytest
from rag import Ferry

from pytest_ragassert import (
    EvalCase,
    assert_factual_f1,
    assert_factual_recall,
    assert_faithful,
)


@pytest.mark.rag_cases("cases.jsonl")
def test_answer_says_only_what_the_notices_say(rag_case: EvalCase) -> None:
    assert_faithful(rag_case)


@pytest.mark.rag_cases("cases.jsonl")
def test_answer_leaves_nothing_out(rag_case: EvalCase) -> None:
    assert_factual_recall(rag_case, min=0.8)


def test_residents_card(ferry: Ferry) -> None:
    question = "What does a residents' card cost?"
    reply = ferry.ask(question)
    case = EvalCase(
        question=question,
        answer=reply.answer,
        retrieved_contexts=reply.contexts,
        ground_truth_answer=(
            "A residents' card costs 45 pounds a year. After 1 October the card costs 25 pounds."
        ),
    )
    assert_faithful(case)
    assert_factual_f1(case, min=0.6)
