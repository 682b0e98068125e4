"""What heads a sentence: a heading, a table's header row, the line before a list."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_ragassert.language.headings import headings_of
from pytest_ragassert.language.sentences import split_sentences


def headed(text: str) -> list[str]:
    """Each sentence's last words, behind those of the sentence that heads it."""
    sentences = [text[start:end] for start, end in split_sentences(text)]
    return [
        sentence if head is None else f"{sentences[head]} > {sentence}"
        for head, sentence in zip(headings_of(text), sentences, strict=True)
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("", [], id="empty"),
        pytest.param("A tram. Its end.", ["A tram.", "Its end."], id="no heading"),
        pytest.param(
            "Before.\n# Trams\nOne. Two.\n\nThree.",
            ["Before.", "# Trams", "# Trams > One.", "# Trams > Two.", "# Trams > Three."],
            id="a heading",
        ),
        pytest.param(
            "# A\n## B\nb\n### C\nc\n## D\nd\n# E\ne",
            [
                "# A",
                "# A > ## B",
                "## B > b",
                "## B > ### C",
                "### C > c",
                "# A > ## D",
                "## D > d",
                "# E",
                "# E > e",
            ],
            id="levels",
        ),
        pytest.param(
            "Fares\n=====\nOne.\n\nChildren\n---\nTwo.",
            [
                "Fares\n=====",
                "Fares\n===== > One.",
                "Fares\n===== > Children\n---",
                "Children\n--- > Two.",
            ],
            id="underlined",
        ),
        pytest.param(
            "The tram runs.\n---\nTwo.", ["The tram runs.", "Two."], id="a rule makes no heading"
        ),
        pytest.param(
            "## Fares\n**Adults:**\n- 5\n\n__Children__\nFree. Always.",
            [
                "## Fares",
                "## Fares > **Adults:**",
                "**Adults:** > - 5",
                "## Fares > __Children__",
                "__Children__ > Free.",
                "__Children__ > Always.",
            ],
            id="a bold line",
        ),
        pytest.param(
            "**Adults** pay.\nChildren don't.",
            ["**Adults** pay.", "Children don't."],
            id="a bold word",
        ),
        pytest.param(
            "# Fares\nIn crowns:\n\n| who | what |\n|---|--:|\n| Mr. Reed. He | 5 |\n| all | 4 |\n"
            "\nPaid.",
            [
                "# Fares",
                "# Fares > In crowns:",
                "In crowns: > | who | what |\n|---|--:|",
                "| who | what |\n|---|--:| > | Mr. Reed. He | 5 |",
                "| who | what |\n|---|--:| > | all | 4 |",
                "# Fares > Paid.",
            ],
            id="a table",
        ),
        pytest.param(
            "who | what\n--- | ---\nMr. A. All | 5\n\nB | 4",
            [
                "who | what\n--- | ---",
                "who | what\n--- | --- > Mr. A. All | 5",
                "B | 4",
            ],
            id="a table without outer bars",
        ),
        pytest.param(
            "Fares:\n+---+---+\n| a | b |\n+===+===+\n| c | d |\n+---+---+\n| e | f |\n+---+---+",
            [
                "Fares:",
                "Fares: > | a | b |\n+===+===+",
                "| a | b |\n+===+===+ > | c | d |\n+---+---+",
                "| a | b |\n+===+===+ > | e | f |\n+---+---+",
            ],
            id="a grid",
        ),
        pytest.param(
            "+---+\n| a |\n+---+\n| b |\n| c |\n+---+\n2 rows",
            ["| a |\n+---+", "| a |\n+---+ > | b |", "| a |\n+---+ > | c |\n+---+", "2 rows"],
            id="a grid of one column, as data bases print it",
        ),
        pytest.param(
            "| a | b |\n| c | d |", ["| a | b |", "| c | d |"], id="rows without a header"
        ),
        pytest.param(
            "It runs. Days:\n\n- Monday. Early.\n- Friday\n\nThat is all.",
            [
                "It runs.",
                "Days:",
                "Days: > - Monday.",
                "Days: > Early.",
                "Days: > - Friday",
                "That is all.",
            ],
            id="a list",
        ),
        pytest.param(
            "Fares:\n1. Adults:\n   - single: 2\n   - day\n     - zone A\n2. Dogs\n\n   On a lead.",
            [
                "Fares:",
                "Fares: > 1. Adults:",
                "1. Adults: > - single: 2",
                "1. Adults: > - day",
                "- day > - zone A",
                "Fares: > 2. Dogs",
                "Fares: > On a lead.",
            ],
            id="nested lists",
        ),
        pytest.param(
            "1. **Fares**\n- adult\n- child\n2. **Hours**:\nDaily.\n\nBye.",
            [
                "1. **Fares**",
                "1. **Fares** > - adult",
                "1. **Fares** > - child",
                "2. **Hours**:",
                "2. **Hours**: > Daily.",
                "Bye.",
            ],
            id="bold items above lists that are not indented",
        ),
        pytest.param("- a\n1. b", ["- a", "1. b"], id="an item heads no other list beside it"),
        pytest.param(
            "Fares:\nAdult: 5\nChild: 3\nHours:\nMon: 9",
            ["Fares:", "Fares: > Adult: 5", "Fares: > Child: 3", "Hours:", "Hours: > Mon: 9"],
            id="lines directly below a colon",
        ),
        pytest.param(
            "Run this:\n\n```\nx = 1.\n```\n\nDone.",
            ["Run this:", "Run this: > ```\nx = 1.\n```", "Done."],
            id="code",
        ),
        pytest.param(
            "票价如下：\n一、成人五元。学生三元。\n二、儿童免费。",
            [
                "票价如下：",
                "票价如下： > 一、成人五元。",
                "票价如下： > 学生三元。",
                "票价如下： > 二、儿童免费。",
            ],
            id="Chinese",
        ),
        pytest.param(
            "> # Trams\n> One.\r\n> Days:\r\n> - Monday",
            ["> # Trams", "> # Trams > > One.", "> # Trams > > Days:", "> Days: > > - Monday"],
            id="quoted",
        ),
    ],
)
def test_a_sentence_is_headed_by_the_nearest(text: str, expected: list[str]) -> None:
    assert headed(text) == expected


LINES = st.lists(
    st.sampled_from(
        [
            *(
                "# A",
                "## B",
                "**C**",
                "Under\n===",
                "D:",
                "Text. More.",
                "",
                "---",
                "```",
                "x = 1.",
            ),
            *("- e", "  - f:", "1. g", "2. **h**", "| i | j |", "|---|---|", "k | l", "\t- m. n"),
        ]
    ),
    max_size=14,
).map("\n".join)


@settings(max_examples=100, deadline=None)
@given(LINES | st.text(max_size=60))
def test_what_heads_a_sentence_stands_above_it(text: str) -> None:
    heads = headings_of(text)
    spans = split_sentences(text)
    assert len(heads) == len(spans)
    for index, head in enumerate(heads):
        if head is not None:
            assert 0 <= head < index
            assert set("\r\n") & set(text[spans[head][1] - 1 : spans[index][0] + 1])
