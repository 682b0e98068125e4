"""The offline judge: which sentence it quotes, and which forms of a word say the same."""

from __future__ import annotations

import pytest

from .offline import FULL, NONE, verdict_of, verdicts_of


@pytest.mark.parametrize(
    ("claim", "passage", "quote"),
    [
        (
            "она закрыта.",
            "Библиотека открывается в 9 и закрывается в 20 часов. По воскресеньям она закрыта.",
            "По воскресеньям она закрыта.",
        ),
        (
            "It is closed.",
            "The library closes at 8 pm. On Sundays it is closed.",
            "On Sundays it is closed.",
        ),
        (
            "Sie ist geschlossen.",
            "Die Bibliothek schließt um 20 Uhr. Sonntags ist sie geschlossen.",
            "Sonntags ist sie geschlossen.",
        ),
        (
            "The ferry carries bikes.",
            "A ferry may carry a bike. In summer the ferry carries bikes.",
            "In summer the ferry carries bikes.",
        ),
        ("它是红色的。", "红色是暖色。它是红色的，很快。", "它是红色的，很快。"),
    ],
)
def test_the_sentence_with_the_claims_very_words_is_quoted(
    claim: str, passage: str, quote: str
) -> None:
    assert verdict_of(claim, passage) == (FULL, quote)


@pytest.mark.parametrize(
    ("claim", "passage", "reason"),
    [
        ("It is closed.", "The library closes at 8 pm.", "closes for closed"),
        ("It closed.", "The library closes at 8 pm.", "closes for closed"),
        ("It is open.", "The library opens at 9 am.", "opens for open"),
        ("Sie ist geschlossen.", "Die Bibliothek schließt um 20 Uhr.", "schließt for geschlossen"),
        ("Sie ist geöffnet.", "Die Bibliothek öffnet um 9 Uhr.", "öffnet for geöffnet"),
        ("Она закрыта.", "Библиотека закрывается в 20 часов.", "закрывается for закрыта"),
        ("Она открыта.", "Библиотека открывается в 9 часов.", "открывается for открыта"),
    ],
)
def test_one_stem_in_another_kind_of_form_is_no_support(
    claim: str, passage: str, reason: str
) -> None:
    assert verdict_of(claim, passage) == (NONE, None)
    assert f"the passage has {reason}" in verdicts_of([claim], [passage])[0]["reason"]


@pytest.mark.parametrize(
    ("claim", "passage"),
    [
        ("It is open.", "The library is open on Mondays."),
        ("It opened.", "It was opened in 1999."),
        ("They are dogs.", "A dog is there."),
        ("It closes.", "They close at 8 pm."),
        ("Es sind Häuser.", "Ein Haus steht dort."),
        ("Er ist geschlossen.", "Im Winter gibt es hier geschlossene Läden."),
        ("Он закрыт.", "Зимой она закрыта."),
        ("Она закрывается.", "Библиотеки закрываются в 20 часов."),
        ("它关门了。", "图书馆晚上8点关门。"),
    ],
)
def test_one_stem_in_the_same_kind_of_form_is_support(claim: str, passage: str) -> None:
    assert verdict_of(claim, passage)[0] == FULL


@pytest.mark.parametrize(
    ("claim", "passage"),
    [
        ("星期日: 上午9点开门。", "上午9点开门。星期日不开放。"),
        ("星期日图书馆上午9点开门。", "图书馆上午9点开门。星期日不开放。"),
        (
            "On Sunday the library opens at 9 am.",
            "The library opens at 9 am. It is shut on Sunday.",
        ),
        (
            "On Sunday the library opens at 9 am.",
            "On Sunday no visitors come. The library opens at 9 am.",
        ),
        (
            "Am Sonntag öffnet die Bibliothek um 9 Uhr.",
            "Die Bibliothek öffnet um 9 Uhr. Am Sonntag ist sie geschlossen.",
        ),
        (
            "В воскресенье библиотека открывается в 9 часов.",
            "Библиотека открывается в 9 часов. В воскресенье она закрыта.",
        ),
    ],
)
def test_a_day_in_another_sentence_is_no_support(claim: str, passage: str) -> None:
    assert verdict_of(claim, passage) == (NONE, None)
    assert "the day is in a different sentence" in verdicts_of([claim], [passage])[0]["reason"]


@pytest.mark.parametrize(
    ("claim", "passage", "quotes"),
    [
        (
            "On Sunday the library opens at 9 am.",
            "On Sunday the hours are these. The library opens at 9 am.",
            ["On Sunday the hours are these. The library opens at 9 am."],
        ),
        (
            "On Sunday the library opens at 9 am.",
            "Times for Sunday:\n- the pool opens at 10 am.\n- the library opens at 9 am.",
            ["- the library opens at 9 am.", "Times for Sunday:"],
        ),
        (
            "Am Sonntag öffnet die Bibliothek um 9 Uhr.",
            "Dies gilt am Sonntag. Die Bibliothek öffnet um 9 Uhr.",
            ["Dies gilt am Sonntag. Die Bibliothek öffnet um 9 Uhr."],
        ),
        (
            "В воскресенье библиотека открывается в 9 часов.",
            "Расписание на воскресенье такое. Библиотека открывается в 9 часов.",
            ["Расписание на воскресенье такое. Библиотека открывается в 9 часов."],
        ),
        (
            "星期日图书馆上午9点开门。",
            "以下是星期日的时间。图书馆上午9点开门。",
            ["以下是星期日的时间。图书馆上午9点开门。"],
        ),
        (
            "Anna Berg sells red kayaks and trailers",
            "Anna Berg has a shop. It is old. The shop sells red kayaks and trailers.",
            ["The shop sells red kayaks and trailers.", "Anna Berg has a shop."],
        ),
    ],
)
def test_days_and_names_are_quoted_too(claim: str, passage: str, quotes: list[str]) -> None:
    [verdict] = verdicts_of([claim], [passage])
    assert verdict["verdict"] == FULL
    assert [one["quote"] for one in verdict["evidence"]] == quotes
