"""Verdicts that a person gave in the judge's place."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_ragassert import EvalCase, Verdict
from pytest_ragassert.judging.calls.event_loop import without_loop
from pytest_ragassert.metrics.metric import Metric
from pytest_ragassert.metrics.registry import Registry
from pytest_ragassert.steps.evidence.claim_ids import claim_id, former_claim_id
from pytest_ragassert.steps.evidence.evidence_check import passages_of
from pytest_ragassert.storage.committed.verdict_line import BY_HAND, OVERRIDE, VerdictLine
from pytest_ragassert.storage.overrides import Overrides, Use

from .asks import ScriptedAsk, claims_reply, verdicts_reply

CLAIM, OTHER = "Dogs travel free.", "Cats pay."
PASSAGES = ["Dogs travel without a ticket.", "Cats are not mentioned."]
TEXTS = st.lists(st.text(max_size=5), max_size=4)


def override(
    claim: str = CLAIM,
    passages: list[str] = PASSAGES,
    verdict: str = "FULLY_SUPPORTED",
    reason: str = "no ticket is free",
) -> VerdictLine:
    id = claim_id(claim, passages)
    return VerdictLine(id, OVERRIDE, BY_HAND, claim, {"verdict": verdict, "reason": reason})


def metric(name: str) -> Metric:
    return Registry(())[name]


def case(**fields: object) -> EvalCase:
    given = {"id": "dogs", "answer": "A", "retrieved_contexts": PASSAGES}
    return EvalCase(**{**given, **fields})


def ask_of(*overrides: VerdictLine, label: str = "CONTRADICTORY", **options: object) -> ScriptedAsk:
    replies = {
        "extract_claims": claims_reply({"A": [CLAIM, OTHER], "R": [CLAIM]}),
        "verify_claims": verdicts_reply(lambda claim, model: label),
    }
    return ScriptedAsk(replies, overrides=overrides, **options)  # type: ignore[arg-type]


def test_a_persons_verdict_goes_before_the_judges() -> None:
    result = without_loop(metric("faithfulness").measure(case(), ask_of(override())))
    assert result.score == 0.0  # (1 - 1) / 2, and the gate lets a passage's words stand
    first, second = result.claims
    assert (first.verdict, first.by_hand) == (Verdict.FULLY_SUPPORTED, "no ticket is free")
    assert (first.label_raw, first.judged) == (Verdict.CONTRADICTORY, Verdict.CONTRADICTORY)
    assert (second.verdict, second.by_hand, second.judged) == (Verdict.CONTRADICTORY, None, None)
    assert not first.judge_agrees_with_hand


def test_it_holds_for_every_model_and_vote() -> None:
    ask = ask_of(override(), override(OTHER), models=("a", "b"), votes=3)
    result = without_loop(metric("faithfulness").measure(case(), ask))
    assert (result.score, result.by_model) == (1.0, {"a": 1.0, "b": 1.0})


@pytest.mark.parametrize("name", ["factual_precision", "context_recall"])
def test_it_holds_for_every_claim_metric(name: str) -> None:
    passages = ["R"] if name == "factual_precision" else PASSAGES
    told = case(ground_truth_answer="R")
    lines = [override(passages=passages), override(OTHER, passages=passages)]
    assert without_loop(metric(name).measure(told, ask_of(*lines))).score == 1.0
    assert without_loop(metric(name).measure(told, ask_of())).score == 0.0


def test_it_is_told_where_the_judge_agrees() -> None:
    ask = ask_of(override(), label="FULLY_SUPPORTED")
    first, second = without_loop(metric("faithfulness").measure(case(), ask)).claims
    assert (first.judge_agrees_with_hand, second.judge_agrees_with_hand) == (True, False)


def test_changed_passages_give_the_claim_back_to_the_judge_and_are_told() -> None:
    ask = ask_of(override())
    changed = case(retrieved_contexts=[*PASSAGES, "Dogs pay since May."])
    result = without_loop(metric("faithfulness").measure(changed, ask))
    assert [claim.by_hand for claim in result.claims] == [None, None]
    id = claim_id(CLAIM, changed.retrieved_contexts or [])
    assert ask.by_hands == [Use(id, CLAIM, False, ["FULLY_SUPPORTED"])]


def test_it_holds_whatever_the_order_of_the_passages() -> None:
    for passages in (PASSAGES[::-1], [*PASSAGES, "", PASSAGES[0]]):
        ask = ask_of(override())
        measured = metric("faithfulness").measure(case(retrieved_contexts=passages), ask)
        assert without_loop(measured).claims[0].by_hand == "no ticket is free"
        assert [use.applied for use in ask.by_hands] == [True]


def test_one_of_an_earlier_version_holds_for_the_order_that_it_was_given_for() -> None:
    id = former_claim_id(CLAIM, PASSAGES)
    assert id != claim_id(CLAIM, PASSAGES)
    before = replace(override(), key=id)
    for texts, by_hand in ((PASSAGES, "no ticket is free"), (PASSAGES[::-1], None)):
        ask = ask_of(before)
        measured = metric("faithfulness").measure(case(retrieved_contexts=texts), ask)
        assert without_loop(measured).claims[0].by_hand == by_hand
        assert ask.by_hands == [
            Use(claim_id(CLAIM, PASSAGES), CLAIM, by_hand is not None, ["FULLY_SUPPORTED"])
        ]


def test_one_under_the_present_id_goes_before_one_of_an_earlier_version() -> None:
    before = override(verdict="NO_EVIDENCE", reason="before")
    lines = [replace(before, key=former_claim_id(CLAIM, PASSAGES)), override()]
    for listed in (lines, lines[::-1]):
        found, _ = Overrides(listed).of(CLAIM, passages_of(PASSAGES))
        assert found is not None
        assert found.reason == "no ticket is free"


def test_of_two_passages_each_has_its_own_verdict() -> None:
    other = override(passages=["Dogs pay."], verdict="CONTRADICTORY", reason="they pay")
    overrides = Overrides([override(), other])
    for passages, verdict in ((PASSAGES, "FULLY_SUPPORTED"), (["Dogs pay."], "CONTRADICTORY")):
        found, use = overrides.of(CLAIM, passages_of(passages))
        assert found is not None
        assert found.verdict.value == verdict
        assert use is not None
        assert (use.applied, use.verdicts) == (True, ["CONTRADICTORY", "FULLY_SUPPORTED"])
    assert overrides.of(OTHER, passages_of(PASSAGES)) == (None, None)


@given(st.text(), TEXTS, st.text(), TEXTS)
def test_the_id_is_of_the_claim_and_its_passages(
    claim: str, passages: list[str], other: str, others: list[str]
) -> None:
    same = (claim, {text for _, text in passages_of(passages)}) == (
        other,
        {text for _, text in passages_of(others)},
    )
    ids = claim_id(claim, passages), claim_id(other, others)
    assert (ids[0] == ids[1]) is same


def test_the_id_stays() -> None:
    """It stands in committed files."""
    assert claim_id("Dogs travel free.", ["Dogs travel free."]).startswith("575ae9319908d216")
