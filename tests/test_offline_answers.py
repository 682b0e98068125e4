"""The offline judge on passages and answers, in four languages, by words alone."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_ragassert.errors import ConfigurationError
from pytest_ragassert.judging.judges.offline.offline_judge import OfflineJudge
from pytest_ragassert.steps.catalogue import STEPS

JUDGE = OfflineJudge()


def said(step: str, **input: Any) -> dict[str, Any]:
    """The reply in its normal form, as a metric gets it."""
    reply = json.loads(JUDGE.run(STEPS[step], input))
    for part in (reply, *reply.get("passages", ()), *map(reply.get, CRITERIA)):
        assert len((part or {}).get("reason", "")) < 160
    return dict(STEPS[step].read(input, reply).reply)


CRITERIA = ("correctness", "completeness", "consistency")
# A question, its answer in full and in short, a wrong and an unrelated one, and not knowing.
LANGUAGES = {
    "en": (
        "How often does the ferry run?",
        "The ferry runs every 40 minutes.",
        "40 minutes",
        "The ferry runs every 30 minutes.",
        "The library has many books.",
        "I'm sorry, but I don't know.",
    ),
    "de": (
        "Wie oft fährt die Fähre?",
        "Die Fähre fährt alle 40 Minuten.",
        "40 Minuten",
        "Die Fähre fährt alle 30 Minuten.",
        "Die Bücherei hat viele Bücher.",
        "Das weiß ich leider nicht.",
    ),
    "ru": (
        "Как часто ходит паром?",
        "Паром ходит каждые 40 минут.",
        "40 минут",
        "Паром ходит каждые 30 минут.",
        "В библиотеке много книг.",
        "К сожалению, я не знаю.",
    ),
    "zh": (
        "渡轮多久一班？",
        "渡轮每40分钟一班。",
        "40分钟",
        "渡轮每30分钟一班。",
        "图书馆有很多书。",
        "抱歉，我不知道。",
    ),
}
SPOKEN = pytest.mark.parametrize("language", LANGUAGES)


def test_questions_need_a_model() -> None:
    with pytest.raises(ConfigurationError, match=r'model.*answer_relevancy\(method="direct"\)'):
        JUDGE.run(STEPS["generate_questions"], {"answer": "In May.", "n": 3})


# -- kinds of answer -------------------------------------------------------------------------------


def kind(question: str, reference: str, answer: str) -> tuple[str, str]:
    reply = said("classify_answer", question=question, reference=reference, answer=answer)
    return reply["label"], reply["reason"]


@SPOKEN
def test_each_kind_of_answer_is_told(language: str) -> None:
    question, full, short, wrong, unrelated, unknown = LANGUAGES[language]
    labels = [kind(question, full, a)[0] for a in (full, short, wrong, unrelated, unknown)]
    assert labels == ["CORRECT", "CORRECT", "WRONG", "WRONG", "DONT_KNOW"]
    assert "contradicted by the reference" in kind(question, full, wrong)[1]
    assert "not stated" in kind(question, full, unrelated)[1]


@pytest.mark.parametrize(
    ("question", "reference", "answer", "label", "reason"),
    [
        ("How often?", "The ferry runs every 40 minutes.", "Every forty minutes.", "CORRECT", ""),
        ("How often?", "The ferry runs every 40 minutes.", "The ferry runs.", "WRONG", "40 min"),
        ("Where is it?", "The office is in Delhi.", "Delhi", "CORRECT", "1 claim"),
        ("Where is it?", "The office is in Delhi.", "Mumbai", "WRONG", "delhi"),
        ("What colour is the tram?", "The tram is yellow.", "Yellow", "CORRECT", ""),
        ("What colour is the tram?", "The tram is yellow.", "The tram.", "WRONG", "0 of 1"),
        (
            "Which tomb is it?",
            "It is the Tomb of the Unknown Soldier.",
            "The Tomb of the Unknown Soldier",
            "CORRECT",
            "",
        ),
        ("When?", "The fee is 5 euros. The ferry runs daily.", "5 euros", "WRONG", "runs daily"),
        (
            "What is the fee?",
            "The ferry fee is 5 euros.",
            "I'm not sure, but the ferry fee is 5 euros.",
            "CORRECT",
            "",
        ),
        ("What is the fee?", "The fee is 5 euros.", "", "DONT_KNOW", "no sentence"),
        (
            "How often does the ferry run?",
            "The ferry runs every 40 minutes in the summer.",
            "Die Fähre fährt im Sommer alle vierzig Minuten und ist rot.",
            "WRONG",
            "English can't be compared with German",
        ),
        ("Are dogs allowed?", "Dogs are not allowed.", "Dogs are allowed.", "WRONG", "contra"),
        ("Are dogs allowed?", "Dogs are not allowed.", "No.", "CORRECT", "answer negates"),
        ("Are dogs allowed?", "Dogs are allowed.", "No, they aren't.", "WRONG", "affirms"),
        ("Are dogs allowed?", "Yes.", "Dogs are allowed.", "CORRECT", "affirms"),
        ("Dürfen Hunde mit?", "Nein, Hunde dürfen nicht mit.", "Nein", "CORRECT", ""),
        ("Можно с собакой?", "Да, с собакой можно.", "Нет", "WRONG", "answer negates"),
        ("可以带狗吗？", "可以带狗。", "没错。", "CORRECT", "affirms"),
        ("可以带狗吗？", "可以带狗。", "不可以。", "WRONG", "negates"),
    ],
)  # fmt: skip
def test_the_kind_and_what_decided(
    question: str, reference: str, answer: str, label: str, reason: str
) -> None:
    found, why = kind(question, reference, answer)
    assert (found, reason in why) == (label, True), why


# -- accuracy --------------------------------------------------------------------------------------


def grades(question: str, reference: str, answer: str) -> list[float]:
    reply = said("grade_accuracy", question=question, reference=reference, answer=answer)
    return [reply[name]["score"] for name in CRITERIA]


@SPOKEN
def test_accuracy_counts_claims(language: str) -> None:
    question, full, short, wrong, unrelated, unknown = LANGUAGES[language]
    graded = [grades(question, full, a) for a in (full, short, wrong, unrelated, unknown)]
    assert graded == [[100, 100, 100], [100, 100, 100], [0, 0, 0], [0, 0, 100], [0, 0, 100]]


FERRY = "The ferry runs every 40 minutes. The tram is yellow. The bus costs 5 euros."


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("The tram is yellow.", [100, 33.3, 100]),
        ("The tram is yellow. The kayak weighs 23 kg.", [50, 33.3, 100]),
        ("The tram is yellow. The bus costs 7 euros.", [50, 33.3, 50]),
        ("The red kayak weighs 23 kg. The red kayak weighs 18 kg.", [0, 0, 0]),
        (FERRY, [100, 100, 100]),
        ("Yes.", [100, 100, 100]),
    ],
)
def test_shares_of_claims(answer: str, expected: list[float]) -> None:
    assert grades("What runs here?", FERRY, answer) == expected


def test_accuracy_tells_its_counts() -> None:
    answer = "The tram is yellow. The bus costs 7 euros."
    reply = said("grade_accuracy", question="What?", reference=FERRY, answer=answer)
    assert [reply[name]["reason"] for name in CRITERIA] == [
        "1 of 2 claims supported by the reference; 1 contradicted",
        "1 of 3 claims of the reference stated",
        "1 of 2 claims contradicted",
    ]


def test_a_claim_said_twice_counts_twice_on_both_sides() -> None:
    twice = "The tram is red. The tram is red. The bus costs 5 euros."
    assert grades("What?", twice, "The bus costs 5 euros.")[1] == 33.3


# -- relevance of answers --------------------------------------------------------------------------


def rated(question: str, answer: str) -> tuple[float, str]:
    reply = said("rate_relevance", question=question, answer=answer)
    return reply["score"], reply["reason"]


@SPOKEN
def test_relevance_is_the_share_of_words_and_a_number(language: str) -> None:
    question, full, short, wrong, unrelated, unknown = LANGUAGES[language]
    scores = [rated(question, answer)[0] for answer in (full, wrong, short, unrelated, unknown)]
    assert scores == [1, 1, 0.5, 0, 0]  # a wrong answer is as relevant as a right one
    assert "does not know" in rated(question, unknown)[1]
    assert "the answer has none" in rated(question, unrelated)[1]
    assert "words are compared" in rated(question, full)[1]


@pytest.mark.parametrize(
    ("question", "answer", "score"),
    [
        ("How often does the ferry run?", "The ferry runs daily.", 0.5),
        ("How often does the ferry run?", "The ferry is red.", 0.25),
        ("When does the museum open?", "The museum opens in May.", 1),
        ("What does the museum open with?", "The museum opens with a feast.", 1),
        ("Wann öffnet der Hafen?", "Der Hafen ist schön.", 0.25),
        ("Wie viele Räder hat der Wagen?", "Der Wagen hat vier Räder.", 1),
        ("Сколько стоит билет?", "Билет синий.", 0.25),
        ("渡轮什么时候开始运营？", "渡轮五月开始运营。", 1),
        ("How do I renew my pass?", "You renew a pass at the office.", 1),
        ("Are dogs allowed?", "Yes.", 0.5),
        ("How many dogs are allowed?", "Yes.", 0),
        ("Who is it?", "Anna.", 0.5),
    ],
)
def test_relevance_of_answers(question: str, answer: str, score: float) -> None:
    assert rated(question, answer)[0] == score, rated(question, answer)


# -- passages --------------------------------------------------------------------------------------


def relevant(question: str, reference: str | None, *texts: str) -> list[tuple[bool, str]]:
    passages = [{"id": n, "text": text} for n, text in enumerate(texts, 5)]
    reply = said("judge_passages", question=question, reference=reference, passages=passages)
    assert [judged["id"] for judged in reply["passages"]] == list(range(5, 5 + len(texts)))
    return [(judged["relevant"], judged["reason"]) for judged in reply["passages"]]


@SPOKEN
def test_passages_bear_on_the_question_or_bear_out_the_reference(language: str) -> None:
    question, full, _, _, unrelated, _ = LANGUAGES[language]
    passage = f"{unrelated} {full}"
    for reference in (None, full):
        assert [r for r, _ in relevant(question, reference, passage, unrelated)] == [True, False]


def test_one_claim_of_the_reference_is_enough_and_the_reason_counts() -> None:
    assert relevant("What is here?", FERRY, "We painted it: the tram is yellow.", "Snow.") == [
        (True, "it supports 1 of 3 claims of the reference; 2 of 6 content words of it found"),
        (False, "it supports 0 of 3 claims of the reference; 0 of 6 content words of it found"),
    ]


def test_half_of_the_words_is_enough() -> None:
    question = "Which kayak may visitors borrow?"
    assert relevant(question, None, "Visitors may swim.", "Visitors borrow it.") == [
        (False, "1 of 3 content words of the question found"),
        (True, "2 of 3 content words of the question found"),
    ]
    reference = "Visitors borrow the heavy kayak."
    assert [r for r, _ in relevant("Which?", reference, "Visitors swim.", "Heavy visitors")] == [
        False,
        True,
    ]


def test_a_passage_may_ask_what_it_answers() -> None:
    asking = "How often does the ferry run? Every 40 minutes."
    assert relevant("How often?", LANGUAGES["en"][1], asking)[0][0]
    assert relevant(LANGUAGES["en"][0], None, asking)[0][0]
    assert rated(LANGUAGES["en"][0], "Do you ask how often the ferry runs?")[0] == 0


def test_what_words_can_not_tell_is_said() -> None:
    question = "How often does the ferry run to the island?"
    german = "Die Fähre zur Insel fährt alle 40 Minuten und ist rot."
    assert "English can't be compared with German" in relevant(question, None, german)[0][1]
    nothing = (False, "the question has no content words to look for")
    assert relevant("Why?", None, "Because.") == relevant("Why?", "Unknown.", "So.") == [nothing]


TEXTS = st.text(max_size=40) | st.lists(
    st.sampled_from(
        ["The ferry", " runs", " 40 ", "not ", "?", ". ", "渡轮", "Нет", "\ud800", "\n"]
    )
).map("".join)


@settings(max_examples=40, deadline=None)
@given(TEXTS, TEXTS, TEXTS)
def test_any_texts_are_answered(question: str, reference: str, answer: str) -> None:
    kind(question, reference, answer)
    grades(question, reference, answer)
    rated(question, answer)
    relevant(question, reference or None, answer, question)


def test_a_long_answer_takes_bearable_time() -> None:
    text = " ".join(f"Ferry {n} leaves its harbour every {n + 3} minutes." for n in range(200))
    started = time.process_time()
    grades("How often?", text[:2000], text)
    assert time.process_time() - started < 30
