"""Reading words, numbers, names and negation, and finding the sentence nearest to a claim."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_ragassert.judging.judges.offline.sentence_match import matches
from pytest_ragassert.language.words.claim_match import (
    Statement,
    best_windows,
    nearest_sentence,
    read_passage,
)
from pytest_ragassert.language.words.numbers import agree
from pytest_ragassert.language.words.reader import read_words

from .reading import Language, any_text, check_whole, wordy

ENGLISH = Language("en")
stem, the_number = ENGLISH.stem, ENGLISH.the_number
PIECES = """not no The ferry runs 40 minutes kg 1,000 two hundred and six US May 2031-08-15 10:30
% $5 ° isn't Berlin's one's without -3 1e3 2018-19 a one . , ; per cent"""


def holds(passage: str, number: str) -> bool:
    return bool(read_passage(passage).sentences_holding(the_number(number)))


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        ("1,000", "1000", True),
        ("1 000", "1000", True),
        ("1\u00a0000", "1000", True),
        ("1'000", "1000", True),
        ("1.000", "1000", False),
        ("1.000.000", "1 million", True),
        ("1.234,50", "1234.5", True),
        ("16,181", "16.181", False),
        ("3.5%", "3,5 %", True),
        ("3.5%", "35%", False),
        ("5 per cent", "5%", True),
        ("5%", "5 kg", False),
        ("0.5", "50%", False),
        (".5", "0.50", True),
        ("$50 million", "50", False),
        ("$50 million", "$50,000,000", True),
        ("$50m", "50 million dollars", True),
        ("5k", "5000", True),
        ("2.4 kg", "2,4kg", True),
        ("23 kilograms", "23kg", True),
        ("18 lb", "18 kg", False),
        ("II", "2", False),
        ("1e3", "1000", True),
        ("-5", "5", False),
        ("−5", "-5", True),
        ("(-5", "-5", True),
        ("x-5", "5", True),
        ("twelve", "12", True),
        ("twenty-one", "21", True),
        ("two hundred and six", "206", True),
        ("three thousand forty", "3,040", True),
        ("a hundred", "100", True),
        ("007", "7", True),
        ("1.2.3", "1.2", False),
        ("1.2.3", "1.2.30", False),
        ("10:30", "10.30", False),
        ("1990s", "1990", True),
        ("20°C", "20 degrees", True),
        ("٤٠", "40", True),
    ],
)
def test_numbers_are_equal_by_value_and_unit(one: str, other: str, equal: bool) -> None:
    numbers = read_words(one).numbers, read_words(other).numbers
    assert (len(numbers[0]) == len(numbers[1]) == 1 and agree(*numbers[0], *numbers[1])) is equal


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("50 is not in 1500", ["50", "1500"]),
        ("1400,1777", ["1400", "1777"]),
        ("from 1939-1975", ["1939", "1975"]),
        ("in 2018–19", ["2018", "2019"]),
        ("2031-08-15", ["2031", "8", "15"]),
        ("15.08.2031", ["2031", "8", "15"]),
        ("August 15, 2031", ["8", "15", "2031"]),
        ("one two three", ["1", "2", "3"]),
        ("a million, three million", ["1000000", "3000000"]),
        ("two thousand three thousand", ["2000", "3000"]),
        ("nineteen twenty-four", ["19", "24"]),
        ("B2B and A380", []),
        ("GPT-4", ["4"]),
        ("10² m", ["10"]),
        ("it may march on", []),
        ("wait...5 kg", ["5"]),
    ],
)
def test_each_number_of_a_text_is_read_once(text: str, values: list[str]) -> None:
    assert [number.value for number in read_words(text).numbers] == values


@pytest.mark.parametrize(
    ("text", "kind", "unit", "after"),
    [
        ("built in 1932", "year", "", ""),
        ("it has 1932 seats", "number", "", "seat"),
        ("in 1932 people left", "year", "", "peopl"),
        ("1,932", "number", "", ""),
        ("every 40 minutes", "number", "minute", ""),
        ("a 40-minute ride", "number", "minute", ""),
        ("€9", "number", "euro", ""),
        ("at 10:30", "time", "", ""),
        ("the 1990s", "decade", "", ""),
        ("5 crowns", "number", "", "crown"),
        ("the 3rd floor", "number", "", "floor"),
    ],
)
def test_a_number_has_a_kind_and_what_it_counts(
    text: str, kind: str, unit: str, after: str
) -> None:
    number = the_number(text)
    assert (number.kind, number.unit, number.after) == (kind, unit, after)


def test_a_month_is_demanded_only_beside_a_day_or_year() -> None:
    assert [number.demanded for number in read_words("on 15 August").numbers] == [True, True]
    august = read_words("closed in August")
    assert [(number.value, number.demanded) for number in august.numbers] == [("8", False)]
    assert "august" in august.content
    assert stem("august") in read_words("on 15 August").available


def test_one_is_no_number_to_look_for() -> None:
    assert not the_number("one of the pumps").demanded
    assert the_number("two of the pumps").demanded


@pytest.mark.parametrize("text", ["at least 40 rooms", "about 40 rooms", "more than 40 rooms"])
def test_bounds_and_estimates_are_hedged(text: str) -> None:
    assert the_number(text).hedged
    assert not the_number("has 40 rooms").hedged


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("kayaks", "kayak"),
        ("weighs", "weighed"),
        ("opening", "opens"),
        ("began", "begins"),
        ("written", "writes"),
        ("children", "child"),
        ("cities", "city"),
    ],
)
def test_word_forms_share_a_stem(one: str, other: str) -> None:
    assert stem(one) == stem(other)
    assert stem("ended") != stem("began")


def test_content_words_are_stems_in_order_without_small_words_and_units() -> None:
    words = read_words("The kayak's mass is 23 kilograms, and only it floats.")
    assert words.content == (stem("kayak"), stem("mass"), stem("floats"))
    assert words.light == {"only"}
    assert stem("kilograms") in words.available
    assert stem("kg") in read_words("23kg").available
    assert "is" not in words.available


def test_acronyms_that_look_like_small_words_are_names() -> None:
    assert read_words("The US won.").names == {"us"}
    assert read_words("He told us.").content == (stem("told"),)
    assert read_words("HE TOLD US.").names == frozenset()


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Dogs bark in Berlin.", {"berlin"}),
        ("Jane Smith left. Dogs bark.", {"jane", "smith"}),
        ("The dog barks.", set()),
        ("Stop!, Dogs bark.", set()),
        ("NASA flies.", {"nasa"}),
        ("jane smith left", set()),
    ],
)
def test_names_are_capitals_that_no_sentence_start_explains(text: str, names: set[str]) -> None:
    assert read_words(text).names == {stem(name) for name in names}


@pytest.mark.parametrize(
    ("text", "negated"),
    [
        ("The pump is not rated for salt water.", {"rated"}),
        ("It isn't rated", {"rated"}),
        ("It isn’t rated", {"rated"}),
        ("It can't float", {"float"}),
        ("No pumps float", {"pumps"}),
        ("without brakes it rolls", {"brakes"}),
        ("neither brakes, nor wheels", {"brakes", "wheels"}),
        ("There is no evidence that it causes harm, but it stinks", {"evidence", "causes", "harm"}),
        ("It floats, not only in water", set()),
        ("no more than 5 bar", set()),
        ("No, it floats", set()),
        ("no it floats", set()),
        ("pump no. 5 floats", set()),
        ("It knots well", set()),
        ("not. Float", set()),
    ],
)
def test_a_negation_stands_before_its_word(text: str, negated: set[str]) -> None:
    words = read_words(text)
    assert words.negated == {stem(word) for word in negated}
    assert words.plain == set(words.content) - words.negated


def test_typography_makes_no_other_word() -> None:
    assert read_words("ﬁne cof\u00adfee").content == read_words("fine coffee").content
    assert read_words("cafe\u0301").content == read_words("caf\u00e9").content


@given(any_text | wordy(PIECES))
def test_any_text_can_be_read(text: str) -> None:
    check_whole(read_words(text))


@given(st.integers(0, 10**12))
def test_grouping_and_zeros_leave_the_value(value: int) -> None:
    for text in (
        str(value),
        f"{value:,}",
        f"0{value}",
        f"{value}.00",
        f"{value:_}".replace("_", " "),
    ):
        assert the_number(text).value == str(value)


def test_reading_takes_time_in_proportion() -> None:
    # quadratic reading of these would take minutes
    for unit in ("1", "1,", "111,", "12-", "two hundred ", "AB ", "a'", "not ", ".5", "°"):
        read_words(unit * (30_000 // len(unit)))


PASSAGE = "Trailers are heavy. The kayak weighs 23kg. It floats on a lake. The kayak is red."


def span_of(sentence: str, index: int = 0) -> tuple[int, int, int]:
    start = PASSAGE.index(sentence)
    return index, start, start + len(sentence)


@pytest.mark.parametrize(
    ("claim", "sentence"),
    [
        ("The kayak weighs 18 kg", "The kayak weighs 23kg."),
        ("A red kayak", "The kayak is red."),
        ("The kayak", "The kayak weighs 23kg."),
        ("23 kg", "The kayak weighs 23kg."),
        ("A lake", "It floats on a lake."),
    ],
)
def test_the_nearest_sentence_shares_most(claim: str, sentence: str) -> None:
    assert nearest_sentence(claim, [(7, "Nothing here."), (4, PASSAGE)]) == span_of(sentence, 4)


def test_the_first_of_equally_near_sentences_counts() -> None:
    assert nearest_sentence("kayak", [(9, PASSAGE), (2, PASSAGE)]) == span_of(
        "The kayak weighs 23kg.", 9
    )


@pytest.mark.parametrize("passages", [[], [(0, "")], [(0, "Trains are late.")]])
def test_nothing_shared_is_no_sentence(passages: list[tuple[int, str]]) -> None:
    assert nearest_sentence("The kayak weighs 18 kg", passages) is None


def test_a_window_grows_only_where_one_sentence_has_too_little() -> None:
    claim, passage = Statement("The red kayak floats on the lake"), read_passage(PASSAGE)
    [one], [two] = best_windows(claim, [passage], 0.5), best_windows(claim, [passage], 1.0)
    assert PASSAGE[one.start : one.end] == "It floats on a lake."
    assert PASSAGE[two.start : two.end] == "It floats on a lake. The kayak is red."


def test_what_a_window_lacks_is_looked_for_elsewhere() -> None:
    claim = Statement("The red kayak of Anna floats on the lake in Berlin")
    texts = ["All is red.", "Berlin is large. Anna lives there.", "The kayak floats on the lake."]
    passages = [read_passage(text) for text in texts]

    def quoted(enough: float, most: int) -> list[str]:
        found = best_windows(claim, passages, enough, most)
        return [texts[one.place][one.start : one.end] for one in found]

    whole = [texts[2], texts[1], texts[0]]
    assert [quoted(1.0, most) for most in (1, 2, 3, 9)] == [whole[:1], whole[:2], whole, whole]
    assert quoted(0.4, 3) == whole[:1]
    assert quoted(0.6, 3) == [texts[2], "Berlin is large."]


@pytest.mark.parametrize(
    ("claim", "sentence", "kind"),
    [
        ("The kayak weighs 23 kg", "The kayak weighs 23kg.", "agrees"),
        ("The kayak weighs 18 kg", "The kayak weighs 23kg.", "opposes"),
        ("The kayak weighs 18 lb", "The kayak weighs 23kg.", "lacks"),
        ("The kayak weighs at least 18 kg", "The kayak weighs 23kg.", "lacks"),
        ("The kayak weighs 2 million kg", "The kayak weighs 2,004,000 kg.", "lacks"),
        ("The trailer weighs 18 kg", "The kayak weighs 23kg.", "lacks"),
        ("The hall has 1500 seats", "In 1890 the hall had seats.", "lacks"),
        ("The hall opened in 1932", "The hall opened in 1935.", "opposes"),
        ("The hall opened in 1932", "The hall opened in 1935 and in 1940.", "lacks"),
        ("The deal closed on May 3, 2031", "The deal closed on 9 June 2031.", "opposes"),
        (
            "Revenue of Acme was 5 million in 2020",
            "Revenue of Acme was 4 million in 2019.",
            "lacks",
        ),
        ("It weighs 18 kg", "The trailer weighs 23 kg.", "lacks"),
        ("It weighs 18 kg", "It weighs 23 kg.", "opposes"),
        ("The pump is rated", "The pump is not rated.", "opposes"),
        ("The pump is not rated", "The pump is rated.", "opposes"),
        ("The pump is not rated", "The pump isn't rated.", "agrees"),
        ("The pump is rated for water", "The pump is rated for water, not for fuel.", "agrees"),
        ("Dogs are not allowed on deck", "No dogs are allowed on deck.", "agrees"),
        ("We take no cash on board", "On board we take cash and no cards.", "differs"),
        ("The pump is never cheap", "The pump is rated.", "differs"),
        (
            "The pump is rated",
            "This pump, made for ships, harbours and farms by Acme, is not rated.",
            "differs",
        ),
        ("The CEO of Acme is Jane Smith", "The CEO of Acme is John Brown.", "opposes"),
        ("The CEO of Acme is Jane Smith", "The CEO of Acme is J. Smith.", "agrees"),
        ("The CEO of Acme is Rob Smith", "The CEO of Acme is Robert Smith.", "agrees"),
        ("The trade with the United States grew", "The trade with the US grew.", "agrees"),
        ("We met Anna", "We met Berta.", "agrees"),
        ("The kayak weighs 18 kg after repair", "The kayak weighs 23kg.", "lacks"),
        ("The kayak built for Otto weighs 18 kg", "The kayak built here weighs 23kg.", "lacks"),
        ("Spare kayaks built here weigh 18 kg", "Kayaks built here weigh 23 kg.", "lacks"),
        (
            "The old town hall was built in 1932",
            "The old town hall built here fell in 1935.",
            "lacks",
        ),
        ("The old lease began here", "The old lease ended here.", "differs"),
    ],
)
def test_how_a_sentence_bears_on_a_claim(claim: str, sentence: str, kind: str) -> None:
    assert [match.kind for match in matches(Statement(claim), [read_passage(sentence)])] == [kind]


def test_the_claims_own_number_said_of_the_same_subject_is_no_contradiction() -> None:
    other = read_passage("The kayak weighs 23kg.")
    kinds = [
        [
            match.kind
            for match in matches(Statement("The kayak weighs 18 kg"), [read_passage(p), other])
        ]
        for p in ("The kayak in red weighs 18kg.", "The trailer weighs 18kg.")
    ]
    assert kinds == [["agrees", "lacks"], ["agrees", "opposes"]]


def test_a_sentence_with_little_of_the_claim_does_not_bear_on_it() -> None:
    assert not list(matches(Statement("The red kayak floats"), [read_passage("A red house.")]))
