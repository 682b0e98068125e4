"""Reading Russian: stems, numbers, dates, negation, names."""

from __future__ import annotations

import pytest
from hypothesis import given

from pytest_ragassert.language.words.languages import language_table
from pytest_ragassert.language.words.numbers import agree

from .reading import Language, any_text, check_whole, wordy

LANGUAGE = language_table("ru")
PIECES = """не нет ни только паром ходит 40 минут кг 1 000 3,5 двести миллион тысяч пять один
1 февраля 2031 года г. 2031-02-01 10:30 % ₽ ° руб. Иван Петров ООО без -3 . , ; ё Ёж"""
ALIKE = """паром парома паромы паромов паромом пароме,ходит ходят ходить ходил ходила,порт
    порта порты портов портом,остров острова острове островов,билет билеты билетов,собака
    собаки собак собаками,город города городов,музей музея музеи музеев,материал материала
    материалы материалов,ресторан ресторана ресторане рестораны,список списка списки,остановка
    остановок остановки,поездка поездок,отец отца,запись записи записей,рубль рубля рублей,
    человек люди людей,ребенок дети детей,закрыть закрыт закрыта закрыли закрывать закрывает
    закрытый,открыть открыл открыт открыто открывается открылся,разрешить разрешен разрешено
    разрешает разрешать,запретить запрещен запрещено запрещает,купить купил купила куплен
    куплены покупает,получить получил получает получать,продать продал продает продается
    продаются продана продавать,использовать использует использовал использован использование,
    построить построен построена построили,установить установлен установлена установленный,
    отправить отправлен отправляется отправление,увеличить увеличил увеличивает увеличение,идти
    идет шел шла шли,прийти пришел пришла приходит,вывести вывел выводит,взять взял возьмет,
    дать дал даст дают,смочь смог смогла смогут,найти нашел нашла нашли,начать начал начинает
    начинается началась,принять принял принимает принята,содержит содержат содержать,вернуть
    вернули вернул,нужен нужна нужны,иванов ивановым иванову"""
UNLIKE = """порт портной,портал порт,паром пара,остров острый,образ образование,страх
    страховать,суд суда,покупать продавать,открыть закрыть,восток запад,работа рабство,
    найти находиться,степень степь"""
RUSSIAN = Language("ru")
read, stems, the_number = RUSSIAN.read, RUSSIAN.stems, RUSSIAN.the_number


@pytest.mark.parametrize("row", ALIKE.split(","))
def test_forms_of_a_word_share_a_stem(row: str) -> None:
    assert len(stems(*row.split())) == 1


@pytest.mark.parametrize("row", UNLIKE.split(","))
def test_other_words_do_not(row: str) -> None:
    assert len(stems(*row.split())) == 2


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        ("1 000", "1000", True),
        ("1\u00a0000", "тысяча", True),
        ("1.000", "1000", True),
        ("3,5 %", "3,5 процента", True),
        ("3,5 %", "35 %", False),
        ("пять тысяч", "5 000", True),
        ("5 тыс.", "5000", True),
        ("двадцать пять", "25", True),
        ("двести сорок пять", "245", True),
        ("двухсот", "200", True),
        ("сто тысяч", "100 000", True),
        ("три миллиона", "3 000 000", True),
        ("миллион", "1 млн", True),
        ("2,5 млн рублей", "2 500 000 руб.", True),
        ("2,5 млн рублей", "2,5 рубля", False),
        ("2 млрд ₽", "два миллиарда рублей", True),
        ("40 мин", "40 минут", True),
        ("40 минут", "сорок минут", True),
        ("41 минута", "41 минуту", True),
        ("5 кг", "5 килограммов", True),
        ("5 кг", "5 kg", True),
        ("5 кг", "5 метров", False),
        ("2 суток", "два дня", True),
        ("3 ч", "трех часов", True),
        ("10 лет", "десять лет", True),
        ("12 узлов", "12 узлами", True),
        ("5 долларов", "$5", True),
        ("20 °C", "20 градусов", True),
        ("четырнадцатью", "14", True),
    ],
)
def test_numbers_are_equal_by_value_and_unit(one: str, other: str, equal: bool) -> None:
    assert agree(the_number(one), the_number(other)) is equal


@pytest.mark.parametrize(
    "text", ["1 февраля 2031 года", "1 февраля 2031 г.", "01.02.2031", "2031-02-01", "1 фев. 2031"]
)
def test_a_date_is_one_in_each_notation(text: str) -> None:
    values = {(n.value, "" if n.kind == "number" else n.kind) for n in read(text).numbers}
    assert values == {("1", ""), ("2", "month"), ("2031", "year")}


@pytest.mark.parametrize(
    ("text", "kind", "hedged"),
    [
        ("построен в 1932 году", "year", False),
        ("в 1932 г.", "year", False),
        ("с 1932 музей", "year", False),
        ("имеет 1932 места", "number", False),
        ("около 40 кают", "number", True),
        ("не менее 40 кают", "number", True),
        ("более 40 кают", "number", True),
    ],
)
def test_years_and_estimates_are_told_by_what_stands_beside(
    text: str, kind: str, hedged: bool
) -> None:
    number = the_number(text)
    assert (number.kind, number.hedged) == (kind, hedged)


@pytest.mark.parametrize(
    ("text", "negated"),
    [
        ("Паром не ходит зимой", {"ходит"}),
        ("вход без собак", {"собак"}),
        ("никогда не ходит", {"ходит"}),
        ("Собак нельзя брать", {"брать"}),
        ("нет собак", {"собак"}),
        ("ни собак, ни кошек", {"собак", "кошек"}),
        ("Он не может плавать", {"плавать"}),
        ("не только собаки", set()),
        ("не более 5 собак", set()),
        ("Нет, паром ходит", set()),
        ("нет доказательств вреда судам", {"доказательств", "вреда", "судам"}),
        ("Они не смогли спасти паром", {"смогли", "спасти", "паром"}),
    ],
)
def test_a_negation_stands_before_its_word(text: str, negated: set[str]) -> None:
    words = read(text)
    assert words.negated == stems(*negated)
    assert words.plain == set(words.content) - words.negated


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Паром идет в Киев", {"киев"}),
        ("Паром идет", set()),
        ("Иван Петров уехал. Собаки лают", {"иван", "петров"}),
        ("Судном владеет ООО", {"ооо"}),
        ("ПАРОМ ИДЕТ", set()),
    ],
)
def test_names_are_capitals_that_no_sentence_start_explains(text: str, names: set[str]) -> None:
    assert read(text).names == stems(*names)


def test_many_thousands_are_no_number() -> None:
    assert read("тысячи людей, несколько тысяч мест").numbers == ()


def test_the_first_person_is_a_name_in_all_its_forms() -> None:
    mine, me = read("Мой билет потерян"), read("У меня потерян билет")
    assert mine.names == me.names != frozenset()
    assert read("Наш билет потерян").names == frozenset()


def test_both_spellings_of_yo_are_one() -> None:
    assert read("Самолёт ещё летит").content == read("Самолет еще летит").content


def test_content_words_stand_in_order_without_small_words_and_units() -> None:
    words = read("Масса этого каяка только 23 килограмма, и он плавает.")
    assert words.content == tuple(RUSSIAN.stem(word) for word in ("масса", "каяк", "плавает"))
    assert words.light == {"только"}


@given(any_text | wordy(PIECES))
def test_any_text_can_be_read(text: str) -> None:
    check_whole(read(text))
