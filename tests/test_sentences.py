"""A text's sentences: where they begin and end, in many scripts and forms."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_ragassert.language.sentences import is_question, split_sentences


def sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in split_sentences(text)]


TABLES = sorted((Path(__file__).parent / "sentence_tables").glob("*.txt"))


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.stem)
def test_a_sentence_is_whole(table: Path) -> None:
    """In a table's rows a sentence ends at "‖", and "¶" is a line break."""
    for line in table.read_text(encoding="utf-8").splitlines():
        row = line.replace("¶", "\n")
        assert sentences(row.replace("‖", "")) == [part.strip() for part in row.split("‖")]


def test_offsets_are_those_of_the_text() -> None:
    text = "  The tram runs.  It stops\there!  \n\n Why? "
    spans = split_sentences(text)
    assert spans == ((2, 16), (18, 32), (37, 41))


@pytest.mark.parametrize("text", ["", " ", "\n\n", "\t \r\n", "\u2003\u00a0"])
def test_a_blank_text_has_no_sentences(text: str) -> None:
    assert split_sentences(text) == ()


@pytest.mark.parametrize(
    "text", ["no end at all", "12", "…", "?", "A heading:", "a" * 5000, "word " * 999 + "word"]
)
def test_a_text_without_sentence_end_is_one_sentence(text: str) -> None:
    assert sentences(text) == [text]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One line\nanother line", ["One line", "another line"]),
        ("a\r\nb\rc", ["a", "b", "c"]),
        ("Hours:\n- daily at 5\n- never at 6. Or 7.", ["Hours:", "- daily at 5", "- never at 6."]),
        ("* first item\n* second item", ["* first item", "* second item"]),
        ("1. Buy a ticket\n2. Board", ["1. Buy a ticket", "2. Board"]),
        ("1) Buy a ticket\n2) Board", ["1) Buy a ticket", "2) Board"]),
        (
            "| stop | time |\n|------|------|\n| Harbour | 8.30 |",
            ["| stop | time |\n|------|------|", "| Harbour | 8.30 |"],
        ),
        ("# Title\n\nA text. Its end.", ["# Title", "A text.", "Its end."]),
    ],
)
def test_a_line_ends_a_sentence(text: str, expected: list[str]) -> None:
    assert sentences(text)[: len(expected)] == expected


@pytest.mark.parametrize(
    "text",
    [
        "The tram runs every\n12 minutes.",
        "A short trip costs\ntwo crowns.",
        "Der Fahrplan der Straßenbahn wurde im Mai auf einen\n"
        "kürzeren Takt umgestellt, der seither immer\n"
        "gilt und nicht mehr geändert wird",
        "- the tram of the harbour line runs\r\n  every 12 minutes.",
    ],
)
def test_hard_wrapping_is_no_end(text: str) -> None:
    assert sentences(text) == [text]


@pytest.mark.parametrize(
    "text",
    [
        "tram lines\nbus lines\nferries",
        "The stop is here.\nand there",
        "The tram runs on Sundays:\nevery 12 minutes.",
        "The tram runs every day\n\nat noon.",
        "The tram runs every day\n2. at noon.",
        "| tram of the harbour |\nis yellow.",
        "# Trams of the harbour\nare yellow.",
        "The tram runs every day\nAt noon.",
        "Tickets for the tram of the harbour are sold\na) by card\nb) in cash",
    ],
)
def test_other_line_breaks_are(text: str) -> None:
    assert len(sentences(text)) >= 2


@pytest.mark.parametrize("mark", ["```", "~~~"])
def test_a_code_fence_is_one_sentence(mark: str) -> None:
    fence = f"{mark}python\nx = 1. y\n\nprint('Hi. There.')\n{mark}"
    text = f"Run this. Now:\n{fence}\nIt prints. Twice."
    assert sentences(text) == ["Run this.", "Now:", fence, "It prints.", "Twice."]


def test_the_other_mark_does_not_end_a_fence() -> None:
    text = "```\n~~~\na. b\n```\nAfter."
    assert sentences(text) == ["```\n~~~\na. b\n```", "After."]


def test_an_open_fence_goes_on_to_the_end() -> None:
    text = "Before.\n```\na = 1. b\n\nc. d"
    assert sentences(text) == ["Before.", "```\na = 1. b\n\nc. d"]


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("电车每12分钟一班。周末停运！票价是2.5元。", 3),
        ("你坐过电车吗？坐过。", 2),
        ("看板に「12分ごと。」と書いてあります。週末は運休です。", 2),
        ("Работает до 30 сент. включительно. Билет стоит 2 рубля.", 2),
        ("路面電車は12分ごとに来ます。週末は運休ですか？はい。", 3),
        ("ट्राम हर 12 मिनट में आती है। रविवार को बंद रहती है।", 2),
        ("Трамвай ходит каждые 12 минут. В выходные он стоит! Билет стоит 2,5 рубля.", 3),
        ("Вагон построен в 1990 г. на заводе. Он жёлтый.", 2),
        ("Вагон купил И. И. Петров. Он доволен.", 2),
        ("Die Bahn fährt z. B. am 3. Mai um 8.30 Uhr. Sie kostet 5 €.", 2),
        ("Dr. Weber kam am 12. März. Er blieb bis ca. 18 Uhr, d. h. lange.", 2),
        ("Das kostet 3,5 Mio. Euro usw. und mehr.", 1),
        ("Open in May. Closed in June. Trams cost 5 crowns.", 3),
        ("Mr. Reed paid $5.50 at 5 p.m. He left.", 2),
        ("It runs daily, e.g. at 8.15. See example.org for more.", 2),
        ("Le tram part à 8 h 30. Il coûte 2 €.", 2),
        ("Ein Tram 👩‍👩‍👧 fährt. 👍 Es ist rot!", 2),
        ("الترام يأتي كل 12 دقيقة. هل يعمل يوم الأحد؟ لا.", 3),
        ("החשמלית יוצאת כל 12 דקות. בשבת היא עומדת.", 2),
    ],
)
def test_sentences_of_many_languages_are_counted(text: str, count: int) -> None:
    assert len(sentences(text)) == count


@pytest.mark.parametrize(
    ("text", "second"),
    [
        ("A lone \ud800 one. And \udfff two.", "And \udfff two."),
        ("🚋🚋 runs. Then 🚋 stops.", "Then 🚋 stops."),
        ("𝔸 bold letter. 𝔹 too.", "𝔹 too."),
        ("He\u0301 combining. Two\u0301 marks.", "Two\u0301 marks."),
        ("Zero\u200bwidth. Next\u200b one.", "Next\u200b one."),
        ("NUL \x00 here. And \x1b[31m there.", "And \x1b[31m there."),
    ],
)
def test_odd_characters_do_not_shift_offsets(text: str, second: str) -> None:
    assert sentences(text)[1] == second


@pytest.mark.parametrize(
    "text",
    [
        "Why?",
        '"Why?"',
        "「なぜ？」",
        "Почему?[1]",
        "Why? [1, 3]",
        "لماذا؟",
        "**Why?** 🎉",
        "真的吗？【4:0†a】",
    ],
)
def test_what_closes_a_question_leaves_it_one(text: str) -> None:
    assert is_question(text)


@pytest.mark.parametrize("text", ["Yes.", '"Why?" he asked.', "See [why?] here", "", "?!"])
def test_others_are_none(text: str) -> None:
    assert not is_question(text)


PIECES = st.sampled_from(
    [
        "A tram runs. ",
        "Why? ",
        "电车。",
        "है। ",
        "z. B. ",
        "\n",
        "```",
        "~~~\n",
        "- ",
        "1. ",
        "---\n",
        "# ",
        "**A**\n",
        "So: ",
        "  ",
        '"',
        "[1]",
        "|---|\n",
        "| a |",
        "\ud800",
        "👍",
    ]
)


@settings(max_examples=100, deadline=None)
@given(
    st.text(max_size=60)
    | st.lists(PIECES, max_size=12).map("".join)
    | st.text(st.characters(min_codepoint=0xD7F0, max_codepoint=0xE010, categories=["Cs", "Co"]))
)
def test_spans_are_ordered_disjoint_trimmed_and_lose_no_word(text: str) -> None:
    spans = split_sentences(text)
    ends = [0, *(end for _, end in spans)]
    for (start, end), before in zip(spans, ends, strict=False):
        assert before <= start < end <= len(text)
        assert text[start:end] == text[start:end].strip() != ""
        assert len(spans) == 1 or re.search(r"[^\W_]", text[start:end])
    between = "".join(
        text[before:start]
        for before, start in zip(ends, [*(start for start, _ in spans), len(text)], strict=True)
    )
    assert not re.search(r"[^\W_]", between)  # a rule between parts may be left out
