"""Finding the one JSON answer in a judge's reply."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_ragassert.steps import STEPS
from pytest_ragassert.steps.reply_json import reply_value
from pytest_ragassert.steps.step import ReplyError, VoidReply

ANSWER = {"claims": [{"sentence": 1, "text": "A {brace} and ```fence"}]}
TEXT = json.dumps(ANSWER)
OTHER = '{"claims": []}'


@pytest.mark.parametrize(
    "reply",
    [
        TEXT,
        f"\n  {TEXT}\n",
        json.dumps(ANSWER, indent=4),
        f"```json\n{OTHER}\n```".replace(OTHER, TEXT),
        f"```\n{TEXT}\n```\n",
        f"Certainly. My answer:\n\n```JSON\n{TEXT}\n```\n\nShall I go on? {{yes/no}}",
        f"As you asked {{sentence by sentence}}: {TEXT} Done.",
        f"{TEXT}\n{TEXT}",
        f"First a look at {{}}.\n{TEXT}\nThen {{'no': 'json'}}.",
        f'{{"note": "unrelated"}} {TEXT}',
    ],
)
def test_the_answer_is_found_in_fences_and_chatter(reply: str) -> None:
    # a fence inside a text ends a fenced block early; the answer itself is still found
    assert reply_value(reply, "claims") == ANSWER


@pytest.mark.parametrize(
    "reply",
    [
        f"{TEXT} or rather {OTHER}",
        f"```json\n{OTHER}\n```\nNo, this:\n```json\n" + '{"claims": ["A"]}' + "\n```",
    ],
)
def test_two_different_answers_are_none(reply: str) -> None:
    with pytest.raises(ReplyError, match="2 different"):
        reply_value(reply, "claims")


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "I can't do that.",
        'My verdicts: {"verdicts": []}',
        '{"result": 1} and more',
        "{" * 500,
        "{claims: [A]}",
    ],
)
def test_no_answer_is_an_error_that_shows_the_reply(reply: str) -> None:
    with pytest.raises(ReplyError, match="no JSON with 'claims'"):
        reply_value(reply, "claims")


CUT = TEXT[: len(TEXT) // 2]


@pytest.mark.parametrize(
    "reply",
    [
        TEXT[:-1],
        CUT,
        '```json\n{"claims": [\n```',
        f"{TEXT}\nOn second thought:\n{CUT}",
        f"```json\n{OTHER}\n```\nBetter:\n```json\n{CUT}",
        f"{OTHER} {{yes/no}} " + '{ "claims" : [1, ',
    ],
)
def test_an_answer_that_does_not_end_is_an_error_also_after_a_whole_one(reply: str) -> None:
    with pytest.raises(ReplyError, match="not whole"):
        reply_value(reply, "claims")


def test_the_error_shows_only_the_beginning_of_a_long_reply() -> None:
    with pytest.raises(ReplyError) as caught:
        reply_value("word " * 10_000, "claims")
    assert len(str(caught.value)) < 250


@pytest.mark.parametrize("depth", [100, 900, 950, 970, 980, 990, 1000, 20_000])
@pytest.mark.parametrize(
    "form",
    [
        '{"claims": DEEP}',
        '{"claims": [DEEP]}',
        '{"claims": [{"sentence": DEEP, "text": "A"}]}',
        '{"claims": [{"sentence": 1, "text": DEEP}]}',
        'twice {"claims": [DEEP]} and {"claims": [DEEP]}',
    ],
)
def test_deep_nesting_is_an_unreadable_reply(form: str, depth: int) -> None:
    step = STEPS["extract_claims"]
    message = {"question": None, "sentences": [{"id": 1, "text": "A."}]}
    with pytest.raises((ReplyError, VoidReply)):
        step.read(message, reply_value(form.replace("DEEP", "[" * depth + "]" * depth), "claims"))


def test_a_number_too_long_to_read_is_an_unreadable_reply() -> None:
    with pytest.raises(ReplyError):
        reply_value('{"claims": ' + "1" * 5000 + "}", "claims")


CHATTER = st.text('{}[]"`:,\n abc\\', max_size=30)
JSON = st.sampled_from([TEXT, OTHER, '{"a": {"claims": 1}}', "[1]", "null", "NaN"])


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=40) | st.builds("".join, st.lists(CHATTER | JSON, max_size=5)))
def test_any_text_gives_a_value_or_a_named_error(text: str) -> None:
    try:
        value: Any = reply_value(text, "claims")
    except ReplyError:
        return
    # found in chatter it must be the object asked for; a bare reply is read as it is
    assert value == reply_value(text, "claims") or value != value
