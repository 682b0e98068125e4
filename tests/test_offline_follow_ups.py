"""The offline judge on questions that go on with the turns before them, in four languages."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pytest_ragassert import EvalCase
from pytest_ragassert.judging.calls.event_loop import without_loop
from pytest_ragassert.judging.judges.offline.follow_up import read_question
from pytest_ragassert.judging.judges.offline.offline_judge import OfflineJudge
from pytest_ragassert.metrics.answer_class import AnswerClass
from pytest_ragassert.steps.catalogue import STEPS

from .asks import ScriptedAsk
from .offline import FULL, NONE, verdicts_of

JUDGE = OfflineJudge()
Turns = list[dict[str, str]]


def chat(*texts: str) -> Turns:
    """The user speaks first, then each in turn."""
    roles = ("user", "assistant")
    return [{"role": roles[at % 2], "content": text} for at, text in enumerate(texts)]


def said(step: str, history: Turns, **input: Any) -> dict[str, Any]:
    with_turns = {"history": history} if history else {}
    return dict(json.loads(JUDGE.run(STEPS[step], {**with_turns, **input})))


# The turns, "and for children?", what a child pays, what only names children, what adults pay.
FARES = {
    "en": (
        chat("How much is a ticket for adults?", "An adult ticket costs 12 pounds."),
        "And for children?",
        "Children's tickets cost 5 pounds.",
        "Children must be accompanied.",
        "An adult ticket costs 12 pounds.",
        "5 pounds.",
    ),
    "de": (
        chat("Wie viel kostet eine Fahrkarte für Erwachsene?", "Erwachsene zahlen 12 Euro."),
        "Und für Kinder?",
        "Die Fahrkarte für Kinder kostet 5 Euro.",
        "Kinder müssen begleitet werden.",
        "Erwachsene zahlen 12 Euro.",
        "5 Euro.",
    ),
    "ru": (
        chat("Сколько стоит билет для взрослых?", "Билет для взрослых стоит 12 фунтов."),
        "А для детей?",
        "Билет для детей стоит 5 фунтов.",
        "Детей нельзя оставлять одних.",
        "Билет для взрослых стоит 12 фунтов.",
        "5 фунтов.",
    ),
    "zh": (
        chat("成人票多少钱？", "成人票12镑。"),
        "那儿童呢？",
        "儿童票5镑。",
        "儿童必须有人陪同。",
        "成人票12镑。",
        "5镑。",
    ),
}


@pytest.mark.parametrize("language", FARES)
def test_a_passage_is_relevant_to_what_the_turns_ask_of_it(language: str) -> None:
    turns, question, child, only_named, adult, _ = FARES[language]
    texts = [{"id": at, "text": text} for at, text in enumerate((child, only_named, adult))]
    asked = {"question": question, "reference": None, "passages": texts}

    def relevant(history: Turns) -> list[bool]:
        judged = said("judge_passages", history, **asked)["passages"]
        return [one["relevant"] for one in judged]

    assert relevant([]) == [True, True, False]
    assert relevant(turns) == [True, False, False]


@pytest.mark.parametrize("language", FARES)
def test_an_answer_is_rated_by_what_the_turns_ask(language: str) -> None:
    turns, question, child, only_named, adult, short = FARES[language]

    def rated(history: Turns) -> list[float]:
        answers = (child, only_named, adult, short)
        return [
            said("rate_relevance", history, question=question, answer=answer)["score"]
            for answer in answers
        ]

    assert rated([]) == [1, 1, 0, 0]
    assert rated(turns) == [1, 0.5, 0, 0.5]
    # the one before is a part of a question too: the turn before it says what is asked
    between = [*turns, {"role": "user", "content": question}]
    assert rated(between) == rated(turns)


REFERRING = [
    (
        chat("Which boat sails to Little Skerra?", "The Grey Heron."),
        "How many bicycles does it take?",
        "The Grey Heron takes 20 bicycles.",
        ["20", "It takes 20 bicycles.", "30"],
    ),
    (
        chat("Кто написал роман «Война и мир»?", "Лев Толстой."),
        "Когда он родился?",
        "Лев Толстой родился в 1828 году.",
        ["1828", "В 1828 году.", "В 1830 году."],
    ),
    (
        chat("What is the fare for adults?", "Adults pay the full fare."),
        "And for children?",
        "Children pay half the fare.",
        ["Half.", "Half the fare.", "The full fare."],
    ),
]


@pytest.mark.parametrize(("turns", "question", "reference", "answers"), REFERRING)
def test_what_was_said_before_need_not_be_said_again(
    turns: Turns, question: str, reference: str, answers: list[str]
) -> None:
    asked = {"question": question, "reference": reference}

    def labels(history: Turns) -> list[str]:
        return [said("classify_answer", history, answer=a, **asked)["label"] for a in answers]

    assert labels(turns) == ["CORRECT", "CORRECT", "WRONG"]
    assert labels([])[0] == "WRONG"
    graded = said("grade_accuracy", turns, answer=answers[0], **asked)
    assert {one["score"] for one in graded.values()} == {100}


def test_a_number_of_an_earlier_answer_has_to_be_said_again() -> None:
    turns = chat("What does a ticket cost?", "12 pounds.")
    asked = {"question": "And for seniors?", "reference": "Seniors pay 12 pounds too."}
    labels = [
        said("classify_answer", turns, answer=answer, **asked)["label"]
        for answer in ("12 pounds.", "Seniors pay.")
    ]
    assert labels == ["CORRECT", "WRONG"]


@pytest.mark.parametrize(
    "question",
    [
        "When does the last boat sail?",
        "And is the saloon open on Sundays?",
        "Wann fährt das letzte Boot?",
        "Und kostet der Parkplatz extra?",
        "Когда отходит последний паром?",
        "什么时候有船？",
    ],
)
def test_a_question_with_a_verb_of_its_own_is_no_part_of_another(question: str) -> None:
    asked = read_question(question, chat("How much is a ticket?", "12 pounds."))
    assert asked.part is None
    assert asked.before == ""
    assert asked.known == question


@pytest.mark.parametrize("question", ["In winter?", "Für Hunde?", "А зимой?", "What about dogs?"])
def test_a_part_of_a_question_goes_on_with_the_last_whole_one(question: str) -> None:
    turns = chat("Is it open?", "Yes.", "How much is a ticket?", "12 pounds.", "And at night?")
    asked = read_question(question, turns)
    assert asked.part is not None
    assert asked.number
    assert asked.before == "How much is a ticket?\n12 pounds.\nAnd at night?"
    assert read_question(question, turns[1:2]).before == "Yes."


def test_who_knows_nothing_is_right_where_the_reference_does_not_know_either() -> None:
    input = {
        "question": "Who built it?",
        "reference": "That is not known.",
        "answer": "I don't know.",
    }
    graded = said("grade_accuracy", [], **input)
    assert [one["score"] for one in graded.values()] == [100, 100, 100]
    graded = said("grade_accuracy", [], **{**input, "reference": "Ada built it."})
    assert [one["score"] for one in graded.values()] == [0, 0, 100]


def test_a_plain_no_to_an_earlier_question_is_left_to_the_judge() -> None:
    fields = {"question": "And cats?", "answer": "Not mentioned.", "ground_truth_answer": "No."}
    ask = ScriptedAsk({"classify_answer": {"reason": None, "label": "CORRECT"}})
    measured = without_loop(AnswerClass().measure(EvalCase(**fields), ask))
    assert (measured.label, ask.asked) == ("DONT_KNOW", [])
    turns = chat("Is it mentioned that dogs may come?", "Yes.")
    measured = without_loop(AnswerClass().measure(EvalCase(**fields, history=turns), ask))
    assert (measured.label, len(ask.asked)) == ("CORRECT", 1)


OF_CHILDREN = {"en": "for children", "de": "für Kinder", "ru": "для детей", "zh": "儿童"}


@pytest.mark.parametrize("language", FARES)
def test_the_claim_of_a_short_answer_says_what_of(language: str) -> None:
    turns, question, child, _, adult, short = FARES[language]

    def claims(answer: str, history: Turns) -> list[str]:
        sentences = [{"id": 1, "text": answer}]
        found = said("extract_claims", history, question=question, sentences=sentences)["claims"]
        return [claim["text"] for claim in found]

    [claim] = claims(short, turns)
    assert claim == f"{OF_CHILDREN[language]}: {short}"
    assert [one["verdict"] for one in verdicts_of([claim], [child, adult])] == [FULL]
    # the same number of something else is no proof of it
    of_dogs = adult.replace("12", "5")
    assert [one["verdict"] for one in verdicts_of([claim, short], [of_dogs])] == [NONE, FULL]
    # without turns, and where the answer says it itself, the claim is as it stands
    assert claims(short, []) == [short]
    assert claims(child, turns) == [child]
    assert claims(f"{short} {adult}", turns) != [claim]


def test_nothing_is_added_to_the_answer_of_a_whole_question() -> None:
    turns = chat("Which boat sails to Little Skerra?", "The Grey Heron.")
    sentences = [{"id": 1, "text": "20 bicycles."}]
    for question in ("How many bicycles does it take?", None):
        found = said("extract_claims", turns, question=question, sentences=sentences)["claims"]
        assert found == [{"sentence": 1, "text": "20 bicycles."}]
