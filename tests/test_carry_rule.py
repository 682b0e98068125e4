"""When a verdict on a claim still holds on other passages."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_ragassert.steps.evidence.carry_over import (
    Candidate,
    Carried,
    Source,
    asks_added_alone,
    carried_reply,
    carries,
    holds_on,
    in_order,
    may_be_carried,
    source_of,
)

PRICE = "The ticket costs 5 €. Children go free."
NEW_PRICE = "Since May the ticket costs 7 €."
DOGS = "Dogs are not allowed in the museum. Guide dogs are."
HOURS = "The museum opens at nine and closes at six."
CLAIM = "The ticket costs 5 €"


def verdict(label: str, *quotes: tuple[int | str | None, str], **flags: bool) -> dict[str, Any]:
    evidence = [{"passage": passage, "quote": quote} for passage, quote in quotes]
    return {"verdict": label, "reason": None, "confidence": None, "evidence": evidence, **flags}


FULL = verdict("FULLY_SUPPORTED", (1, "The ticket costs 5 €"))
NONE = verdict("NO_EVIDENCE")
CARRIED = Carried(True, (), False)


def asked_anew(*added: str) -> Carried:
    return Carried(False, added, False)


def test_a_verdict_stays_where_its_passage_stays() -> None:
    assert carries(CLAIM, FULL, [PRICE, DOGS, HOURS], [HOURS, PRICE]) == CARRIED
    assert carries(CLAIM, FULL, [PRICE, DOGS, HOURS], [DOGS, HOURS]) == asked_anew()


def test_no_evidence_stays_on_any_part_of_the_passages() -> None:
    assert carries(CLAIM, NONE, [DOGS, HOURS], [HOURS]) == CARRIED
    assert carries(CLAIM, NONE, [DOGS, HOURS], [PRICE]) == asked_anew(PRICE)


def test_a_contradiction_may_lack_what_it_contradicts() -> None:
    contradicted = verdict("CONTRADICTORY", (1, "The ticket costs 5 €"))
    assert carries("The ticket costs 7 €", contradicted, [PRICE, DOGS], [PRICE]) == CARRIED
    # nothing but the claim again proves nothing against it
    assert carries(CLAIM, contradicted, [PRICE, DOGS], [PRICE]) == asked_anew()


def test_what_is_new_is_asked_about_alone_where_it_is_the_smaller_part() -> None:
    found = carries(CLAIM, FULL, [PRICE, DOGS], [DOGS, NEW_PRICE, PRICE])
    assert found == Carried(True, (NEW_PRICE,), True)
    found = carries(CLAIM, FULL, [PRICE, DOGS], [DOGS * 3, NEW_PRICE, PRICE])
    assert found == Carried(True, (DOGS * 3, NEW_PRICE), False)


def test_support_by_two_passages_goes_with_either() -> None:
    claim = "Dogs are not allowed in the museum, which opens at nine"
    both = verdict(
        "FULLY_SUPPORTED",
        (1, "Dogs are not allowed in the museum"),
        (2, "The museum opens at nine"),
    )
    assert carries(claim, both, [DOGS, HOURS, PRICE], [HOURS, DOGS]) == CARRIED
    assert carries(claim, both, [DOGS, HOURS, PRICE], [HOURS, PRICE]) == asked_anew()
    assert carries(claim, both, [DOGS, HOURS, PRICE], [DOGS, PRICE]) == asked_anew()


@pytest.mark.parametrize(
    ("claim", "said"),
    [
        pytest.param(CLAIM, {**FULL, "packed": True}, id="packed"),
        pytest.param(CLAIM, {**NONE, "packed": True}, id="packed, no evidence"),
        pytest.param(CLAIM, {**FULL, "conflict": True}, id="conflict"),
        pytest.param(CLAIM, verdict("FULLY_SUPPORTED"), id="no quote"),
        pytest.param(
            CLAIM, verdict("FULLY_SUPPORTED", (1, "The ticket costs 6 €")), id="unverified"
        ),
        pytest.param(
            CLAIM,
            verdict("FULLY_SUPPORTED", (1, "costs 5 €"), (1, "in all")),
            id="one of two unverified",
        ),
        pytest.param(
            CLAIM, verdict("FULLY_SUPPORTED", (None, "The ticket costs 5 €")), id="no passage"
        ),
        pytest.param(
            CLAIM,
            verdict(
                "FULLY_SUPPORTED",
                (1, "The ticket costs 5 €"),
                (1, "Children go free"),
                (1, "ticket costs 5 €. Children"),
            ),
            id="three quotes",
        ),
        pytest.param("It costs 5 €", FULL, id="an open reference"),
        pytest.param("It costs 5 €", NONE, id="an open reference, no evidence"),
        pytest.param(
            "The ticket costs 5 €", verdict("FULLY_SUPPORTED", (1, "Children go free")), id="words"
        ),
        pytest.param("The ticket of Anna Berg costs 5 €", FULL, id="a name that no quote has"),
        pytest.param("The ticket never costs 5 €", FULL, id="a negation that no quote has"),
        pytest.param("The ticket costs 5 € or 6 €", FULL, id="a number that no quote has"),
        pytest.param("Le billet coûte 5 € dans ce musée", FULL, id="a language without a table"),
    ],
)
def test_what_is_never_carried(claim: str, said: dict[str, Any]) -> None:
    after = [PRICE]
    if claim.startswith("Le"):
        after = ["Le billet coûte 5 € dans le musée pour les enfants"]
    assert not carries(claim, said, [*after, DOGS], after).holds


def test_the_passage_of_a_quote_must_stay_though_another_has_the_same_words() -> None:
    other = "For groups: The ticket costs 5 €."
    misnamed = verdict("FULLY_SUPPORTED", (2, "Children go free"))
    assert not carries("Children go free", misnamed, [PRICE, HOURS], [PRICE, HOURS]).holds
    assert not carries(CLAIM, FULL, [PRICE, other], [other]).holds
    assert carries(CLAIM, FULL, [PRICE, other], [PRICE]) == CARRIED


def test_partial_support_stays_where_its_quote_says_nearly_all_of_the_claim() -> None:
    claim = "The old museum opens at nine and closes at six"
    partial = verdict("PARTIALLY_SUPPORTED", (1, "The museum opens at nine and closes at six"))
    assert carries(claim, partial, [HOURS, DOGS], [HOURS]) == CARRIED
    partial = verdict("PARTIALLY_SUPPORTED", (1, "The museum opens at nine"))
    assert not carries(claim, partial, [HOURS, DOGS], [HOURS]).holds


# -- several sources -------------------------------------------------------------------------------

TEXTS = {name: f"Passage {name} says nothing." for name in "abcd"}


def test_more_in_common_goes_before_less_added() -> None:
    one, two, three, four = (
        Candidate("1", "ab"),
        Candidate("2", "cd"),
        Candidate("3", "abxy"),
        Candidate("4", "a"),
    )
    for each in permutations([one, two, three, four, Candidate("5", "xy")]):
        groups = [set(group) for group in in_order(each, "abc")]
        assert groups == [{one, three}, {two, four}]


def test_of_equals_the_worst_verdict_then_the_smallest_key() -> None:
    wanted = {**TEXTS, "p": PRICE}
    full = verdict("FULLY_SUPPORTED", ("p", "The ticket costs 5 €"))
    group = [
        (Candidate("3", "pab"), full),
        (Candidate("2", "abc"), NONE),
        (Candidate("1", "abd"), NONE),
        (Candidate("0", "abd"), {**NONE, "packed": True}),
    ]
    for each in permutations(group):
        assert source_of(CLAIM, each, wanted) == Source("1", NONE, ("c", "p"))
    assert source_of(CLAIM, group[3:], wanted) is None


def test_another_order_of_the_passages_changes_nothing() -> None:
    wanted = {"p": PRICE, "d": DOGS, "h": HOURS, "f": "Le musée est dans la ville", "n": NEW_PRICE}
    full = verdict("FULLY_SUPPORTED", ("p", "The ticket costs 5 €"))
    found = set()
    for order in permutations(wanted.items()):
        texts = dict(order)
        source = source_of(CLAIM, [(Candidate("1", "pdh"), full)], texts)
        assert source is not None
        may = may_be_carried(CLAIM, texts.values())
        found.add((may, frozenset(source.added), asks_added_alone("", texts.values())))
    assert len(found) == 1


def test_evidence_that_is_nowhere_is_left_out() -> None:
    said = verdict("NO_EVIDENCE", ("a", "one"), ("b", "two"), (None, "three"))
    assert carried_reply(said, {"b"}) == verdict("NO_EVIDENCE", ("b", "two"))
    assert len(said["evidence"]) == 3


def test_a_verdict_without_passages_that_stay_is_no_source() -> None:
    assert holds_on(CLAIM, NONE, {})
    assert list(in_order([Candidate("1", "xy")], "ab")) == []


# -- soundness -------------------------------------------------------------------------------------

STATED = "The ticket for the harbour museum costs 5 €"
LABELS = ["FULLY_SUPPORTED", "CONTRADICTORY", "PARTIALLY_SUPPORTED", "NO_EVIDENCE"]
SHOPS = [f"{STATED}, says kiosk {n}." for n in "abcdef"]
subsets = st.lists(st.sampled_from(SHOPS), min_size=1, unique=True)


@given(st.lists(st.sampled_from(LABELS), min_size=6, max_size=6), subsets, subsets)
def test_what_is_carried_is_what_a_judge_of_each_passage_says(
    labels: list[str], before: list[str], after: list[str]
) -> None:
    says = dict(zip(SHOPS, labels, strict=True))

    def asked(passages: list[str]) -> dict[str, Any]:
        """The strongest verdict on any of the passages, with its quote."""
        text = min(passages, key=lambda one: LABELS.index(says[one]))
        if says[text] == "NO_EVIDENCE":
            return NONE
        return verdict(says[text], (passages.index(text) + 1, text.rstrip(".")))

    found = carries(STATED, asked(before), before, after)
    label = asked(before)["verdict"]
    assert set(found.added) == set(after) - set(before)
    if found.holds and not found.added:
        assert asked(after)["verdict"] == label
    if found.asks_added and asked(list(found.added))["verdict"] == "NO_EVIDENCE":
        assert asked(after)["verdict"] == label
    if label == "NO_EVIDENCE" and not set(before).isdisjoint(after):
        assert found.holds
