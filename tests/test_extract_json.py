"""Finding the one JSON answer in a judge's reply."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pytest_ragassert.steps.catalogue import STEPS
from pytest_ragassert.steps.replies.extract_json import reply_value
from pytest_ragassert.steps.replies.repair_json import repaired
from pytest_ragassert.steps.replies.schema import ReplyError, VoidReply
from pytest_ragassert.steps.replies.strict_json import NoJson, decoded, same

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


@pytest.mark.parametrize(
    "reply",
    [
        f"{TEXT} I keep to {{'claims': [...]}}.",
        "```json\n{'claims': [...]}\n```" + f"```json\n{TEXT}\n```",
        '{"text": "see {"claims": []} there", "claims": [1 2}}',
    ],
)
def test_an_answer_beside_one_that_can_not_be_read_is_none(reply: str) -> None:
    with pytest.raises(ReplyError, match="no JSON with 'claims'"):
        reply_value(reply, "claims")


def test_a_placeholder_in_the_chatter_before_a_fence_is_no_answer() -> None:
    reply = f'I fill in {{"claims": [{{...}}]}}:\n```json\n{TEXT}\n```'
    assert reply_value(reply, "claims") == ANSWER


def test_doubled_braces_of_a_template_are_passed_over() -> None:
    assert reply_value(f"{{{TEXT}}}", "claims") == ANSWER


@pytest.mark.parametrize("name", ["statements", "facts"])
def test_claims_may_stand_under_a_name_that_means_the_same(name: str) -> None:
    assert reply_value(f'```{{"{name}": ["A"]}}```', "claims")["claims"] == ["A"]
    with pytest.raises(ReplyError):
        STEPS["extract_claims"].read(SENTENCE, reply_value(f'{{"{name}": null}}', "claims"))


@pytest.mark.parametrize(
    "reply",
    [
        '{"sentences": [{"id": 1, "text": "A."}]}',
        '{"thoughts": {"claims": ["A"]}}',
        '{"response": {"claims": ["A"]}, "result": {"claims": ["B"]}}',
        '{"statements": ["A"], "facts": ["B"]}',
        '{"claims": ["A"], "claims": ["B"]}',
        '{"response": ["A"]}',
    ],
)
def test_an_echo_and_what_may_be_either_of_two_are_no_claims(reply: str) -> None:
    with pytest.raises(ReplyError):
        STEPS["extract_claims"].read(SENTENCE, reply_value(reply, "claims"))


# -- reasoning -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "reply",
    [
        f"<think>{TEXT}",
        f"<think>A <think>B</think> {TEXT}",
        f"<THINK>A</THINK><reasoning>{TEXT}",
        f"{TEXT}\n<think>Or rather",
        f"[THINK]{TEXT}",
        f"<|channel|>analysis<|message|>{TEXT}",
    ],
)
def test_reasoning_that_does_not_end_holds_no_answer(reply: str) -> None:
    with pytest.raises(ReplyError, match="reasoning does not end"):
        reply_value(reply, "claims")


@pytest.mark.parametrize("reply", [f"{TEXT}</think>", f"{OTHER}</think>\nI am done: {{}}"])
def test_what_stands_before_a_closing_tag_is_no_answer(reply: str) -> None:
    with pytest.raises(ReplyError, match="no JSON with"):
        reply_value(reply, "claims")


@pytest.mark.parametrize("form", ["{}", "```json\n{}\n```", "So: {} Done.", "<think>a</think>{}"])
def test_tags_inside_texts_are_texts(form: str) -> None:
    said = ["<think> opens, </think> closes", "```json", "</think>{'claims': []}"]
    reply = form.replace("{}", json.dumps({"claims": said}))
    assert reply_value(reply, "claims") == {"claims": said}
    reply = form.replace("{}", "{'claims': ['<think> opens, </think> closes',]}")
    assert reply_value(reply, "claims") == {"claims": said[:1]}


# -- almost-JSON -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("""{'a': "the crew's boat", 'b': 'the crew\\'s boat',}""", ["the crew's boat"] * 2),
        ('{a: True, "b": None} // so', [True, None]),
        ('{"a": "says "every day" twice", "b": 1,}', ['says "every day" twice', 1]),
        ('{"a": "one",\n "b": "two"  /* as asked */ }', ["one", "two"]),
        ('{"a": "one"\n "b": 2.50}', ["one", 2.5]),
        ('{"a": [{"x": 1} {"x": 2}] "b": -1e2}', [[{"x": 1}, {"x": 2}], -100.0]),
        ("{“a”: “it is ‘so’ said”, “b”: “no”}", ["it is ‘so’ said", "no"]),
        ('{"a": "http://a.b #1", "b": SUPPORTED,}', ["http://a.b #1", "SUPPORTED"]),
        ("{'a': '\\ud83d\\ude00 \\n \\xe9', 'b': '\\ud83d \\u0000'}", ["😀 \n é", "\ud83d \0"]),
        ("{'a': '\ud83d \0', 'b': '',}", ["\ud83d \0", ""]),
        ('{"a": "C:\\path \\q", "b": [],}', ["C:\\path \\q", []]),
    ],
)
def test_almost_json_is_read_to_the_letter(text: str, value: list[Any]) -> None:
    assert list(repaired(text.removesuffix(" // so")).values()) == value


@pytest.mark.parametrize(
    "text",
    [
        "{'a': ['The crew's boat', 'B']}",
        "{'a': 'The crew's boat, 'b': 'B'}",
        '{"a": ["The "A", "B" and "C" lines"],}',
        '{"a": ["A" "B"],}',
        '{"a": ["A" ; "B"],}',
        '{"a": ["A" and "B"],}',
        '{"a": [ // one "A",\n "B"]}',
        '{"a": 1 /* , "b": 2 */}',
        "{“a”: [“A, “B”]}",
        '{"a": ["A",, "B"]}',
        '{"a": [, "B"]}',
        '{"a": ["A", ...]}',
        '{"a": "A" + "B"}',
        '{"a": 85%}',
        '{"a": 8/10}',
        '{"a": 0,85}',
        '{"a": .85}',
        '{"a": 1_000}',
        '{"a": +1,}',
        '{"a": NaN,}',
        '{"a": undefined}',
        '{"a": }',
        '{"a"}',
        '{"a": 1, "a": 2,}',
        '{"a": "the "b": 1 is", "c": 0,}',
        '{"a": [1, 2}',
        '{"a": 1',
        '{"a": "b',
        '{"a": 1,} {"b": 2}',
        "{'a': 1} or so",
        "{'a': 1}}",
        '{"a": (1, 2)}',
        "{'a': 5'10\", 'b': 1}",
        "[" * 30 + "'a'" + "]" * 30,
        "",
        "a",
    ],
)
def test_what_would_have_to_be_guessed_is_not_repaired(text: str) -> None:
    with pytest.raises(NoJson):
        repaired(text)


@pytest.mark.parametrize(
    "invented",
    [
        {"a": ["one", "two", "three"]},
        {"a": ["one"]},
        {"a": ["one", "two "]},
        {"a": ["one", ["two"]]},
        {"a": "one, two"},
        {"A": ["one", "two"]},
        {"a": ["one", "two"], "b": ""},
        ["one", "two"],
        None,
        "",
    ],
    ids=repr,
)
def test_whatever_the_library_makes_of_it_must_stand_there(
    monkeypatch: pytest.MonkeyPatch, invented: Any
) -> None:
    """Of any version: what it says is held against the text."""
    given: list[Any] = [{"a": ["one", "two"]}, invented, {"a": "None"}]
    monkeypatch.setattr("json_repair.repair_json", lambda text, **options: given.pop(0))
    text = "{'a': ['one', 'two',]}"
    assert repaired(text) == {"a": ["one", "two"]}
    for wrong in (text, "{'a': None}"):
        with pytest.raises(NoJson):
            repaired(wrong)


@pytest.mark.parametrize("error", [ValueError, IndexError, RecursionError, TypeError])
def test_an_error_of_the_library_is_an_unreadable_reply(
    monkeypatch: pytest.MonkeyPatch, error: type[Exception]
) -> None:
    def fail(text: str, **options: Any) -> None:
        raise error

    monkeypatch.setattr("json_repair.repair_json", fail)
    with pytest.raises(ReplyError):
        reply_value("{'claims': []}", "claims")


LONG = 400_000


@pytest.mark.parametrize(
    "unit",
    [
        *(
            "{",
            "[",
            "<think>",
            "</think>",
            '{"a',
            '{"a":',
            '["a",',
            '{"claims": [',
            "{'claims': ['",
        ),
        *(
            "{'claims': ['a']}\n",
            '{"claims": 1}',
            "{}",
            "it's 'so' ",
            "/*",
            "# ",
            "\\",
            "```",
            "< ",
        ),
    ],
)
def test_a_reply_without_end_comes_to_one(unit: str) -> None:
    """Long ones are looked through once, not once for each of them."""
    many = unit * (LONG // len(unit))
    for text in (many, f"{{'claims': ['{many}'", f"{{'claims': [\"{many}\",]}}"):
        with suppress(ReplyError):
            reply_value(text, "claims")


SENTENCE: dict[str, Any] = {"question": None, "sentences": [{"id": 1, "text": "A."}]}
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
    with pytest.raises(ReplyError, match="incomplete"):
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


def test_nesting_that_would_overflow_what_reads_it_is_no_json() -> None:
    """Decoding takes less of the stack than printing or comparing what was decoded."""
    assert decoded("[" * 30 + "]" * 30)
    for depth in (100, 500, 900):
        with pytest.raises(NoJson):
            decoded("[" * depth + "]" * depth)


def test_a_number_too_long_to_read_is_an_unreadable_reply() -> None:
    with pytest.raises(ReplyError):
        reply_value('{"claims": ' + "1" * 5000 + "}", "claims")


CHATTER = st.text('{}[]"`:,\n abc\\', max_size=30)
JSON = st.sampled_from([TEXT, OTHER, '{"a": {"claims": 1}}', "[1]", "null", "NaN"])


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=40) | st.builds("".join, st.lists(CHATTER | JSON, max_size=5)))
@example('"\x1f"')
@example("0\x1f")
@example("\ufeff 0")
def test_any_text_gives_a_value_or_a_named_error(text: str) -> None:
    try:
        value: Any = reply_value(text, "claims")
    except ReplyError:
        return
    # found in chatter it must be the object asked for; a bare reply is read as it is, with control
    # characters in its texts, without white space and a byte order mark around it
    bare = text.strip().removeprefix("\ufeff").strip()
    try:
        assert same(value, json.loads(bare, strict=False))
    except ValueError:
        assert isinstance(value, list) or "claims" in value
