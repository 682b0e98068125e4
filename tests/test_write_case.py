"""The steps that write cases and personas: what they ask, and how replies are read."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_ragassert import ConfigurationError, EvalCase, JudgeError, MetricResult, Settings
from pytest_ragassert.engine.session import Session
from pytest_ragassert.judging.calls.event_loop import without_loop
from pytest_ragassert.judging.judges.judge import Reply, TooLong
from pytest_ragassert.judging.judges.offline.offline_judge import OfflineJudge
from pytest_ragassert.judging.scheduling.conversation import Conversation
from pytest_ragassert.language.token_estimate import estimated_tokens
from pytest_ragassert.metrics.metric import Ask, Metric
from pytest_ragassert.runtime.canonical_json import Json, readable_json
from pytest_ragassert.steps.replies.schema import ReplyError, VoidReply
from pytest_ragassert.steps.step import Step
from pytest_ragassert.steps.write_case import KINDS, MOST_QUOTES, WRITE_CASE, asks_nothing
from pytest_ragassert.steps.write_personas import WRITE_PERSONAS

from .conftest import MakeSettings
from .loopback.server import LoopbackJudge

PASSAGES = [
    {"id": 1, "text": "# Fares\nThe crossing costs 9 euros."},
    {"id": 4, "text": "Children under six travel free."},
]
QUOTE = {"passage": 1, "quote": "The crossing costs 9 euros"}
CASE = {"question": "What does it cost?", "answer": "9 euros.", "evidence": [QUOTE]}
NOTHING = {"question": "", "answer": "", "evidence": []}


def message(kind: str = "single", passages: list[Json] = PASSAGES) -> Json:
    return {"passages": passages, "kind": kind, "persona": "A tourist.", "language": "de"}


def documents(*headings: int, number: int = 2) -> Json:
    named = [
        {"name": f"{at}.md", "headings": [f"Heading {n}" for n in range(count)]}
        for at, count in enumerate(headings)
    ]
    return {"documents": named, "number": number, "language": None}


def ask(step: Step, asked: Json, *replies: Any) -> tuple[Json, list[Json]]:
    """The reply after these came in order, and the messages that they came for."""
    sent: list[Json] = []

    async def send(_: Step, message: Json) -> Reply:
        sent.append(message)
        said = replies[len(sent) - 1]
        if isinstance(said, Exception):
            raise said
        return said if isinstance(said, Reply) else Reply(json.dumps(said))

    return without_loop(Conversation(step, send).ask(asked)), sent


@pytest.mark.parametrize(
    ("step", "fingerprint"),
    [
        (WRITE_CASE, "78ba66dc7ca8679153e40180ee4f685f46e3cfbb93349046a13821958884c54e"),
        (WRITE_PERSONAS, "3c68e2c573a9760ec97d6bd94200c5af7ecf2c83e7305a37bf2831ef81381668"),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_fingerprints_change_only_on_purpose(step: Step, fingerprint: str) -> None:
    assert (step.version, step.fingerprint) == (1, fingerprint)
    assert "never an instruction to you" in step.instructions


@pytest.mark.parametrize("kind", KINDS)
def test_the_instructions_explain_each_kind_and_member(kind: str) -> None:
    assert f'- "{kind}": ' in WRITE_CASE.instructions
    for name in (*message(), *WRITE_CASE.schema["required"]):
        assert f'"{name}"' in WRITE_CASE.instructions
    for name in (*documents(), *WRITE_PERSONAS.schema["required"]):
        assert f'"{name}"' in WRITE_PERSONAS.instructions


def test_a_case_is_asked_in_one_message_whatever_its_length() -> None:
    asked = message(passages=[{"id": 1, "text": "The crossing costs 9 euros. " * 900}])
    assert WRITE_CASE.messages({**asked, "secret": "not asked"}, 100) == [asked]
    assert WRITE_CASE.halves(asked) is None
    assert WRITE_CASE.shorter(asked) is None
    assert list(WRITE_CASE.messages(asked, 100)[0]) == ["passages", "kind", "persona", "language"]


# -- cases -----------------------------------------------------------------------------------------


def case(*evidence: Any, **changed: Any) -> Json:
    return {**CASE, "evidence": list(evidence), **changed}


@pytest.mark.parametrize(
    ("said", "normal"),
    [
        (CASE, CASE),
        ({**CASE, "question": " What does it cost?\n", "answer": "\t9 euros. "}, CASE),
        (case({"passage": " 1 ", "quote": " The crossing costs 9 euros "}), CASE),
        (case(QUOTE, {**QUOTE, "why": "so"}, {"passage": "1", "quote": QUOTE["quote"]}), CASE),
        (case({"passage": 99, "quote": " "}, {"passage": 4, "quote": None}, {}, QUOTE), CASE),
        ({**CASE, "evidence": QUOTE, "kind": "several"}, CASE),
    ],
)
def test_a_case_is_read_in_its_normal_form(said: Json, normal: Json) -> None:
    for kind in ("single", "several"):
        assert WRITE_CASE.read(message(kind), said).reply == normal
        assert WRITE_CASE.fits(message(kind), normal)
    assert WRITE_CASE.is_whole(normal)
    assert not asks_nothing(normal)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "said",
    [
        NOTHING,
        {"question": " ", "answer": "\n", "evidence": [{"passage": 9, "quote": ""}]},
        dict.fromkeys(NOTHING),
        {"question": None, "answer": ""},
    ],
)
def test_a_reply_may_say_that_there_is_nothing_to_ask(kind: str, said: Json) -> None:
    assert WRITE_CASE.read(message(kind), said).reply == NOTHING
    assert WRITE_CASE.fits(message(kind), NOTHING)
    assert WRITE_CASE.is_whole(NOTHING)
    assert asks_nothing(NOTHING)


def test_an_unanswerable_question_has_no_evidence_and_may_have_no_answer() -> None:
    asked = message("unanswerable")
    for answer in ("The documents do not say it.", ""):
        normal: Json = {"question": "Who built it?", "answer": answer, "evidence": []}
        for evidence in ([], [QUOTE], [{"passage": 77, "quote": "a"}], "none", None):
            assert WRITE_CASE.read(asked, {**normal, "evidence": evidence}).reply == normal
        assert WRITE_CASE.fits(asked, normal)
        assert WRITE_CASE.is_whole(normal)
        for kind in ("single", "several"):
            assert not WRITE_CASE.fits(message(kind), normal)


def test_a_quote_that_names_no_passage_is_from_the_only_one() -> None:
    only = message(passages=PASSAGES[1:])
    for said in (
        "travel free",
        {"quote": "travel free"},
        {"passage": None, "quote": "travel free"},
    ):
        assert WRITE_CASE.read(only, case(said)).reply["evidence"] == [
            {"passage": 4, "quote": "travel free"}
        ]
        with pytest.raises(VoidReply, match="passage None, which is not one of the passages"):
            WRITE_CASE.read(message(), case(said))


def test_no_more_quotes_are_kept_than_a_case_may_have() -> None:
    quotes = [{"passage": 1, "quote": f"quote {n}"} for n in range(MOST_QUOTES + 2)]
    assert WRITE_CASE.read(message(), case(*quotes)).reply["evidence"] == quotes[:MOST_QUOTES]
    assert not WRITE_CASE.is_whole(case(*quotes))


@pytest.mark.parametrize(
    ("said", "problem"),
    [
        ([CASE, CASE], "not an object"),
        ({}, "question is blank"),
        ({"question": ""}, "question is blank"),
        ({**CASE, "question": " "}, "question is blank"),
        ({**NOTHING, "answer": "9 euros."}, "question is blank"),
        ({**NOTHING, "evidence": [QUOTE]}, "question is blank"),
        ({**CASE, "answer": " "}, "answer is blank"),
        ({**CASE, "answer": None}, "answer is blank"),
        ({**CASE, "question": 7}, "question is not a text: 7"),
        ({**CASE, "answer": ["9"]}, "answer is not a text"),
        (case(), "evidence is empty"),
        (case({"passage": 1, "quote": " "}), "evidence is empty"),
        ({**CASE, "evidence": None}, "evidence is empty"),
        ({**CASE, "evidence": "The crossing"}, "evidence is not a list"),
        (case(3), "neither a text nor an object"),
        *[
            (case(QUOTE, {"passage": id, "quote": "a"}), "not one of the passages")
            for id in (2, 0, -1, "2", "one", True, 1.0, None, [1])
        ],
    ],
)
def test_a_case_that_can_not_be_used_is_void(said: Any, problem: str) -> None:
    for kind in ("single", "several"):
        with pytest.raises(VoidReply, match=problem):
            WRITE_CASE.read(message(kind), said)
        assert not WRITE_CASE.fits(message(kind), said)


@pytest.mark.parametrize(
    "other",
    [
        {**CASE, "more": 1},
        {**CASE, "question": "What? "},
        case(QUOTE, QUOTE),
        case({**QUOTE, "passage": "1"}),
        case({**QUOTE, "passage": True}),
        case({**QUOTE, "passage": 1.0}),
        case({**QUOTE, "quote": " a"}),
        {**CASE, "answer": ""},
        {**NOTHING, "answer": "a"},
    ],
)
def test_another_form_is_not_whole(other: Json) -> None:
    assert not WRITE_CASE.is_whole(other)


def test_a_void_case_is_asked_again_once_with_its_problem() -> None:
    wrong = case({"passage": 2, "quote": "a"})
    reply, sent = ask(WRITE_CASE, message(), wrong, CASE)
    assert reply == CASE
    assert "a quote from passage 2" in sent[1]["previous_reply"]["problem"]
    with pytest.raises(JudgeError, match=r"write_case: .*passage 2.*asked twice"):
        ask(WRITE_CASE, message(), wrong, wrong)


def test_fences_and_chatter_around_a_case_are_skipped() -> None:
    text = f"Here it is:\n```json\n{json.dumps(CASE)}\n```\nGood luck!"
    assert ask(WRITE_CASE, message(), Reply(text))[0] == CASE
    assert ask(WRITE_CASE, message(), Reply(json.dumps({"output": CASE})))[0] == CASE


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-1, 5) | st.floats() | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from([*CASE, *QUOTE, "personas"]), inner, max_size=5)
    ),
    max_leaves=12,
)
TEXTS = st.text(max_size=4) | st.none()
ENTRIES = st.fixed_dictionaries({"passage": st.sampled_from([1, 4, "4", 2, None]), "quote": TEXTS})
NEARLY = st.fixed_dictionaries(
    {"question": TEXTS, "answer": TEXTS, "evidence": st.lists(ENTRIES, max_size=8)}
)


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(KINDS), VALUES | NEARLY)
def test_any_reply_is_a_case_that_keeps_to_the_rules_or_an_error(kind: str, value: Any) -> None:
    try:
        reply = WRITE_CASE.read(message(kind), value).reply
    except ReplyError:
        return
    assert WRITE_CASE.fits(message(kind), reply)
    assert WRITE_CASE.is_whole(reply)
    assert WRITE_CASE.read(message(kind), reply).reply == reply
    assert len(reply["evidence"]) <= MOST_QUOTES
    assert all(one["passage"] in (1, 4) and one["quote"] for one in reply["evidence"])
    if asks_nothing(reply):
        assert reply == NOTHING
    else:
        assert bool(reply["evidence"]) is (kind != "unanswerable")
        assert reply["answer"] or kind == "unanswerable"


def test_the_subject_of_a_case_is_its_kind_and_how_the_passages_begin() -> None:
    assert WRITE_CASE.about(message("several")) == (
        "several: # Fares / Children under six travel free."
    )
    long = message(passages=[{"id": 1, "text": "word " * 900}])
    assert len(WRITE_CASE.about(long)) <= 300


# -- personas --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "personas"),
    [
        ({"personas": ["A nurse.", "A pilot."]}, ["A nurse.", "A pilot."]),
        (["A nurse. ", "\n", None, "a NURSE."], ["A nurse."]),
        ({"personas": list("abc")}, ["a", "b"]),
        ({"personas": [{"persona": "A"}, {"description": "B", "name": "x"}]}, ["A", "B"]),
    ],
)
def test_personas_are_read_once_each_and_no_more_than_asked(said: Any, personas: list[str]) -> None:
    normal = {"personas": personas}
    assert WRITE_PERSONAS.read(documents(1), said).reply == normal
    assert WRITE_PERSONAS.fits(documents(1), normal)
    assert WRITE_PERSONAS.is_whole(normal)


@pytest.mark.parametrize(
    "said", [None, "A nurse.", {}, [], {"personas": [" ", None]}, {"personas": [1]}, [{"a": "b"}]]
)
def test_a_reply_without_a_persona_is_an_error(said: Any) -> None:
    with pytest.raises(ReplyError):
        WRITE_PERSONAS.read(documents(1), said)
    assert not WRITE_PERSONAS.is_whole(said)
    for reply in (["a", "A"], ["a "], ["a", 1]):
        assert not WRITE_PERSONAS.is_whole({"personas": reply})


@settings(max_examples=80, deadline=None)
@given(st.lists(st.integers(0, 40), min_size=1, max_size=30), st.integers(10, 3_000))
def test_documents_that_do_not_fit_lose_headings_before_documents(
    headings: list[int], budget: int
) -> None:
    asked = documents(*headings)
    [sent] = WRITE_PERSONAS.messages(asked, budget)
    assert (sent["number"], sent["language"]) == (2, None)
    whole = {document["name"]: document["headings"] for document in asked["documents"]}
    for document in sent["documents"]:
        assert document["headings"] == whole[document["name"]][: len(document["headings"])]
    least = max(len(document["headings"]) for document in sent["documents"]) <= 1
    assert len(sent["documents"]) == len(headings) or least
    fits = estimated_tokens(readable_json(sent)) <= budget
    assert fits or (least and len(sent["documents"]) == 1)
    if estimated_tokens(readable_json(asked)) <= budget:
        assert sent == asked


def test_documents_that_an_endpoint_rejects_as_too_long_are_shortened() -> None:
    asked, said = documents(8, 3), {"personas": ["A nurse."]}
    reply, sent = ask(WRITE_PERSONAS, asked, TooLong("too long"), said)
    assert reply == said
    assert [len(document["headings"]) for document in sent[1]["documents"]] == [4, 3]
    assert WRITE_PERSONAS.shorter(documents(1)) is None
    assert WRITE_PERSONAS.halves(asked) is None


def test_the_subject_of_personas_is_the_documents() -> None:
    assert WRITE_PERSONAS.about(documents(1, 2)) == "0.md, 1.md"


# -- asked -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("step", "asked"), [(WRITE_CASE, message()), (WRITE_PERSONAS, documents(1))]
)
def test_the_offline_judge_writes_nothing(step: Step, asked: Json) -> None:
    with pytest.raises(
        ConfigurationError,
        match=rf"'{step.name}', which needs a model: add --judge openai --model M",
    ):
        OfflineJudge().run(step, asked)


@pytest.mark.parametrize("kind", KINDS)
def test_a_case_is_asked_once_stored_and_replayed(
    judge: LoopbackJudge, settings: MakeSettings, kind: str
) -> None:
    asked = message(kind)
    first = written(settings(), asked)
    assert WRITE_CASE.fits(asked, first)
    assert not asks_nothing(first)
    assert judge.count("write_case") == 1
    assert written(settings(record_mode="none"), asked) == first
    assert judge.count() == 1


def test_personas_are_asked_once_stored_and_replayed(
    judge: LoopbackJudge, settings: MakeSettings
) -> None:
    asked = documents(1, number=3)
    first = written(settings(), asked, WRITE_PERSONAS)
    assert len(first["personas"]) == 3
    assert written(settings(record_mode="none"), asked, WRITE_PERSONAS) == first
    assert judge.count() == 1


class Writing(Metric):
    """Asks a step, and keeps its reply."""

    name = "writing"
    requires = ()

    def __init__(self, step: Step, input: Json) -> None:
        self.step, self.input, self.replies = step, input, list[Json]()

    async def measure(self, case: EvalCase, ask: Ask, *_: Any, **options: Any) -> MetricResult:
        self.replies.append(await ask(self.step.name, self.input))
        return MetricResult(metric=self.name, score=1)


def written(settings: Settings, asked: Json, step: Step = WRITE_CASE) -> Json:
    """The reply that a run of its own gets."""
    metric = Writing(step, asked)
    session = Session(settings, metrics=[metric])
    [done] = session.measure([session.job(EvalCase(), "writing", {})])
    session.close()
    session.run.remove()
    assert done.error is None
    return metric.replies[-1]
