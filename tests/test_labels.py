"""Which words of a judge are verdicts, and which are not."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_ragassert import Verdict
from pytest_ragassert.steps.replies.labels import verdict_of

from .replies import CONTRA, FULL, NONE, PARTIAL

TABLE: dict[Verdict, list[str]] = {
    FULL: ["FULLY_SUPPORTED", "supported", "yes", "true", "1"],
    PARTIAL: ["PARTIALLY_SUPPORTED", "partially supported"],
    NONE: [
        "NO_EVIDENCE",
        "unsupported",
        "not supported",
        "no evidence",
        "not mentioned",
        "unverifiable",
        "neutral",
        "unknown",
        "idk",
    ],
    CONTRA: ["CONTRADICTORY", "contradicted", "incorrect", "refuted"],
}
ROWS = [(word, verdict) for verdict, words in TABLE.items() for word in words]


@pytest.mark.parametrize(("word", "expected"), ROWS)
def test_every_row_of_the_table_is_read(word: str, expected: Verdict) -> None:
    assert verdict_of(word) is expected


DRESSES: list[Callable[[str], str]] = [
    str.upper,
    str.title,
    lambda word: f"  {word}\n",
    lambda word: f"{word}.",
    lambda word: f"{word.capitalize()}!",
    lambda word: f"**{word}**",
    lambda word: f"`{word}`,",
    lambda word: f'"{word}"',
    lambda word: f"__{word}__;",
    lambda word: word.replace(" ", "_"),
    lambda word: word.replace("_", "-").replace(" ", "-"),
    lambda word: word.replace("_", "  ").replace(" ", " \t"),
]


@pytest.mark.parametrize(("word", "expected"), ROWS)
def test_case_markdown_and_separators_do_not_matter(word: str, expected: Verdict) -> None:
    dressed = [dress(word) for dress in DRESSES]
    assert {text: verdict_of(text) for text in dressed} == dict.fromkeys(dressed, expected)


@pytest.mark.parametrize("value", [True, 1])
def test_true_and_one_are_supported(value: object) -> None:
    assert verdict_of(value) is FULL


@pytest.mark.parametrize(
    "value",
    [
        "no",
        "No.",
        "false",
        "FALSE",
        "0",
        "-1",
        0,
        -1,
        2,
        0.5,
        False,
        None,
        "",
        "  ",
        "**",
        [],
        ["supported"],
        {"verdict": "supported"},
        {},
    ],
    ids=repr,
)
def test_no_false_zero_and_other_types_are_no_labels(value: object) -> None:
    assert verdict_of(value) is None


@pytest.mark.parametrize(
    "word",
    [
        "supported / refuted",
        "supported or partially supported",
        "fully supported by passage 2",
        "not fully supported",
        "hardly supported",
        "non supported",
        "supportedness",
        "yes, but no",
        "yesterday",
        "yes😀",
        "not unsupported",
        "not incorrect",
        "not contradicted",
        "no_evidence_against",
        "untrue",
        "gestützt",
        "подтверждено",
        "支持",
        "soportado",
        "нет",
        "sup\u200bported",
        "ѕupported",
    ],
)
def test_a_label_inside_other_words_is_no_label(word: str) -> None:
    assert verdict_of(word) is None


@pytest.mark.parametrize("word", ["!supported", "!yes", "~supported", "!true", ".1"])
def test_a_mark_before_the_word_may_negate_it(word: str) -> None:
    assert verdict_of(word) is None


KNOWN = {word.casefold().replace("_", " ") for words in TABLE.values() for word in words}


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(sorted(KNOWN)), st.text("abcdefnotu /", min_size=1, max_size=6))
def test_a_known_word_with_others_around_is_never_read(word: str, more: str) -> None:
    for text in (f"{word} {more}", f"{more} {word}"):
        if " ".join(text.split()) not in KNOWN:
            assert verdict_of(text) is None
