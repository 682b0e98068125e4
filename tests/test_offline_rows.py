"""The offline judge over tables and lists: each row speaks of its own."""

from __future__ import annotations

import pytest

from pytest_ragassert import EvalCase, Settings, evaluate

from .offline import AGAINST, FULL, NONE, verdict_of, verdicts_of

PRICES = "| Card | Price |\n|---|---|\n| Adult | 12 euros |\n| Child | 5 euros |"
FREE = "| Card | Price |\n|---|---|\n| Adult | 12 euros |\n| Child | free |"
PREISE = "| Karte | Preis |\n|---|---|\n| Erwachsene | 12 Euro |\n| Kinder | 5 Euro |"
ЦЕНЫ = "| Билет | Цена |\n|---|---|\n| Взрослый | 12 евро |\n| Детский | бесплатно |"
价格 = "| 卡 | 价格 |\n|---|---|\n| 成人 | 12欧元 |\n| 儿童 | 5欧元 |"
ROOMS = "| Room | Beds |\n|---|---|\n| Room 3 | 8 |\n| Room 5 | 10 |"
LISTED = "Prices:\n- Adult: 12 euros\n- Child: free"


@pytest.mark.parametrize(
    ("claim", "passage"),
    [
        ("A child's card costs 12 euros.", PRICES),
        ("An adult's card costs 5 euros.", PRICES),
        ("Child | 12 euros", FREE),
        ("The adult card is free.", FREE),
        ("Die Karte für Kinder kostet 12 Euro.", PREISE),
        ("Eine Kinderkarte kostet 12 Euro.", PREISE),
        ("Die Karte für Erwachsene kostet 5 Euro.", PREISE),
        ("Детский билет стоит 12 евро.", ЦЕНЫ),
        ("Детский | 12 евро", ЦЕНЫ),
        ("Взрослый билет бесплатно.", ЦЕНЫ),
        ("儿童卡12欧元。", 价格),
        ("成人卡5欧元。", 价格),
        ("Room 5 has 8 beds.", ROOMS),
        ("Room 3 has 10 beds.", ROOMS),
        ("Child: 12 euros", LISTED),
        ("Adult: free", LISTED),
        ("Adult: free", LISTED.replace("- ", "* ")),
        ("Adult: free", "1. Adult: 12 euros\n2. Child: free"),
    ],
)
def test_another_rows_value_is_no_support(claim: str, passage: str) -> None:
    assert verdict_of(claim, passage) == (NONE, None)
    assert "only in another row" in verdicts_of([claim], [passage])[0]["reason"]


@pytest.mark.parametrize(
    ("claim", "passage", "quote"),
    [
        ("A child's card costs 5 euros.", PRICES, "| Child | 5 euros |"),
        ("An adult's card costs 12 euros.", PRICES, "| Adult | 12 euros |"),
        ("Child | free", FREE, "| Child | free |"),
        ("The child card is free.", FREE, "| Child | free |"),
        ("Die Karte für Kinder kostet 5 Euro.", PREISE, "| Kinder | 5 Euro |"),
        ("Детский билет бесплатно.", ЦЕНЫ, "| Детский | бесплатно |"),
        ("儿童卡5欧元。", 价格, "| 儿童 | 5欧元 |"),
        ("Room 5 has 10 beds.", ROOMS, "| Room 5 | 10 |"),
        ("Child: free", LISTED, "- Child: free"),
    ],
)
def test_a_rows_own_value_is_quoted_alone(claim: str, passage: str, quote: str) -> None:
    assert verdict_of(claim, passage) == (FULL, quote)


def test_a_row_with_another_number_contradicts() -> None:
    assert verdict_of("Child | 12 euros", PRICES) == (AGAINST, "| Child | 5 euros |")


def test_what_stands_beside_the_table_counts() -> None:
    desk = "Cards for a child are sold at the desk for 12 euros."
    assert verdict_of("The child card is 12 euros.", FREE, desk) == (FULL, desk)
    assert verdict_of("The child card is 12 euros.", f"{FREE}\n\n{desk}") == (FULL, desk)


def quotes_of(claim: str, passage: str) -> list[str]:
    [verdict] = verdicts_of([claim], [passage])
    assert verdict["verdict"] == FULL
    return [one["quote"] for one in verdict["evidence"]]


@pytest.mark.parametrize(
    ("claim", "passage", "quotes"),
    [
        (
            "An adult card is 12 euros, a child card is free.",
            FREE,
            ["| Adult | 12 euros |", "| Child | free |"],
        ),
        (
            "Erwachsene zahlen 12 Euro, Kinder 5 Euro.",
            PREISE,
            ["| Erwachsene | 12 Euro |", "| Kinder | 5 Euro |"],
        ),
        (
            "Anna's kayak from Berlin is red and light",
            "- Anna has a kayak.\n- Berlin is where red ones are.",
            ["- Anna has a kayak.", "- Berlin is where red ones are."],
        ),
    ],
)
def test_several_rows_are_several_quotes(claim: str, passage: str, quotes: list[str]) -> None:
    assert sorted(quotes_of(claim, passage)) == sorted(quotes)


def test_a_short_item_grows_over_no_other_item() -> None:
    assert quotes_of("Delhi", "- Delhi\n- Mumbai\n- Pune") == ["- Delhi"]
    assert quotes_of("Delhi", "| City |\n|---|\n| Delhi |\n| Pune |") == ["| Delhi |"]


def test_a_quote_goes_over_no_row_that_was_left_out() -> None:
    passage = "- Adult: 12 euros\n- Child: free\n\nPay at the museum desk."
    quotes = quotes_of("Adult visitors pay 12 euros at the museum desk.", passage)
    assert sorted(quotes) == ["- Adult: 12 euros", "Pay at the museum desk."]


def test_a_pronoun_stands_for_nothing_of_another_item() -> None:
    quotes = quotes_of("The kayak is red and fast.", "- The kayak is red.\n- It is fast.")
    assert not any("\n" in quote for quote in quotes)


@pytest.mark.parametrize("answer", ["| Child | free |", "| Adult | 12 euros |\n| Child | free |"])
def test_an_answers_row_has_a_verified_quote(answer: str) -> None:
    case = EvalCase(answer=answer, retrieved_contexts=[FREE])
    result = evaluate(case, ["faithfulness"], settings=Settings(judge="offline"))["faithfulness"]
    assert result.score == 1.0
    for claim in result.claims:
        assert [(one.quote, one.verified) for one in claim.evidence] == [
            (f"| {claim.text} |", True)
        ]
