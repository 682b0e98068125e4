"""What a real server refuses, cuts off or says beside the point, and what becomes of it."""

from __future__ import annotations

import json
import socket
from typing import Any

import pytest

from pytest_ragassert import EvalCase, JudgeError, Settings, VerdictMissing, evaluate
from tests.conftest import close_sessions

from .conftest import Ask
from .door import Door
from .holding import Change, any_object, held, unchanged, without_schema

pytestmark = pytest.mark.real_llm

FERRY = "The ferry runs every 40 minutes."


def ferry(**fields: Any) -> EvalCase:
    return EvalCase(**{"id": "ferry", "answer": FERRY, "retrieved_contexts": [FERRY], **fields})


def failure(case: EvalCase, settings: Settings, metric: str = "faithfulness") -> JudgeError:
    with pytest.raises(JudgeError) as raised:
        evaluate(case, [metric], settings=settings)
    close_sessions()
    return raised.value


def test_a_cut_off_reply_is_no_score_and_not_stored(ask: Ask, door: Door) -> None:
    error = failure(ferry(), ask(max_tokens=8))
    assert error.kind == "truncated"
    assert "raise max_tokens (--ragassert-max-tokens)" in str(error)
    assert [each.finish for each in door.passed] == ["length"]
    with pytest.raises(VerdictMissing):
        evaluate(ferry(), ["faithfulness"], settings=ask(max_tokens=8, record_mode="none"))


@pytest.mark.parametrize("change", [unchanged, any_object, without_schema])
def test_a_small_model_left_to_itself(ask: Ask, door: Door, change: Change) -> None:
    """It counts on for ever, repeats the question, or chats: a measurement, or an error that says
    what was wrong; never a score from a reply that was cut off."""
    door.change = change
    for case in (ferry(), ferry(id="zh", answer="渡轮每40分钟一班。")):
        door.passed.clear()
        settings = ask(max_tokens=90)
        measured = evaluate([case], ["faithfulness"], settings=settings, on_error="collect")[0]
        close_sessions()
        error = measured.errors.get("faithfulness")
        if error is None:
            assert door.passed[-1].finish == "stop"
            assert measured["faithfulness"].claims or measured["faithfulness"].vacuous
        else:
            assert isinstance(error, JudgeError)
            assert error.kind in ("malformed", "truncated")
            assert (error.kind == "truncated") == (door.passed[-1].finish == "length")
            assert f"faithfulness of case {case.id} not measured: " in str(error)


def test_a_schema_is_kept_to_where_one_is_sent(ask: Ask, door: Door) -> None:
    door.change = held
    evaluate(ferry(), ["faithfulness"], settings=ask())
    claims, verdicts = (json.loads(each.content) for each in door.passed)
    assert [claim.keys() for claim in claims["claims"]] == [{"sentence", "text"}]
    assert list(verdicts["verdicts"][0]) == [
        "id",
        "reason",
        "evidence",
        "verdict",
        "confidence",
    ]


def test_a_wrong_key_ends_judging_with_one_request(ask: Ask, door: Door) -> None:
    settings = ask(api_key="sk-wrong-key-1234")
    cases = [ferry(id=f"c{number}", answer=f"Boat {number}.") for number in range(4)]
    results = evaluate(cases, ["faithfulness"], settings=settings, on_error="collect")
    errors = [result.errors["faithfulness"] for result in results]
    assert {getattr(error, "kind", "") for error in errors} == {"credentials"}
    assert "401 Invalid API Key; check the API key in OPENAI_API_KEY" in str(errors[0])
    assert [each.status for each in door.passed] == [401]


def test_a_wrong_path_names_the_option(ask: Ask, door: Door) -> None:
    error = failure(ferry(), ask(base_url=door.base_url.replace("/v1", "/v7")))
    assert error.kind == "model"
    assert error.ends_judging
    assert "404 File Not Found" in str(error)
    assert "--ragassert-base-url" in str(error)
    assert len(door.passed) == 1


def test_a_wrong_port_names_the_endpoint(ask: Ask, waits: list[float]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        url = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
    error = failure(ferry(), ask(base_url=url))
    assert error.kind == "connection"
    assert f"no connection to {url}" in str(error)


def test_a_prompt_longer_than_the_context_is_cut(ask: Ask, door: Door) -> None:
    door.change = held
    passages = [" ".join(f"Boat {n} holds {n * 7} people." for n in range(330))]
    result = evaluate(ferry(retrieved_contexts=passages), ["faithfulness"], settings=ask())
    assert len(result["faithfulness"].claims) == 1
    refused = door.of("verify_claims")[0]
    assert refused.status == 400
    told = refused.reply["error"]
    assert (told["type"], told["n_ctx"]) == ("exceed_context_size_error", 4096)
    parts = door.of("verify_claims")[1:]
    assert {part.status for part in parts[-2:]} == {200}
    assert 2 <= len(parts) <= 6


def test_a_prompt_longer_than_the_context_goes_out_in_parts(ask: Ask, door: Door) -> None:
    """With a budget that leaves room for instructions and reply."""
    door.change = held
    passages = [" ".join(f"Boat {n} holds {n * 7} people." for n in range(110))]
    case = ferry(retrieved_contexts=passages)
    result = evaluate(case, ["faithfulness"], settings=ask(token_budget=500))["faithfulness"]
    assert len(door.of("verify_claims")) > 1
    assert {each.status for each in door.passed} == {200}
    assert len(result.claims) == 1


def test_embeddings_that_the_server_does_not_have(ask: Ask, door: Door, waits: list[float]) -> None:
    case = EvalCase(id="ferry", answer=FERRY, ground_truth_answer="It runs often.")
    error = failure(case, ask(embedder="openai"), "semantic_similarity")
    assert "501 This server does not support embeddings" in str(error)
    assert {each.status for each in door.passed} == {501}


def test_a_reply_that_does_not_come_in_time(ask: Ask, door: Door, waits: list[float]) -> None:
    """The server lets go of what nobody waits for: the next question is answered."""
    error = failure(ferry(), ask(timeout=0.15, max_tokens=2000))
    assert error.kind == "timeout"
    assert "--ragassert-timeout" in str(error)
    assert door.passed == []
    door.change = held
    assert evaluate(ferry(), ["faithfulness"], settings=ask())["faithfulness"].claims


@pytest.mark.parametrize(
    "options", [{"seed": 7}, {"top_p": 0.9}, {"temperature": 0.3}, {"model": "no-such-model"}]
)
def test_what_the_server_takes(ask: Ask, door: Door, options: dict[str, Any]) -> None:
    """An unknown model's name too: the one model that it has answers, under its own name."""
    door.change = held
    assert evaluate(ferry(), ["faithfulness"], settings=ask(**options))["faithfulness"].claims
    for name, value in options.items():
        assert {each.sent[name] for each in door.passed} == {value}
    assert {each.reply["model"] for each in door.passed} == {"smollm2-135m-instruct"}


def test_several_cases_at_once(ask: Ask, door: Door) -> None:
    door.change = held
    cases = [ferry(id=f"c{n}", answer=f"Boat {n} is new.") for n in (1, 2, 3, 1)]
    results = evaluate(cases, ["faithfulness"], settings=ask())
    assert all(result["faithfulness"].claims for result in results)
    assert len(door.passed) == len({each.question for each in door.passed}) == 6
    assert door.most_inside > 1
