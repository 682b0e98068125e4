"""Questions that belong to a conversation: the turns before them, from the case to the judge."""

from __future__ import annotations

import json
from collections import deque
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_ragassert import EvalCase, evaluate, load_cases
from pytest_ragassert.engine.prefetch_plan import equal_cases
from pytest_ragassert.judging.calls.event_loop import without_loop
from pytest_ragassert.language.token_estimate import estimated_tokens
from pytest_ragassert.metrics.answer_quality import AnswerRelevancy
from pytest_ragassert.runtime.canonical_json import Json
from pytest_ragassert.steps.catalogue import STEPS
from tests.asks import ScriptedAsk
from tests.commands.stored import question

from .conftest import MakeSettings
from .loopback.server import LoopbackJudge
from .measured import case as measured_case
from .measured import result, row, table
from .replies import case, in_new_run

TURNS = [
    {"role": "user", "content": "What does a ticket cost?"},
    {"role": "assistant", "content": "12 pounds."},
]
OTHER = [{"role": "user", "content": "When does it sail?"}]
TEXTS = {"reference": "5 pounds.", "answer": "5 pounds.", "text": "5 pounds.", "n": 3}
WITHOUT_QUESTION = ("verify_claims", "generate_questions", "write_case", "write_personas")
WITH_QUESTION = [name for name in STEPS if name not in WITHOUT_QUESTION]
CHATS = st.lists(
    st.builds(
        lambda role, content: {"role": role, "content": content},
        st.sampled_from(["user", "assistant"]),
        st.text(max_size=8),
    ),
    max_size=3,
)


def input_of(history: list[dict[str, str]] | None) -> Json:
    passages = [{"id": 1, "text": "Children pay 5 pounds."}]
    more = {} if history is None else {"history": history}
    criteria = [{"id": 1, "text": "mentions pounds"}]
    asked = {"question": "And for children?", "passages": passages, "criteria": criteria}
    return {**TEXTS, **more, **asked}


# -- the field -------------------------------------------------------------------------------------


def test_turns_are_kept_as_they_are() -> None:
    shuffled = [dict(reversed(turn.items())) for turn in TURNS]
    assert json.dumps(EvalCase(history=tuple(shuffled)).history) == json.dumps(TURNS)
    assert EvalCase(history=[{"role": "assistant", "content": ""}]).history[0]["content"] == ""


@pytest.mark.parametrize("none", [None, [], ()])
def test_no_turns_are_none(none: Any) -> None:
    case = EvalCase(question="Q?", history=none)
    assert case == EvalCase(question="Q?")
    case.history = TURNS
    assert case != EvalCase(question="Q?")
    case.history = none
    assert case == EvalCase(question="Q?")


@pytest.mark.parametrize(
    ("history", "words"),
    [
        ("Hello", "field history is 'Hello'; it takes a list of turns"),
        (deque(), "field history is deque([]); it takes a list of turns"),
        ({"role": "user"}, "field history is {'role': 'user'}; it takes a list of turns"),
        (["Hello"], 'turn 1 is \'Hello\'; it takes {"role": …, "content": …}'),
        ([*TURNS, None], "turn 3 is None; it takes"),
        ([*TURNS, {"role": "user"}], "turn 3 lacks the key 'content', which takes a text"),
        ([{"role": "human", "content": "?"}], "turn 1: role is 'human'; it takes 'user' or"),
        ([{"role": ["user"], "content": "?"}], "turn 1: role is ['user']; it takes 'user' or"),
        ([{"role": "user", "content": None}], "turn 1: content is None; it takes a text"),
        ([{"role": "user", "content": b"?"}], "turn 1: content is b'?'; it takes a text"),
        (
            [{**TURNS[0], "name": "Ada"}],
            "turn 1 has the key 'name'; known are role, content",
        ),
        ([{}, {}], "content', which takes a text; turn 2 lacks the key 'role'"),
    ],
)
def test_a_wrong_turn_is_named_with_its_key_and_what_it_takes(history: Any, words: str) -> None:
    with pytest.raises(ValueError, match=r"^case 'c7': field history") as raised:
        EvalCase(id="c7", history=history)
    assert words in str(raised.value)
    with pytest.raises(ValueError, match=r"^case 'c7': field history"):
        EvalCase(id="c7").history = history


def test_case_files_have_it(tmp_path: Path) -> None:
    record = {"question": "And for children?", "history": TURNS}
    (tmp_path / "chats.json").write_text(json.dumps([record, {**record, "history": None}]))
    first, second = load_cases(tmp_path / "chats.json")
    assert (first.history, second.history) == (TURNS, [])
    bad = {**record, "history": [{"role": "bot", "content": "Hi"}]}
    (tmp_path / "bad.jsonl").write_text(json.dumps(bad))
    with pytest.raises(ValueError, match=r"bad\.jsonl, line 1: .*history: turn 1: role is 'bot'"):
        load_cases(tmp_path / "bad.jsonl")


# -- messages and keys -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", WITH_QUESTION)
def test_a_message_has_the_turns_right_before_the_question(name: str) -> None:
    [message] = STEPS[name].messages(input_of(TURNS), 12_000)
    assert list(message)[:2] == ["history", "question"]
    assert message["history"] == TURNS
    plain = {key: value for key, value in message.items() if key != "history"}
    assert [plain] == STEPS[name].messages(input_of(None), 12_000)
    assert [plain] == STEPS[name].messages(input_of([]), 12_000)


def test_a_message_without_a_question_has_none() -> None:
    [message] = STEPS["generate_questions"].messages(input_of(TURNS), 12_000)
    assert "history" not in message


@pytest.mark.parametrize("name", ["judge_passages", "extract_claims"])
def test_what_the_turns_take_is_not_packed_too(name: str) -> None:
    turns = [{"role": "user", "content": "word " * 100}]
    input = {
        **input_of(turns),
        "passages": [{"id": n, "text": "A tram stops here. " * 10} for n in range(20)],
        "text": "A tram stops here. " * 200,
    }
    items = "passages" if name == "judge_passages" else "sentences"
    messages = STEPS[name].messages(input, 400)
    assert len(messages) > 1
    for message in messages:
        assert message["history"] == turns
        said = sum(estimated_tokens(item["text"]) for item in message[items])
        assert said + estimated_tokens(turns[0]["content"]) <= 400


def test_the_claims_of_a_sentence_depend_on_the_turns() -> None:
    def kept(history: Any) -> list[Json]:
        return STEPS["extract_claims"].judgement_inputs({**input_of(history), "text": "5. Yes."})

    assert [one["history"] for one in kept(TURNS)] == [TURNS] * len(kept(TURNS))
    assert kept([]) == kept(None)
    assert all("history" not in one for one in kept(None))


def test_a_test_whose_case_has_other_turns_uses_nothing_that_was_prefetched() -> None:
    assert equal_cases(case(history=TURNS), case(history=TURNS))
    assert not equal_cases(case(history=TURNS), case(history=OTHER))


@given(CHATS, CHATS)
def test_another_history_is_another_question(one: Any, other: Any) -> None:
    """As the metrics ask it: no turns are no key of the input."""

    def key(history: Any) -> str:
        asked = {"question": "Q?", "answer": "A", **({"history": history} if history else {})}
        return replace(question("rate_relevance"), input=asked).key

    assert (key(one) == key(other)) == (one == other)


METRICS = [
    "faithfulness",
    "factual_f1",
    "context_relevance",
    "context_recall",
    "context_precision",
    "answer_relevancy",
    "factual_accuracy",
    "answer_class",
    "evidence",
    "criteria",
]


def test_each_step_that_sees_the_question_is_sent_the_turns(
    judge: LoopbackJudge, settings: MakeSettings
) -> None:
    chat = case(history=TURNS, criteria=["mentions pounds"])
    evaluate(chat, METRICS, settings=settings())
    sent = {name: [r.data for r in judge.requests if r.step == name] for name in STEPS}
    assert sent["verify_claims"]
    assert all("history" not in data for data in sent["verify_claims"])
    for name in WITH_QUESTION:
        assert sent[name], name
        assert all(list(data)[:2] == ["history", "question"] for data in sent[name])
        assert all(data["history"] == TURNS for data in sent[name])
    judge.reset()
    again = in_new_run(chat, METRICS, settings())
    assert judge.count() == 0
    assert all(one.stored for one in again.values())
    # what has no question stays as it was
    in_new_run(case(history=OTHER, criteria=["mentions pounds"]), METRICS, settings())
    assert {r.step for r in judge.requests} == set(WITH_QUESTION)


def test_generated_questions_are_compared_with_the_question_alone() -> None:
    vectors = {"And for children?": [1.0, 0.0], "Q?": [1.0, 0.0]}
    ask = ScriptedAsk({"generate_questions": {"questions": ["Q?"]}}, vectors=vectors)
    chat = EvalCase(question="And for children?", answer="5 pounds.", history=TURNS)
    assert without_loop(AnswerRelevancy().measure(chat, ask)).score == 1
    assert ask.inputs == [{"answer": "5 pounds.", "n": 3}]


# -- reports ---------------------------------------------------------------------------------------


def chat_row(history: Any, **fields: Any) -> Any:
    fields = {"id": None, "question": "And for children?", **fields}
    return row(result("faithfulness", 0.0), measured_case(history=history, **fields))


def test_a_failure_names_what_the_question_follows() -> None:
    assert table(chat_row(TURNS), width=90)[0] == (
        'case  And for children?  (after "What does a ticket cost?")'
    )
    assert table(chat_row(TURNS), width=40)[0] == 'case  And for children?  (after "What d…'
    assert table(chat_row([]))[0] == "case  And for children?"
    assert table(chat_row(TURNS[1:]))[0] == "case  And for children?"
    hostile = [{"role": "user", "content": "\x1b[2J" + "x" * 500}]
    assert r'(after "\x1b[2Jxxx' in table(chat_row(hostile), width=60)[0]
    assert len(chat_row(hostile)["previous_turn"]) == 100


def test_cases_without_id_differ_by_what_was_said_before() -> None:
    rows = [chat_row(TURNS), chat_row(TURNS), chat_row(OTHER), chat_row([])]
    titles = [line for line in table(*rows) if line.startswith("case")]
    assert titles == [
        'case  And for children?  (after "What does a ticket cost?")',
        'case  And for children?  (after "When does it sail?")',
        "case  And for children?",
    ]
    digests = [one["inputs"]["question"] for one in rows]
    assert digests[0] == digests[1]
    assert len(set(digests)) == 3
    assert chat_row(TURNS[1:])["inputs"]["question"] not in digests
