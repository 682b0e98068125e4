"""The offline judge: what it takes for claims."""

from __future__ import annotations

import json

import pytest

from pytest_ragassert.steps.extract_claims import EXTRACT_CLAIMS

from .offline import FULL, JUDGE, claims_of, verdicts_of


@pytest.mark.parametrize(
    "text",
    [
        "The ferry runs every 40 minutes.",
        "Cornish heath",
        "Delhi",
        "23 kg",
        "5",
        "No pumps are rated.",
        "We don't charge a fee.",
        "No data is stored on the server.",
        "The report does not mention layoffs.",
        "I think the fee is 40 €.",
        "Thank goodness the ferry runs daily, it is cheap.",
        "If you are late, the ferry leaves without you.",
        "If you are happy to pay, the ferry waits.",
        "The information did not reach Berlin.",
        'Set {"retries": 3} or {0} or %s.',
        "渡轮每40分钟一班。",
        "Hi-fi sets are sold here.",
        "Here the ferry runs daily.",
        "5*3 is 15*1",
        "The variable is snake_case_name.",
    ],
)
def test_what_states_something_is_a_claim_as_it_stands(text: str) -> None:
    assert claims_of(text) == [(1, text)]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Hello!",
        "Hi there, ",
        "Good morning!",
        "Thanks!",
        "Thank you for your question.",
        "You're welcome!",
        "Let me know if you need more.",
        "Please feel free to ask about the 3 pumps.",
        "I hope this helps!",
        "If you need 2 more examples, just ask.",
        "If you need more, I'm happy to help.",
        "I'm happy to help.",
        "Is there anything else?",
        "Does the ferry run every 40 minutes?",
        '"Does the ferry run?"',
        "**Does the ferry run?**",
        "I think it's great.",
        "Great question!",
        "That is a wonderful idea.",
        "I don't know.",
        "I don’t know.",
        "I do not know when the ferry runs.",
        "I'm sorry, but I can't help with that.",
        "I'm not sure.",
        "I couldn't find that in the documents.",
        "I do not have any information on 2031.",
        "We could not find the fee.",
        "The context does not say when the ferry runs.",
        "The provided documents don't mention the 40 minutes.",
        "Unfortunately, there is no information about the ferry in the context.",
        "The fee is not mentioned in the provided documents.",
        "Not stated.",
        "As an AI, I have no ferry.",
        "Yes",
        "No.",
        "Yes, of course!",
        "It isn't.",
        "# The ferry",
        "### The ferry runs every 40 minutes",
        "| --- | :-: |",
        "---",
        "```\nferry = 40\n```",
        "~~~py\nprint('ferry')",
        "Here are the ferries:",
        "✅",
        "[1]",
    ],
)
def test_what_states_nothing_carries_no_claim(text: str) -> None:
    assert claims_of(text) == []


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        ("- The *ferry* runs `daily`.", ["The ferry runs daily."]),
        ("  2) **The ferry** runs daily", ["The ferry runs daily"]),
        ("- [x] The ferry runs", ["The ferry runs"]),
        ("> The ferry runs", ["The ferry runs"]),
        ("The ferry runs daily [1][2, 3].", ["The ferry runs daily."]),
        ("See the [time table](https://example.org/a) of 2031", ["See the time table of 2031"]),
        (
            "| Size | Fee |\n|---|---|\n| Large | 9 € |\n| Small | 5 € |",
            ["Large | 9 €", "Small | 5 €"],
        ),
        ("| Large | 9 € |", ["Large | 9 €"]),
        ("**Summary**\nThe ferry runs.", ["The ferry runs."]),
        ("**Delhi**", ["Delhi"]),
        ("**The fee is 9 €**\nThe ferry runs.", ["The fee is 9 €", "The ferry runs."]),
        ("Needed:\n* passport\n* visa", ["passport", "visa"]),
        ("Yes, the ferry runs.", ["the ferry runs."]),
        ("Sure! Hello, the ferry runs.", ["the ferry runs."]),
        ("I couldn't find the fee, but the ferry runs.", ["the ferry runs."]),
        ("The ferry runs, but the context does not say when.", ["The ferry runs"]),
        ("The ferry runs, but it is late.", ["The ferry runs", "it is late."]),
        ("```\nx = 1\n```\nThe ferry runs.\n```\ny = 2\n```", ["The ferry runs."]),
        ("According to the documents provided, the ferry runs.", ["the ferry runs."]),
        ("The ferry runs.\n\nFor more information, see [1].", ["The ferry runs."]),
        ("Let's look at the timetable. The ferry runs.", ["The ferry runs."]),
        ("Laut den bereitgestellten Dokumenten ist die Fähre rot.", ["ist die Fähre rot."]),
        ("For more information, see the harbour.", ["For more information, see the harbour."]),
        ("Hello! The ferry runs. It costs 5 €. Bye?", ["The ferry runs.", "It costs 5 €."]),
    ],
)
def test_markup_and_small_talk_are_left_out(text: str, claims: list[str]) -> None:
    assert [claim for _, claim in claims_of(text)] == claims


MARKS = [
    " [1]", "[1]", " [1, 3]", " [1][2]", " [1-3]", "[^1]", " [^note]", "<sup>2</sup>", "¹", "²",
    " 【4:0†source】", "【1】", " (doc 2)", " (Doc. 2)", " [doc 2]", " [doc_2]",
    " (Document 3)",
    " [Document 3, p. 4]", " (source: 2)", " [Source 1]", " (source 1, source 2)",
    " (see doc 2)", " (Source: harbour notice, p. 3)", " (Quelle 2)", " [Quelle: 1]",
    " (vgl. Dokument 2, S. 3)", " (источник 2)", " [док. 2]", "（文档2）", "[来源1]",
    "（来源：文档2）", " [notice.pdf]", " (notice.pdf, p. 3)", " [1](https://example.org/a)",
    " [[1]](https://example.org/a)", "[1†L5-L9]", " \\[1\\]", "<cite>2</cite>", " [ref 1]",
    " (Context 2)", " [passage 4]", " [D1]", "^[1]", " [citation needed]",
    "\ue200cite\ue202turn0search1\ue201",
    "〔1〕", "［1］", "［1］［2］", "〔1、2〕", "⟦1⟧", " [1]-[3]", " [1], [2]", " ([1])",
    " [1] and [2]",
    " ([1], [2])", " (see [1])", " [see 1]", " [1, p. 3]", "**[1]**", " _[2]_", "{{1}}",
    " [cite: 1, 2]", "[cite_start]", " [web:1]", " [ID: 3]", " [chunk_id=a-12]", " [ctx 2]",
    " [p. 3]", " [Anm. 1]", "[注1]", "（见来源1）", " (laut Quelle 3)", " (см. источник 3)",
    " (according to source 3)", " [a.pdf#page=3]", " ([Harbour notice](https://example.org/a))",
    " [source](https://example.org)", " — Source: a.pdf", "⁽¹⁾⁽²⁾", "¹,²", "[Source: a.pdf]",
    '<cite id="1"/>', "<cite>notice.pdf</cite>", "<source>1</source>", "[[doc1]]", " [S1]",
    '<sup><a href="#1">1</a></sup>', " \\cite{notice}", " \\citep{a, b}", "^1^",
    " citeturn0search1", " (see page 12)", " (see Table 3)", " (vgl. S. 12)", " (см. с. 12)",
    " (siehe Abb. 2.1)", "（见表3）", " (Smith et al., 2019)", " [Smith et al. 2019]",
    " (siehe Meier u. a. 2019, S. 4)",
]  # fmt: skip


@pytest.mark.parametrize("place", ["The ferry carries 40 cars{}.", "The ferry carries 40 cars.{}"])
def test_citation_marks_are_no_part_of_a_claim(place: str) -> None:
    for text in map(place.format, MARKS):
        assert [claim for _, claim in claims_of(text)] == ["The ferry carries 40 cars."], text


@pytest.mark.parametrize(
    "text",
    [
        "The deck has 50 m².",
        "The root is (a+b)².",
        "It holds 10⁻³ mol.",
        "Use sin²(x) here.",
        "The share lies in [0, 1].",
        "It is in the interval [1, 2].",
        "Set `a[1] = 5` first.",
        "The fee (5 € a day) is due.",
        "It was held twice (Paris, 2019).",
        "It is shown on a page (page 12).",
        "The table (Table 3) is round.",
        "Abschnitt (2) gilt.",
        "甲板有50米²。",
        "Then a[1] = 5 and row_x[2] = 7 hold.",
        "The list shows the price (12).",
        "We compute f(1) first.",
        "The share lies in [1, 5].",
        "The function returns [5].",
        "The list [1, 2, 3] is sorted.",
    ],
)
def test_what_only_looks_like_a_citation_stays(text: str) -> None:
    assert [claim for _, claim in claims_of(text)] == [text.replace("`", "")]


# What is a citation only where the source has no number behind the same word.
DOUBTFUL = [
    "(1)",
    " (1)",
    " {2}",
    "{1}",
    " (1, 2)",
    " (1)(2)",
    "（1）",
    " ①",
    " (p. 3)",
    "（第3页）",
]
DOUBTFUL += [" (Harbour notice, p. 3)", " (https://example.org/a1)"]


@pytest.mark.parametrize("mark", DOUBTFUL)
def test_a_number_in_brackets_is_a_citation_where_the_source_has_none(mark: str) -> None:
    source = "The ferry carries 40 cars. It sails at noon."
    for place in (
        "The ferry carries {} cars{}. It sails.",
        "The ferry carries {} cars.{} It sails.",
    ):
        claims = [claim for _, claim in claims_of(place.format(40, mark))]
        assert [verdict["verdict"] for verdict in verdicts_of(claims, [source])] == [FULL, FULL]
        claims = [claim for _, claim in claims_of(place.format(50, mark))]
        assert verdicts_of(claims, [source])[0]["verdict"] != FULL


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("The list shows the price ({}).", 3),
        ("The flat has many rooms ({}).", 3),
        ("The tenant has three ({}) days.", 5),
        ("The solution set is {{{}}}.", 4),
        ("Read items[{}] from the file.", 4),
        ("The value of f({}) is large.", 4),
        ("Open valve ({}).", 4),
        ("价格见表（{}）。", 4),
    ],
)
def test_a_number_in_brackets_that_the_source_has_too_is_one_of_the_claim(
    text: str, other: int
) -> None:
    for claim, source in ((other, 2), (2, other), (2, 2)):
        [verdict] = verdicts_of([text.format(claim)], [text.format(source)])
        assert (verdict["verdict"] == FULL) is (claim == source)


def test_what_a_tag_cites_is_a_claim() -> None:
    cited = '<cite index="1-2">The ferry carries 40 cars.</cite> <cite>It sails at noon.</cite>'
    assert [claim for _, claim in claims_of(cited)] == [
        "The ferry carries 40 cars.",
        "It sails at noon.",
    ]


def test_raised_digits_of_tags_are_powers() -> None:
    assert claims_of("It has 50 m<sup>2</sup> and 10<sup>6</sup> bees.") == [
        (1, "It has 50 m² and 10⁶ bees.")
    ]


@pytest.mark.parametrize(
    "sources",
    [
        "Sources: [1] Harbour notice, p. 3. [2] Harbour rules.",
        "Source: https://example.org/notice",
        "Sources:\n- notice.pdf\n- https://example.org/a",
        "**Sources:**\n1. Harbour notice 2031\n2. Harbour rules, section 4",
        "## References\n\n[1] Smith, J. (2031). Ferries.\n[2] Doe, A. (2030). Boats.",
        "References:\n* Harbour notice\n* Harbour rules",
        "Bibliography\n- Harbour notice",
        "[1]: https://example.org/a\n[^2]: Harbour notice, p. 3",
        "Quellen:\n1. Fahrplan 2031\n2. Hafenordnung",
        "Quelle: Fahrplan 2031, S. 3",
        "*Literatur:* Hafenordnung 2031",
        "Источники:\n1. Расписание 2031\n2. Правила порта",
        "Источник: расписание 2031",
        "Список литературы:\n- Правила порта",
        "来源：文档2、文档3",
        "参考资料：\n1. 港口通告2031\n2. 港口规则",
        "参考文献\n- 港口通告2031",
    ],
)
@pytest.mark.parametrize("after", ["", "\n\n## Fees\nThe fee is 9 €."])
def test_a_list_of_sources_carries_no_claims(sources: str, after: str) -> None:
    text = f"The ferry carries 40 cars.\n\n{sources}{after}"
    claims = ["The ferry carries 40 cars."] + ["The fee is 9 €."] * bool(after)
    assert [claim for _, claim in claims_of(text)] == claims


def test_what_follows_a_source_is_read_again() -> None:
    text = "Source: harbour notice\n\nThe ferry carries 40 cars.\nTea: 3 €"
    assert [claim for _, claim in claims_of(text)] == ["The ferry carries 40 cars.", "Tea: 3 €"]
    sources = "## Sources\nThe river has its sources in the hills."
    assert [claim for _, claim in claims_of(sources)] == ["The river has its sources in the hills."]


LEAD_INS = """Here is a summary: | Here's what I found: | Here’s a short overview of the fees:
    | Summary: | **Summary:** | Here are the key points: | Below is a list of the fees:
    | To summarize: | In short: | I found the following: | Here is the answer to your question:
    | TL;DR: | Key points: | Answer: | Hier ist eine Zusammenfassung: | Das habe ich gefunden:
    | Hier sind die wichtigsten Punkte: | Zusammenfassung: | Kurz gesagt: | Fazit:
    | Im Folgenden eine Übersicht: | Folgendes habe ich gefunden: | Вот краткое содержание:
    | Вот что я нашёл: | Вот список: | Резюме: | Кратко: | Ниже приведён обзор: | 以下是摘要：
    | 这是我找到的内容： | 总结： | 总结如下： | 简而言之： | 以下是主要内容："""
STATEMENT = "渡轮 40 ferry"


@pytest.mark.parametrize("joint", [" ", "\n", "\n\n", "\n- "])
def test_a_lead_in_is_no_claim_and_no_part_of_one(joint: str) -> None:
    for lead in (lead.strip() for lead in LEAD_INS.split("|")):
        assert [claim for _, claim in claims_of(lead + joint + STATEMENT)] == [STATEMENT], lead


@pytest.mark.parametrize(
    "text",
    [
        "Here is a summary.",
        "Here's what I found.",
        "Here is the list you asked for.",
        "Hier ist die Zusammenfassung.",
        "Вот что я нашёл.",
        "以下是总结。",
        "To install the client, run:",
        "Run the following command",
        "Use this command",
        "It looks like this",
        "Führen Sie folgenden Befehl aus:",
        "Выполните следующую команду:",
        "运行以下命令：",
    ],
)
def test_what_leads_to_a_code_block_carries_no_claim(text: str) -> None:
    assert claims_of(f"{text}\n\n```sh\npip install oar==4.20\n```") == []


def test_a_fact_before_a_code_block_is_a_claim() -> None:
    text = "At temperatures below 5 °C the pump stops.\n```\nstart\n```"
    assert claims_of(text) == [(1, "At temperatures below 5 °C the pump stops.")]


def test_a_title_with_a_date_or_a_price_is_a_claim_but_no_count_of_what_follows() -> None:
    assert claims_of("From 1 May 2031 the fees are:\n- dogs: 2 €")[0][1].startswith("From 1 May")
    assert claims_of("There are 2 kinds:\n- red\n- blue") == [(2, "red"), (3, "blue")]


def test_each_claim_names_its_sentence() -> None:
    assert claims_of("Hello! The ferry runs. Why? It costs 5 €.") == [
        (2, "The ferry runs."),
        (4, "It costs 5 €."),
    ]


def test_lines_of_one_sentence_are_joined_and_its_items_and_fences_kept_apart() -> None:
    text = "The ferry\nruns daily\n- passport\n- visa\n\nis cheap\n```\ncode 5\n```"
    reply = JUDGE.run(
        EXTRACT_CLAIMS,
        {"question": None, "sentences": [{"id": 3, "text": text}, {"id": 4, "text": "It sank."}]},
    )
    assert json.loads(reply)["claims"] == [
        {"sentence": 3, "text": "The ferry runs daily"},
        {"sentence": 3, "text": "passport"},
        {"sentence": 3, "text": "visa"},
        {"sentence": 3, "text": "is cheap"},
        {"sentence": 4, "text": "It sank."},
    ]


def test_a_fence_over_several_sentences_hides_them_all() -> None:
    sentences = [
        {"id": n, "text": t} for n, t in enumerate(["```py", "ferry runs", "```", "It sank"])
    ]
    reply = JUDGE.run(EXTRACT_CLAIMS, {"question": None, "sentences": sentences})
    assert json.loads(reply)["claims"] == [{"sentence": 3, "text": "It sank"}]
