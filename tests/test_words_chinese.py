"""Reading Chinese: numbers, units, dates, negation, and stretches without spaces as pairs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_ragassert.language.words.lexicon import SPEAKER
from pytest_ragassert.language.words.numbers import agree
from pytest_ragassert.language.words.reader import begins_with_pronoun, read_words

from .reading import Language, any_text, check_whole, wordy

PIECES = """渡轮 每 40分钟 四十 分钟 ３０ 三千五百元 1.2亿 百分之 三点五 3.5％ 2031年2月1日 8点30分
两 个 一些 不 没有 收费 我 我们 第 之一 千 万 亿 点 GPT-4 kg 5kg ￥ ° 。 ， 、 ； （ 」 \u3007"""
CHINESE = Language("zh")
read, the_number = CHINESE.read, CHINESE.the_number

# The value, the unit, and notations of both.
NOTATIONS = """40 minute: 40分钟 四十分钟 ４０分钟 四十　分钟
45 minute: 45分钟 四十五分钟
10 second: 10秒 十秒 十秒钟
3500 yuan: 3500元 三千五百元 3,500元 ３５００元 3500块钱 3500人民币
50000 yuan: 5万元 五万元 50,000元
50000: 5万 五万 50000 ５万
35000: 三万五千 3.5万 35,000
120000000: 1.2亿 120,000,000 12000万
1500000: 一百五十万 150万
50000000: 5千万 五千万 5000万
1250 metre: 一千二百五十米 1250米 1,250m
105: 一百零五人 105人
3.5 kilometre: 三点五公里 3.5公里 3.5千米 3.5km
3.5 %: 百分之三点五 百分之3.5 3.5% 3.5％ ３．５％
40 %: 百分之四十 40％
2: 两个 2个 两艘
200: 两百个 二百个
3: 第三 第3
20 celsius: 20摄氏度 20℃
20 degree: 20°
15 kilogram: 15kg 15公斤 15千克 十五公斤
5 dollar: 5美元 五美元 $5"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (text, read_as)
        for row in NOTATIONS.splitlines()
        for read_as, texts in [row.split(": ")]
        for text in texts.split(" ")
    ],
)
def test_a_number_has_one_value_and_unit_in_each_notation(text: str, expected: str) -> None:
    number = the_number(text.replace("　", " "))
    assert f"{number.value} {number.unit}".strip() == expected


@pytest.mark.parametrize(
    "row",
    """四十分钟 = 40 min / 40分钟 ≠ 40秒 / 40分钟 ≠ 四百分钟 / 十五公斤 = 15千克 / 15公斤 = 15kg
    15公斤 ≠ 15斤 / 两公里 = 2千米 / 2千米 = 两千米 / 3.5% ≠ 35% / 50元 ≠ 1500元 / 5元 ≠ 5美元
    5元 = 5人民币 / 5万 ≠ 5 / 二零三一年 = 2031年 / 8点30分 = 8:30 / 8:30 = 08:30
    8点30分 = 8时30分 / 8点30分 ≠ 8.30""".replace("\n", " / ").split(" / "),
)
def test_numbers_are_equal_by_value_and_unit(row: str) -> None:
    one, equal, other = row.strip().split(" ", 2)
    assert agree(the_number(one), the_number(other)) is (equal == "=")


DAY = [("2031", "year"), ("2", "month"), ("1", "number")]


@pytest.mark.parametrize(
    ("text", "read_as"),
    [
        ("2031年2月1日", DAY),
        ("2031年02月01日", DAY),
        ("2031年2月1号", DAY),
        ("2031-02-01", DAY),
        ("２０３１年２月１日", DAY),
        ("2月1日", [("2", "month"), ("1", "number")]),
        ("2031年2月", [("2031", "year"), ("2", "month")]),
        ("2031年", [("2031", "year")]),
        ("于1932建成", [("1932", "year")]),
        ("8点30分", [("8:30", "time")]),
        ("1小时30分钟", [("1", "number"), ("30", "number")]),
    ],
)
def test_dates_and_times_are_read_in_their_parts(text: str, read_as: list[tuple[str, str]]) -> None:
    assert [(number.value, number.kind) for number in read(text).numbers] == read_as


@pytest.mark.parametrize(
    "text",
    [
        "一些",
        "一起",
        "统一",
        "十分",
        "万一",
        "一定",
        "唯一",
        "第一",
        "一样",
        "一个",
        "之一",
        "三明治",
        "四川",
        "十字路口",
        "千万别迟到",
        "千里",
        "百姓",
        "一二三",
    ],
)
def test_numerals_inside_words_are_no_numbers(text: str) -> None:
    assert read(text).numbers == ()


@pytest.mark.parametrize(
    ("text", "after", "hedged", "demanded"),
    [
        ("载客120人", "人", False, True),
        ("约40个座位", "个", True, True),
        ("至少40个座位", "个", True, True),
        ("超过四十个座位", "个", True, True),
        ("有40个座位", "个", False, True),
        ("一艘船", "艘", False, False),
        ("两艘船", "艘", False, True),
    ],
)
def test_a_number_knows_what_it_counts_and_how_surely(
    text: str, after: str, hedged: bool, demanded: bool
) -> None:
    number = the_number(text)
    assert (number.after, number.hedged, number.demanded) == (after, hedged, demanded)


# The text, and what it negates.
NEGATED = """渡轮不收费:收费 船上没有餐厅:餐厅 渡轮没有座位，收费:座位 狗未获准:获准 禁止吸烟:吸烟
严禁钓鱼:钓鱼 不准停车:停车 渡轮并未停运:停运 不是红色:红色 无需预订:预订 尚未开放:开放
从不晚点:晚点 没有证据表明:证据,据表,表明 渡轮开，不收费:收费"""


@pytest.mark.parametrize("row", NEGATED.split())
def test_a_negation_stands_before_its_word(row: str) -> None:
    text, negated = row.split(":")
    words = read(text)
    assert words.negations
    assert words.negated == set(negated.split(","))
    assert words.plain == set(words.content) - words.negated


@pytest.mark.parametrize(
    "text",
    [
        "不过渡轮很小",
        "渡轮不仅运人",
        "渡轮非常快",
        "未来渡轮更快",
        "非洲很大",
        "无论天气如何",
        "无人机很轻",
        "没关系",
        "不同的船",
        "不锈钢船身",
        "不断增加",
        "不少人",
        "唯一的船",
        "特别的船",
        "不只红色",
        "不超过40人",
        "不到40人",
        "不，渡轮开",
    ],
)
def test_what_only_looks_like_a_negation_negates_nothing(text: str) -> None:
    words = read(text)
    assert not words.negations
    assert not words.negated


@pytest.mark.parametrize("text", ["我喜欢渡轮", "我的船票", "船票归我", "我认为渡轮快"])
def test_the_first_person_is_a_name(text: str) -> None:
    assert SPEAKER in read(text).names


@pytest.mark.parametrize("text", ["我们收费", "我们的船票", "咱们收费", "他喜欢渡轮"])
def test_others_are_not_the_first_person(text: str) -> None:
    assert SPEAKER not in read(text).available


# The text, and its content words.
CONTENT = """电影院:电影,影院 渡轮:渡轮 船:船 渡轮的票价是40元。:渡轮,票价 码头，南岸:码头,南岸
码头南岸:码头,头南,南岸 渡轮和码头:渡轮,码头 渡轮或者码头:渡轮,码头 目的:目的 会议:会议
所有渡轮都是红色的:渡轮,红色 渡轮可以载120人:渡轮,载 GPT-4模型:gpt,模型 A4纸:a4,纸
使用Python编程:使用,python,编程 iPhone手机:iphone,手机"""


@pytest.mark.parametrize("row", CONTENT.split())
def test_content_is_pairs_between_small_words(row: str) -> None:
    text, content = row.split(":")
    assert read(text).content == tuple(content.split(","))


def test_latin_words_and_numbers_are_read_among_han_signs() -> None:
    words = read("GPT-4模型由Anna在2031年发布")
    assert [(number.value, number.kind) for number in words.numbers] == [
        ("4", "number"),
        ("2031", "year"),
    ]
    assert words.names == {"gpt", "anna"}
    assert set(words.content) >= {"gpt", "模型", "anna", "发布"}


@pytest.mark.parametrize(
    ("text", "light"),
    [
        ("所有船", {"所有"}),
        ("船总是准时", {"总是", "准", "时"}),
        ("仅周末", {"仅", "周", "末"}),
        ("大约40分钟", {"大约"}),
    ],
)
def test_words_of_degree_and_halves_of_pairs_are_light(text: str, light: set[str]) -> None:
    assert read(text).light == light


@pytest.mark.parametrize(
    ("text", "begins"),
    [("它载客40人", True), ("他们在南岸", True), ("该船很新", True), ("渡轮和它", False)],
)
def test_a_pronoun_begins_a_sentence(text: str, begins: bool) -> None:
    assert begins_with_pronoun(text, "zh") is begins


@given(any_text | wordy(PIECES, joint=""))
def test_any_text_can_be_read(text: str) -> None:
    check_whole(read(text))


@given(st.integers(0, 10**12))
def test_grouping_and_zeros_leave_the_value(value: int) -> None:
    for text in (str(value), f"0{value}", f"{value:,}", f"{value}.00"):
        assert the_number(f"{text}元").value == str(value)


@given(st.integers(10, 9999))
def test_numerals_and_digits_have_the_same_value(value: int) -> None:
    assert the_number(f"{spelled(value)}元").value == the_number(f"{value}元").value == str(value)


def spelled(value: int) -> str:
    """A number below ten thousand in Han numerals: 三千零五."""
    written, gap = "", False
    for power, name in ((3, "千"), (2, "百"), (1, "十"), (0, "")):
        digit = value // 10**power % 10
        if digit:
            written += ("零" if gap and written else "") + "零一二三四五六七八九"[digit] + name
        gap = not digit
    return written


def test_reading_takes_time_in_proportion() -> None:
    # quadratic reading of these would take minutes
    for unit in (
        "一",
        "一点",
        "渡",
        "渡轮",
        "不",
        "十分",
        "1万",
        "百分之",
        "2031年",
        "A渡",
        "我们",
    ):
        read_words(unit * (30_000 // len(unit)), "zh")
