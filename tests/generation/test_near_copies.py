"""Which new questions ask the same as an earlier one."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_ragassert.generation.near_copies import NearCopies, Place, same_evidence
from pytest_ragassert.generation.similarity import UNRELATED
from pytest_ragassert.metrics.metric import Ask
from tests.asks import ScriptedAsk
from tests.question_pairs import pairs

ALL = [*pairs("chosen"), *pairs("reported")]
QUESTIONS = st.sampled_from([question for pair in ALL for question in (pair.one, pair.other)])
BY_WORDS = ScriptedAsk()
QUOTE = [("fares.md", 10, 60)]
ELSEWHERE = [("rules.md", 10, 60)]


def copied(
    one: str,
    other: str,
    *,
    ask: Ask = BY_WORDS,
    first: list[Place] | None = None,
    second: list[Place] | None = None,
) -> bool:
    copies = NearCopies()
    copies.add(one, first or [])
    return asyncio.run(copies.copied_from(ask, other, second or [])) == one


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("How much is a ticket for a child?", "What does a child's ticket cost?"),
        ("When does the ferry leave?", "when does the ferry leave"),
        ("What’s the price of a cabin?", "What is the price for a cabin?"),
        ("How long does the crossing take?", "What is the duration of the crossing?"),
        ("Wie viel kostet die Überfahrt?", "Was kostet die Überfahrt?"),
        ("Сколько стоит переправа?", "Какова цена переправы?"),
        ("渡轮几点出发？", "渡轮什么时候出发？"),
        ("Combien coûte la traversée ?", "Combien coûte la traversée?"),
    ],
)
def test_the_same_question_in_other_words(one: str, other: str) -> None:
    assert copied(one, other)
    assert copied(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("What does an adult's ticket cost?", "What does a child's ticket cost?"),
        ("How much is a day ticket?", "From when is a day ticket valid?"),
        ("Who approves expenses over 500 euros?", "Who approves expenses over 5,000 euros?"),
        ("What is new in version 3.1?", "What is new in version 3.10?"),
        ("Which dogs are allowed?", "Which dogs are not allowed?"),
        ("When does the museum open on Monday?", "When does the museum open on Sunday?"),
        ("When is the first ferry?", "When is the last ferry?"),
        ("How do I turn the pump on?", "How do I turn the pump off?"),
        ("How long is the way from Aldra to Skerry?", "How long is the way from Skerry to Aldra?"),
        ("How is it stored before opening?", "How is it stored after opening?"),
        ("Who leads the IT team?", "Who leads the team?"),
        ("Wie schalte ich die Pumpe ein?", "Wie schalte ich die Pumpe aus?"),
        ("Wie viele Anfragen pro Minute sind erlaubt?", "Wie viele Anfragen pro Tag sind erlaubt?"),
        ("从甲地到乙城要多久？", "从乙城到甲地要多久？"),
        ("When does the ferry leave?", "Wann fährt die Fähre ab?"),
    ],
)
def test_a_small_difference_that_changes_the_question(one: str, other: str) -> None:
    # not even with the same evidence, and vectors that are the same
    ask = ScriptedAsk(vectors=vectors_of([one, other], [[1.0, 0.0], [1.0, 0.0]]))
    assert not copied(one, other, ask=ask, first=QUOTE, second=QUOTE)
    assert not copied(other, one, ask=ask, first=QUOTE, second=QUOTE)


def vectors_of(texts: list[str], vectors: list[list[float]]) -> dict[str, list[float]]:
    """These vectors, and those of unrelated questions, whose mean cosine is 0."""
    unrelated = {text: [0.0] * n + [1.0] for n, text in enumerate(UNRELATED)}
    width = len(UNRELATED)
    padded = {text: vector + [0.0] * (width - len(vector)) for text, vector in unrelated.items()}
    found = dict(zip(texts, vectors, strict=True))
    return padded | {text: vector + [0.0] * (width - 2) for text, vector in found.items()}


LONG = "Which form do guests of the harbour hotel sign when the luggage is collected"


def test_one_more_word_counts_less_with_the_same_evidence() -> None:
    assert copied(f"{LONG}?", f"{LONG} late?", first=QUOTE, second=QUOTE)
    assert not copied(f"{LONG}?", f"{LONG} late?", first=QUOTE, second=ELSEWHERE)
    short, longer = "How much is a room?", "How much is a room with a sea view?"
    assert not copied(short, longer, first=QUOTE, second=QUOTE)


REWORDED = (
    "Which form do guests of the harbour hotel sign?",
    "Guests of the harbour hotel have to put their name on which form?",
)


def test_with_an_embedder_reworded_questions_with_similar_vectors_are_copies() -> None:
    one, other = REWORDED
    near = ScriptedAsk(vectors=vectors_of([one, other], [[1.0, 0.0], [1.0, 0.1]]))
    far = ScriptedAsk(vectors=vectors_of([one, other], [[1.0, 0.0], [1.0, 0.6]]))
    assert copied(one, other, ask=near)
    assert not copied(one, other, ask=far)
    assert not copied(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "Is parking at the clinic free for patients?",
            "Is parking at the clinic free for guests?",
        ),
        (f"{LONG}?", f"{LONG} late?"),
        # these are reworded, but one word excludes the other
        ("How do I enable the night mode of Lumen?", "In Lumen, what disables the night mode?"),
        ("Как включить ночной режим в Lumen?", "Что нужно, чтобы отключить в Lumen ночной режим?"),
    ],
)
def test_similar_vectors_do_not_outweigh_what_differs(one: str, other: str) -> None:
    ask = ScriptedAsk(vectors=vectors_of([one, other], [[1.0, 0.0], [1.0, 0.0]]))
    assert not copied(one, other, ask=ask, first=QUOTE, second=ELSEWHERE)


def test_the_first_of_several_copies_is_named() -> None:
    copies = NearCopies()
    for question in ("Where is the pier?", "When is the fair?", "At what time is the fair?"):
        copies.add(question)
    assert (
        asyncio.run(copies.copied_from(BY_WORDS, "At what time is the fair?"))
        == "When is the fair?"
    )
    assert asyncio.run(copies.copied_from(BY_WORDS, "How long is the fair?")) is None


def test_a_copy_by_vectors_is_named_before_a_later_one_by_words() -> None:
    one, other = REWORDED
    ask = ScriptedAsk(vectors=vectors_of([one, other], [[1.0, 0.0], [1.0, 0.1]]))
    copies = NearCopies()
    copies.add(one)
    copies.add(other)
    assert asyncio.run(copies.copied_from(ask, other)) == one


def test_only_doubtful_questions_are_embedded_and_each_once() -> None:
    one, other = REWORDED
    ask = ScriptedAsk(vectors=vectors_of([one, other], [[1.0, 0.0], [1.0, 0.6]]))
    copies = NearCopies()
    copies.add("Where is the pier?")
    copies.add(one)
    for _ in range(2):
        assert asyncio.run(copies.copied_from(ask, other)) is None
    assert [text for texts in ask.embedded for text in texts] == [*UNRELATED, other, one]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ([("a", 0, 40)], [("a", 0, 40)], True),
        ([("a", 0, 40)], [("a", 10, 20)], True),
        ([("a", 0, 40)], [("a", 30, 70)], False),
        ([("a", 0, 40)], [("b", 0, 40)], False),
        ([("a", 0, 40), ("b", 0, 40)], [("b", 0, 40)], True),
        ([], [], False),
        ([("a", 5, 5)], [("a", 5, 5)], False),
    ],
)
def test_the_same_evidence(one: list[Place], other: list[Place], same: bool) -> None:
    assert same_evidence(one, other) is same
    assert same_evidence(other, one) is same


@given(QUESTIONS, QUESTIONS, st.booleans())
def test_it_is_symmetric(one: str, other: str, same: bool) -> None:
    second = QUOTE if same else ELSEWHERE
    assert copied(one, other, first=QUOTE, second=second) is copied(
        other, one, first=second, second=QUOTE
    )


@given(st.text(min_size=1, max_size=80).filter(lambda text: any(map(str.isalnum, text))))
def test_a_question_is_a_copy_of_itself(text: str) -> None:
    assert copied(text, text)
    assert copied(text, f" {text}\n")
