"""A contradiction without a quote that stands there is asked for once more, alone."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from pytest_ragassert import JudgeError, MetricResult, Settings, evaluate
from pytest_ragassert.engine.session import Session
from pytest_ragassert.judging.calls.event_loop import without_loop
from pytest_ragassert.judging.judges.judge import Reply, TooLong, Truncated
from pytest_ragassert.judging.judges.offline.offline_judge import OfflineJudge
from pytest_ragassert.judging.scheduling.conversation import Conversation
from pytest_ragassert.runtime.canonical_json import Json
from pytest_ragassert.steps.catalogue import STEPS
from pytest_ragassert.steps.step import Step
from pytest_ragassert.usage import Usage

from .conftest import MakeSettings
from .loopback.scripts import Recorded
from .loopback.server import LoopbackJudge
from .replies import CONTRA, FULL, NONE, Said, case, contradicted, in_new_run, verdict
from .replies import verdicts_reply as reply_text

STEP = STEPS["verify_claims"]
CLAIMS = ("The tram costs 3 coins.", "Dogs pay 2 coins.")
PASSAGES = ["The tram costs 5 coins.", "Dogs ride free of charge."]
TOLD = case(answer=" ".join(CLAIMS), retrieved_contexts=PASSAGES)
INVENTED = contradicted("The tram is dear to us", 1)
PROVEN = contradicted("The tram costs 5 coins", 1)


def says(
    judge: LoopbackJudge, first: Said | Sequence[Said], again: Said, claim: str = CLAIMS[0]
) -> None:
    """What is said of a claim at first (by sample) and when asked again; the other is supported."""

    def reply(recorded: Recorded) -> str:
        said = again if "previous_reply" in recorded.data else first
        if not isinstance(said, str | dict):
            said = said[recorded.body["seed"]]
        return reply_text(
            [
                verdict(c["id"], said if c["text"] == claim else FULL)
                for c in recorded.data["claims"]
            ]
        )

    judge.on("verify_claims", reply)


def verified(judge: LoopbackJudge) -> list[Json]:
    return [request.data for request in judge.requests if request.step == "verify_claims"]


def measured(own: Settings, **options: Any) -> MetricResult:
    result: MetricResult = in_new_run(TOLD, ["faithfulness"], own, **options)["faithfulness"]
    return result


def test_the_claim_is_asked_alone_for_a_quote(judge: LoopbackJudge, settings: MakeSettings) -> None:
    says(judge, INVENTED, PROVEN)
    claim = measured(settings()).claims[0]
    assert (claim.verdict, claim.label_raw, claim.quote_verified) == (CONTRA, CONTRA, True)
    assert (claim.quote, claim.passage) == ("The tram costs 5 coins", 0)
    first, second = verified(judge)
    shown = second.pop("previous_reply")
    assert second == {**first, "claims": first["claims"][:1]}
    assert json.loads(shown["text"])["evidence"] == [{"passage": 1, "quote": INVENTED["quote"]}]
    assert shown["problem"] == "CONTRADICTORY was not proven: the quote is not in the passage"
    before, again = (r.body["messages"][0]["content"] for r in judge.requests[1:])
    assert again.startswith(f"{before}\n\n")
    assert 'begin "evidence" with the stretch of a passage' in again.removeprefix(before)


@pytest.mark.parametrize(
    "again",
    [
        CONTRA,
        INVENTED,
        NONE,
        FULL,
        {"verdict": "FULLY_SUPPORTED", "quote": "The tram costs 5 coins", "passage": 1},
        contradicted("The tram costs 3 coins."),
        "what?",
    ],
    ids=["no quote", "invented", "withdrawn", "turned", "turned, quoted", "repeated", "no label"],
)
def test_what_stays_unproven_counts_as_no_evidence(
    judge: LoopbackJudge, settings: MakeSettings, again: Said
) -> None:
    says(judge, INVENTED, again)
    claim = measured(settings()).claims[0]
    assert (claim.verdict, claim.label_raw, claim.quote_verified) == (NONE, CONTRA, False)
    assert claim.gate_reason == "judge says contradicted, the quote is not in the passage"
    assert len(verified(judge)) == 2


def test_each_unproven_claim_is_asked_by_itself(
    judge: LoopbackJudge, settings: MakeSettings
) -> None:
    def reply(recorded: Recorded) -> str:
        asked = [c["id"] for c in recorded.data["claims"]]
        if "previous_reply" not in recorded.data:
            return reply_text([verdict(id, CONTRA) for id in asked])
        quote = "Dogs ride free of charge" if asked == [2] else "nothing of the kind"
        return reply_text([verdict(id, contradicted(quote, 2)) for id in asked])

    judge.on("verify_claims", reply)
    result = measured(settings())
    assert [claim.verdict for claim in result.claims] == [NONE, CONTRA]
    again = [data for data in verified(judge) if "previous_reply" in data]
    assert sorted(data["claims"][0]["id"] for data in again) == [1, 2]


def test_a_proven_one_and_a_supported_one_ask_nothing(
    judge: LoopbackJudge, settings: MakeSettings
) -> None:
    for said in (PROVEN, NONE, {"verdict": "FULLY_SUPPORTED", "quote": "invented as well"}):
        judge.reset(replies=True)
        says(judge, said, said)
        measured(settings(record_mode="off"))
        assert len(verified(judge)) == 1


@pytest.mark.parametrize("first", ["on", "off"])
def test_what_is_stored_does_not_depend_on_the_gate(
    judge: LoopbackJudge, settings: MakeSettings, first: str
) -> None:
    says(judge, INVENTED, PROVEN)
    other = "off" if first == "on" else "on"
    for gate in (first, other):
        claim = measured(settings(evidence_gate=gate)).claims[0]
        assert (claim.verdict, claim.quote_verified) == (CONTRA, True)
    assert len(verified(judge)) == 2


@pytest.mark.parametrize("again", [PROVEN, CONTRA], ids=["proven", "unproven"])
def test_the_stored_answer_is_whole(
    judge: LoopbackJudge, settings: MakeSettings, again: Said
) -> None:
    says(judge, INVENTED, again)
    first = measured(settings())
    judge.reset()
    second = measured(settings())
    replayed = measured(settings(record_mode="none"))
    assert judge.count() == 0
    assert second.stored
    assert first.claims == second.claims == replayed.claims


def test_asking_for_everything_anew_asks_for_proof_anew(
    judge: LoopbackJudge, settings: MakeSettings
) -> None:
    says(judge, INVENTED, PROVEN)
    measured(settings())
    measured(settings(record_mode="all"))
    assert len(verified(judge)) == 4


def test_each_vote_and_each_model_is_asked_for_its_own_proof(
    judge: LoopbackJudge, settings: MakeSettings
) -> None:
    says(judge, [PROVEN, INVENTED, FULL], PROVEN)
    claim = measured(settings(seed=0), votes=3).claims[0]
    assert (claim.verdict, claim.votes) == (CONTRA, {"CONTRADICTORY": 2, "FULLY_SUPPORTED": 1})
    again = [r for r in judge.requests if "previous_reply" in r.data]
    assert [r.body["seed"] for r in again] == [1]
    judge.reset(replies=True)
    says(judge, INVENTED, PROVEN)
    models = measured(settings(model=("judge-a", "judge-b"), record_mode="off"))
    assert models.claims[0].verdict is CONTRA
    again = [r for r in judge.requests if "previous_reply" in r.data]
    assert sorted(r.body["model"] for r in again) == ["judge-a", "judge-b"]


def test_the_message_that_it_was_said_of_is_asked_again(
    judge: LoopbackJudge, settings: MakeSettings
) -> None:
    """Of several with other passages each, where one claim was contradicted in one of them."""
    fill = "The harbour lies in the west, and its lamp is lit at night. " * 40
    contexts = [f"{fill}{text}" for text in PASSAGES]

    def reply(recorded: Recorded) -> str:
        here = "5 coins" in json.dumps(recorded.data["passages"])
        said: Said = NONE
        if here:
            said = PROVEN if "previous_reply" in recorded.data else CONTRA
        return reply_text([verdict(c["id"], said) for c in recorded.data["claims"]])

    judge.on("verify_claims", reply)
    told = case(answer=CLAIMS[0], retrieved_contexts=contexts)
    own = settings(token_budget=1_000)
    (claim,) = evaluate(told, ["faithfulness"], settings=own)["faithfulness"].claims
    assert (claim.verdict, claim.passage) == (CONTRA, 0)
    again = [data for data in verified(judge) if "previous_reply" in data]
    assert ["5 coins" in json.dumps(data["passages"]) for data in again] == [True]


def test_a_contradiction_that_another_passage_outweighs_is_not_asked_again(
    judge: LoopbackJudge, settings: MakeSettings
) -> None:
    fill = "The harbour lies in the west, and its lamp is lit at night. " * 40
    contexts = [f"{fill}{text}" for text in PASSAGES]

    def reply(recorded: Recorded) -> str:
        said = CONTRA if "5 coins" in json.dumps(recorded.data["passages"]) else FULL
        return reply_text([verdict(c["id"], said) for c in recorded.data["claims"]])

    judge.on("verify_claims", reply)
    told = case(answer=CLAIMS[0], retrieved_contexts=contexts)
    own = settings(token_budget=1_000)
    (claim,) = evaluate(told, ["faithfulness"], settings=own)["faithfulness"].claims
    assert claim.verdict is FULL
    assert not any("previous_reply" in data for data in verified(judge))


def test_the_first_reply_is_kept_where_the_second_can_not_be_had(
    judge: LoopbackJudge, settings: MakeSettings
) -> None:
    judge.on(lambda r: {"status": 400, "body": "no more"} if "previous_reply" in r.data else None)
    says(judge, INVENTED, PROVEN)
    with pytest.raises(JudgeError, match="no more"):
        measured(settings())
    judge.reset(replies=True)
    says(judge, INVENTED, PROVEN)
    assert measured(settings()).claims[0].verdict is CONTRA
    assert [("previous_reply" in data) for data in verified(judge)] == [True]


def test_a_refusal_of_the_proof_is_no_proof(judge: LoopbackJudge, settings: MakeSettings) -> None:
    refusal = {"message": {"content": None, "refusal": "I'd rather not"}}
    judge.on(lambda r: refusal if "previous_reply" in r.data else None)
    says(judge, INVENTED, PROVEN)
    assert measured(settings()).claims[0].verdict is NONE


def test_where_the_system_role_is_refused_what_to_do_is_no_data(
    judge: LoopbackJudge, settings: MakeSettings
) -> None:
    judge.refuse = frozenset({"system"})
    says(judge, INVENTED, PROVEN)
    assert measured(settings()).claims[0].verdict is CONTRA
    (again,) = [r.body["messages"] for r in judge.requests if "previous_reply" in r.data]
    ((instructions, data),) = ([part["text"] for part in m["content"]] for m in again)
    assert instructions.endswith(STEP.wanted_proof)
    assert STEP.wanted_proof not in data


def test_a_judge_from_a_hook_is_asked_too(tmp_path: Path) -> None:
    asked: list[tuple[str, Json]] = []

    class Judge:
        id = "hooked-1"

        def run(self, step: Step, input: Json) -> str:
            asked.append((step.instructions, input))
            if step.name == "extract_claims":
                return json.dumps({"claims": [{"sentence": 1, "text": CLAIMS[0]}]})
            return reply_text([verdict(1, PROVEN if "previous_reply" in input else INVENTED)])

    own = Settings(judge="hooked", cache_dir=tmp_path)
    session = Session(own, make_judge=lambda name: Judge())
    job = session.job(TOLD, "faithfulness", {})
    (result,) = session.measure([job])
    session.close()
    session.run.remove()
    assert result.result is not None
    assert result.result.claims[0].verdict is CONTRA
    assert ["previous_reply" in input for _, input in asked] == [False, False, True]
    assert asked[1][0] == STEP.instructions
    assert asked[2][0] == f"{STEP.instructions}\n\n{STEP.wanted_proof}"


def test_the_offline_judge_proves_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Json] = []
    run = OfflineJudge.run

    def noting(self: OfflineJudge, step: Step, input: Json) -> str:
        asked.append(input)
        return run(self, step, input)

    monkeypatch.setattr(OfflineJudge, "run", noting)
    result = evaluate(TOLD, ["faithfulness"], settings=Settings(judge="offline"))["faithfulness"]
    assert result.claims[0].verdict is CONTRA
    assert len(asked) == 2


QUESTION = {
    "passages": [{"id": n, "text": text} for n, text in enumerate(PASSAGES, start=1)],
    "claims": [{"id": 1, "text": CLAIMS[0]}],
}


def proof(send: Any, again: Json | None = None) -> tuple[Json | None, Usage]:
    conversation = Conversation(STEP, send)
    said = {"verdicts": [verdict(1, CONTRA)]}["verdicts"][0]
    return without_loop(conversation.follow_up(again or QUESTION, said, "why")), conversation.usage


def test_its_cost_is_counted_as_asked_again() -> None:
    async def send(step: Step, message: Json) -> Reply:
        return Reply(reply_text([verdict(1, PROVEN)]), Usage(1, 100, 0, 10))

    found, usage = proof(send)
    assert found is not None
    assert usage == Usage(1, 100, 0, 10, again=1, again_tokens=110)


def test_a_request_for_proof_that_is_too_long_is_cut() -> None:
    sent: list[list[int]] = []

    async def send(step: Step, message: Json) -> Reply:
        assert message["previous_reply"]["problem"] == "why"
        ids = [passage["id"] for passage in message["passages"]]
        sent.append(ids)
        if len(ids) > 1:
            raise TooLong("no")
        return Reply(reply_text([verdict(1, PROVEN if ids == [1] else NONE)]))

    assert proof(send)[0] is not None
    assert sent == [[1, 2], [1]]


@pytest.mark.parametrize("error", [TooLong("no", Usage(1)), Truncated(Usage(1, 5, 0, 5))], ids=type)
def test_a_request_for_proof_that_can_not_be_answered_ends(error: Exception) -> None:
    sent = 0

    async def send(step: Step, message: Json) -> Reply:
        nonlocal sent
        sent += 1
        raise error

    found, usage = proof(send)
    assert found is None
    assert usage.requests == sent < 10


LABELS = st.sampled_from([FULL.value, NONE.value, CONTRA.value, "PARTIALLY_SUPPORTED"])
QUOTES = st.fixed_dictionaries(
    {
        "passage": st.sampled_from([None, 0, 1, 2, 9]),
        "quote": st.sampled_from([None, "", "x", "The tram costs 5 coins", CLAIMS[0], *PASSAGES]),
    }
)
SAID = st.fixed_dictionaries({"verdict": LABELS, "evidence": st.lists(QUOTES, max_size=3)})


@hypothesis_settings(max_examples=60, deadline=None)
@given(st.lists(SAID, min_size=2, max_size=2), SAID)
def test_whatever_is_said_again_only_a_proof_takes_the_place(
    first: list[Json], again: Json
) -> None:
    question = {**QUESTION, "claims": [{"id": n, "text": c} for n, c in enumerate(CLAIMS, 1)]}
    reply = STEP.read(question, {"verdicts": [verdict(n, s) for n, s in enumerate(first, 1)]}).reply
    lacking = STEP.unproven(question, reply)
    for said in reply["verdicts"]:
        assert (said["id"] in lacking) <= (said["verdict"] == CONTRA.value)
    for id in lacking:
        alone = STEP.only(question, (id,))
        second = STEP.read(alone, {"verdicts": [verdict(id, again)]}).reply
        if STEP.proves(alone, second):
            whole = STEP.replaced(reply, second)
            assert STEP.fits(question, whole)
            assert STEP.unproven(question, whole).keys() == lacking.keys() - {id}
