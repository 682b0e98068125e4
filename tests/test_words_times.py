"""Times of day, versions, sections and units, read in the spellings that people use."""

from __future__ import annotations

import pytest

from pytest_ragassert.language.words.days import days_in
from pytest_ragassert.language.words.numbers import Number, agree
from pytest_ragassert.language.words.reader import read_words

# language, value: spellings
TIMES = """
en 21:00: 9 pm | 9pm | 9PM | 9 p.m. | 9 P.M. | 9:00 pm | 9.00 p.m. | 21:00 | 09:00 PM | 9 p. m.
en 21:00: 9 o'clock in the evening | nine pm | at nine in the evening | 9 at night
en 21:00: nine o'clock at night | 9 o’clock at night
en 21:30: 9:30 p.m. | 9.30 PM | 9:30pm | half past nine in the evening | 21:30 | half past 9 p.m.
en 9:00: 9 am | 9 a.m. | 9AM | 9 in the morning | 09:00 | nine o'clock | 9 a. m.
en 0:00: 12 am | 12:00 AM | midnight | 0:00 | 00:00 | 24:00 | 12 midnight
en 12:00: 12 pm | 12 noon | noon | 12:00 | midday
en 0:30: 12:30 a.m. | 00:30
en 15:45: quarter to four in the afternoon | 3:45 pm
en 10:30:15: 10:30:15
en 17:30: 5:30p
de 9:00: 9 Uhr | 9:00 Uhr | 9.00 Uhr | 09:00 | neun Uhr | 9 Uhr morgens | 9 Uhr früh | 9 a.m.
de 21:30: 21:30 Uhr | 21.30 Uhr | 21 Uhr 30 | 9:30 p.m. | 9.30 Uhr abends | halb zehn abends
de 9:15: Viertel nach neun | 9.15 Uhr
de 19:45: Viertel vor acht abends | dreiviertel acht abends | 19.45 Uhr
de 14:00: 2 Uhr nachmittags | 14 Uhr | 14:00
de 3:00: 3 Uhr nachts | 3 Uhr in der Nacht
de 0:00: Mitternacht | 0 Uhr | 24 Uhr
ru 21:00: в 9 часов вечера | 9 вечера | 21:00 | в 21 час | девять часов вечера | 9 ч. вечера
ru 9:00: 9 утра | в 9 часов утра | в 9 часов | 9:00
ru 14:00: 2 часа дня | 14:00
ru 3:00: 3 часа ночи | 3:00
ru 21:30: в 21 час 30 минут | 21:30 | 9:30 вечера
ru 20:30: половине девятого вечера | полдевятого вечера | 20:30
ru 8:15: четверть девятого | четверть девятого утра | 8:15
ru 8:45: без четверти девять | без 15 минут девять | 8:45
ru 20:55: без пяти девять вечера | без 5 минут девять вечера | 20:55
ru 8:35: без двадцати пяти девять | 8:35
ru 12:00: полдень | 12:00
ru 0:00: полночь | 0:00 | 24:00
zh 21:00: 下午9点 | 晚上9点 | 晚上九点 | 21点 | 21时 | 21:00 | 晚上9点钟 | 晚上 9 点 | 下午9时整
zh 21:30: 晚上9点半 | 晚上九点半 | 晚上9点30分 | 21时30分 | 下午9:30 | 晚上九点三十分
zh 9:15: 上午9点一刻 | 9:15 | 早上九点一刻
zh 9:00: 上午九时 | 上午9点 | 早上9点整
zh 12:00: 中午12点 | 12:00
zh 13:00: 中午1点 | 13:00
zh 0:00: 凌晨0点 | 午夜 | 晚上12点 | 凌晨12点
fr 9:30: 9h30 | 9:30 am
"""
SPELLINGS = [
    (*head.split(" ", 1), spelling)
    for head, spellings in (line.split(": ", 1) for line in TIMES.strip().splitlines())
    for spelling in spellings.split(" | ")
]


def numbers_of(text: str, code: str = "en") -> tuple[Number, ...]:
    return read_words(text, code).numbers


def test_a_time_of_day_has_one_value_in_each_spelling() -> None:
    for code, value, spelling in SPELLINGS:
        [number] = numbers_of(spelling, code)
        assert (number.kind, number.value) == ("time", value), spelling
        [within] = numbers_of(f"abc {spelling}, abc", code)
        assert within.value == value, spelling


@pytest.mark.parametrize(
    ("code", "text", "values"),
    [
        ("en", "9-11 pm", ["21:00", "23:00"]),
        ("en", "9 to 5 pm", ["9:00", "17:00"]),
        ("en", "from 9 am until 5:30 pm", ["9:00", "17:30"]),
        ("en", "between 2 and 4 p.m.", ["14:00", "16:00"]),
        ("en", "9 a.m.–noon", ["9:00", "12:00"]),
        ("en", "8a–6p", ["8:00", "18:00"]),
        ("en", "8a - 6:30p", ["8:00", "18:30"]),
        ("de", "von 9 bis 18 Uhr", ["9:00", "18:00"]),
        ("de", "9.30–18.00 Uhr", ["9:30", "18:00"]),
        ("ru", "с 9 до 18 часов", ["9:00", "18:00"]),
        ("zh", "下午2点到5点", ["14:00", "17:00"]),
        ("zh", "上午9点至下午5点半", ["9:00", "17:30"]),
    ],
)
def test_the_end_of_a_range_tells_what_its_start_is(
    code: str, text: str, values: list[str]
) -> None:
    assert [(number.kind, number.value) for number in numbers_of(text, code)] == [
        ("time", value) for value in values
    ]


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("en", "9 amps"),
        ("en", "9 to 11 people"),
        ("en", "5 members"),
        ("en", "half the pumps"),
        ("de", "Gleis 9 am Bahnhof"),
        ("de", "Raum 12 am Ende"),
        ("ru", "2 дня"),
        ("ru", "за 9 часов"),
        ("ru", "раз в 2 часа"),
        ("ru", "половина второго тайма"),
        ("ru", "четверть первого тома"),
        ("ru", "с 20.30 до 21.45"),
        ("ru", "в 3.12"),
        ("de", "ab 20.30"),
        ("en", "99p"),
        ("zh", "一时"),
        ("zh", "3小时"),
        ("zh", "第3点"),
        ("zh", "下午5人"),
        ("zh", "三点五公斤"),
    ],
)
def test_what_only_looks_like_a_time_is_none(code: str, text: str) -> None:
    assert all(number.kind != "time" for number in numbers_of(text, code))


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        ("9 pm", "21:00", True),
        ("9 pm", "9 am", False),
        ("12 am", "12 pm", False),
        ("12 noon", "12 am", False),
        ("9 pm", "9:30 pm", False),
        ("09:00", "9", True),
        ("9 pm", "9", False),
        ("9:00", "9 kg", False),
    ],
)
def test_times_are_compared_by_value(one: str, other: str, equal: bool) -> None:
    assert agree(*numbers_of(one), *numbers_of(other)) is equal


@pytest.mark.parametrize(
    ("code", "text", "values"),
    [
        ("en", "Python 3.10", ["3.10"]),
        ("en", "Python 3.9, 3.10 and 3.11", ["3.9", "3.10", "3.11"]),
        ("en", "version 2.10", ["2.10"]),
        ("en", "v1.2.0 and V2.10", ["1.2.0", "2.10"]),
        ("en", "release 1.20", ["1.20"]),
        ("en", "oar>=1.20, rudder == 4.30", ["1.20", "4.30"]),
        ("en", "3.10 or later", ["3.10"]),
        ("en", "section 2.10", ["2.10"]),
        ("en", "Sec. 2.10", ["2.10"]),
        ("en", "§ 2.10", ["2.10"]),
        ("en", "Figure 3.20", ["3.20"]),
        ("en", "2.10 Opening hours", ["2.10"]),
        ("en", "192.168.1.10", ["192.168.1.10"]),
        ("en", "2.0rc1", ["2.0rc1"]),
        ("de", "Version 2.100", ["2.100"]),
        ("de", "Abschnitt 2.10", ["2.10"]),
        ("de", "Abschn. 2.10", ["2.10"]),
        ("ru", "версия 3.10", ["3.10"]),
        ("ru", "п. 2.10", ["2.10"]),
        ("zh", "第2.10节", ["2.10"]),
        ("zh", "版本3.10", ["3.10"]),
        ("zh", "3.10版", ["3.10"]),
    ],
)
def test_versions_and_sections_are_no_decimals(code: str, text: str, values: list[str]) -> None:
    numbers = [number for number in numbers_of(text, code) if number.kind == "version"]
    assert [number.value for number in numbers] == values


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        ("Python 3.10", "Python 3.1", False),
        ("Python 3.10", "3.10", True),
        ("Python 3.10", "3.1", False),
        ("section 2.10", "section 2.1", False),
        ("v1.2.0", "version 1.2.0", True),
        ("v1.2.0", "v1.2", False),
        ("€3.10", "€3.1", True),
        ("€3.10", "3,1 €", True),
        ("€ 3.10", "$ 3.10", False),
        ("EUR 3.10", "3.1 euros", True),
        ("it rose to 3.10", "it rose to 3.1", True),
        ("3.10 m", "3.1 m", True),
        ("the rate is 2.50 %", "2.5%", True),
    ],
)
def test_versions_are_compared_as_written_and_decimals_by_value(
    one: str, other: str, equal: bool
) -> None:
    assert agree(*numbers_of(one), *numbers_of(other)) is equal


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        ("20 °C", "20 degrees Celsius", True),
        ("20 °C", "20 °F", False),
        ("20 °C", "20 degrees", True),
        ("5 mW", "5 MW", False),
        ("868 MHz", "868 GHz", False),
        ("80 km/h", "80 km", True),
        ("80 km/h", "80 mph", False),
        ("5 m/s", "5 m/h", False),
        ("50 m²", "50 sqm", True),
        ("50 m²", "50 m³", False),
        ("5 %", "5 ‰", False),
        ("½ cup", "0.5 cups", True),
        ("1½ cups", "1.5 cups", True),
        ("½ cup", "¼ cup", False),
        ("12½ cups", "12.5 cups", True),
        ("12 ½ cups", "12¾ cups", False),
        ("USD 5", "$5", True),
        ("USD 5", "EUR 5", False),
        ("5 Gb", "5 GB", False),
        ("5Gb", "5GB", False),
        ("5 kb", "5 kB", True),
        ("5 %", "5 bps", False),
        ("12 in wide", "12 inches wide", True),
        ("12 in wide", "12 cm wide", False),
        ("12 in Leeds", "12 cm", True),
        ("5 °C", "5 C", True),
        ("5 C", "5 F", False),
        ("-5 °C", "minus 5 °C", True),
        ("minus five degrees", "-5 degrees", True),
        ("minus 5 °C", "5 °C", False),
        ("$12/mo", "$12/yr", False),
        ("$12/mo", "$12 a month", True),
        ("$12/mo", "$12 per week", False),
        ("$12 an hour", "$12 a day", False),
        ("$12/mo", "$12", True),
        ("80 km/h", "80 km per hour", True),
        ("0.5 mg/kg/day", "0.5 mg/kg/week", False),
        ("5mg/day", "5 mg a day", True),
        ("every second, 5 of them", "5", True),
    ],
)
def test_units_are_told_apart(one: str, other: str, equal: bool) -> None:
    assert agree(*numbers_of(one), *numbers_of(other)) is equal


@pytest.mark.parametrize("code", ["de", "ru"])
def test_a_day_and_a_month_are_no_decimal(code: str) -> None:
    first = [(number.kind, number.value) for number in numbers_of("1.10. bis 3.1.", code)]
    assert first == [("month", "10"), ("number", "1"), ("month", "1"), ("number", "3")]


@pytest.mark.parametrize(
    "text", ["half past {}", "{}.{}.{}.{}", "v{}.1", "{}:{} pm", "{}½", "{} Uhr"]
)
@pytest.mark.parametrize("code", ["en", "de", "ru", "zh"])
def test_numbers_of_any_length_are_read(text: str, code: str) -> None:
    assert numbers_of(text.replace("{}", "9" * 5_000), code)


@pytest.mark.parametrize(
    ("code", "one", "other", "equal"),
    [
        ("de", "12 €/Monat", "12 € im Monat", True),
        ("de", "12 €/Monat", "12 Euro pro Jahr", False),
        ("de", "12 Euro im Jahr 2030", "12 € im Monat", True),
        ("de", "4,5 Mrd. €", "4.500.000.000 Euro", True),
        ("de", "4,5 Mrd. €", "4,5 Mrd. $", False),
        ("de", "1,5 Mio. Menschen", "1.500.000", True),
        ("de", "5 kg", "5 lb", False),
        ("de", "minus 5 °C", "-5 °C", True),
        ("de", "5 K", "5 °C", False),
        ("ru", "300 руб./мес.", "300 руб. в месяц", True),
        ("ru", "300 руб./мес.", "300 руб. в год", False),
        ("ru", "4,5 млрд. руб.", "4,5 млрд рублей", True),
        ("ru", "12 В", "12 Вт", False),
        ("ru", "12 кВт", "12 мВт", False),
        ("ru", "минус 5 °C", "-5 °C", True),
        ("zh", "30元/月", "30元/年", False),
        ("zh", "零下5度", "-5度", True),
        ("zh", "12伏", "12安", False),
        ("zh", "12千赫", "12赫兹", False),
    ],
)
def test_units_are_told_apart_in_other_languages(
    code: str, one: str, other: str, equal: bool
) -> None:
    assert agree(numbers_of(one, code)[0], numbers_of(other, code)[0]) is equal


MON_TO_FRI = {"mon", "tue", "wed", "thu", "fri"}


@pytest.mark.parametrize(
    ("code", "text", "days"),
    [
        ("en", "Mon-Fri 9-5", MON_TO_FRI),
        ("en", "Monday to Friday", MON_TO_FRI),
        ("en", "Mon. through Fri.", MON_TO_FRI),
        ("en", "Monday and Friday", {"mon", "fri"}),
        ("en", "Sat–Mon", {"sat", "sun", "mon"}),
        ("en", "Sat, Sun", {"sat", "sun"}),
        ("de", "Mo.–Fr.", MON_TO_FRI),
        ("de", "montags bis freitags", MON_TO_FRI),
        ("ru", "с понедельника по пятницу", MON_TO_FRI),
        ("ru", "пн-пт", MON_TO_FRI),
        ("zh", "周一至周五", MON_TO_FRI),
        ("zh", "星期一到星期五", MON_TO_FRI),
        ("zh", "周一、周五", {"mon", "fri"}),
    ],
)
def test_a_range_of_days_goes_over_those_between(code: str, text: str, days: set[str]) -> None:
    assert days_in(text, code) == days


@pytest.mark.parametrize(
    ("code", "text", "days"),
    [
        ("en", "The Sun is a star", set()),
        ("en", "She sat down", set()),
        ("en", "Sun 9-5", {"sun"}),
        ("de", "So ist es", set()),
        ("de", "Mo, Mi und Fr", {"mon", "wed"}),
        ("en", "open on Sunday", {"sun"}),
    ],
)
def test_what_may_be_another_word_is_surely_no_day(code: str, text: str, days: set[str]) -> None:
    assert days_in(text, code, surely=True) == days
