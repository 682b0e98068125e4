"""Facts that a case states itself: what is asked then, their weights, and what reports say."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_ragassert import EvalCase, MetricResult, MissingFieldError, Verdict, evaluate
from pytest_ragassert.engine.applicable import applicable_metrics
from pytest_ragassert.judging.calls.event_loop import without_loop
from pytest_ragassert.metrics.contexts import ContextRecall
from pytest_ragassert.metrics.factual import FactualF1, FactualPrecision, FactualRecall
from pytest_ragassert.metrics.metric import Metric
from tests.asks import ScriptedAsk, claims_reply, verdicts_reply

FULL, NONE, CONTRA = "FULLY_SUPPORTED", "NO_EVIDENCE", "CONTRADICTORY"
HEAVY: list[Any] = [{"text": "It runs.", "weight": 3}, "It is red."]
USING: tuple[Metric, ...] = (FactualRecall(), FactualF1(), ContextRecall())


def a_case(claims: Any = HEAVY, **fields: Any) -> EvalCase:
    given = {"answer": "Boat.", "retrieved_contexts": ["Harbour."], "ground_truth_claims": claims}
    return EvalCase(id="c1", **{**given, **fields})


def measured(
    metric: Metric, case: EvalCase, said: Mapping[str, str], **options: Any
) -> tuple[MetricResult, ScriptedAsk]:
    replies = {
        "extract_claims": claims_reply({"Boat.": ["It floats."], "Reference.": ["Extracted."]}),
        "verify_claims": verdicts_reply({"It floats.": FULL, "Extracted.": FULL, **said}),
    }
    ask = ScriptedAsk(replies)
    return without_loop(metric.measure(case, ask, **options)), ask


def extracted(ask: ScriptedAsk) -> list[str]:
    return [input["text"] for input in ask.inputs if "text" in input]


@pytest.mark.parametrize("metric", USING, ids=lambda metric: metric.name)
@pytest.mark.parametrize(
    "references",
    [
        {},
        {"ground_truth_answer": "Reference."},
        {"ground_truth_answers": ["Reference.", "Another."]},
    ],
)
def test_no_reference_is_extracted(metric: Metric, references: dict[str, Any]) -> None:
    result, ask = measured(metric, a_case(**references), {"It runs.": FULL, "It is red.": NONE})
    own = [claim for claim in result.claims if claim.source == "reference"]
    assert [claim.text for claim in own] == ["It runs.", "It is red."]
    assert extracted(ask) in ([], ["Boat."], ["Boat.", "Boat."])
    assert bool(extracted(ask)) is (metric.name == "factual_f1")


def test_recall_is_by_weight() -> None:
    said = {"It runs.": FULL, "It is red.": NONE}
    assert measured(FactualRecall(), a_case(), said)[0].score == 0.75
    assert measured(ContextRecall(), a_case(), said)[0].score == 0.75
    f1 = measured(FactualF1(), a_case(), said)[0]
    assert (f1.details["precision"], f1.details["recall"]) == (1.0, 0.75)
    assert f1.reason == "precision 1/1, recall 1/2, 0.75 by weight; 3 claims: 1 no evidence, " + (
        "2 supported"
    )
    assert [claim.weight for claim in f1.claims] == [None, 3, 1]


@given(
    st.dictionaries(
        st.text("ab", min_size=1, max_size=5),
        st.tuples(st.floats(0.001, 1000), st.booleans()),
        min_size=1,
    )
)
def test_recall_is_the_share_of_the_weight_that_is_supported(
    claims: dict[str, tuple[float, bool]],
) -> None:
    case = a_case([{"text": text, "weight": weight} for text, (weight, _) in claims.items()])
    said = {text: FULL if supported else NONE for text, (_, supported) in claims.items()}
    right = sum(weight for weight, supported in claims.values() if supported)
    expected = right / sum(weight for weight, _ in claims.values())
    for metric in (FactualRecall(), ContextRecall()):
        assert measured(metric, case, said)[0].score == pytest.approx(expected)


def test_equal_weights_are_none() -> None:
    claims = [{"text": "It runs.", "weight": 2}, {"text": "It is red.", "weight": 2}]
    result, _ = measured(FactualRecall(), a_case(claims), {"It runs.": FULL, "It is red.": NONE})
    assert result.score == 0.5
    assert [claim.weight for claim in result.claims] == [None, None]


def test_without_a_reference_precision_is_held_against_the_facts() -> None:
    for metric in (FactualPrecision(), FactualF1()):
        _, ask = measured(metric, a_case(), {"It runs.": FULL, "It is red.": FULL})
        passages = [input["passages"][0]["text"] for input in ask.inputs if "passages" in input]
        assert "It runs.\nIt is red." in passages
    case = a_case(ground_truth_answer="Reference.")
    _, ask = measured(FactualPrecision(), case, {})
    assert [one["passages"][0]["text"] for one in ask.inputs if "passages" in one] == ["Reference."]


def test_which_metrics_need_no_reference_then() -> None:
    facts = applicable_metrics(a_case())
    assert {"factual_f1", "factual_precision", "factual_recall", "context_recall"} <= set(facts)
    assert facts.missing["answer_correctness"] == ("ground_truth_answer",)
    assert "factual_f1" in applicable_metrics(a_case(None)).missing
    blank = applicable_metrics(a_case(ground_truth_answer=" "))
    assert "context_recall" in blank
    assert blank.missing["factual_f1"] == ("ground_truth_answer",)
    with pytest.raises(MissingFieldError, match="the ground_truth_answer is empty in case c1"):
        evaluate(a_case(ground_truth_answer=" "), ["factual_f1"])


@pytest.mark.parametrize(
    "metric", ["factual_recall", "factual_precision", "factual_f1", "context_recall"]
)
def test_a_case_that_lacks_reference_and_facts_is_told_of_both(metric: str) -> None:
    with pytest.raises(MissingFieldError) as error:
        evaluate(a_case([]), [metric])
    assert str(error.value) == (
        f"{metric} needs the field ground_truth_answer or ground_truth_claims; each is empty or "
        "None in case c1; fill EvalCase(ground_truth_answer=…) or EvalCase(ground_truth_claims=…) "
        "or leave the case out"
    )


def test_a_report_says_what_a_claim_weighs() -> None:
    result, _ = measured(FactualRecall(), a_case(), {"It runs.": NONE, "It is red.": CONTRA})
    lines = result.pretty().splitlines()
    assert any(line.startswith("  ? It runs.") and ", weight 3" in line for line in lines)
    alike, _ = measured(FactualRecall(), a_case(["It runs."]), {"It runs.": NONE})
    assert "weight" not in alike.pretty()


def test_the_best_of_several_references_counts_and_is_named() -> None:
    case = a_case(["It runs."], ground_truth_answers=["Wrong.", "Reference."])

    def said(input: Any, model: str) -> Any:
        right = input["passages"][0]["text"] != "Wrong."
        return verdicts_reply({"It floats.": FULL if right else NONE, "It runs.": FULL})(
            input, model
        )

    ask = ScriptedAsk(
        {"extract_claims": claims_reply({"Boat.": ["It floats."]}), "verify_claims": said}
    )
    result = without_loop(FactualF1().measure(case, ask))
    assert (result.score, result.details["reference"]) == (1.0, 1)


def test_the_offline_judge_measures_facts() -> None:
    case = EvalCase(
        answer="The ferry runs every 40 minutes.",
        retrieved_contexts=["From May to September the ferry runs every 40 minutes."],
        ground_truth_claims=[
            {"text": "The ferry runs every 40 minutes.", "weight": 2},
            "The crossing costs 9 euros.",
        ],
    )
    results = evaluate(case, ["factual_recall", "context_recall"])
    assert {name: one.score for name, one in results.items()} == {
        "factual_recall": pytest.approx(2 / 3),
        "context_recall": pytest.approx(2 / 3),
    }
    assert results["factual_recall"].claims[0].verdict is Verdict.FULLY_SUPPORTED
