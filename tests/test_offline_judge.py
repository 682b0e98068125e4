"""The offline judge: what it is called, the steps that it answers, and any text."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pytest_ragassert.errors import ConfigurationError
from pytest_ragassert.language.sentences import split_sentences
from pytest_ragassert.steps.extract_claims import EXTRACT_CLAIMS
from pytest_ragassert.steps.verify_claims import VERIFY_CLAIMS

from .offline import JUDGE, NONE, claims_of, verdicts_of


def test_it_names_the_step_that_it_does_not_answer() -> None:
    step = replace(VERIFY_CLAIMS, name="translate")
    with pytest.raises(ConfigurationError, match=r"offline judge.*'translate'"):
        JUDGE.run(step, {"question": "Why?", "answer": "So."})


def test_its_id_carries_its_version() -> None:
    assert JUDGE.id == "offline-3"


odd_text = st.text(st.characters(codec=None), max_size=120)
plain_text = st.lists(
    st.sampled_from(
        ["The", "kayak", "weighs", "18", "23", "kg", "not", "no", "Jane", "Doe", "is", "red", ".",
         "\n", "|", "- ", "```", "**", "five", "hundred", "%", "but", ",", "\ud800", "渡轮", "?"]
    ),
    max_size=20,
).map(" ".join)  # fmt: skip
texts = st.lists(odd_text | plain_text, max_size=4)


@settings(deadline=None)  # the first text read loads the tables
@given(texts, texts)
@example(["A0"], ["?A0"])
@example(["A0"], ["A0?!:"])
@example(["0"], ["0000.A|"])
@example(["0"], ["0000.\nA|"])
def test_every_claim_is_answered_once_with_an_exact_quote(
    claims: list[str], passages: list[str]
) -> None:
    verdicts = verdicts_of(claims, passages)
    assert [verdict["id"] for verdict in verdicts] == list(range(1, len(claims) + 1))
    for verdict in verdicts:
        if verdict["verdict"] == NONE:
            assert verdict["evidence"] == []
        else:
            assert 1 <= len(verdict["evidence"]) <= 3
        for one in verdict["evidence"]:
            passage = passages[one["passage"] - 10]
            assert one["quote"] in passage
            whole_lines = {passage, *(line.strip() for line in passage.splitlines())}
            assert one["quote"] in whole_lines or len(one["quote"].split()) >= 3


@given(odd_text | plain_text)
def test_claims_are_never_blank_and_name_their_sentence(text: str) -> None:
    claims = claims_of(text)
    assert all(claim.strip() for _, claim in claims)
    assert {sentence for sentence, _ in claims} <= set(range(1, len(split_sentences(text)) + 1))


@given(texts, texts)
def test_equal_questions_have_equal_answers(claims: list[str], passages: list[str]) -> None:
    first = verdicts_of(claims, passages)
    assert verdicts_of(claims, passages) == first
    # one claim's verdict does not hang on the others asked with it
    alone = [verdicts_of([claim], passages)[0] for claim in claims]
    assert [{**verdict, "id": 0} for verdict in alone] == [{**v, "id": 0} for v in first]


@pytest.mark.parametrize(
    "text",
    [
        *("thank you ", "if you ", "- ", "|-", "**a", "[1", ": ", "i was ", "Here is a ", "(doc "),
        *("[1]: ", "Sources: ", "summary ", "【4", "<sup>1", "¹", "a.pdf ", "9 pm ", "v1.2.3 "),
    ],
)
def test_extracting_takes_time_in_proportion(text: str) -> None:
    started = time.process_time()
    JUDGE.run(EXTRACT_CLAIMS, {"question": None, "sentences": [{"id": 1, "text": text * 9000}]})
    assert time.process_time() - started < 5  # quadratic matching takes minutes
