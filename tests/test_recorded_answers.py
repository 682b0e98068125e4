"""The file of recorded answers, and which cases are the same to an application."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_ragassert import ConfigurationError, EvalCase
from pytest_ragassert.plugin.recorded_answers import input_hash
from pytest_ragassert.storage.recorded_answers import (
    Place,
    RecordedAnswer,
    add_answer,
    read_answers,
    sort_answers,
)

# those of half characters side by side are one character to JSON
TEXTS = st.text(st.characters(exclude_categories=["Cs"]) | st.sampled_from("\ud800\u2028\x00\n\r{"))
ANSWERS = st.builds(
    RecordedAnswer,
    case=st.sampled_from(["", "a", "b", "a b"]),
    question=st.none() | TEXTS,
    key=st.none() | TEXTS,
    answer=st.none() | TEXTS,
    retrieved_contexts=st.none() | st.lists(st.none() | TEXTS),
    hook=st.sampled_from(["conftest.py", "tests/conftest.py"]),
    input=st.sampled_from(["0", "1"]),
    retrieved_context_ids=st.none() | st.lists(st.none() | TEXTS),
    retrieved_context_sources=st.none() | st.lists(st.none() | TEXTS),
)


def answer(case: str = "a", text: str = "Yes.", hook: str = "h") -> RecordedAnswer:
    return RecordedAnswer(case, "?", None, text, [], hook=hook, input="0")


@given(st.lists(ANSWERS))
def test_the_last_answer_of_a_place_counts(
    tmp_path_factory: pytest.TempPathFactory, answers: list[RecordedAnswer]
) -> None:
    path = tmp_path_factory.mktemp("answers") / "answers.jsonl"
    for one in answers:
        add_answer(path, one)
    assert read_answers(path) == {one.place: one for one in answers}
    sort_answers(path)
    assert read_answers(path) == {one.place: one for one in answers}
    assert list(read_answers(path)) == sorted({one.place for one in answers})
    other = path.with_name("other.jsonl")
    for one in reversed(list({one.place: one for one in answers}.values())):
        add_answer(other, one)
    sort_answers(other)
    assert not answers or other.read_bytes() == path.read_bytes()


def test_places_are_removed(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    sort_answers(path, [Place("a", "0", "h")])
    assert not path.exists()
    for case in "cab":
        add_answer(path, answer(case))
    sort_answers(path, [Place("a", "0", "h"), Place("z", "0", "h")])
    assert [place.case for place in read_answers(path)] == ["b", "c"]


@pytest.mark.parametrize("cut", [1, 20, -2])
def test_what_a_killed_writer_left_of_a_line_is_passed_over_and_removed(
    tmp_path: Path, cut: int
) -> None:
    path = tmp_path / "answers.jsonl"
    add_answer(path, answer("a"))
    with path.open("ab") as file:
        file.write(answer("b").to_line()[:cut])
    assert [place.case for place in read_answers(path)] == ["a"]
    add_answer(path, answer("c"))
    assert path.read_bytes() == answer("a").to_line() + answer("c").to_line()


def test_a_last_line_without_its_end_is_a_line(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_bytes(answer("a").to_line().rstrip(b"\n"))
    add_answer(path, answer("b"))
    assert [place.case for place in read_answers(path)] == ["a", "b"]


def test_many_writers_lose_no_line(tmp_path: Path) -> None:
    path = tmp_path / "new" / "answers.jsonl"

    def write(name: str) -> None:
        for n in range(20):
            add_answer(path, answer(f"{name}{n}", "long " * 2000))
            if n % 5 == 0:
                sort_answers(path)

    threads = [threading.Thread(target=write, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(read_answers(path)) == 80


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (
            b'{"case": "a"}\n',
            "line 1: a recorded answer must have case, .*; this one lacks question, key",
        ),
        (answer().to_line().replace(b'"Yes."', b"7"), "answer must be a text or null"),
        (answer().to_line().replace(b"[]", b"[7]"), "retrieved_contexts must be a list of texts"),
        (b"{,}\n", "line 1, character 2: not JSON"),
    ],
)
def test_damage_is_named(tmp_path: Path, line: bytes, said: str) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_bytes(line)
    with pytest.raises(ConfigurationError, match=said):
        read_answers(path)


def test_what_a_later_release_adds_is_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_bytes(answer().to_line().replace(b"{", b'{"later": 1, ', 1))
    assert list(read_answers(path).values()) == [answer()]


def test_a_case_is_what_the_application_may_see_of_it() -> None:
    def hashed(**fields: object) -> str:
        return input_hash(EvalCase(**{"id": "a", "question": "?", **fields}))

    same = [
        hashed(),
        hashed(id="b"),
        hashed(minimums={"faithfulness": 0.1}),
        hashed(label="correct"),
        hashed(history=[], tags=[], metadata={}, retrieved_contexts=[]),
    ]
    # this one must stay, as files hold it
    assert set(same) == {"fde0d502d958e9e573061f47490926a4"}
    others = [
        hashed(question="??"),
        hashed(history=[{"role": "user", "content": "Hello."}]),
        hashed(metadata={"tenant": "x"}),
        hashed(metadata={"tenant": "y"}),
        hashed(ground_truth_contexts=["One."]),
        hashed(persona="a child"),
        hashed(tags=["slow"]),
    ]
    assert len({*same, *others}) == 1 + len(others)


def test_objects_without_a_text_of_their_own_are_the_same_in_each_process() -> None:
    class Filter:
        pass

    one, other = (EvalCase(question="?", metadata={"filter": Filter()}) for _ in range(2))
    assert input_hash(one) == input_hash(other)
