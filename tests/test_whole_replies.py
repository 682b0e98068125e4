"""Whether a reply is whole, judged without its question."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_ragassert.steps.catalogue import STEPS

from .commands.stored import FORMER_INPUTS, FORMER_REPLIES, HASHES, INPUTS, REPLIES, VERDICTS

FIRST, SECOND = FORMER_REPLIES["verify_claims"]["verdicts"]
QUOTE = FIRST["evidence"][0]
OWN = VERDICTS[0]
NAMED = OWN["evidence"][0]
OF_VERSION_1 = {**FIRST, "passage": 1, "quote": "a"}
del OF_VERSION_1["evidence"]
NONE: list[Any] = [None, [], {}, "text", 1]
SCORE = {"reason": None, "score": 90.0}


@pytest.mark.parametrize("step", STEPS)
def test_a_reply_in_normal_form_is_whole(step: str) -> None:
    assert STEPS[step].is_whole(REPLIES[step])
    assert STEPS[step].fits(INPUTS[step], REPLIES[step])
    assert not STEPS[step].is_kept_whole(REPLIES[step])


@pytest.mark.parametrize("step", FORMER_REPLIES)
def test_a_reply_to_a_whole_question_is_what_earlier_versions_kept(step: str) -> None:
    assert STEPS[step].is_kept_whole(FORMER_REPLIES[step])
    assert STEPS[step].fits(FORMER_INPUTS[step], FORMER_REPLIES[step])
    assert not STEPS[step].is_whole(FORMER_REPLIES[step])


@pytest.mark.parametrize(
    ("step", "reply"),
    [
        *[(step, reply) for step in STEPS for reply in NONE],
        *[(step, {**reply, "more": 1}) for step, reply in REPLIES.items()],
        ("verify_claims", {"verdicts": [OWN]}),
        ("verify_claims", {**OWN, "id": 1}),
        ("verify_claims", {**OWN, "verdict": "supported"}),
        ("verify_claims", {**OWN, "confidence": 2}),
        ("verify_claims", {**OWN, "reason": " "}),
        *[("verify_claims", {**OWN, name: False}) for name in ("conflict", "packed")],
        *[("verify_claims", {k: v for k, v in OWN.items() if k != name}) for name in OWN],
        *[("verify_claims", {**OWN, "evidence": value}) for value in (None, NAMED, [NAMED, NAMED])],
        *[
            ("verify_claims", {**OWN, "evidence": [{**NAMED, "passage": value}]})
            for value in (1, "1", True, HASHES[0][:31], HASHES[0].upper(), [HASHES[0]])
        ],
        ("verify_claims", {**OWN, "evidence": [{**NAMED, "quote": " a"}]}),
        ("verify_claims", {**OWN, "evidence": [{**NAMED, "more": 1}]}),
        ("verify_claims", {**OWN, "quote": "a", "passage": 1}),
        ("judge_passages", {"reason": None, "relevant": 1}),
        ("judge_passages", {"relevant": True}),
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
        *[
            ("check_criteria", {"reason": None, "quote": None, "met": "NO", **changed})
            for changed in (
                {"met": "no"},
                {"met": False},
                {"quote": ""},
                {"reason": " "},
                {"id": 1},
            )
        ],
        ("check_criteria", {"reason": None, "met": "NO"}),
    ],
)
def test_another_is_not(step: str, reply: Any) -> None:
    assert not STEPS[step].is_whole(reply)


@pytest.mark.parametrize(
    ("step", "reply"),
    [
        *[(step, reply) for step in FORMER_REPLIES for reply in NONE],
        *[(step, {**reply, "more": 1}) for step, reply in FORMER_REPLIES.items()],
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
    ],
)
def test_another_was_not_kept_for_a_whole_question(step: str, reply: Any) -> None:
    assert not STEPS[step].is_kept_whole(reply)


def test_what_a_verdict_may_say_besides_is_of_the_normal_form() -> None:
    for flag in ("conflict", "packed"):
        assert STEPS["verify_claims"].is_whole({**OWN, flag: True})
        assert STEPS["verify_claims"].is_kept_whole({"verdicts": [{**FIRST, flag: True}, SECOND]})
    unnamed = {**OWN, "evidence": [{**NAMED, "passage": None}]}
    assert STEPS["verify_claims"].is_whole(unnamed)


@pytest.mark.parametrize("quote", [{}, {"passage": None}, {"passage": None, "quote": None}])
def test_a_verdict_of_the_first_version_is_whole(quote: dict[str, Any]) -> None:
    assert STEPS["verify_claims"].is_kept_whole({"verdicts": [{**OF_VERSION_1, **quote}, SECOND]})


def test_any_number_of_questions_is_whole() -> None:
    for count in (0, 1, 7):
        questions = [f"Question {n}?" for n in range(count)]
        assert STEPS["generate_questions"].is_whole({"questions": questions})
