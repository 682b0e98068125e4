"""Which claims speak of something that they don't name."""

from __future__ import annotations

import pytest

from pytest_ragassert.language.words.references import knows_references, open_reference

OPEN = [
    ("It opened in 1889", "It"),
    ("It's closed on Mondays", "It's"),
    ("IT IS CLOSED", "IT"),
    ("He was born in Ulm", "He"),
    ("Lenders must offer it", "it"),
    ("Breakfast is served there", "there"),
    ("There are two towers", "There"),
    ("This costs 5 euros", "This"),
    ("Visitors may take these with them", "these"),
    ("The bridge was then the longest in Europe", "then"),
    ("That costs 5 euros", "That"),
    ("Such fees are refunded", "Such"),
    ("The same applies to children", "The same"),
    ("The latter is closed", "latter"),
    ("Its price is 5 euros", "Its"),
    ("In January its price rose", "its"),
    ("Er wurde 1889 eröffnet", "Er"),
    ("Sie ist am Montag geschlossen", "Sie"),
    ("Dort gibt es Kaffee", "Dort"),
    ("Die Karte gilt nur für diese Ausstellung", "diese"),
    ("Das kostet 5 Euro", "Das kostet"),
    ("Die sind im Preis enthalten", "Die sind"),
    ("Ihre Gebühren steigen", "Ihre"),
    ("Dafür werden 5 Euro verlangt", "Dafür"),
    ("Он открылся в 1889 году", "Он"),
    ("Это стоит 5 евро", "Это"),
    ("Там есть кафе", "Там"),
    ("Его цена 5 евро", "Его"),
    ("В неё входит завтрак", "нее"),
    ("它于1889年开业", "它"),
    ("博物馆位于该市", "该"),
    ("这里禁止吸烟", "这"),
    ("其价格为5欧元", "其"),
]

CLOSED = [
    "The tower opened in 1889",
    "The tower that opened in 1889 is tall",
    "Apple raised its revenue",
    "Marie Curie won her second prize in 1911",
    "IT costs rose by 5 percent",
    "The museum is closed on Mondays",
    "THE MUSEUM IS CLOSED",
    "Es gibt zwei Türme",
    "Im Hotel gibt es einen Pool",
    "Das Museum kostet 5 Euro",
    "Das neue Museum ist offen",
    "Die Stadt ist gewachsen",
    "Die Stadt erhöhte ihre Gebühren",
    "Der Kunde muss Ihre Rechnung bezahlen",
    "Die Gebühr beträgt 5 Euro, davon 2 Euro Steuer",
    "Музей открылся в 1889 году",
    "Эйфелева башня — это символ Парижа",
    "Компания увеличила его в 2020 году",
    "博物馆于1889年开业",
    "酒店应该提前预订",
    "土耳其的首都是安卡拉",
    "公司公布其收入",
    "其他费用为5元",
    "因此价格上涨",
    "",
]


@pytest.mark.parametrize(("text", "word"), OPEN)
def test_a_word_that_speaks_of_what_is_not_there_is_found(text: str, word: str) -> None:
    assert open_reference(text, "en") == word


@pytest.mark.parametrize("text", CLOSED)
def test_a_text_that_names_all_it_speaks_of_has_none(text: str) -> None:
    assert open_reference(text, "en") is None


def test_the_language_of_a_text_that_tells_none_is_that_beside_it() -> None:
    # and English and German are looked for all the same
    for code in ("de", "en", "ru"):
        assert open_reference("Er: 5", code) == "Er"
        assert open_reference("It: 5", code) == "It"


def test_references_are_known_of_languages_that_are_read_by_words() -> None:
    assert [code for code in ("de", "en", "fr", "ja", "ru", "zh") if knows_references(code)] == [
        "de",
        "en",
        "ru",
        "zh",
    ]
