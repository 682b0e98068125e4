"""What is the same in several requests stands before what differs: providers cache prefixes."""

from __future__ import annotations

import json

import pytest

from pytest_ragassert import evaluate

from .conftest import MakeSettings
from .loopback.scripts import Recorded
from .loopback.server import LoopbackJudge
from .replies import CONTRA, case, says_verdicts

STOPS = "It stops at the harbour."
CONTEXTS = ["The tram runs every 12 minutes. " + STOPS, "Dogs travel free of charge. " * 20]


def texts_of(recorded: Recorded) -> tuple[str, str]:
    system, user = (message["content"] for message in recorded.body["messages"])
    return system, user


def test_instructions_are_the_same_for_all_questions_of_a_step(
    judge: LoopbackJudge, settings: MakeSettings
) -> None:
    metrics = ["faithfulness", "factual_f1", "context_relevance", "context_precision"]
    metrics += ["answer_relevancy", "factual_accuracy", "answer_class"]
    cases = [
        case(id="a"),
        case(
            id="b", question="Wo hält sie?", answer="Sie hält am Hafen.", retrieved_contexts=["!"]
        ),
    ]
    evaluate(cases, metrics, settings=settings(votes=2))
    by_step: dict[str, set[str]] = {}
    shapes: dict[str, set[str]] = {}
    for request in judge.requests:
        by_step.setdefault(request.step, set()).add(texts_of(request)[0])
        shapes.setdefault(request.step, set()).add(json.dumps(request.body["response_format"]))
    assert len(by_step) == 6
    assert {len(systems) for systems in by_step.values()} == {1}
    assert {len(formats) for formats in shapes.values()} == {1}


@pytest.mark.parametrize("metric", ["faithfulness", "context_recall"])
def test_claims_on_the_same_passages_share_all_but_the_claims(
    judge: LoopbackJudge, settings: MakeSettings, metric: str
) -> None:
    cases = [
        case(
            id=text,
            question=None,
            answer=text,
            ground_truth_answer=text,
            retrieved_contexts=CONTEXTS,
        )
        for text in (STOPS, "Trams are green.")
    ]
    evaluate(cases, [metric], settings=settings())
    asked = [texts_of(r)[1] for r in judge.requests if r.step == "verify_claims"]
    assert len(asked) == 2
    same = [one == other for one, other in zip(*asked, strict=False)]
    shared = asked[0][: same.index(False)]
    # both passages whole, and nothing of the case before them
    assert shared.startswith('{"passages": [{"id": 1, "text": "The tram runs')
    assert shared.endswith('"claims": [{"id": 1, "text": "')


def test_passages_stand_first_in_whatever_is_asked_of_claims(
    judge: LoopbackJudge, settings: MakeSettings
) -> None:
    price = "The tram costs 5 euros."
    told = case(answer=f"{price} {STOPS}", retrieved_contexts=[CONTEXTS[0], CONTEXTS[1] * 6])
    # passages go out in several requests, and what is not proven is asked again
    says_verdicts(judge, {price: CONTRA.value})
    evaluate(told, ["faithfulness", "evidence"], settings=settings(token_budget=500))
    asked = [texts_of(r)[1] for r in judge.requests if r.step == "verify_claims"]
    assert len(asked) > 3
    assert any("previous_reply" in text for text in asked)
    for text in asked:
        assert list(json.loads(text))[:2] == ["passages", "claims"]
