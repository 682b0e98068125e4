"""Quotes in German, Russian and Chinese: found word for word, or put right."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_ragassert.steps.evidence.evidence_check import find_evidence, gated
from pytest_ragassert.steps.evidence.quote_repair import corrected_quote
from pytest_ragassert.steps.evidence.quotes import find_quote

# In the tables the passage shows the stretch that the quote stands for between these marks.
MARKS = re.compile("⟦(.*)⟧", re.DOTALL)

LIGHTHOUSE = (
    "Der alte Leuchtturm auf der Insel öffnet von April bis Oktober täglich um 9 Uhr, und der "
    "Eintritt kostet für Kinder nur 3,50 Euro."
)
MUSEUM = (
    "Музей маяка на острове открыт с апреля по октябрь ежедневно с девяти утра, и детский билет "
    "стоит всего 350 рублей."
)
TOWER = "岛上的老灯塔从四月到十月每天上午九点开放，儿童票的价格只有35元，成人票要贵一倍。"
ENGLISH = (
    "The old lighthouse on the island opens daily at 9 from April to October, and a ticket for "
    "children costs only 3.50 euros."
)


def placed(marked: str) -> tuple[str, tuple[int, int] | None]:
    found = MARKS.search(marked)
    passage = re.sub("[⟦⟧]", "", marked)
    return passage, (found.start(), found.end() - 2) if found else None


@pytest.mark.parametrize(
    ("quote", "marked"),
    [
        # German
        ("Der Turm heißt »Alter Wächter«", "⟦Der Turm heißt „Alter Wächter“⟧."),
        ("Der Turm heißt 'Alter Wächter'", "⟦Der Turm heißt „Alter Wächter“⟧."),
        ("eine Leuchtturmwärterin wohnte hier", "⟦eine Leuchtturm-\nwärterin wohnte hier⟧"),
        ("der Ein- und Ausgang liegt", "⟦der Ein- und Ausgang liegt⟧ im Westen"),
        ("der Ein und Ausgang liegt", "der Ein- und Ausgang liegt im Westen"),
        ("um 9 Uhr öffnet", "⟦um 9\u00a0Uhr öffnet⟧ der Turm"),
        ("kostet 3,50 Euro hier", "⟦kostet 3,50 Euro hier⟧"),
        ("kostet 3.50 Euro hier", "kostet 3,50 Euro hier"),
        ("Strasse am alten Turm", "Straße am alten Turm"),
        ("der Turm ist offen", "der Turm ist nicht offen"),
        ("ist ein Leuchtturm", "ist ein Leuchtturmwärter"),
        ("über die große Brücke", "⟦u\u0308ber die große Bru\u0308cke⟧"),
        # Russian
        ('Маяк называют "Старым стражем"', "⟦Маяк называют «Старым стражем»⟧."),
        ("билет стоит 1 250 рублей", "⟦билет стоит 1\u00a0250 рублей⟧ летом"),
        ("билет стоит 250 рублей", "билет стоит 1\u00a0250 рублей летом"),
        ("юго-западный берег острова", "⟦юго‑западный берег острова⟧"),
        ("западный берег острова тих", "юго-западный берег острова тих"),
        ("музей закрыт по понедельникам", "музей не закрыт по понедельникам"),
        ("музей открыт по понедельникам", "музей открыта по понедельникам"),
        ("Музей открыт - вход свободный", "⟦Музей открыт — вход свободный⟧"),
        ("ещё один маяк", "еще один маяк"),
        ("у самого чёрного моря", "⟦у самого че\u0308рного моря⟧"),
        # Chinese
        ("灯塔叫做「老守卫」", "⟦灯塔叫做“老守卫”⟧。"),
        ("灯塔每天上午九点开放", "岛上的⟦灯塔每天\n上午九点开放⟧，"),
        ("灯塔每天上午九点开放", "岛上的灯塔不是每天上午九点开放"),
        ("价格是35元一张", "价格是135元一张"),
        ("价格是135元一张", "成人票⟦价格是135元一张⟧"),
        ("九点开放到十点", "十九点开放到十点"),
        ("每天九点", "灯塔每天九点开放"),
        ("灯塔每天九点开", "老⟦灯塔每天九点开⟧放"),
        ("灯塔 每天 九点 开放", "老⟦灯塔每天九点开放⟧"),
    ],
)
def test_what_is_verbatim(quote: str, marked: str) -> None:
    passage, span = placed(marked)
    assert find_quote(quote, passage) == span


@pytest.mark.parametrize(
    ("quote", "marked"),
    [
        # German: particles, inflected and misspelled words, the case of a first letter
        (
            "Leuchtturm auf der Insel öffnet vom April bis Oktober täglich um 9 Uhr",
            "Der alte ⟦Leuchtturm auf der Insel öffnet von April bis Oktober täglich um 9 Uhr⟧",
        ),
        (
            "Leuchtturm der Insel öffnet von April bis Oktober täglich um 9 Uhr",
            "Der alte ⟦Leuchtturm auf der Insel öffnet von April bis Oktober täglich um 9 Uhr⟧",
        ),
        (
            "Die Leuchttürme der Inseln öffnen von April bis Oktober täglich schon um 9 Uhr",
            "⟦Die Leuchttürme der Inseln öffnen von April bis Oktober täglich um 9 Uhr⟧.",
        ),
        (
            "Der Fähren der Insel fahren von April bis Oktober täglich um 9 Uhr",
            "⟦Der Fähre der Insel fahren von April bis Oktober täglich um 9 Uhr⟧",
        ),
        # Russian: an ending, a particle
        (
            "открыт с апреля до октябрь ежедневно с девяти утра и детский билет стоит 350 рублей",
            "Музей ⟦открыт с апреля по октябрь ежедневно с девяти утра, и детский билет стоит 350 "
            "рублей⟧.",
        ),
        (
            "маяк на этом острове открыт с апреля и до конца октября ежедневно",
            "Старый ⟦маяк на этом острове открыт с апреля до конца октября ежедневно⟧.",
        ),
        # Chinese: particles only
        (
            "岛上老灯塔从四月到十月每天上午九点开放",
            "⟦岛上的老灯塔从四月到十月每天上午九点开放⟧，免费。",
        ),
        (
            "岛上的老灯塔从四月到十月每天上午九点开放了，儿童免费",
            "⟦岛上的老灯塔从四月到十月每天上午九点开放，儿童免费⟧。",
        ),
        # English
        (
            "the old lighthouse on this island opens daily at 9 from April to October",
            "In fact ⟦the old lighthouse on the island opens daily at 9 from April to October⟧.",
        ),
        (
            "The old lighthouse on the island opens daily at 9 from April to October",
            "In fact ⟦the old lighthouse on the island opens daily at 9 from April to October⟧.",
        ),
        (
            "a ticket for children costs 1250 cents, and one for adults costs the double",
            "⟦a ticket for children costs 1,250 cents, and one for adults costs the double⟧.",
        ),
    ],
)
def test_what_differs_by_small_edits_is_put_right(quote: str, marked: str) -> None:
    passage, span = placed(marked)
    assert find_quote(quote, passage) is None
    assert corrected_quote(quote, passage) == span


@pytest.mark.parametrize(
    ("passage", "quote"),
    [
        # a number, in digits or words, its unit, its sign
        (LIGHTHOUSE, LIGHTHOUSE.replace("um 9", "um 8")),
        (LIGHTHOUSE, LIGHTHOUSE.replace("3,50 Euro", "3,50 Kronen")),
        (LIGHTHOUSE, LIGHTHOUSE.replace("um 9 Uhr", "um zehn Uhr")),
        (MUSEUM, MUSEUM.replace("350", "530")),
        (MUSEUM, MUSEUM.replace("девяти", "восьми")),
        (TOWER, TOWER.replace("35", "53")),
        (TOWER, TOWER.replace("九点", "八点")),
        (ENGLISH, ENGLISH.replace("3.50", "350")),
        (ENGLISH, ENGLISH.replace("3.50 euros", "3.50 dollars")),
        (ENGLISH, ENGLISH.replace("at 9", "at nine or so")),
        ("It is far below the mark of -5 degrees in the cold winter months here.",) * 2,
        (ENGLISH.replace("lighthouse", "tower T34"), ENGLISH.replace("lighthouse", "tower T35")),
        (ENGLISH.replace("children", "H\u2082O"), ENGLISH.replace("children", "H\u2083O")),
        (ENGLISH.replace("only", "x\u00b2"), ENGLISH.replace("only", "x\u00b3")),
        (ENGLISH.replace("only", "10\u00b2"), ENGLISH.replace("only", "102")),
        (ENGLISH.replace("only", "\u20b4"), ENGLISH.replace("only", "\u20b8")),
        # a negation, also one in a word
        (LIGHTHOUSE, LIGHTHOUSE.replace("öffnet", "öffnet nicht")),
        (LIGHTHOUSE, LIGHTHOUSE.replace("der Eintritt", "kein Eintritt")),
        (MUSEUM, MUSEUM.replace("открыт", "не открыт")),
        (TOWER, TOWER.replace("开放", "不开放")),
        (TOWER, TOWER.replace("开放", "没开放")),
        (ENGLISH, ENGLISH.replace("opens", "never opens")),
        (ENGLISH.replace("daily", "usually"), ENGLISH.replace("daily", "unusually")),
        # an opposite
        (ENGLISH, ENGLISH.replace("opens", "closes")),
        (MUSEUM, MUSEUM.replace("открыт", "закрыт")),
        # a name
        (LIGHTHOUSE, LIGHTHOUSE.replace("Insel", "Halbinsel")),
        (LIGHTHOUSE, LIGHTHOUSE.replace("April", "Mai")),
        (MUSEUM.replace("острове", "Валааме"), MUSEUM.replace("острове", "Соловках")),
        (TOWER, TOWER.replace("灯塔", "水塔")),
        (ENGLISH.replace("island", "Isle"), ENGLISH.replace("island", "Cape")),
        (ENGLISH.replace("children", "us"), ENGLISH.replace("children", "US")),
        # too much
        (LIGHTHOUSE, "Der Leuchtturm öffnet von April täglich um 9 Uhr"),
        (MUSEUM, "Музей открыт с апреля ежедневно с девяти утра"),
        (TOWER, "灯塔四月十月每天九点开放儿童票35元"),
        (ENGLISH, "the lighthouse opens daily at 9"),
        # an order of its own
        (ENGLISH, "from April to October the old lighthouse on the island opens daily at 9"),
        # what has no capitals tells no names
        (
            "المنارة القديمة في الجزيرة تفتح كل يوم من الصباح حتى المساء",
            "المنارة الجديدة في الجزيرة تفتح كل يوم من الصباح حتى المساء",
        ),
    ],
)
def test_what_decides_must_not_differ(passage: str, quote: str) -> None:
    if quote == passage:
        quote = quote.replace("-5", "5")
    assert find_quote(quote, passage) is None
    assert corrected_quote(quote, passage) is None


def test_a_corrected_quote_is_the_passages_own_and_told() -> None:
    passages = [(0, "Dogs ride free."), (2, LIGHTHOUSE)]
    quote = "der alte Leuchtturm auf der Insel öffnet von April bis Oktober täglich um 9 Uhr"
    evidence = find_evidence(quote, 0, passages, "Er öffnet um 8 Uhr.")
    assert evidence is not None
    assert (evidence.passage, evidence.corrected) == (2, True)
    assert LIGHTHOUSE[slice(*evidence.span)] == evidence.quote
    said = {"verdict": "CONTRADICTORY", "evidence": [{"passage": 1, "quote": quote}]}
    told = gated(said, "Er öffnet um 8 Uhr.", passages, gate=True)
    assert [(one.quote, one.verified) for one in told["evidence"]] == [(evidence.quote, True)]
    assert told["gate_reason"] == "the quote is in passage 3, not 1; quote corrected"


def test_a_verbatim_quote_elsewhere_goes_before_a_corrected_one() -> None:
    near = LIGHTHOUSE.replace("Der alte", "Ein alter")
    evidence = find_evidence(LIGHTHOUSE, 0, [(0, near), (1, LIGHTHOUSE)], "x")
    assert evidence is not None
    assert (evidence.passage, evidence.corrected) == (1, False)


WORDS = st.sampled_from(
    ["the", "a", "lamp", "Ada", "ist", "nicht", "не", "灯", "塔", "不", "12", "3.5", "x-ray"],
)
SIGNS = st.sampled_from(["O'Hara", "\u0301", "€", "...", "\ud800", "👍"])
TEXTS = st.lists(WORDS | SIGNS, max_size=40).map(" ".join)


@settings(max_examples=80, deadline=None)
@given(TEXTS, TEXTS, st.data())
def test_any_text_gives_a_true_span_or_none(noise: str, passage: str, data: st.DataObject) -> None:
    words = passage.split()
    at = data.draw(st.integers(0, len(words)))
    for quote in (noise, passage, " ".join([*words[:at], "the", *words[at:]])):
        span = corrected_quote(quote, passage)
        assert span is None or 0 <= span[0] < span[1] <= len(passage)


PLAIN = [f"{one}{two}" for one in ("lam", "ber", "tol", "gri") for two in ("pen", "sat", "mor")]


@settings(max_examples=100, deadline=None)
@given(st.permutations(PLAIN), st.integers(0, 11), st.booleans())
def test_one_word_of_twelve_may_differ_and_no_number(
    words: list[str], at: int, dropped: bool
) -> None:
    passage = f"Before it. {' '.join(words)} and so on."
    edited = words[:at] + ([] if dropped else ["other"]) + words[at + 1 :]
    span = corrected_quote(" ".join(edited), passage)
    assert span is not None
    assert set(passage[slice(*span)].split()) >= set(words[1:-1]) - {words[at]}
    numbered = [*words[:at], "12", *words[at + 1 :]]
    assert corrected_quote(" ".join(numbered), passage) is None
