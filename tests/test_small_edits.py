"""What may not differ in a quote that is put right: what turns it, and what the claim is about."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_ragassert.steps.evidence.evidence_check import find_evidence, gated
from pytest_ragassert.steps.evidence.quote_repair import corrected_quote
from pytest_ragassert.steps.evidence.quotes import is_too_short

BRIDGE = "The bridge is {} for all lorries that carry loads in the winter months of the year."


@pytest.mark.parametrize(
    ("passage", "quote", "claim"),
    [
        ("safe", "dangerous", "The bridge is safe for lorries in winter."),
        ("safe", "dangerous", "The bridge is dangerous for lorries in winter."),
        ("open", "built", "In winter lorries find the bridge open."),
    ],
)
def test_a_word_in_the_place_of_one_that_the_claim_has(
    passage: str, quote: str, claim: str
) -> None:
    assert corrected_quote(BRIDGE.format(quote), BRIDGE.format(passage), claim) is None
    # elsewhere one word in ten is a small edit
    about_else = "Lorries carry loads in winter."
    assert corrected_quote(BRIDGE.format(quote), BRIDGE.format(passage), about_else) is not None


@pytest.mark.parametrize("edit", ["loads", "load"])
def test_an_inflection_of_the_claims_word_is_none(edit: str) -> None:
    quote = BRIDGE.format("safe").replace("loads", edit)
    claim = "The bridge is safe for lorries with loads."
    assert corrected_quote(quote, BRIDGE.format("safe"), claim) is not None


TURNS = [
    ("The boat to the island {} in the weeks between the two big summer feasts", *pair)
    for pair in [
        ("daily runs", "hardly runs"),
        ("always runs", "seldom runs"),
        ("always runs", "rarely runs"),
        ("must run", "may run"),
        ("runs weekly", "runs daily"),
        ("runs twice", "runs thrice"),
        ("runs tuesday", "runs monday"),
        ("runs often", "runs sometimes"),
    ]
] + [
    ("Das Schiff zur Insel fährt {} in den Wochen zwischen den beiden großen Festen", *pair)
    for pair in [("täglich", "kaum"), ("täglich", "selten"), ("stündlich", "halbstündlich")]
]


@pytest.mark.parametrize(("text", "passage", "quote"), TURNS)
def test_a_word_that_turns_the_statement(text: str, passage: str, quote: str) -> None:
    assert corrected_quote(text.format(quote), text.format(passage)) is None


@pytest.mark.parametrize("marks", ['"{}"', "“{}”", "„{}“", "«{}»", "'{}'", "「{}」"])
def test_marks_that_a_judge_puts_around_its_quote(marks: str) -> None:
    passage = "Yes. The ferry is blue and small. It is old."
    found = find_evidence(marks.format("The ferry is blue and small."), 0, [(0, passage)], "c")
    assert found is not None
    assert (found.quote, found.corrected) == ("The ferry is blue and small.", False)


def verdict(quote: str | None) -> dict[str, Any]:
    said = {"verdict": "CONTRADICTORY", "passage": 1, "quote": quote}
    return {**said, "reason": None, "confidence": None}


@pytest.mark.parametrize(
    ("quote", "why"),
    [
        ("4 crowns", "the quote is too short to prove it"),
        ("4", "the quote is too short to prove it"),
        ("5 crowns", "the quote is not in the passage"),
        ("  ", "no quote"),
        (None, "no quote"),
        ("child's ticket costs 4 crowns", None),
    ],
)
def test_why_a_quote_proves_nothing(quote: str | None, why: str | None) -> None:
    passage = "A child's ticket costs 4 crowns, an adult's 9."
    claim = "A child's ticket costs 7 crowns."
    made = gated(verdict(quote), claim, [(0, passage)], gate=True)
    assert made["gate_reason"] == (why and f"judge says contradicted, {why}")


def test_what_is_too_short_stands_in_the_passage() -> None:
    assert is_too_short("4 crowns", "It costs 4 crowns here.", "c")
    assert not is_too_short("4 crowns", "It costs 14 crowns here.", "c")
    assert not is_too_short("It costs 4 crowns", "It costs 4 crowns here.", "c")
    assert not is_too_short("4 crowns", "It costs 4 crowns here.", "4 crowns it is")
