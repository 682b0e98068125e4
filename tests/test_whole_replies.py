"""Whether a reply is whole, judged without its question."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_ragassert.steps.catalogue import STEPS

from .commands.stored import INPUTS, REPLIES, VERDICTS

FIRST, SECOND = VERDICTS["verdicts"]
QUOTE = FIRST["evidence"][0]
OF_VERSION_1 = {**FIRST, "passage": 1, "quote": "a"}
del OF_VERSION_1["evidence"]
NONE: list[Any] = [None, [], {}, "text", 1]
SCORE = {"reason": None, "score": 90.0}


@pytest.mark.parametrize("step", STEPS)
def test_a_reply_in_normal_form_is_whole(step: str) -> None:
    assert STEPS[step].is_whole(REPLIES[step])
    if step != "judge_passages":
        assert STEPS[step].fits(INPUTS[step], REPLIES[step])


@pytest.mark.parametrize(
    ("step", "reply"),
    [
        *[(step, reply) for step in STEPS for reply in NONE],
        *[(step, {**reply, "more": 1}) for step, reply in REPLIES.items()],
        ("verify_claims", {"verdicts": [FIRST, FIRST]}),
        ("verify_claims", {"verdicts": [{**FIRST, "verdict": "supported"}]}),
        ("verify_claims", {"verdicts": [{**FIRST, "confidence": 2}]}),
        ("verify_claims", {"verdicts": [{**FIRST, "id": "1"}]}),
        ("verify_claims", {"verdicts": [{**FIRST, "id": True}]}),
        ("verify_claims", {"verdicts": [{**FIRST, "extra": 1}]}),
        ("verify_claims", {"verdicts": [{**FIRST, "evidence": None}]}),
        ("verify_claims", {"verdicts": [{**FIRST, "evidence": QUOTE}]}),
        ("verify_claims", {"verdicts": [{**FIRST, "evidence": [QUOTE, QUOTE]}]}),
        ("verify_claims", {"verdicts": [{**FIRST, "evidence": [{**QUOTE, "passage": "1"}]}]}),
        ("verify_claims", {"verdicts": [{**FIRST, "evidence": [{**QUOTE, "passage": True}]}]}),
        ("verify_claims", {"verdicts": [{**FIRST, "evidence": [{**QUOTE, "quote": " a"}]}]}),
        ("verify_claims", {"verdicts": [{**FIRST, "quote": "a", "passage": 1}]}),
        ("verify_claims", {"verdicts": [{**OF_VERSION_1, "passage": "1"}]}),
        ("verify_claims", {"verdicts": [{**OF_VERSION_1, "quote": " a"}]}),
        ("verify_claims", {"verdicts": {"1": FIRST}}),
        ("judge_passages", {"passages": [{"id": 1, "reason": None, "relevant": 1}]}),
        ("extract_claims", {"claims": "It runs"}),
        ("extract_claims", {"claims": [" "]}),
        ("extract_claims", {"claims": ["It runs", " It stops"]}),
        ("extract_claims", {"claims": [1]}),
        ("extract_claims", {"claims": [{"sentence": 1, "text": "It runs"}]}),
        ("generate_questions", {"questions": [" "]}),
        ("generate_questions", {"questions": ["a?", ""]}),
        ("generate_questions", {"questions": [1]}),
        ("rate_relevance", {"reason": None, "score": 1.5}),
        ("rate_relevance", {"reason": None, "score": "1"}),
        ("rate_relevance", {"score": 1.0}),
        ("grade_accuracy", {"correctness": SCORE, "completeness": SCORE}),
        ("classify_answer", {"reason": None, "label": "correct"}),
    ],
)
def test_another_is_not(step: str, reply: Any) -> None:
    assert not STEPS[step].is_whole(reply)


def test_a_conflict_is_of_the_normal_form() -> None:
    assert STEPS["verify_claims"].is_whole({"verdicts": [{**FIRST, "conflict": True}, SECOND]})


@pytest.mark.parametrize("quote", [{}, {"passage": None}, {"passage": None, "quote": None}])
def test_a_verdict_of_the_first_version_is_whole(quote: dict[str, Any]) -> None:
    assert STEPS["verify_claims"].is_whole({"verdicts": [{**OF_VERSION_1, **quote}, SECOND]})


def test_any_number_of_questions_is_whole() -> None:
    for count in (0, 1, 7):
        questions = [f"Question {n}?" for n in range(count)]
        assert STEPS["generate_questions"].is_whole({"questions": questions})
