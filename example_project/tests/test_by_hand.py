"""Cases built in the test itself."""

from __future__ import annotations

from rag import Ferry

from pytest_ragassert import (
    EvalCase,
    assert_citations,
    assert_criteria,
    assert_factual_f1,
    assert_faithful,
)


def test_moving_a_booking(ferry: Ferry) -> None:
    question = "What does it cost to move a booking to another day?"
    reply = ferry.ask(question)
    case = EvalCase(
        question=question,
        answer=reply.answer,
        retrieved_contexts=reply.contexts,
        retrieved_context_sources=reply.sources,
        ground_truth_answer="A booking can be moved once without charge.",
    )
    assert_faithful(case, min=1.0)  # a passage supports each claim
    assert_factual_f1(case, min=0.6)  # the answer may say a little more than the reference


def test_return_ticket_in_german(ferry: Ferry) -> None:
    question = "Was kostet die Rückfahrkarte?"
    case = EvalCase(
        question=question,
        answer=ferry.ask(question).answer,
        ground_truth_answer="Die Rückfahrkarte kostet 13,20 Pfund und gilt fünf Tage.",
    )
    assert_factual_f1(case)


def test_a_refund_has_a_date(ferry: Ferry) -> None:
    question = "When is my ticket refunded after you cancel a sailing?"
    case = EvalCase(question=question, answer=ferry.ask(question).answer)
    assert_criteria(case, 'says "ten working days"')  # what must hold, in words of one's own


def test_each_sentence_names_its_passage(ferry: Ferry) -> None:
    question = "When must my car check in, and where do late drivers wait?"
    reply = ferry.ask(question)
    case = EvalCase(
        question=question,
        answer=reply.cited,
        retrieved_contexts=reply.contexts,
        retrieved_context_sources=reply.sources,
    )
    assert_citations(case, min=1.0)  # "[2]" is what the second passage says


def test_passage_with_the_wind_limit_is_found(ferry: Ferry) -> None:
    """What needs no judge is a plain assertion."""
    contexts = ferry.ask("Does the Tern sail in strong wind?").contexts
    assert any("above 30 knots" in context for context in contexts)
