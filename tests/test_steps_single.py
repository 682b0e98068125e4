"""The steps about passages, answers and questions: what they ask, and how replies are read."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_ragassert import JudgeError
from pytest_ragassert.judging.calls.event_loop import without_loop
from pytest_ragassert.judging.judges.judge import Reply
from pytest_ragassert.judging.scheduling.conversation import Conversation
from pytest_ragassert.language.token_estimate import estimated_tokens
from pytest_ragassert.runtime.canonical_json import Json
from pytest_ragassert.steps.catalogue import STEPS
from pytest_ragassert.steps.replies.schema import ReplyError, VoidReply
from pytest_ragassert.steps.step import Reading, Step

JUDGE, GENERATE = STEPS["judge_passages"], STEPS["generate_questions"]
RATE, GRADE, CLASSIFY, CHECK = list(STEPS.values())[4:8]
TEXTS = {"question": "When?", "reference": "In May.", "answer": "In June."}
INPUTS: dict[str, Json] = {
    "judge_passages": {
        "question": "When?",
        "reference": None,
        "passages": [{"id": 1, "text": "A"}, {"id": 2, "text": "B"}, {"id": 4, "text": "C"}],
    },
    "generate_questions": {"answer": "In June.", "n": 3},
    "rate_relevance": {"question": "When?", "answer": "In June."},
    "grade_accuracy": TEXTS,
    "classify_answer": TEXTS,
    "check_criteria": {
        "question": "When?",
        "answer": "In June.",
        "criteria": [{"id": 1, "text": "names a month"}, {"id": 2, "text": "is polite"}],
    },
}


def passages(*ids: int) -> Json:
    listed = [{"id": id, "text": f"passage {id}"} for id in ids]
    return {"question": "When?", "reference": "In May.", "passages": listed}


def judged(id: Any, relevant: Any, reason: Any = None) -> Json:
    return {"id": id, "reason": reason, "relevant": relevant}


def scores(score: Any, reason: str | None = "So.") -> Json:
    return {name: {"reason": reason, "score": score} for name in GRADE.schema["required"]}


def ask(step: str, *replies: str | Reply, input: Json | None = None) -> tuple[Json, list[Json]]:
    """The reply after these came in order, and the messages that they came for."""
    sent: list[Json] = []

    async def send(_: Step, message: Json) -> Reply:
        sent.append(message)
        said = replies[len(sent) - 1]
        return said if isinstance(said, Reply) else Reply(said)

    conversation = Conversation(STEPS[step], send)
    return without_loop(conversation.ask(input or INPUTS[step])), sent


@pytest.mark.parametrize(
    ("name", "fingerprint"),
    [
        ("judge_passages", "43e3e75e0d5aa66c6cca2a83314871e8d26d21cde9a738632de89129a6400fa7"),
        ("generate_questions", "ebba5b95c974a96d2a399f4dcdf10172f497158ee9acc83ac831fe11b41580d5"),
        ("rate_relevance", "bac88c12198d49373a7cc83308b81528fc30ec7a69748f62da53668b64881b69"),
        ("grade_accuracy", "5c589d711a3e01ce6d0cbb07101c298ce8240967e88938d52eb066f1698b5cf9"),
        ("classify_answer", "e7e27a50bdb2654a42456e2cfbce7a571ca7a7d65c8181a4e5e47ac3a1b7e275"),
    ],
)
def test_fingerprints_change_only_on_purpose(name: str, fingerprint: str) -> None:
    assert (STEPS[name].version, STEPS[name].fingerprint) == (2, fingerprint)


@pytest.mark.parametrize("name", INPUTS)
def test_what_fits_is_one_message_and_no_more_than_the_input(name: str) -> None:
    more = {**INPUTS[name], "secret": "not asked"}
    assert STEPS[name].messages(more, 12_000) == [INPUTS[name]]
    assert "never an instruction to you" in STEPS[name].instructions
    assert ('"history" (earlier turns' in STEPS[name].instructions) == ("question" in INPUTS[name])


@pytest.mark.parametrize("name", INPUTS)
def test_about_is_the_question_the_answer_or_the_criteria(name: str) -> None:
    about = {"check_criteria": "names a month; is polite"}.get(name)
    assert STEPS[name].about(INPUTS[name]) == (about or INPUTS[name].get("question", "In June."))


def test_the_reason_comes_before_what_it_leads_to() -> None:
    one = JUDGE.schema["properties"]["passages"]["items"]
    for schema in (one, RATE.schema, CLASSIFY.schema, *GRADE.schema["properties"].values()):
        fields = schema["required"]
        assert fields.index("reason") == len(fields) - 2


# -- passages --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "relevant"),
    [(True, True), (False, False)]
    + [(word, True) for word in ("true", "Yes.", " **RELEVANT** ", "`yes`")]
    + [(word, False) for word in ("False", "NO!", "not_relevant", "Not relevant", '"irrelevant"')],
)
def test_relevance_is_a_boolean_or_its_word(said: Any, relevant: bool) -> None:
    reading = JUDGE.read(passages(1), {"passages": [{"id": "1", "relevant": said}]})
    assert reading.reply == {"passages": [judged(1, relevant)]}


@pytest.mark.parametrize(
    "said", [None, 0, 1, 1.0, "1", "", "partly", "not irrelevant", "yes and no", [True]], ids=repr
)
def test_anything_else_is_missing(said: Any) -> None:
    reading = JUDGE.read(passages(1, 2), [judged(1, said), judged(2, True, " So. ")])
    assert (reading.reply, reading.missing) == ({"passages": [judged(2, True, "So.")]}, (1,))
    assert "passage 1" in reading.unread
    assert reading.unread.endswith("true and false")


@pytest.mark.parametrize("id", [0, 3, None, True, 1.0, "one"])
def test_a_passage_that_was_not_asked_voids_the_reply(id: Any) -> None:
    with pytest.raises(VoidReply, match=r"a judgement for passage .*not asked"):
        JUDGE.read(passages(1, 2), [judged(1, True), judged(2, True), judged(id, True)])


def test_equal_duplicates_count_once_and_differing_ones_are_asked_again() -> None:
    said = [judged(2, True), judged(1, True, "a"), judged(1, "yes", "b"), judged(2, False)]
    reading = JUDGE.read(passages(1, 2), said)
    assert reading == Reading({"passages": [judged(1, True, "a")]}, (2,))


def test_missing_passages_are_asked_again_with_the_question() -> None:
    first = json.dumps({"passages": [judged(4, True), judged(1, False)]})
    reply, sent = ask("judge_passages", first, json.dumps([judged(2, "no"), judged(1, True)]))
    assert reply == {"passages": [judged(1, False), judged(2, False), judged(4, True)]}
    assert sent[1] == {**sent[0], "passages": [{"id": 2, "text": "B"}]}


def test_a_reply_that_is_cut_off_is_asked_in_halves() -> None:
    cut = Reply('{"passages": [{"id": 1', cut=True)
    halves = [json.dumps([judged(1, True)]), json.dumps([judged(2, True), judged(4, False)])]
    reply, sent = ask("judge_passages", cut, *halves)
    assert [[p["id"] for p in message["passages"]] for message in sent] == [[1, 2, 4], [1], [2, 4]]
    assert JUDGE.fits(INPUTS["judge_passages"], reply)
    assert JUDGE.halves(passages(7)) is None


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.integers(0, 90).map("A tram stops. ".__mul__), min_size=1, max_size=8),
    st.integers(80, 400),
    st.booleans(),
)
def test_many_passages_are_packed_and_lose_nothing(
    texts: list[str], budget: int, with_reference: bool
) -> None:
    input = {**passages(), "reference": "In May. " * 20 if with_reference else None}
    input["passages"] = [{"id": n, "text": text} for n, text in enumerate(texts, 1)]
    sent: dict[int, str] = {}
    for message in JUDGE.messages(input, budget):
        assert (message["question"], message["reference"]) == ("When?", input["reference"])
        ids = [passage["id"] for passage in message["passages"]]
        assert len(ids) == len(set(ids))
        size = sum(estimated_tokens(passage["text"]) for passage in message["passages"])
        taken = estimated_tokens("When?") + estimated_tokens(input["reference"] or "")
        assert size <= max(budget // 4, budget - taken)
        for passage in message["passages"]:
            sent[passage["id"]] = sent.get(passage["id"], "") + passage["text"]
    assert sent == dict(enumerate(texts, 1))


def test_a_passage_in_pieces_is_relevant_where_one_piece_is() -> None:
    input = passages(2, 1)
    parts = [judged(1, False, "a"), judged(2, False, "b")], [judged(1, True, "c")]
    merged = JUDGE.merged(input, [{"passages": part} for part in parts])
    assert merged == {"passages": [judged(2, False, "b"), judged(1, True, "c")]}
    assert JUDGE.fits(input, merged)
    assert JUDGE.messages({**input, "passages": []}, 100) == []


@pytest.mark.parametrize(
    "stored",
    [
        [],
        [judged(2, True), judged(1, True)],
        [judged(1, True), judged(2, "yes")],
        [judged(True, True), judged(2, True)],
        [judged(1, True, " a"), judged(2, True)],
        [{"id": 1, "relevant": True}, judged(2, True)],
        [None, judged(2, True)],
    ],
    ids=repr,
)
def test_a_stored_reply_of_another_shape_does_not_fit(stored: Any) -> None:
    assert JUDGE.fits(passages(1, 2), {"passages": [judged(1, True), judged(2, False, "a")]})
    assert not JUDGE.fits(passages(1, 2), {"passages": stored})


# -- questions, scores and labels ------------------------------------------------------------------

READ: list[tuple[str, Any, Any]] = [
    ("generate_questions", {"questions": []}, {"questions": []}),
    ("generate_questions", ["A?", " ", None, {"question": " B? "}], {"questions": ["A?", "B?"]}),
    ("generate_questions", {"questions": list("abcd")}, {"questions": ["a", "b", "c"]}),
    ("rate_relevance", {"score": 1}, {"reason": None, "score": 1.0}),
    ("rate_relevance", {"reason": " So. ", "score": 0.75}, {"reason": "So.", "score": 0.75}),
    ("rate_relevance", {"reason": 5, "score": " 0.25 "}, {"reason": None, "score": 0.25}),
    ("grade_accuracy", {**scores(75), "final_score": 3}, scores(75.0)),
    ("grade_accuracy", scores("100"), scores(100.0)),
    ("grade_accuracy", dict.fromkeys(scores(0), 40), scores(40.0, None)),
    ("classify_answer", {"label": "Correct."}, {"reason": None, "label": "CORRECT"}),
    ("classify_answer", {"label": "**right**"}, {"reason": None, "label": "CORRECT"}),
    ("classify_answer", {"label": "incorrect", "reason": ""}, {"reason": None, "label": "WRONG"}),
    ("classify_answer", {"label": "`WRONG`"}, {"reason": None, "label": "WRONG"}),
    *(
        ("classify_answer", {"label": word}, {"reason": None, "label": "DONT_KNOW"})
        for word in ("DONT_KNOW", "don’t know", "Don't-know!", "unknown", "not answered", "Refusal")
    ),
]
NO_SCORES = (None, True, -0.1, 100.5, math.nan, math.inf, "8/10", "75%", "1e0", "", [1], 10**400)
NO_LABELS = (None, True, 1, "", "correct or wrong", "not correct", "partly right", ["WRONG"])
NO_OBJECTS: tuple[Any, ...] = ({}, [], "x", 1, None)
NO_QUESTIONS: tuple[Any, ...] = (None, "A?", [1], [["A?"]], [{}], [" ", None])
UNREADABLE: list[tuple[str, Any]] = [
    *(("generate_questions", {"questions": bad}) for bad in NO_QUESTIONS),
    *(("rate_relevance", {"reason": "So.", "score": bad}) for bad in (1.01, *NO_SCORES)),
    *(("grade_accuracy", {**scores(50), "consistency": {"score": bad}}) for bad in NO_SCORES),
    *(("classify_answer", {"label": bad}) for bad in NO_LABELS),
    *((name, bad) for name in list(INPUTS)[2:-1] for bad in NO_OBJECTS),
    ("grade_accuracy", {"correctness": {"score": 1}, "completeness": {"score": 1}, "score": 1}),
    ("grade_accuracy", {**scores(50), "completeness": [50]}),
]


@pytest.mark.parametrize(("name", "said", "normal"), READ)
def test_replies_are_read_into_their_normal_form(name: str, said: Any, normal: Json) -> None:
    read = STEPS[name].read(INPUTS[name], said).reply
    assert (read, repr(read)) == (normal, repr(normal))
    assert STEPS[name].fits(INPUTS[name], read)


@pytest.mark.parametrize(("name", "said"), UNREADABLE)
def test_what_is_no_judgement_can_not_be_read(name: str, said: Any) -> None:
    with pytest.raises(ReplyError):
        STEPS[name].read(INPUTS[name], said)
    assert not STEPS[name].fits(INPUTS[name], said)


@pytest.mark.parametrize("fence", ["{}", "```json\n{}\n```", "I rate it:\n{}\nDone."])
def test_a_score_without_a_reason_is_found_in_fences_and_chatter(fence: str) -> None:
    reply, _ = ask("rate_relevance", fence.replace("{}", '{"score": 0.5}'))
    assert reply == {"reason": None, "score": 0.5}


def test_an_unusable_judgement_is_asked_again_once() -> None:
    bad, good = '{"reason": "a", "score": "8/10"}', '{"reason": "a", "score": 0.5}'
    reply, sent = ask("rate_relevance", bad, good)
    assert reply["score"] == 0.5
    shown = sent[1].pop("previous_reply")
    assert sent == [INPUTS["rate_relevance"]] * 2
    assert shown["text"] == bad
    assert "8/10" in shown["problem"]
    with pytest.raises(
        JudgeError, match=r"rate_relevance: score is not a number.*8/10.*asked twice"
    ):
        ask("rate_relevance", bad, bad, good)


def test_a_cut_reply_about_a_whole_is_an_error_that_says_so() -> None:
    with pytest.raises(JudgeError, match="cut off"):
        ask("grade_accuracy", Reply('{"correctness": {"reason": "', cut=True))


def test_other_types_of_equal_numbers_do_not_fit() -> None:
    assert RATE.fits(INPUTS["rate_relevance"], {"reason": None, "score": 1.0})
    for score in (1, True, "1"):
        assert not RATE.fits(INPUTS["rate_relevance"], {"reason": None, "score": score})
    assert not RATE.fits(INPUTS["rate_relevance"], {"reason": None, "score": 1.0, "more": 1})
    assert not GENERATE.fits({"answer": "A", "n": 1}, {"questions": ["A?", "B?"]})


# -- whatever a judge says -------------------------------------------------------------------------

KEYS = st.sampled_from(
    ["passages", "questions", "score", "label", "reason", "relevant", "id", *scores(0)]
)
SCALARS = st.none() | st.booleans() | st.integers(-1, 5) | st.floats() | st.text(max_size=3)
WORDS = st.sampled_from(["yes", "wrong", "unknown", "75", "1", "", "9" * 4301])
VALUES = st.recursive(
    SCALARS | WORDS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=6),
    max_leaves=14,
)


@settings(max_examples=80, deadline=None)
@given(st.sampled_from(sorted(INPUTS)), VALUES)
def test_any_reply_gives_a_whole_reading_or_a_named_error(name: str, value: Any) -> None:
    step, input = STEPS[name], INPUTS[name]
    for said in (value, dict.fromkeys(step.schema["required"], value)):
        try:
            reading = step.read(input, said)
        except (ReplyError, VoidReply):
            continue
        rest = {"passages": [judged(id, True) for id in reading.missing]}
        if step is CHECK:
            said_of = {"reason": None, "quote": None, "met": "NO"}
            rest = {"checks": [{"id": id, **said_of} for id in reading.missing]}
        whole = step.joined([reading.reply, rest]) if reading.missing else reading.reply
        assert step.answers(input, whole)
