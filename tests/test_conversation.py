"""Replies that fall short, and requests that are too long: asked again, cut, and never scored."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_ragassert import JudgeError, MetricResult, Settings, evaluate
from pytest_ragassert.engine.session import Session
from pytest_ragassert.judging.calls.event_loop import without_loop
from pytest_ragassert.judging.judges.judge import Reply, TooLong, Truncated
from pytest_ragassert.judging.scheduling.conversation import Conversation
from pytest_ragassert.runtime.canonical_json import Json, readable_json
from pytest_ragassert.steps.catalogue import STEPS
from pytest_ragassert.steps.step import Step
from pytest_ragassert.usage import Usage

from .conftest import MakeSettings, Waits, close_sessions
from .loopback.judge import answer
from .loopback.scripts import Recorded
from .loopback.server import LoopbackJudge
from .replies import case, verdict, verdicts_reply


def measured(own: Settings, told: Any = None, metric: str = "faithfulness") -> MetricResult:
    return evaluate(told or case(), [metric], settings=own)[metric]


def asked(judge: LoopbackJudge, step: str) -> list[Json]:
    return [request.data for request in judge.requests if request.step == step]


def verifying(judge: LoopbackJudge) -> list[Recorded]:
    return [request for request in judge.requests if request.step == "verify_claims"]


# -- replies that can't be used --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("I would rather not judge this today.", "no JSON with 'verdicts'"),
        ('{"verdicts": 5}', 'no list "verdicts"'),
        (verdicts_reply([verdict(9, "yes")]), "claim 9, which was not asked"),
        (
            '{"verdicts": [{"claim": 1, "verdict": "FULLY_SUPPORTED"}]}',
            "a verdict has no claim id: the field \"id\" is missing, and it has 'claim', 'verdict'",
        ),
    ],
)
def test_the_judge_is_shown_once_what_was_wrong(
    judge: LoopbackJudge, settings: MakeSettings, content: str, problem: str
) -> None:
    judge.script([{"step": "verdicts", "content": content}])
    assert measured(settings()).score == 1.0
    first, second = asked(judge, "verify_claims")
    shown = second.pop("previous_reply")
    assert second == first
    assert shown["text"] == content
    assert problem in shown["problem"]
    # what to do is said where instructions stand, what was wrong as data
    before, again = (r.body["messages"][0]["content"] for r in verifying(judge))
    assert again.removeprefix(before).startswith('\n\nThe user message also holds "previous_reply"')
    assert "reply with the whole JSON object alone" in again
    assert "reply with" not in shown["problem"]


def test_a_judge_from_a_hook_is_told_in_the_instructions(tmp_path: Path) -> None:
    asked: list[tuple[Step, Json]] = []

    class Judge:
        id = "hooked-1"

        def run(self, step: Step, input: Json) -> str:
            asked.append((step, input))
            return json.dumps(answer(step.name, input)) if len(asked) != 2 else "none"

    session = Session(Settings(judge="hooked", cache_dir=tmp_path), make_judge=lambda _: Judge())
    (result,) = session.measure([session.job(case(), "faithfulness", {})])
    session.close()
    session.run.remove()
    assert result.result is not None
    (first, _), (again, input) = asked[1:]
    assert "previous_reply" in input
    assert again.instructions.startswith(f"{first.instructions}\n\nThe user message also holds")
    assert (again.name, again.version, again.schema) == (first.name, first.version, first.schema)
    assert again.fingerprint == first.fingerprint == STEPS["verify_claims"].fingerprint


def test_asking_again_ends_and_grows_by_little(
    judge: LoopbackJudge, settings: MakeSettings
) -> None:
    judge.script([{"step": "verdicts", "content": "no idea " * 10_000}], repeat_last=True)
    with pytest.raises(JudgeError, match="asked twice"):
        measured(settings())
    first, second = (r.prompt_chars for r in judge.requests if r.step == "verify_claims")
    assert second < 2 * first


def test_a_failing_transport_is_no_part_of_what_is_asked_again(
    judge: LoopbackJudge, settings: MakeSettings, waits: Waits
) -> None:
    judge.script([{"step": "verdicts", "status": 503, "body": "gone fishing"}])
    measured(settings())
    assert len({r.digest for r in judge.requests if r.step == "verify_claims"}) == 1
    judge.reset()
    judge.script(
        [
            {"step": "verdicts", "status": 503, "body": "gone fishing"},
            {"step": "verdicts", "content": "garbage"},
            {"step": "verdicts", "status": 429, "body": "too many of you"},
        ]
    )
    measured(settings(), case(retrieved_contexts=["The tram is red."]))
    assert len(asked(judge, "verify_claims")) == 4
    for request in judge.requests:
        text = json.dumps(request.body)
        assert "fishing" not in text
        assert "too many of you" not in text


def test_what_asking_again_cost_is_counted(judge: LoopbackJudge, settings: MakeSettings) -> None:
    step = STEPS["rate_relevance"]
    replies = iter(["nonsense", '{"reason": "a", "score": 0.5}'])

    async def send(step: Step, message: Json) -> Reply:
        return Reply(next(replies), Usage(1, 100, 0, 10))

    conversation = Conversation(step, send)
    without_loop(conversation.ask({"question": "When?", "answer": "In June."}))
    assert conversation.usage == Usage(2, 200, 0, 20, again=1, again_tokens=110)


def test_what_a_reply_cut_off_cost_is_counted(judge: LoopbackJudge, settings: MakeSettings) -> None:
    judge.script([{"step": "verdicts", "content": '{"verd', "finish_reason": "length"}])
    result = measured(settings())
    assert result.score == 1.0
    (question,) = (a for a in asked(judge, "verify_claims")[:1])
    assert len(question["claims"]) == 2
    assert judge.count("verdicts") == 3
    step = STEPS["verify_claims"]
    half = Usage(1, 20, 0, 5)
    replies: Iterator[Truncated | Usage] = iter([Truncated(Usage(1, 50, 0, 9)), half, half])

    async def send(step: Step, message: Json) -> Reply:
        cost = next(replies)
        if isinstance(cost, Truncated):
            raise cost
        return Reply(json.dumps(answer("verify_claims", message)), cost)

    conversation = Conversation(step, send)
    without_loop(conversation.ask(question))
    assert conversation.usage == Usage(3, 90, 0, 19)


# -- requests that are too long --------------------------------------------------------------------

FACTS = [f"House {n} charges {100 + n} pounds for a room." for n in range(24)]


def long_case(**fields: Any) -> Any:
    fill = "The harbour lies in the west, and its lamp is lit at night. " * 3
    contexts = [f"{fact} {fill}" for fact in FACTS]
    given = {"answer": f"{FACTS[0]} {FACTS[-1]}", "retrieved_contexts": contexts}
    return case(**{**given, **fields})


def test_passages_are_cut_until_they_fit_and_verdicts_merged(
    judge: LoopbackJudge, settings: MakeSettings
) -> None:
    judge.max_prompt_chars = 4_600  # instructions take about half
    result = measured(settings(), long_case())
    assert [(claim.verdict.value, claim.passage) for claim in result.claims] == [
        ("FULLY_SUPPORTED", 0),
        ("FULLY_SUPPORTED", 23),
    ]
    taken = [r for r in judge.requests if r.step == "verify_claims" and r.status == 200]
    assert sorted({p["id"] for r in taken for p in r.data["passages"]}) == list(range(1, 25))
    # what is too long is learned: the next case is not cut from the whole again
    refused = sum(r.status == 400 for r in judge.requests)
    judge.reset()
    again = long_case(answer=f"{FACTS[1]} {FACTS[-2]}")
    assert measured(settings(), again).score == 1.0
    assert sum(r.status == 400 for r in judge.requests) < refused


def test_one_long_passage_is_cut_into_pieces(judge: LoopbackJudge, settings: MakeSettings) -> None:
    judge.max_prompt_chars = 5_000
    whole = " ".join(long_case().retrieved_contexts)
    result = measured(settings(), long_case(retrieved_contexts=[whole]))
    assert result.score == 1.0
    assert all(claim.quote_verified and claim.passage == 0 for claim in result.claims)
    spans = [claim.quote_span for claim in result.claims]
    assert [whole[a:b] for a, b in filter(None, spans)] == [
        FACTS[0].rstrip("."),
        FACTS[-1].rstrip("."),
    ]


def test_relevance_of_many_passages_is_cut_too(
    judge: LoopbackJudge, settings: MakeSettings
) -> None:
    judge.max_prompt_chars = 3_000
    told = long_case(question="What does house 7 charge for a room?")
    result = measured(settings(), told, "context_relevance")
    assert len(result.details["contexts"]) == 24


def test_a_text_of_many_sentences_is_cut(judge: LoopbackJudge, settings: MakeSettings) -> None:
    judge.max_prompt_chars = 3_000
    told = long_case(answer=" ".join(FACTS), retrieved_contexts=[])
    result = measured(settings(), told)
    assert [claim.text for claim in result.claims] == FACTS


@pytest.mark.parametrize(
    "body",
    [
        {"error": {"message": "No", "code": "context_length_exceeded"}},
        {"error": {"message": "This model's maximum context length is 512 tokens."}},
        {
            "error": {
                "code": 400,
                "message": "the request exceeds the available context size, try increasing it",
                "type": "exceed_context_size_error",
                "n_prompt_tokens": 900,
                "n_ctx": 512,
            }
        },
        {"error": "Prompt is too long: 900 tokens"},
        {"object": "error", "message": "The prompt has too many tokens (900 > 512)"},
    ],
)
def test_what_can_not_be_cut_further_is_not_measured(
    judge: LoopbackJudge, settings: MakeSettings, body: Any
) -> None:
    judge.script([{"status": 400, "body": body}], repeat_last=True)
    with pytest.raises(JudgeError) as caught:
        measured(settings(), case(answer="It is red.", ground_truth_answer="It is blue."))
    assert "extract_claims: the endpoint rejects a request of this length" in str(caught.value)
    assert judge.count() == 1


def test_answered_parts_are_kept_where_the_run_ends_before_the_rest(
    judge: LoopbackJudge, settings: MakeSettings
) -> None:
    judge.max_prompt_chars = 4_600
    judge.on(
        lambda r: (
            {"status": 400, "body": "no more"}
            if r.step == "verify_claims" and r.data["passages"][-1]["id"] == 24 and stopped
            else None
        )
    )
    stopped = True
    with pytest.raises(JudgeError, match="no more"):
        measured(settings(), long_case())
    taken = {r.digest for r in judge.requests if r.status == 200}
    assert len(taken) > 1
    stopped = False
    judge.reset()
    close_sessions()  # another run, with the same store
    assert measured(settings(), long_case()).score == 1.0
    assert not taken & {r.digest for r in judge.requests}


def test_cutting_is_bounded(judge: LoopbackJudge, settings: MakeSettings) -> None:
    judge.on(
        "verify_claims",
        {"status": 400, "body": {"error": {"message": "x", "code": "context_length_exceeded"}}},
    )
    whole = " ".join(FACTS * 40)
    with pytest.raises(JudgeError, match="can't be split further"):
        measured(settings(), long_case(retrieved_contexts=[whole]))
    assert judge.count("verify_claims") <= 8


@given(st.integers(80, 4_000), st.integers(1, 12), st.integers(1, 6), st.data())
def test_whatever_the_limit_every_claim_gets_its_verdict(
    limit: int, passages: int, claims: int, data: st.DataObject
) -> None:
    """A judge that takes short messages only gives what it would give of the whole, or an error."""
    step = STEPS["verify_claims"]
    chosen = data.draw(st.lists(st.sampled_from(FACTS), min_size=passages, max_size=passages))
    message = {
        "passages": [{"id": n, "text": text} for n, text in enumerate(chosen, start=1)],
        "claims": [{"id": n, "text": FACTS[n]} for n in range(1, claims + 1)],
    }

    async def send(_: Step, part: Json) -> Reply:
        if len(readable_json(part)) > limit:
            raise TooLong("no")
        return Reply(json.dumps(answer("verify_claims", part)))

    try:
        reply = without_loop(Conversation(step, send).ask(message))
    except JudgeError:
        assert limit < 800
        return
    said = {verdict["id"]: verdict["verdict"] for verdict in reply["verdicts"]}
    texts = [passage["text"] for passage in message["passages"]]
    assert said == {
        claim["id"]: "FULLY_SUPPORTED" if claim["text"] in texts else said[claim["id"]]
        for claim in message["claims"]
    }
    assert set(said.values()) <= {"FULLY_SUPPORTED", "NO_EVIDENCE", "CONTRADICTORY"}
    assert step.answers(message, reply)
