"""What a plan takes for a judge's reply is one that the steps themselves would take."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pytest_ragassert.engine.request_estimate import Plan, Planned
from pytest_ragassert.runtime.canonical_json import Json
from pytest_ragassert.steps.catalogue import step_named
from pytest_ragassert.steps.reply_estimates import likely_reply, reply_tokens
from pytest_ragassert.steps.write_case import KINDS

TEXTS = st.text(min_size=1).filter(lambda text: bool(text.strip()))


def items(texts: list[str]) -> list[Json]:
    return [{"id": number, "text": text} for number, text in enumerate(texts, start=1)]


@given(
    st.lists(TEXTS, min_size=1),
    st.lists(TEXTS, min_size=1, unique=True),
    TEXTS,
    st.sampled_from(KINDS),
)
def test_likely_replies_fit_their_questions(
    passages: list[str], claims: list[str], text: str, kind: str
) -> None:
    asked = {"question": text, "reference": text, "answer": text}
    inputs: dict[str, Json] = {
        "extract_claims": {"text": text, "question": None},
        "verify_claims": {"passages": items(passages), "claims": items(claims)},
        "judge_passages": {"question": text, "reference": None, "passages": items(passages)},
        "generate_questions": {"answer": text, "n": 3},
        "rate_relevance": {"question": text, "answer": text},
        "grade_accuracy": asked,
        "classify_answer": asked,
        "write_case": {
            "passages": items(passages),
            "kind": kind,
            "persona": None,
            "language": None,
        },
        "write_personas": {
            "documents": [{"name": text, "headings": claims}],
            "number": 3,
            "language": None,
        },
    }
    for name, input in inputs.items():
        step = step_named(name)
        reply = likely_reply(step, input)
        assert reply is not None
        judgements = step.judgement_inputs(input)
        replies = step.judgement_replies(input, reply, range(len(judgements)))
        for judgement, said in zip(judgements, replies, strict=True):
            assert step.fits(judgement, said), (name, said)
            assert step.is_whole(said), (name, said)
        assert step.assembled(input, replies) == reply
        assert reply_tokens(reply) > 0


def planned(*, requests: int = 1, completion: int = 0, follows: bool = False) -> Planned:
    return Planned("model", requests, 100, completion, follows)


def test_the_time_of_a_plan() -> None:
    plan = Plan()
    assert plan.seconds(16) == 0
    plan.asked = {str(n): planned(completion=40) for n in range(32)}
    # half a second each, and half of one for 40 tokens
    assert plan.seconds(16) == 2
    assert plan.seconds(1) == 32
    # no sooner than one of them
    assert plan.seconds(1000) == 1
    plan.asked["later"] = planned(completion=40, follows=True)
    assert plan.seconds(1000) == 2
    assert plan.seconds(1000, per_minute=60) == 32
