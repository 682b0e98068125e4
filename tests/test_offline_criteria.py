"""Which criteria the offline judge decides by words, and which it leaves to a model."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pytest_ragassert import ConfigurationError
from pytest_ragassert.judging.judges.offline.offline_judge import OfflineJudge
from pytest_ragassert.runtime.canonical_json import Json
from pytest_ragassert.steps.check_criteria import CHECK_CRITERIA
from pytest_ragassert.steps.evidence.quotes import find_quote

ANSWER = "Refunds: you get a full refund within 30 days. Shipping costs 4.50 euros, not 45."


def checked(criterion: str, answer: str = ANSWER) -> Json:
    input = {"question": None, "answer": answer, "criteria": [{"id": 7, "text": criterion}]}
    reply = json.loads(OfflineJudge().run(CHECK_CRITERIA, input))
    reading = CHECK_CRITERIA.read(input, reply)
    assert not reading.missing
    [said] = reading.reply["checks"]
    assert said["quote"] is None or said["quote"] in answer
    return dict(said)


@pytest.mark.parametrize(
    "criterion",
    [
        'mentions "refund"',
        'The answer mentions "FULL  refund".',
        "mentions 'refund' and 'shipping'",
        'says "a month" or "30 days"',
        'contains either "x" or “refund”',
        'doesn\'t mention "voucher"',
        "doesn’t say “voucher” or “coupon”",
        'must not use the word "sorry"',
        'does not contain "refun"',
        'says "4.50"',
        'does not say "50"',
        "uses the phrase `full refund`",
        'nennt "30 days"',
        "erwähnt das Wort „Gutschein“ nicht",
        "упоминает «refund»",
        "не говорит «voucher»",
        "提到“refund”",
        "没有提到「voucher」",
        "names 30 days",
        "says that a refund takes thirty days",
        "does not name 14 days",
        "states 4.50 euros",
    ],
)
def test_met(criterion: str) -> None:
    assert checked(criterion)["met"] == "YES"


@pytest.mark.parametrize(
    "criterion",
    [
        'mentions "refunding"',
        'mentions "refund" and "voucher"',
        'doesn\'t mention "refund"',
        'never says "voucher" or "refund"',
        'says "5"',
        'says "50"',
        'says "4.5"',
        'nennt das Wort "Refund" nicht',
        "не упоминает «refund»",
        "不包含“refund”",
        "names 14 days",
        "doesn't say 30 days",
        "says that shipping costs 5 euros",
    ],
)
def test_not_met(criterion: str) -> None:
    assert checked(criterion)["met"] == "NO"


def test_a_number_among_other_words_is_unclear() -> None:
    said = checked("says that holidays often last 30 days")
    assert (said["met"], said["quote"]) == ("UNCLEAR", None)
    assert "content words found" in said["reason"]


@pytest.mark.parametrize(
    ("criterion", "quote", "reason"),
    [
        ('mentions "REFUND"', "refund", 'it has "REFUND"'),
        ('mentions "full refund" and "tax"', "full refund", 'it has "full refund"; it lacks "tax"'),
        ('doesn\'t mention "tax"', None, 'it lacks "tax"'),
        ("names 31 days", None, "a number or name of it is not in the answer"),
    ],
)
def test_it_quotes_the_answer_and_says_what_it_found(
    criterion: str, quote: str | None, reason: str
) -> None:
    said = checked(criterion)
    assert (said["quote"], said["reason"]) == (quote, reason)


@pytest.mark.parametrize(
    "criterion",
    [
        "hello",
        "the retriever is fast",
        "doesn't promise a date",
        '"refund"',
        'explains that "refund" means money',
        'mentions "refund" before "shipping"',
        'doesn\'t mention "refund" and "voucher"',
        "is shorter than 50 words",
        "says that it is not 30 days",
        "不错",
        "names 30 days or 1 month",
        "names 30 or 60 days",
        "names at least 20 days",
        "names at most 40 days",
        "names between 20 and 40 days",
        "names more than 20 days",
        "names up to 40 days",
        "names a date before 5 May",
        "names only 30 days",
        "has at most 3 sentences",
        "names two facts",
        "gives 2 examples",
        "says that it takes 20 days or more",
        "nennt 30 oder 60 Tage",
        "nennt mindestens 20 Tage",
        "nennt höchstens 40 Tage",
        "nennt zwischen 20 und 40 Tagen",
        "nennt zwei Gründe",
        "называет 30 или 60 дней",
        "называет не менее 20 дней",
        "называет два факта",
        "提到30天或60天",
        "提到至少20天",
        'says "refund" or doesn\'t say "voucher"',
        'doesn\'t say "voucher" or says "refund"',
        'says "refund" or not "voucher"',
        'says "refund" and "x" or "30 days"',
        "提到「refund」或没有提到「voucher」",
        'says " "',
    ],
)
def test_what_words_can_not_decide_is_named_with_the_way_out(criterion: str) -> None:
    with pytest.raises(ConfigurationError) as error:
        checked(criterion)
    said = str(error.value)
    assert criterion.replace("'", "") in said.replace("\\", "").replace("'", "")
    assert "--ragassert-judge openai --ragassert-model" in said
    assert "--ragassert-base-url URL for another endpoint" in said


@pytest.mark.parametrize(
    ("phrase", "answer", "met"),
    [
        ("退款", "您可以在三十天内退款。", "YES"),
        ("straße", "Die STRASSE ist lang; die Straße ist breit.", "YES"),
        ("don't", "We don’t ship.", "YES"),
        ("C++", "Use C++.", "YES"),
        ("10", "It costs 10,50 now.", "NO"),
        ("10", "It costs 10, now.", "YES"),
        ("ref", "refund", "NO"),
    ],
)
def test_a_phrase_stands_as_whole_words(phrase: str, answer: str, met: str) -> None:
    assert checked(f'mentions "{phrase}"', answer)["met"] == met


@pytest.mark.parametrize(
    ("answer", "quote"),
    [
        ("There are no REFUND\u2011s.", "REFUND\u2011s"),
        ("It is non-refund-able.", "non-refund-able"),
        ("退款refund退款", "refund"),
    ],
)
def test_its_quote_is_found_in_the_answer(answer: str, quote: str) -> None:
    said = checked('mentions "refund"', answer)
    assert (said["met"], said["quote"]) == ("YES", quote)
    assert find_quote(quote, answer, proves=False) is not None


def test_one_that_can_not_be_decided_stops_the_others() -> None:
    listed: list[Any] = [{"id": 1, "text": 'mentions "a"'}, {"id": 2, "text": "is polite"}]
    with pytest.raises(ConfigurationError, match="is polite"):
        OfflineJudge().run(CHECK_CRITERIA, {"question": "", "answer": "a", "criteria": listed})
