"""Which citation marks a text has, what they name, and for which sentence; in eight languages."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from pytest_ragassert import EvalCase
from pytest_ragassert.language.citation_marks import labels_by_sentence, normal
from pytest_ragassert.language.citations import without_citations
from pytest_ragassert.language.sentences import split_sentences
from pytest_ragassert.metrics.cited_contexts import citations_of

THREE = ["A", "B", "C"]


def cited(answer: str, count: int = 3, **names: Sequence[str | None]) -> list[list[object]]:
    """By sentence the places that each citation points at, from 1; the mark where there is none."""
    case = EvalCase(answer=answer, retrieved_contexts=["text"] * count, **names)
    places = [
        [[place + 1 for place in one.contexts] or one.mark for one in each]
        for each in citations_of(case)
    ]
    return [[one[0] if len(one) == 1 else one for one in each] for each in places]


MARKS = [
    " [2]", "[2]", "[^2]", "<sup>2</sup>", "²", " 【4:1†source】", "【2】", " (doc 2)",
    " (Doc. 2)", " [doc_2]", " (Document 2)", " [Document 2, p. 4]", " (source: 2)",
    " [Source 2]",
    " (see doc 2)", " (Quelle 2)", " [Quelle: 2]", " (vgl. Dokument 2, S. 3)", " (источник 2)",
    " [док. 2]", "（文档2）", "[来源2]", "（来源：文档2）", " [2](https://example.org/a)",
    " [[2]](https://example.org/a)", "[2†L5-L9]", " \\[2\\]", " [ref 2]", " (Context 2)",
    " [passage 2]", " [D2]", " [S2]", "^[2]", "〔2〕", "［２］", "⟦2⟧", " ([2])",
    " (see [2])", " [2, p. 3]", "**[2]**", " _[2]_", "{{2}}", " [cite: 2]", " [web:2]",
    " [ID: 2]", "[注2]",
    "（见来源2）", " (laut Quelle 2)", " (см. источник 2)", "⁽²⁾", "[[doc2]]", "^2^", " [٢]",
    " (documento 2)", " (fuente 2)", " (voir source 2)", " (المصدر 2)", "（資料2）", "[出典2]",
    '<cite id="2"/>', "<source>2</source>", " (2)", " ②", " {2}",
]  # fmt: skip


@pytest.mark.parametrize("place", ["The ferry has decks{}.", "The ferry has decks.{}"])
def test_a_mark_names_one_context(place: str) -> None:
    for text in map(place.format, MARKS):
        first, *others = cited(text)
        assert (first, any(others)) == ([2], False), text


@pytest.mark.parametrize(
    ("mark", "places"),
    [
        ("[1, 3]", [1, 3]),
        ("[1][3]", [1, 3]),
        ("[1], [3]", [1, 3]),
        ("[1] and [3]", [1, 3]),
        ("[1-3]", [1, 2, 3]),
        ("[1]–[3]", [1, 2, 3]),
        ("[3-1]", [3, 1]),
        ("[1; 3]", [1, 3]),
        ("[1、3]", [1, 3]),
        ("[1، 3]", [1, 3]),
        ("[1, 1][1]", [1]),
        ("¹,³", [1, 3]),
        ("¹³", [1, 3]),  # there is no context 13
        ("(source 1, source 3)", [1, 3]),
        ("(sources 1 and 3)", [1, 3]),
        ("(Quellen 1 und 3)", [1, 3]),
        ("[cite: 1, 3]", [1, 3]),
        ("[2, 7]", [2, "[7]"]),
        ("[3-5]", [3, "[4]", "[5]"]),
        ("[doc 9]", ["[doc 9]"]),
        ("(9)", []),  # it may be anything
        ("[0]", []),
        ("[2024]", []),
        ("[1-999]", [1, "[999]"]),
    ],
)
def test_a_mark_may_name_several_or_none(mark: str, places: list[object]) -> None:
    joint = "" if mark[0] in "¹" else " "
    assert cited(f"The ferry has decks{joint}{mark}.") == [places]


@pytest.mark.parametrize(
    "text",
    [
        "Then a[1] = 5 and row_x[2] = 7 hold.",
        "Set `a [1]` first.",
        "```\nThe ferry runs [1].\n```",
        "- [x] The ferry runs",
        "- [ ] The ferry runs",
        "The share lies in the interval [1, 2].",
        "The function returns [5].",
        "Read items[2] from the file.",
        "Then x1[2] holds.",
        "The deck has 50 m².",
        "It was held in [2024].",
        "See the [time table](https://example.org/a).",
        "[^1]: The fares notice of 2031.",
        "[1]: https://example.org/a",
        "It is true [citation needed].",
        "It is red (see page 2), as said (see Table 3).",
        "It is old (Smith et al., 2019).",
        "We compute f(1) first.",
    ],
)
def test_what_is_no_mark(text: str) -> None:
    assert not any(cited(text))


def test_ids_may_count_from_zero() -> None:
    assert cited("It runs [0][1].", retrieved_context_ids=["0", "1", "2"]) == [[1, 2]]


@pytest.mark.parametrize("text", ["The ferry returns [2].", "By public data[2].", "It has B12[2]."])
def test_what_may_be_code_is_a_mark_in_prose(text: str) -> None:
    assert cited(text) == [[2]]


def test_a_number_in_round_brackets_that_a_context_has_is_none() -> None:
    case = EvalCase(answer="It leaves pier (2).", retrieved_contexts=["pier", "The boat, pier 2."])
    assert citations_of(case) == ((),)


# -- sentences -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "places"),
    [
        # behind and before the full stop, in eight languages
        ("The ferry runs.[1] It stops [2]. It rests. [3] It sails.", [[1], [2], [3], []]),
        ("Die Fähre fährt um 9 Uhr.[1] Sie trägt z. B. 40 Autos [2].", [[1], [2]]),
        ("Паром ходит каждые 40 минут [1]. Он везёт 40 машин. [2]", [[1], [2]]),
        ("渡轮每40分钟一班。[1]它载40辆车[2]。价格为4元【3】。", [[1], [2], [3]]),
        ("Le ferry part à midi [1]. Il transporte 40 voitures.[2]", [[1], [2]]),
        ("El ferry sale a las doce.[1] Lleva 40 coches [2, 3].", [[1], [2, 3]]),
        ("تبحر العبارة عند الظهر [1]، وتحمل 40 سيارة.[2] السعر 4 جنيهات [٣].", [[1, 2], [3]]),
        ("フェリーは正午に出ます[1]。40台です。［2］料金は4ポンドです【3】。", [[1], [2], [3]]),
        # a mark of its own line belongs to what stands above
        ("The ferry runs.\n[1]", [[1], []]),
        ("It runs. It stops.\n\n[1][2]", [[], [1, 2], []]),
        # items, rows
        ("- Adults pay 7 [1]\n- Children pay 4 [2]", [[1], [2]]),
        ("1. Adults pay 7. [1]\n2. Children pay 4. [2]", [[1], [2]]),
        ("| who | fee |\n|---|---|\n| adults | 7 [1] |\n| children | 4 [2] |", [[], [1], [2]]),
        ("Fares:\n* Adults pay 7. Children pay 4. [1]", [[], [], [1]]),
        # within and at the beginning
        ("As [1] says, it runs, and [2] agrees.", [[1, 2]]),
        ("[1] says that it runs. It stops.", [[1], []]),
        ("It stops.\n[1] says that it runs.", [[], [1]]),
        # tags that hold what is cited
        ('It stops.\n<cite id="1">The ferry runs every day of the year, and also at night.</cite>',
         [[], [1], []]),
        ("[1]", [[1]]),
        ("", []),
    ],
)  # fmt: skip
def test_the_sentence_of_a_mark(text: str, places: list[list[object]]) -> None:
    assert cited(text) == places


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("It runs. [harbour-2] It stops [harbour-1].", [[2], [1]]),
        ("渡轮每40分钟一班。【harbour-2】它载40辆车〔harbour-1〕。", [[2], [1]]),
        ("フェリーは正午に出ます。【harbour-2】車を40台運びます[harbour-1]。", [[2], [1]]),
        ("It runs (harbour-2).", [[2]]),
        ("It runs [harbour-2, harbour-1].", [[2, 1]]),
        ("It runs [harbour-2, harbour-7].", [[2, "[harbour-7]"]]),
        ("It runs [Harbour 2].", [[2]]),
    ],
)
def test_marks_by_id(text: str, places: list[list[object]]) -> None:
    assert cited(text, retrieved_context_ids=["harbour-1", "harbour-2", "pier"]) == places


@pytest.mark.parametrize(
    ("ids", "mark", "places"),
    [
        (["17", "4", "9"], "[4]", [2]),
        (["17", "4", "9"], "[1]", ["[1]"]),  # a number, so it would be an id
        (["17", "4", "9"], "(doc 4)", [2]),
        (["17", "4", "9"], "[4, 2, 17]", [2, "[2]", 1]),
        (["17", "4", "9"], "[3-5]", ["[3]", 2, "[5]"]),
        (["2023", "2024", "2025"], "[2024]", [2]),
        (["0", "1", "2"], "[0]", [1]),
        (["0", "1", "2"], "a[0] x", []),
        (["doc_7", "doc_3", "x"], "[doc 3]", [2]),
        (["doc_7", "doc_3", "x"], "[doc 1]", ["[doc 1]"]),
        (["doc_7", "doc_3", "x"], "[3]", [3]),
        (["3-1", "3-2", "3-3"], "[3-2]", [2]),
        (["a", None, "b"], "[2]", [2]),
        (["a", "a", "b"], "[a]", [[1, 2]]),
        (["a.b", "B.b", "c"], "[B.B]", [2]),
        (["17", "4"], "[17]", ["[17]"]),  # they are not as many as the contexts
        (["17", "4"], "[1]", ["[1]"]),
        (["(x)", "[y]", "z,z"], "[z,z]", [3]),
    ],
)
def test_ids_of_the_shape_of_marks_come_before_places(
    ids: list[str | None], mark: str, places: list[object]
) -> None:
    assert cited(f"The ferry runs {mark}.", retrieved_context_ids=ids) == [places]


SOURCES = ["en/fares.md", "en/fares.md", "https://example.org/times"]


@pytest.mark.parametrize(
    ("mark", "places"),
    [
        ("[fares.md]", [[1, 2]]),
        ("(fares.md, p. 3)", [[1, 2]]),
        ("[en/fares.md]", [[1, 2]]),
        ("(Source: fares.md)", [[1, 2]]),
        ("[the times](https://example.org/times)", [3]),
        ("[fares.md](x)", [[1, 2]]),
        ("[other](https://example.org/other)", []),
        ("【3:0†fares.md】", [[1, 2]]),
        ("(https://example.org/times)", [3]),
        ("<cite>fares.md</cite>", [[1, 2]]),
        ("[prices.pdf]", ["[prices.pdf]"]),
        ("[3]", [3]),
        ("[1, fares.md]", [1, [1, 2]]),
    ],
)
def test_marks_by_source_point_at_all_that_is_of_it(mark: str, places: list[object]) -> None:
    text = f"The ferry runs {mark}."
    assert cited(text, retrieved_context_sources=SOURCES) == [places]


@pytest.mark.parametrize("mark", ["[prices.pdf]", "[^note]", "(Source: a notice)", "[cite: x1]"])
def test_a_name_counts_only_where_contexts_have_names(mark: str) -> None:
    assert cited(f"The ferry runs {mark}.") == [[]]
    (found,) = cited(f"The ferry runs {mark}.", retrieved_context_ids=["a", "b", "c"])
    assert found == [mark]


def test_what_is_a_mark_is_no_part_of_a_claim() -> None:
    """The offline judge takes out of claims what is counted here."""
    for mark in ("[1]", "[1, 3]", "[^1]", "【4:0†source】", "(doc 2)", "（資料2）", "[1، 2]"):
        text = f"The ferry runs {mark}."
        assert any(cited(text))
        assert without_citations(text) in ("The ferry runs.", "The ferry runs .")


@pytest.mark.parametrize(
    ("pattern", "joint"),
    [
        ("[{}]", ", "), ("{}", "]["), ("{}", "] ["), ("{}", "], ["), ("({})", "], ["),
        ("【{}】", ", "), ("(sources {})", ", "), ("(doc {})", ", doc "), ("[cite: {}]", ", "),
        ("<sup>{}</sup>", ","), ("<cite>{}</cite>", ","), ("\\cite{{{}}}", ","), ("^[{}]", ", "),
        ("**[{}]**", ", "), ("{{{{{}}}}}", ", "),
    ],
)  # fmt: skip
def test_marks_may_be_many(pattern: str, joint: str) -> None:
    for count, space in itertools.product([10, 11, 39, 1000], ["", " "]):
        numbers = joint.join(str(number % 999 + 1) for number in range(count))
        listed = pattern.format(f"[{numbers}]" if "]" in joint else numbers)
        text = f"A ticket costs 7 crowns{space}{listed}."
        assert without_citations(text) in ("A ticket costs 7 crowns.", "A ticket costs 7 crowns .")
        (found,) = cited(text, 999)
        assert found == list(range(1, min(count, 999) + 1)), text


def test_long_ids_may_be_many() -> None:
    ids = [f"{number:036}-a" for number in range(20)]
    assert cited(f"It runs [{', '.join(ids)}].", 20, retrieved_context_ids=ids) == [
        list(range(1, 21))
    ]


TEXTS = st.lists(
    st.sampled_from(
        ["The ferry runs", ". ", "。", "[1]", " [2]", "[a-1]", "\n", "- ", "| ", "¹", "(doc 2)",
         "`", "```\n", "<cite id=1>", "</cite>", "[", "]", "(", "【3†x】", "[1]: ", "٢", "\ud800"]
    )
).map("".join)  # fmt: skip


@hypothesis_settings(deadline=None)
@given(TEXTS, st.sets(st.sampled_from(["a-1", "2", "ferry"])))
def test_any_text_has_labels_for_its_sentences(text: str, names: set[str]) -> None:
    found = labels_by_sentence(text, set(map(normal, names)), THREE)
    assert len(found) == len(split_sentences(text))
    assert all(label.names or label.numbers for each in found for label in each)


def test_ten_thousand_marks_in_a_sentence_are_each_counted_once() -> None:
    (found,) = cited("The ferry runs " + "[1] [2] [7] [fares.md] " * 10_000)
    assert found == [1, 2, "[7]"]
