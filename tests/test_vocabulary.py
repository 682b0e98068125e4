"""Reading fast finds all that reading in full does, and which language a text is in."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pytest_ragassert.language.detection import detected_language, language_of
from pytest_ragassert.language.words import vocabulary as module
from pytest_ragassert.language.words.claim_match import (
    ReadPassage,
    Statement,
    common_language,
    weight,
)
from pytest_ragassert.language.words.languages import language_table
from pytest_ragassert.language.words.lexicon import NEGATION, SPEAKER
from pytest_ragassert.language.words.reader import read_words
from pytest_ragassert.language.words.vocabulary import Holdings, vocabulary

# Words and numbers in several notations, between bars.
PIECES = {
    "en": """The|ferry|runs|a million|2 500 million|per cent
        |every|40 minutes|two hundred and six boats|twenty-one boats
        |three thousand sheep|1,000|1 000|12 500|2.4 million euros|one million sheep|five sheep
        |5k|2.4kg|1e3|May|1 February 2031|2031-02-01|01.02.2031|10:30|$50m|3.5%|5 per cent
        |it isn't|Berlin's|US|NASA|not|no|I|mine|2018-19|1.2.3|-5|07|GPT-4|the 1990s|II|20 °C
        |nineteen hundred boats|only|.|,|;|(""",
    "de": """Die|Fähre|fährt|alle|40 Minuten|zweihundert Boote|sechs Boote|zweiundvierzig
        |drei Millionen Euro|eine Million|1 234,50 €|1.000|1 000|12 500|12'500|2,5 Mio.|3 Mrd. Euro
        |zweitausendfünfhundert Boote|kg|2,4kg|1. Februar 2031|01.02.2031|2031-02-01|10:30
        |10.30 Uhr|8 Uhr|3,5 %|kein|nicht|Hunde|NATO|meine|Fährpreis|z.B.|1.234,50 €|20 °C|nur|.
        |,|;|(""",
    "ru": """Паром|ходит|каждые|40 минут|двести шесть лодок|двадцать один рейс|три тысячи лодок
        |пять миллионов евро|сорок лодок|1000|1 000|12 500|2,5 млн руб.|тысяча пятьсот лодок|кг
        |2,4кг|1 февраля 2031 года|01.02.2031|2031-02-01|10:30|3,5 %|пять процентов
        |в 1998-м году|1998 г.|не|нет|я|моя карта|НАТО|ООН|1.000|лишь|.|,|;|(""",
    "zh": """渡轮|每40分钟|四十分钟|４０|三千五百元|3500元|3,500元|5万|五万|1.2亿|百分之三点五|3.5％
        |2031年2月1日|2031-02-01|8点30分|两个|一些|不收费|我|我们|没有|GPT-4模型|的|人|十艘
        |第三班|1 000|所有|NASA|kg|￥5|，渡轮|四川|不锈钢|。|餐厅|十分""",
}


def pieces(code: str) -> list[str]:
    return [" ".join(piece.split()) for piece in PIECES[code].split("|")]


def joined(code: str) -> st.SearchStrategy[str]:
    gaps = ["", " "] if code == "zh" else [" ", "\n"]
    parts = st.tuples(st.sampled_from(pieces(code)), st.sampled_from(gaps)).map("".join)
    return st.lists(parts, max_size=20).map("".join)


any_text = st.text(st.characters(codec=None), max_size=150)
texts = st.one_of([st.tuples(st.just(code), joined(code) | any_text) for code in PIECES])


@given(texts)
def test_what_reading_in_full_finds_is_never_missed(coded: tuple[str, str]) -> None:
    code, text = coded
    words, holdings = read_words(text, code), Holdings(text, code)
    expected = {*words.content, *words.light} | ({NEGATION} if words.negations else set())
    assert set(holdings.among(expected)) == expected
    assert expected <= holdings.stems
    assert [number for number in words.numbers if not holdings.may_hold(number)] == []


@given(st.sampled_from(list(PIECES)).flatmap(lambda code: st.tuples(st.just(code), joined(code))))
@example(("de", "eine Million drei Millionen Euro "))
def test_each_sentence_is_known_to_hold_what_reading_finds_in_it(coded: tuple[str, str]) -> None:
    code, text = coded
    passage = ReadPassage(text, code)
    for place, sentence in enumerate(passage.sentences):
        for number in sentence.words.numbers:
            assert place in passage.sentences_holding(number)
        statement = Statement(text[sentence.start : sentence.end], code)
        found = statement.found_by_sentence(passage).get(place, set())
        assert found == statement.content


PLAIN = {
    "en": "ferry kayaks lighthouse captain sailing rope harbour",
    "de": "Fähre Kajaks Leuchtturm Kapitän segelt Seile Tickets",
    "ru": "паром байдарки маяк капитан верёвка гавань билеты",
    "zh": "渡轮 皮艇 灯塔 船长 绳子 港口 餐厅",
}
NUMBERS = ["7", "40", "1250", "3.5", "2031", "86%"]


@given(st.sampled_from(list(PLAIN)), st.sets(st.integers(0, 6)), st.sets(st.integers(0, 5)))
def test_only_what_stands_there_is_found(code: str, chosen: set[int], counts: set[int]) -> None:
    plain = PLAIN[code].split()
    stems = [read_words(word, code).content[0] for word in plain]
    numbers = [read_words(text, code).numbers[0] for text in NUMBERS]
    text = " , ".join([plain[i] for i in chosen] + [NUMBERS[i] for i in counts])
    holdings = Holdings(text, code)
    assert holdings.among(stems) == [stems[i] for i in sorted(chosen)]
    assert [holdings.may_hold(number) for number in numbers] == [i in counts for i in range(6)]


@pytest.mark.parametrize(
    ("code", "text", "number", "held"),
    [
        ("en", "it costs 1,500", "1500", True),
        ("en", "it costs 1500", "50", False),
        ("en", "it costs 3.5%", "35", True),  # the digits are the same: reading decides
        ("en", "it costs two hundred and six", "206", True),
        ("en", "it costs two hundred", "206", True),  # may go on
        ("en", "it costs three hundred", "206", False),
        ("en", "12 and 500", "12500", True),
        ("en", "12 and 600", "12500", False),
        ("de", "es kostet 1.500", "1500", True),
        ("de", "es kostet zweitausendfünfhundert", "2500", True),
        ("ru", "стоит две тысячи пятьсот", "2500", True),
        ("ru", "стоит три тысячи", "2500", False),
        ("zh", "票价三千五百元", "3500", True),
        ("zh", "票价三千六百元", "3500", False),
    ],
)
def test_a_number_is_excluded_only_where_its_digits_do(
    code: str, text: str, number: str, held: bool
) -> None:
    assert Holdings(text, code).may_hold(read_words(number, code).numbers[0]) is held


def test_negators_and_the_first_person_are_found_by_what_stands_for_them() -> None:
    for code, text in [("en", "I isn't"), ("de", "mein kein"), ("ru", "моя не"), ("zh", "我不")]:
        assert Holdings(text, code).among([NEGATION, SPEAKER]) == [NEGATION, SPEAKER]
    assert Holdings("we knot", "en").among([NEGATION, SPEAKER]) == []


def test_a_full_vocabulary_is_replaced_and_old_texts_still_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "_MOST", 3)
    code = "tlh"  # a language that no other test reads
    first = vocabulary(code)
    old = Holdings("alpha beta 7 8", code)
    assert first.is_full
    second = vocabulary(code)
    assert second is not first
    assert vocabulary(code) is second
    new = Holdings("gamma 9", code)
    seven, nine = (read_words(text, code).numbers[0] for text in ("7", "9"))
    assert old.among(["alpha", "gamma"]) == ["alpha"]
    assert new.among(["alpha", "gamma"]) == ["gamma"]
    assert (old.may_hold(seven), old.may_hold(nine)) == (True, False)
    assert (new.may_hold(seven), new.may_hold(nine)) == (False, True)
    assert old.stems == {"alpha", "beta"}


def test_a_share_counts_content_words_and_support_weighs_all() -> None:
    statement = Statement("Only the ferry carries 40 sheep")
    holdings = Holdings("The ferry is full of sheep", "en")
    found = statement.found_in(holdings)
    assert statement.asked == statement.content | {"only"}
    assert found == {language_table("en").stem(word) for word in ("ferry", "sheep")}
    assert statement.share(holdings) == pytest.approx(2 / 3)
    some, all_ = sum(map(weight, found)), sum(map(weight, statement.asked))
    # numbers count too, as found: where one is missing, that alone decides
    assert some / all_ < statement.support(found) < 1.0
    assert statement.support(frozenset()) < statement.support(found)
    assert statement.support(statement.asked) == 1.0


def test_without_content_words_nothing_is_shared() -> None:
    statement = Statement("It is.")
    assert statement.share(Holdings("It is.", "en")) == 0.0
    assert statement.support(frozenset()) == 0.0
    assert Statement("It is 40.").support(frozenset()) == 1.0


def test_only_what_must_be_found_is_asked_of_numbers() -> None:
    assert [n.value for n in Statement("one of the 40 boats").numbers] == ["40"]


@pytest.mark.parametrize(
    ("word", "text", "found"),
    [
        ("Hautkrebs", "alle Hautkrebsarten", True),
        ("Gebühr", "die Hafengebühr", True),
        ("Museum", "auf der Museumsinsel", True),
        ("Tarife", "der Zolltarif", True),
        ("Ticketpreis", "der Preis für ein Ticket", True),
        ("Fährpreis", "der Preis im Fähr- und Busverkehr", True),
        ("Fährpreis", "der Preis", False),
        ("Fährpreis", "die Preise im Fahrplan", False),
        ("Haut", "alle Hautkrebsarten", False),  # too short: "Haut" begins much else
        ("Rad", "der Radweg", False),
        ("Radweg", "der Weg für das Rad", False),
        ("Insel", "der Pinselstrich", False),  # inside, neither at the start nor at the end
        ("Hautkrebsarten", "der Hautkrebs", False),
    ],
)
def test_german_words_are_found_within_compounds(word: str, text: str, found: bool) -> None:
    assert Statement(word, "de").share(Holdings(text, "de")) == found


def test_other_languages_have_no_compounds() -> None:
    assert Statement("ferry").share(Holdings("ferryman", "en")) == 0


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("The ferry is red.", "en"),
        ("The war was long and it ended in 1918.", "en"),
        ("Die Hard is the title of a film", "en"),
        ("They die in the war.", "en"),
        ("The hat was on him also.", "en"),
        ("Der Spiegel is the name of a magazine", "en"),
        ("Müller was the head of the Ärzte.", "en"),
        ("The restaurant La Casa de las Flores is on the hill.", "en"),
        ("The film La vie est belle is in French and it was good.", "en"),
        ("The Паром of the lake is red", "en"),
        ("GPT模型 is a model of the kind", "en"),
        ("As a member you may borrow 5 books.", "en"),
        ("As a guest, pay a fee as the others do.", "en"),
        ("As a captain of a ship is, so is the crew.", "en"),
        ("The bus from Las Palmas to La Laguna runs daily, as does the ferry.", "en"),
        ("The club met the El Al crew in De Panne.", "en"),
        ("The ferry leaves at 9 p.m. ET and is a red one.", "en"),
        ("The poem (Время ночь) is by her and has the name of a city.", "en"),
        ("Mercedes unterstützt die Kampagne 'Key to the Cure'.", "de"),
        ("Die Fähre ist rot.", "de"),
        ("Die Fähre fährt täglich.", "de"),
        ("Das war gut", "de"),
        ("Rund 1,5 Millionen Menschen leben hier.", "de"),
        ("3-mal täglich 1 Tablette à 500 mg", "de"),
        ("Der Umsatz war 4,5 Mrd. Franken.", "de"),
        ("Mittwochs geschlossen", "de"),
        ("Es gibt einen Aufzug.", "de"),
        ("Es gibt keinen Aufzug.", "de"),
        ("Sie darf parken.", "de"),
        ("Preis: 12 Euro pro Monat", "de"),
        ("Der Hund und die Katze sind im Film The Boat", "de"),
        ("Паром", "ru"),
        ("Паром GPT ходит", "ru"),
        ("渡轮", "zh"),
        ("渡轮 runs", "zh"),
        ("9:00–17:00 周一", "zh"),
        ("渡轮は毎日出ます", "ja"),
        ("العبارة تعمل", "ar"),
        ("Le ferry est dans le port et il part.", "fr"),
        ("El ferry es de la isla y no sale.", "es"),
        ("Il traghetto è nel porto e non parte.", "it"),
        ("De veerboot is niet in het dorp.", "nl"),
        ("A balsa não está em uso e o porto está só.", "pt"),
    ],
)
def test_a_language_is_told_by_script_and_frequent_words(text: str, code: str) -> None:
    assert detected_language(text) == language_of(text) == code


@pytest.mark.parametrize(
    "text",
    [
        *("", "12 3", "Delhi", "The ferry", "Fähre", "Die Ihr", "Vincent van Gogh", "Les Deux"),
        *("La Paz, El Alto", "o a e", "War memorial, War memorial", "Los Angeles, Las Vegas"),
    ],
)
def test_too_little_tells_no_language(text: str) -> None:
    assert detected_language(text) is None
    assert language_of(text) == "en"


GERMAN, ENGLISH, RUSSIAN = "Die Fähre ist rot.", "The ferry is red.", "Паром красный."


@pytest.mark.parametrize(
    ("claim", "passages", "code"),
    [
        (GERMAN, [GERMAN], "de"),
        (GERMAN, [ENGLISH, RUSSIAN, GERMAN], "de"),
        (GERMAN, [ENGLISH, "Delhi"], "en"),
        (GERMAN, ["Delhi"], "de"),
        (GERMAN, [], "de"),
        ("Delhi", [GERMAN, ENGLISH, GERMAN], "de"),
        ("Delhi", [RUSSIAN, "Delhi"], "ru"),
        ("Delhi", ["Delhi"], "en"),
        ("Delhi", [], "en"),
        (RUSSIAN, [GERMAN, ENGLISH, ENGLISH], "en"),
        (GERMAN, [*[ENGLISH] * 30, GERMAN], "de"),  # however far down
    ],
)
def test_both_are_read_in_the_claims_language_where_any_passage_is(
    claim: str, passages: list[str], code: str
) -> None:
    assert common_language(claim, passages) == code
