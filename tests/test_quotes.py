"""Quotes: what counts as a verbatim part of a passage, and where it stands."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_ragassert.language.folding import FoldCache, fold, fold_once
from pytest_ragassert.steps.evidence.quotes import find_quote, repeats_claim

# In the tables the passage shows the stretch that is the quote between these marks.
MARKS = re.compile("⟦(.*)⟧", re.DOTALL)


def check(quote: str, marked: str, claim: str | None = None) -> None:
    expected = MARKS.search(marked)
    passage = re.sub("[⟦⟧]", "", marked)
    span = find_quote(quote, passage, claim=claim)
    if expected is None:
        assert span is None
    else:
        assert span == (expected.start(), expected.end() - 2)


@pytest.mark.parametrize(
    ("quote", "marked"),
    [
        ("five flats in office", "All ⟦\ufb01ve \ufb02ats in o\ufb03ce⟧ use"),
        ("waffle shops softly lit", "the ⟦wa\ufb04e shops softly lit⟧"),
        ("opens at 8 sharp", "It ⟦opens\u00a0at\u202f8\u2009sharp⟧."),
        ("the museum is free", "⟦the mu\u00adse\u00adum is free⟧"),
        ("the mu\u00adseum is free", "⟦the museum is free⟧"),
        ("a zero width space", "⟦a\ufeff ze\u200bro wid\u2060th space⟧\u200b"),
        ('he wrote "it\'s late" twice', "⟦he wrote \u201cit\u2019s late\u201d twice⟧"),
        ('Das Schild sagt "Heute zu"', "⟦Das Schild sagt \u201eHeute zu\u201c⟧ und"),
        ('На двери "Закрыто" висит', "⟦На двери «Закрыто» висит⟧ давно"),
        ('牌子上写着"今天休息"', "⟦牌子上写着“今天休息”⟧。"),
        ("10-12 daily non-stop trips", "⟦10\u201312 daily non\u2011stop trips⟧"),
        ("a cr\u00e8me br\u00fbl\u00e9e", "⟦a cre\u0300me bru\u0302le\u0301e⟧!"),
        ("a cre\u0300me bru\u0302le\u0301e", "⟦a cr\u00e8me br\u00fbl\u00e9e⟧!"),
        ("한국어 글자 하나", "⟦\u1112\u1161\u11ab국어 글자 하나⟧"),
        ("Trains stop here", "⟦Trains \n\t  stop\r\nhere⟧"),
        ("\u200b Trains stop here\n", "All ⟦Trains stop here⟧ too"),
        ("Ticket: 9 euros", "\u25aa ⟦Ticket: 9 euros⟧\n\u25aa Dogs: none"),
        ("每天早上八点开门", "博物馆⟦每天早\n上八点开门⟧"),
        ("每天早 上八点开门", "博物馆⟦每天早\n上八点开门⟧"),
        ("a soft sign here", "⟦a so\u200cft sign here⟧"),
        ("le musée d'art moderne", "⟦le musée d\u02bcart moderne⟧"),
        ("Музей открыт ежедневно", "⟦Музей открыт ежедневно⟧ с восьми."),
        ("博物馆每天开门", "市立⟦博物馆每天开门⟧。"),
        ("he said 'fine' to us", '⟦he said "fine" to us⟧'),
        ('he said "it\'s fine" to us', "⟦he said ‘it’s fine’ to us⟧"),
        ("the 'size 5' shoe fits", '⟦the "size 5" shoe fits⟧'),
        ('a pipe of 5" fits here', "⟦a pipe of 5″ fits here⟧"),
    ],
)
def test_typography_makes_no_difference(quote: str, marked: str) -> None:
    check(quote, marked)


@pytest.mark.parametrize(
    ("quote", "marked"),
    [
        ("Tiere, z.B. Hunde, dürfen mit", "⟦Tiere, z. B. Hunde, dürfen mit⟧."),
        ("Tiere, z. B. Hunde, dürfen mit", "⟦Tiere, z.B. Hunde, dürfen mit⟧."),
        ("Der Eintritt kostet 50€", "⟦Der Eintritt kostet 50 €⟧ am Tag"),
        ("Der Eintritt kostet 50 €", "⟦Der Eintritt kostet 50€⟧ am Tag"),
        ("Kinder zahlen 20% weniger", "⟦Kinder zahlen 20\u202f% weniger⟧"),
        ("nach §5 der Satzung", "⟦nach § 5 der Satzung⟧"),
        ("pets, e.g. dogs, are welcome", "⟦pets, e. g. dogs, are welcome⟧"),
        ("a bag of 20kg", "⟦a bag of 20 kg⟧ at most"),
        ("höchstens 20kg", "⟦höchstens 20 kg⟧ Gepäck"),
        ("höchstens 20 kg", "⟦höchstens 20kg⟧ Gepäck"),
        ("vom 24.12.2024 an zu", "⟦vom 24. 12. 2024 an zu⟧"),
        ("von 10-12 Uhr offen", "⟦von 10 – 12 Uhr offen⟧"),
        ("open ( not shut ) on Monday", "⟦open (not shut) on Monday⟧"),
        ("价格是35 元一张", "⟦价格是35元一张⟧"),
        ("asthma wards for 50€", "⟦asth-\nma wards for 50 €⟧"),
        ("shut-open wards for 50€", "⟦shut -\nopen wards for 50 €⟧"),
        ("z.B. Hunde ... kosten 5€", "⟦z. B. Hunde und Katzen kosten 5 €⟧"),
    ],
)
def test_spaces_beside_signs_make_no_difference(quote: str, marked: str) -> None:
    check(quote, marked)


@pytest.mark.parametrize(
    ("quote", "passage"),
    [
        ("bis zu 105 Gäste hier", "bis zu 10 5 Gäste hier"),
        ("bis zu 10 5 Gäste hier", "bis zu 105 Gäste hier"),
        ("there is notable salt", "there is no table salt"),
        ("there is no table salt", "there is notable salt"),
        ("in rooms 10,5 and 3", "in rooms 10, 5 and 3"),
        ("in rooms 10,5 and 3", "in rooms 10 , 5 and 3"),
        ("in rooms 10 . 5 and 3", "in rooms 10.5 and 3"),
        ("the fee is 10,500 euros", "the fee is 10 , 500 euros"),
        ("about 3·5 kilos each", "about 3· 5 kilos each"),
        ("he paid 5$ 10 times", "he paid 5 $10 times"),
        ("it is 10-5 for us", "it is 10 -5 for us"),
        ("it is -5 in the shade", "it is - 5 in the shade"),
        ("it costs 10.5 in all", "it costs 10. 5 in all"),
        ("an area of 10\u00b2 units", "an area of 10 \u00b2 units"),
        ("the cafe\u0301s are open", "the cafe\u0301 s are open"),
        ("shutopen wards for 50€", "shut -\nopen wards for 50 €"),
        ("the fee is 12€", "the fee is 12,5 €"),
        ("kosten nur 12", "kosten nur 12 000€"),
        ("5€ ... 7€", "5 € für Kinder und alle anderen 7 €"),
    ],
)
def test_spaces_between_words_and_numbers_make_a_difference(quote: str, passage: str) -> None:
    check(quote, passage)


@pytest.mark.parametrize(
    ("quote", "passage"),
    [
        ("an area of 62 units", "an area of 6\u00b2 units"),
        ("the CO\u2083 level rose", "the CO\u2082 level rose"),
        ("the CO2 level rose", "the CO\u2082 level rose"),
        ("it weighs 72 kg now", "it weighs 7.2 kg now"),
        ("opens at 8 sharp", "opens at \uff18 sharp"),
        ("the museum is open today", "the museum is not open today"),
        ("das Museum ist offen", "das Museum ist nicht offen"),
        ("博物馆今天开门", "博物馆今天不开门"),
        ("the museum opens daily", "The museum opens daily"),
        ("alpha-rays were measured here", "\u03b1-rays were measured here"),
        ("the cafe is open", "the cafe\u0301 is open"),
        ("the museum opens at eight", "Part one ends with the museum"),
        ("a pipe of 5' fits here", 'a pipe of 5" fits here'),
        ("a door of 6'2\" by 3'", "a door of 6\"2' by 3'"),
        ("the point A' lies outside", 'the point A" lies outside'),
        ("it's shut on Mondays", 'it"s shut on Mondays'),
        (
            "\u0646\u0645\u06cc\u062f\u0627\u0646\u0645 a b",
            "\u0646\u0645\u06cc\u200c\u062f\u0627\u0646\u0645 a b",
        ),
    ],
)
def test_wording_makes_a_difference(quote: str, passage: str) -> None:
    check(quote, passage)


@pytest.mark.parametrize(
    ("quote", "marked"),
    [
        ("asthma was found twice", "⟦asth-\nma was found twice⟧"),
        ("asth-\nma was found twice", "⟦asth-\nma was found twice⟧"),
        ("asth- ma was found twice", "⟦asth-\nma was found twice⟧"),
        ("asth-\nma was found twice", "⟦asthma was found twice⟧"),
        ("asthma was found twice", "⟦asth\u00ad\nma was found twice⟧"),
        ("an up-to-date list", "⟦an up-to-\ndate list⟧"),
        ("an up-to-date list", "⟦an up-to\u00ad\ndate list⟧"),
        ("an upto-date list", "an up-to-\ndate list"),
        ("a pre- and post-war asthma ward", "⟦a pre-\nand post-war asth-\nma ward⟧"),
        ("the preand asthma wards", "the pre- and asth-\nma wards"),
        ("they resent a letter", "they re-sent a letter"),
        ("they re-sent a letter", "they resent a letter"),
        ("resent the broken asthma letter", "re-sent the broken asth-\nma letter"),
        ("a trip of 79 hours", "a trip of 7-9 hours"),
        ("a trip of 79 hours", "a trip of 7-\n9 hours"),
        ("a trip of 7-9 hours", "⟦a trip of 7-\n9 hours⟧"),
        ("a trip of 7-9 hours", "⟦a trip of 7\u2013\n9 hours⟧"),
        ("the model T34 tank", "the model T-\n34 tank"),
        ("the model T-34 tank", "⟦the model T-\n34 tank⟧"),
        ("shut\u2014open all day", "⟦shut\u2014\nopen all day⟧"),
        ("shutopen all day long", "shut\u2014\nopen all day long"),
        ("Fährbetrieb ruht im Winter", "Der ⟦Fähr-\nbetrieb ruht im Winter⟧."),
        ("ma was found twice", "asth-\nma was found twice"),
        ("ma was found twice", "asth\u00ad\n  ma was found twice"),
        ("they had found asth", "they had found asth-\nma"),
        ("they had found asth-", "they had found asth-\nma"),
    ],
)
def test_hyphens_of_line_breaks_are_optional(quote: str, marked: str) -> None:
    check(quote, marked)


@pytest.mark.parametrize(
    ("quote", "marked"),
    [
        ("70 people came today", "1,70 people came today"),
        ("70 people came today", "170 people came today. ⟦70 people came today⟧"),
        ("5 km of rail", "2.5 km of rail"),
        (".5 km of rail", "2.5 km of rail"),
        ("5 km of rail", "it has .5 km of rail"),
        ("5 km of rail", "it has \u22125 km of rail"),
        ("5 km of rail", "it has 4-5 km of rail"),
        ("5 km of rail", "it has \u2014⟦5 km of rail⟧"),
        ("5 km of rail", "see Fig.⟦5 km of rail⟧"),
        ("a price of 12", "a price of 12.5 euros"),
        ("a price of 12", "a price of 12,000 euros"),
        ("a price of 12", "a price of 12 000 euros"),
        ("000 euros in all", "12\u00a0000 euros in all"),
        ("a price of 12", "a price of 12-15 euros"),
        ("a price of 12", "⟦a price of 12⟧. Then"),
        ("a rise by 12", "⟦a rise by 12⟧% a year"),
        ("a size of 12", "a size of 12\u00b2 units"),
        ("a size of 12", "a size of 12\u207b\u00b2 units"),
        ("a dose of 12", "a dose of 12mg a day"),
        ("a dose of 12 mg", "a dose of 12 mg/kg a day"),
        ("15 trains leave daily", "12:15 trains leave daily"),
        ("cats or dogs", "mice and/⟦cats or dogs⟧"),
        ("usual parts were made", "un\u00adusual parts were made"),
        ("smoking rooms are left", "non-smoking rooms are left"),
        ("rooms free of smoke", "rooms free of smoke-like air"),
        ("the museum is", "the museum isn't old"),
        ("the museum is", "the museum isn\u2019t old"),
        ("usine fait du sel", "L\u2019⟦usine fait du sel⟧"),
        ("est plus loin que", "Il n\u2019est plus loin que"),
        ("shut on every Monday", "open\u2014⟦shut on every Monday⟧"),
        ("keys must be set", "max_keys must be set"),
        ("lats in the office", "\ufb02ats in the office"),
        ("flats in the o", "flats in the o\ufb03ce"),
        ("we all like \U0001f468", "we all like \U0001f468\u200d\U0001f469"),
        ("博物馆每天开门", "这座⟦博物馆每天开门⟧迎客"),
        ("5分钟一班车的线路", "每15分钟一班车的线路"),
        ("五分钟一班车的线路", "每十五分钟一班车的线路"),
        ("分钟一班车的线路", "每15⟦分钟一班车的线路⟧"),
        ("NA检测每天进行", "用DNA检测每天进行"),
        ("we all like \U0001f44d", "we all like \U0001f44d\U0001f3fd"),
        ("ปิดอยู่วันนี้", "เปิดอยู่วันนี้"),
        ("能开门每天两次", "用时ก\u0e33能开门"),
        ("\u0e33ลังเปิดอยู่", "ก\u0e33ลังเปิดอยู่"),
        ("가능하다 매일 간다", "불가능하다 매일 간다"),
        ("में घर जाता", "⟦में घर जाता⟧ हूँ"),
        ("मैं घर जात", "मैं घर जाता हूँ"),
    ],
)
def test_a_quote_stands_at_token_boundaries(quote: str, marked: str) -> None:
    check(quote, marked)


@pytest.mark.parametrize(
    ("quote", "marked", "claim"),
    [
        ("the museum", "It is the museum.", None),
        ("up-to-date list", "an up-to-date list", None),
        ("the old museum", "It is ⟦the old museum⟧.", None),
        ("Closed today", "** ⟦Closed today⟧! **", None),
        ("25", "It costs ⟦25⟧ euros.", "The price is 25 euros."),
        ("1,250", "It costs ⟦1,250⟧ euros.", "The price is 1250 euros."),
        ("25", "It costs 25 euros.", "The price is 125 euros."),
        ("每天早上八", "他每天早上八点走", None),
        ("每天早上八点", "他⟦每天早上八点⟧走", None),
        ("ICE 每天停站", "车⟦ICE 每天停站⟧了", None),
        ("ICE 每天停", "车ICE 每天停站", None),
        ("a-b c\u0327\u0301d", "x a-b c\u0327\u0301d y", None),
        ("\u00ab ! \u2014 ?", "x \u00ab ! \u2014 ? y", None),
        ("\u2014!", "?! \u2014!", None),
        ("\u2014!", "⟦\u2014!⟧", None),
        ("", "any text", None),
        (" \u200b\n", "any  \u200b\n text", None),
        ("any text at all", " \n ", None),
    ],
)
def test_a_quote_is_long_enough_to_be_evidence(quote: str, marked: str, claim: str | None) -> None:
    check(quote, marked, claim)


LONG = "The shop sells tea. " + "It is a quiet place. " * 23
ELISIONS = [
    ("The shop sells ... until eight", "⟦The shop sells tea and stays open until eight⟧."),
    ("The shop sells\u2026until eight", "⟦The shop sells tea and stays open until eight⟧."),
    ("The shop sells [\u2026] until eight", "⟦The shop sells tea and stays open until eight⟧."),
    ("The shop sells (...) until eight", "⟦The shop sells tea and stays open until eight⟧."),
    ("... The shop sells tea [...]", "So ⟦The shop sells tea⟧ and"),
    ("The shop ... and stays ... until eight", "⟦The shop sells tea and stays open until eight⟧."),
    ("until eight ... The shop", "The shop sells tea until eight"),
    ("The shop sells ... eight", "The shop sells tea until eight"),
    ("well... I think so", "⟦well... I think so⟧"),
    ("well... I think ... too late", "⟦well... I think it is far too late⟧"),
    ("The shop ... too late", "The shop did not shut. ⟦The shop opened too late⟧"),
    ("A soft-\nware shop ... too late", "⟦A software shop opened too late⟧"),
    ("A software shop ... too late", "⟦A soft-\nware shop opened too late⟧"),
    ("The shop sells tea. ... Dogs sleep.", f"⟦{LONG}Dogs sleep.⟧"),
    ("The shop sells tea. ... Dogs sleep.", f"{LONG}It is a quiet place. Dogs sleep."),
    ("The shop is ... open on Sunday", "The shop is not open on Sunday"),
    ("The shop ... open on Sunday", "The shop isn\u2019t open on Sunday"),
    ("The shop is ... without delay", "⟦The shop is open without delay⟧"),
    ("The shop was sold ... in May", "The shop was sold. It never opened in May"),
    ("The shop was ... Dogs sleep", "The shop was not sold. Dogs sleep here"),
    ("The shop was sold. ... Dogs sleep", "⟦The shop was sold. It has no roof. Dogs sleep⟧ here"),
    ("The shop was, ... sold in May", "The shop was, e.g. not then, approx. later sold in May"),
    ("Der Laden ist ... offen und hell", "Der Laden ist keineswegs offen und hell"),
    ("Der Laden ist ... offen und hell", "⟦Der Laden ist heute offen und hell⟧"),
    ("Магазин был ... открыт в мае", "Магазин был никогда открыт в мае"),
    ("这家商店……星期天开门", "这家商店从不在星期天开门"),
    ("这家商店……星期天开门", "⟦这家商店也在星期天开门⟧"),
    ("这家商店很小……星期天开门", "⟦这家商店很小。没有屋顶。星期天开门⟧"),
    ("Le café est ... ouvert en mai", "Le café est sans doute ouvert en mai"),
    ("... [\u2026] ...", "... and [\u2026] ..."),
    (" ... ".join(["a b"] * 17), " then ".join(["a b"] * 17)),
]


@pytest.mark.parametrize(("quote", "marked"), ELISIONS)
def test_an_elision_skips_text_but_no_negation(quote: str, marked: str) -> None:
    check(quote, marked)


def test_hopeless_elisions_end_soon() -> None:
    assert find_quote("a b ... b a ... a b ... z z", "a b " * 20_000 + "z") is None


@pytest.mark.parametrize(
    ("quote", "claim", "same"),
    [
        ("The museum opens daily.", "the museum  opens daily", True),
        ("\u201cThe museum\u201d \u2013 it\u2019s open!", "The museum: its open", True),
        ("博物馆 每天开门。", "博物馆每天开门", True),
        ("It weighs 7.2 kg", "It weighs 72 kg", False),
        ("It weighs 7 2 kg", "It weighs 72 kg", False),
        ("at -4 degrees", "at 4 degrees", False),
        ("up 4%", "up 4", False),
        ("about $4", "about £4", False),
        ("6\u00b2 units", "62 units", False),
        ("मैं", "म", False),
    ],
)
def test_a_quote_may_repeat_the_claim(quote: str, claim: str, same: bool) -> None:
    assert repeats_claim(quote, claim) is same


UNTIMED = settings(deadline=None)
# Tokens as quoted and as printed.
PRINTED = [
    ("final", "\ufb01nal"),
    ("café", "cafe\u0301"),
    ("museum", "mu\u00adseum"),
    ("asthma", "asth-\nma"),
    ("up-to-date", "up-to-\ndate"),
    ('"open"', "\u201eopen\u201c"),
    ("non-stop", "non\u2011stop"),
    ("isn't", "isn\u2019t"),
    ("7-9", "7\u2013\n9"),
    ("3.5", "3.5"),
    ("12%", "12%"),
    ("1984", "1984"),
    ("Straße,", "Straße,"),
    ("поезд", "поезд"),
    ("博物馆每天", "博物馆\n每天"),
    ("wait...", "wait\u2026"),
]
SPACES = st.sampled_from([" ", " ", "  ", "\n", "\u00a0", " \u200b", "\r\n\t", "\u2003"])
ORDERED = st.lists(st.sampled_from(PRINTED), min_size=4, max_size=12, unique=True)


@st.composite
def printed_quotes(draw: st.DrawFn) -> tuple[list[str], str, int, int]:
    """Tokens of a quote, a passage with the quote in it, and where that stands."""
    tokens = draw(ORDERED)
    first = draw(st.integers(0, len(tokens) - 4))
    last = draw(st.integers(first + 4, len(tokens)))
    passage, starts, ends = "", [], []
    for _, printed in tokens:
        starts.append(len(passage))
        passage += printed
        ends.append(len(passage))
        passage += draw(SPACES)
    return [plain for plain, _ in tokens[first:last]], passage, starts[first], ends[last - 1]


@UNTIMED
@given(printed_quotes())
def test_every_stretch_between_tokens_is_found(case: tuple[list[str], str, int, int]) -> None:
    tokens, passage, start, end = case
    assert find_quote(" ".join(tokens), passage) == (start, end)
    assert find_quote(passage[start:end], passage) == (start, end)


SPACED = [
    "z. B.",
    "50 €",
    "20 %",
    "§ 5",
    "20 kg",
    "(fast)",
    "und/oder",
    "„offen“",
    "3,50",
]
WORDS = st.lists(st.sampled_from([*SPACED, "Katzen", "Müll", "ja"]), min_size=3, max_size=9)


def spaces_matter(left: str, right: str) -> bool:
    """The rule again, character by character: these two need the space, or must not get one."""
    return (left.isalpha() and right.isalpha()) or (left.isdigit() and right.isdigit())


@UNTIMED
@given(WORDS, st.data())
def test_spaces_that_are_typography_change_nothing(words: list[str], data: st.DataObject) -> None:
    # a space between two numbers with a sign may be either number's
    quoted = " ja ".join(words)
    passage = f"Im Haus {quoted} ist es so"
    changed = ""
    for at, char in enumerate(quoted):
        left, right = quoted[at - 1 : at], quoted[at + 1 : at + 2]
        if char == " " and not spaces_matter(left, right):
            changed += data.draw(st.sampled_from([" ", "", "\u00a0"]))
            continue
        before = changed[-1:]
        # "3 ,50" may be another number than "3,50"
        in_number = "," in (before, char)
        if before.strip() and char != " " and not in_number and not spaces_matter(before, char):
            changed += data.draw(st.sampled_from(["", " "]))
        changed += char
    assert find_quote(changed, passage, proves=False) == (8, 8 + len(quoted))


@UNTIMED
@given(WORDS, st.data())
def test_spaces_between_words_or_digits_are_kept(words: list[str], data: st.DataObject) -> None:
    quoted = " ".join([*words, "so", "12", "34", "alt"])
    inner = [at for at in range(1, len(quoted) - 1) if spaces_matter(quoted[at - 1], quoted[at])]
    gaps = [
        at
        for at in range(1, len(quoted) - 1)
        if quoted[at] == " " and spaces_matter(quoted[at - 1], quoted[at + 1])
    ]
    at = data.draw(st.sampled_from([*inner, *gaps]))
    changed = quoted[:at] + quoted[at + 1 :] if at in gaps else f"{quoted[:at]} {quoted[at:]}"
    assert find_quote(changed, f"Im Haus {quoted} ist es so", proves=False) is None


@UNTIMED
@given(printed_quotes(), st.data())
def test_a_changed_quote_is_not_found(
    case: tuple[list[str], str, int, int], data: st.DataObject
) -> None:
    tokens, passage, _, _ = case
    at = data.draw(st.integers(1, len(tokens) - 2))
    dropped = " ".join(tokens[:at] + tokens[at + 1 :])
    if "..." not in dropped:
        assert find_quote(dropped, passage) is None
    for token in tokens:
        for digit in re.findall(r"\d", token):
            other = token.replace(digit, str((int(digit) + 1) % 10), 1)
            changed = " ".join(tokens).replace(token, other, 1)
            assert find_quote(changed, passage) is None


# Short texts over few characters collide often, and every one of these is special somewhere.
CHARS = (
    "ab1é.,-/'\"( \n\t\x00\x85\u00a0\u00ad\u200b\u200c\u200d\u2010\u2013\u2014\u2019"
    "\u2026\u2028\u0301\u0323"
    "\ufb01\ufb06天三ก\u0e33\u05d0\u0643\u0915\u093f\u1100\u1161\u11a8\U0001f44d\U0001f3fd\ufe0f\ud800\u212a"
)
SPECIAL = st.text(st.sampled_from(CHARS), max_size=24)


def squash(text: str) -> str:
    return re.sub("[- ]", "", fold_once(text).text).replace('"', "'").strip("\u200c\u200d")


@UNTIMED
@given(SPECIAL | st.text(max_size=30), SPECIAL | st.text(max_size=30), st.data())
def test_any_text_gives_a_true_span_or_none(noise: str, passage: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(passage)))
    end = data.draw(st.integers(start, len(passage)))
    for quote in (noise, passage[start:end], passage[start:end] + noise, passage):
        repeats_claim(quote, passage)
        span = find_quote(quote, passage, claim="1")
        if span is not None:
            assert 0 <= span[0] < span[1] <= len(passage)
            if "..." not in fold(quote).text:
                assert squash(passage[slice(*span)]) == squash(quote)


@UNTIMED
@given(SPECIAL | st.text())
def test_folding_keeps_offsets(text: str) -> None:
    folded = fold_once(text)
    assert fold_once(folded.text).text == folded.text
    for form in (folded, folded.joined()):
        starts = [at for at in map(form.start, range(len(form.text))) if at >= 0]
        ends = [at for at in map(form.end, range(1, len(form.text) + 1)) if at >= 0]
        assert all(one < two for ats in (starts, ends) for one, two in pairwise(ats))
        assert all(form.start(form.after(at)) == at for at in starts)
        for at in range(len(text)):
            after = form.after(at)
            assert after == 0 or form.start(after - 1) < at
            assert after == len(form.text) or not 0 <= form.start(after) < at
        for at in range(len(form.text)):
            if form.start(at) >= 0 and form.end(at + 1) >= 0:
                assert form.start(at) < form.end(at + 1)


def test_folding_composes_short_clusters_only() -> None:
    assert fold_once("e\u0323\u0301").text == "\u1eb9\u0301"
    assert fold_once("e" + "\u0301" * 40).text == "e" + "\u0301" * 40


def test_the_fold_cache_keeps_what_was_used_last() -> None:
    cache = FoldCache(limit=1000)
    first, second = cache.fold("a" * 100), cache.fold("b" * 50)
    assert cache.fold("a" * 100) is first
    cache.fold("c" * 100)  # too much for three: the one used longest ago goes
    assert cache.fold("a" * 100) is first
    assert cache.fold("b" * 50) is not second
    kept = cache.fold("b" * 50)
    assert cache.fold("d" * 1000) is not cache.fold("d" * 1000)
    assert cache.fold("b" * 50) is kept


def test_the_fold_cache_serves_threads() -> None:
    cache = FoldCache(limit=1500)
    with ThreadPoolExecutor(8) as pool:
        folded = pool.map(cache.fold, [f"{turn % 7}\u2013" for turn in range(2000)])
        assert [one.text for one in folded] == [f"{turn % 7}-" for turn in range(2000)]


TABLE = "| Card | Price |\n|---|---|\n| Adult | 12 euros |\n| Child | free |\n"


@pytest.mark.parametrize(
    ("quote", "passage", "found"),
    [
        ("| Child | free |", TABLE, True),
        ("Child | free", TABLE, True),
        ("Child free", TABLE, False),
        ("free", TABLE, False),
        ("| free |", TABLE, False),
        ("| Child | free", TABLE.replace("free", "free today"), False),
        ("- Child: free", "Prices:\n- Adult: 12 euros\n- Child: free", True),
        ("Child: free", "Prices:\n1. Adult: 12 euros\n* Child: free", True),
        ("Child: free", "Adult: 12 euros\nChild: free", False),
        ("- free", "Prices:\n- free\n- Child: free", False),
    ],
)
def test_a_whole_row_or_item_of_two_words_is_evidence(
    quote: str, passage: str, found: bool
) -> None:
    assert (find_quote(quote, passage, claim="Child | free") is not None) == found
