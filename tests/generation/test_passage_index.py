"""Which passages are neighbours of a passage, and which may answer a question."""

from __future__ import annotations

import asyncio
import random
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_ragassert.errors import ConfigurationError
from pytest_ragassert.generation.passage_index import Neighbour, PassageIndex
from pytest_ragassert.generation.similarity import UNRELATED, similarity_by_words
from tests.asks import ScriptedAsk

FARES = {
    "en/adults.md": "Fares for adults. An adult pays 12 euros for the ferry to Kirkholm.",
    "en/children.md": "Fares for children. A child pays 6 euros for the ferry to Kirkholm.",
    "en/museum.md": "The lighthouse museum opens at ten. It shows lamps and lenses.",
    "en/bicycles.md": "A bicycle on the ferry costs 3 euros. Tandems are not taken.",
    "de/kinder.md": "Kinder unter sechs Jahren fahren auf der Fähre kostenlos.",
    "zh/fares.md": "渡轮的成人票价是十二欧元，儿童票价是六欧元。",
}
WORDS = [
    "ferry",
    "fare",
    "adult",
    "child",
    "lamp",
    "lens",
    "museum",
    "euro",
    "bicycle",
    "timetable",
]
CORPORA = st.dictionaries(
    st.text("abc", min_size=1, max_size=3),
    st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join),
    min_size=2,
    max_size=12,
)
BY_WORDS = ScriptedAsk()


def neighbours(texts: dict[str, str], anchor: str, most: int = 10) -> list[Neighbour]:
    return asyncio.run(PassageIndex(texts).neighbours(BY_WORDS, anchor, most=most))


def answering(texts: dict[str, str], question: str, most: int = 10) -> list[str]:
    return asyncio.run(PassageIndex(texts).answering(BY_WORDS, question, most=most))


def test_the_most_similar_passage_comes_first() -> None:
    found = neighbours(FARES, "en/adults.md")
    assert [each.id for each in found] == ["en/children.md", "en/bicycles.md"]
    assert found[0].similarity > 0.5 > found[1].similarity > 0


@given(CORPORA)
def test_neighbours_are_as_similar_as_their_two_texts(texts: dict[str, str]) -> None:
    anchor = min(texts)
    for each in neighbours(texts, anchor):
        assert each.id != anchor
        alone = similarity_by_words(texts[anchor], texts[each.id])
        assert each.similarity == pytest.approx(alone, abs=2e-6)


@given(CORPORA, st.randoms(use_true_random=False), st.sampled_from(WORDS))
def test_neither_order_nor_a_changed_third_passage_matters(
    texts: dict[str, str], order: random.Random, word: str
) -> None:
    anchor, changed = min(texts), max(texts)
    found = neighbours(texts, anchor, most=20)
    assert found == sorted(found, key=lambda each: (-each.similarity, each.id))
    ids = list(texts)
    order.shuffle(ids)
    assert neighbours({each: texts[each] for each in ids}, anchor, most=20) == found
    others = neighbours({**texts, changed: word}, anchor, most=20)
    assert [n for n in others if n.id != changed] == [n for n in found if n.id != changed]


def test_only_some_passages_may_be_neighbours() -> None:
    index = PassageIndex(FARES)
    some = {"en/adults.md", "en/bicycles.md", "en/museum.md"}
    found = asyncio.run(index.neighbours(BY_WORDS, "en/adults.md", most=3, among=some))
    assert [each.id for each in found] == ["en/bicycles.md"]
    assert asyncio.run(index.neighbours(BY_WORDS, "en/adults.md", most=3, among=())) == []


@pytest.mark.parametrize(
    ("question", "best"),
    [
        ("How much does a child pay for the ferry?", "en/children.md"),
        ("What does it cost to take a bicycle?", "en/bicycles.md"),
        ("When does the museum open?", "en/museum.md"),
        ("Fahren Kinder kostenlos?", "de/kinder.md"),
        ("儿童票价是多少？", "zh/fares.md"),
    ],
)
def test_the_passage_that_answers_comes_first(question: str, best: str) -> None:
    assert answering(FARES, question)[0] == best


def test_rare_words_decide() -> None:
    texts = {f"{n}": "ferry fare" for n in range(20)} | {"lens": "ferry lens and other things"}
    assert answering(texts, "Does the ferry have a lens?", most=3) == ["lens", "0", "1"]


def test_of_two_passages_with_a_word_the_shorter_comes_first() -> None:
    texts = {"a": "ferry " + " ".join(WORDS[1:]), "b": "ferry fare"}
    assert answering(texts, "Which ferry?") == ["b", "a"]


def test_a_question_without_content_words_finds_nothing() -> None:
    assert answering(FARES, "What is it?") == []
    assert answering({}, "Where is the ferry?") == []


@given(CORPORA, st.sampled_from(WORDS))
def test_each_passage_with_the_word_is_found(texts: dict[str, str], word: str) -> None:
    found = answering(texts, f"Where is the {word}?", most=20)
    assert set(found) == {each for each, text in texts.items() if word in text.split()}


# -- with an embedder --------------------------------------------------------------------------

VECTORS = {
    "en/adults.md": [1.0, 0.1, 0.0],
    "en/children.md": [0.5, 0.5, 0.0],
    "en/museum.md": [0.9, 0.2, 0.0],
    "en/bicycles.md": [0.0, 1.0, 0.2],
    "de/kinder.md": [0.0, 0.0, 0.0],
    "zh/fares.md": [2.0, 0.2, 0.0],
}


def embedding(**questions: list[float]) -> ScriptedAsk:
    unrelated = {
        text: [1.0, 0.0, 0.0] if n % 2 else [0.0, 1.0, 0.0] for n, text in enumerate(UNRELATED)
    }
    passages = {FARES[each]: vector for each, vector in VECTORS.items()}
    return ScriptedAsk(vectors=unrelated | passages | questions)


def test_with_an_embedder_vectors_decide_who_is_near() -> None:
    index, ask = PassageIndex(FARES), embedding()
    found = asyncio.run(index.neighbours(ask, "en/adults.md", most=3))
    assert [each.id for each in found] == ["zh/fares.md", "en/museum.md", "en/children.md"]
    assert found[0].similarity == 1.0
    assert 0 < found[2].similarity < found[1].similarity < 1


def test_with_an_embedder_both_lists_are_joined_and_no_passage_is_listed_twice() -> None:
    index, ask = PassageIndex(FARES), embedding(ferry=[0.0, 1.0, 0.0])
    by_words = answering(FARES, "ferry", most=2)
    assert by_words == ["en/bicycles.md", "en/adults.md"]
    found = asyncio.run(index.answering(ask, "ferry", most=2))
    assert found == ["en/bicycles.md", "en/adults.md", "en/children.md"]


def test_each_passage_is_embedded_once() -> None:
    index, ask = PassageIndex(FARES), embedding(ferry=[0.0, 1.0, 0.0])

    async def several() -> None:
        await asyncio.gather(
            index.neighbours(ask, "en/adults.md", most=3), index.answering(ask, "ferry", most=2)
        )
        await index.neighbours(ask, "en/museum.md", most=3)

    asyncio.run(several())
    embedded = [text for texts in ask.embedded for text in texts]
    assert sorted(embedded) == sorted([*UNRELATED, *FARES.values(), "ferry"])


def test_vectors_of_two_embedders_cannot_be_compared() -> None:
    index, ask = PassageIndex(FARES), embedding(ferry=[0.0, 1.0])
    with pytest.raises(ConfigurationError, match="different dimensions"):
        asyncio.run(index.answering(ask, "ferry", most=2))


# -- large corpora -----------------------------------------------------------------------------


def test_many_passages_are_searched_fast() -> None:
    chance = random.Random(5)
    vocabulary = [f"{word}{chance.randrange(400)}" for word in WORDS for _ in range(500)]
    texts = {f"{n:05}": " ".join(chance.choices(vocabulary, k=60)) for n in range(5_000)}
    index = PassageIndex(texts)
    started = time.process_time()

    async def search() -> None:
        for n in range(100):
            question = " ".join(chance.choices(texts[f"{n:05}"].split(), k=12))
            assert f"{n:05}" in await index.answering(BY_WORDS, question, most=5)

    asyncio.run(search())
    # about 2 seconds on a slow machine; comparing each text with each question takes minutes
    assert time.process_time() - started < 20
