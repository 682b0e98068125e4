"""Reading German: stems, numbers, dates, negation, names."""

from __future__ import annotations

import pytest
from hypothesis import given

from pytest_ragassert.language.words.languages import language_table
from pytest_ragassert.language.words.numbers import agree

from .reading import Language, any_text, check_whole, wordy

LANGUAGE = language_table("de")
PIECES = """nicht kein nur mehr als die Fähre fährt 40 Minuten kg 1.000 3,5 zweihundert Millionen
ein eine 1. Februar 2031 2031-02-01 10:30 10.30 Uhr % € ° z.B. Jane Schmidt NATO ohne -3 . , ; ß"""
ALIKE = """tag tage tagen tages,bank banken,haus häuser häusern,fähre fähren,hund hunde
    hunden,kaufen kauft kaufte gekauft gekaufte gekauften,verkaufen verkauft verkaufte,sagen
    sagt gesagt,absegnen abgesegnet absegnet abzusegnen,anzeigen angezeigt anzuzeigen,leben
    lebt gelebt,öffnen öffnet öffnete geöffnet geöffnete,schließen schließt geschlossen
    schliesst,arbeiten arbeitet arbeitete gearbeitet,kosten kostet kostete gekostet,bauen baut
    baute gebaut,fahren fährt fuhr fuhren gefahren,gehen geht ging gegangen,nehmen nimmt nahm
    genommen,annehmen annimmt angenommen anzunehmen,beginnen beginnt begann begonnen,rufen
    ruft rief,verlieren verliert verlor verloren verlorene,bestehen besteht bestand bestanden,
    erlauben erlaubt erlaubte,bestätigen bestätigt bestätigte,ändern ändert änderte geändert,
    informieren informiert informierte,veröffentlichen veröffentlicht,genehmigen genehmigt,
    problem probleme problemen,system systeme,auto autos,museum museen,groß große großes
    gross,angriff angriffe angreifen,aufgabe aufgaben,einnahme einnahmen,hafen häfen,gast
    gäste,weiterführen weitergeführt,herausgeben herausgegeben,teilnehmen teilgenommen"""
UNLIKE = """tag tagung,fähre fahren,markt marke,geschichte schicht,gesicht sicht,gehalt
    halten,gewicht wicht,gesund sünde,geschlecht schlecht,angenehm annehmen,planet plan,
    ticket tick,gast gas,kaufen verkaufen,beginnen enden,osten westen"""
GERMAN = Language("de")
read, stems, the_number = GERMAN.read, GERMAN.stems, GERMAN.the_number


@pytest.mark.parametrize("row", ALIKE.split(","))
def test_forms_of_a_word_share_a_stem(row: str) -> None:
    assert len(stems(*row.split())) == 1


@pytest.mark.parametrize("row", UNLIKE.split(","))
def test_other_words_do_not(row: str) -> None:
    assert len(stems(*row.split())) == 2


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        ("1.000", "1000", True),
        ("1 000", "1000", True),
        ("1'000", "1000", True),
        ("1\u202f000", "tausend", True),
        ("3,5 %", "3,5 Prozent", True),
        ("3,5 %", "35 %", False),
        ("16.181", "16181", True),
        ("1.234,50", "1234,5", True),
        ("zweiundvierzig", "42", True),
        ("zweihundert", "200", True),
        ("hundertfünf", "105", True),
        ("einundzwanzig", "21", True),
        ("dreihundertfünfundvierzig", "345", True),
        ("dreißig", "dreissig", True),
        ("zweitausend", "2.000", True),
        ("zweitausendfünfhundert", "2.500", True),
        ("eine Million", "1.000.000", True),
        ("drei Millionen", "3.000.000", True),
        ("2,5 Mio. Euro", "2.500.000 €", True),
        ("2,5 Mio. Euro", "2,5 Euro", False),
        ("3 Mrd. Euro", "3 Milliarden Euro", True),
        ("zwei Billionen", "2.000 Milliarden", True),
        ("5 kg", "5 Kilogramm", True),
        ("5 kg", "5 Meter", False),
        ("40 Min.", "40 Minuten", True),
        ("2 Std.", "zwei Stunden", True),
        ("20 °C", "20 Grad", True),
        ("9 €", "neun Euro", True),
        ("12 Knoten", "12 kn", True),
        ("5 Franken", "5 Euro", False),
        ("10:30 Uhr", "10.30 Uhr", True),
    ],
)
def test_numbers_are_equal_by_value_and_unit(one: str, other: str, equal: bool) -> None:
    assert agree(the_number(one), the_number(other)) is equal


@pytest.mark.parametrize(
    "text", ["1. Februar 2031", "01.02.2031", "2031-02-01", "am 1. Feb. 2031", "1. Feber 2031"]
)
def test_a_date_is_one_in_each_notation(text: str) -> None:
    values = {(n.value, "" if n.kind == "number" else n.kind) for n in read(text).numbers}
    assert values == {("1", ""), ("2", "month"), ("2031", "year")}


@pytest.mark.parametrize("text", ["ein Hund", "eine Fähre", "jede Woche", "Bänke"])
def test_articles_are_no_numbers(text: str) -> None:
    assert read(text).numbers == ()


@pytest.mark.parametrize(
    ("text", "kind", "hedged"),
    [
        ("Die Halle wurde 1932 gebaut", "year", False),
        ("im Jahr 1932 eröffnet", "year", False),
        ("seit 1932 Museum", "year", False),
        ("hat 1932 Plätze", "number", False),
        ("etwa 40 Zimmer", "number", True),
        ("mindestens 40 Zimmer", "number", True),
        ("mehr als 40 Zimmer", "number", True),
        ("bis zu 40 Zimmer", "number", True),
        ("mehrere tausend Zimmer", "number", True),
    ],
)
def test_years_and_estimates_are_told_by_what_stands_before(
    text: str, kind: str, hedged: bool
) -> None:
    number = the_number(text)
    assert (number.kind, number.hedged) == (kind, hedged)


@pytest.mark.parametrize(
    ("text", "negated"),
    [
        ("Die Fähre fährt nicht im Winter", {"winter"}),
        ("Hunde sind nicht erlaubt", {"erlaubt"}),
        ("keine Hunde an Bord", {"hunde"}),
        ("Das Boot fährt ohne Hunde", {"hunde"}),
        ("weder Hunde noch Katzen", {"hunde"}),
        ("nicht nur Hunde", set()),
        ("nicht weniger als 5 Boote", set()),
        ("Nein, die Fähre fährt", set()),
        ("Nein die Fähre fährt", set()),
        ("Es gibt keine Hinweise, dass es schadet", {"hinweise"}),
        ("Es gibt keinen Beweis für den Schaden", {"beweis", "schaden"}),
        ("Es gelang nicht, das Boot zu retten", set()),
    ],
)
def test_a_negation_stands_before_its_word(text: str, negated: set[str]) -> None:
    words = read(text)
    assert words.negated == stems(*negated)
    assert words.plain == set(words.content) - words.negated


def test_no_longer_is_negated() -> None:
    assert read("Die Fähre fährt nicht mehr").negations


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Die Fähre legt in Hamburg an", set()),
        ("Heute spricht Jane Schmidt vor Gästen", {"jane", "schmidt"}),
        ("Die NATO tagt", {"nato"}),
        ("Keine Hunde an Bord", set()),
        ("Zwei Hunde an Bord", set()),
    ],
)
def test_names_are_acronyms_and_runs_of_capitals(text: str, names: set[str]) -> None:
    assert read(text).names == stems(*names)


def test_the_first_person_is_a_name_in_all_its_forms() -> None:
    mine, me = read("Meine Karte gilt"), read("Die Karte gilt für mich")
    assert mine.names == me.names != frozenset()
    assert read("Unsere Karte gilt").names == frozenset()


def test_content_words_stand_in_order_without_small_words_and_units() -> None:
    words = read("Die Masse des Kajaks beträgt nur 23 Kilogramm, und es schwimmt.")
    assert words.content == tuple(GERMAN.stem(w) for w in ("masse", "kajak", "beträgt", "schwimmt"))
    assert words.light == {"nur"}


@given(any_text | wordy(PIECES))
def test_any_text_can_be_read(text: str) -> None:
    check_whole(read(text))
