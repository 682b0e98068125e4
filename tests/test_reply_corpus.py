"""Whatever happens to a reply on its way: the same is read, or an error; never something else."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_ragassert.steps.replies.schema import ReplyError
from pytest_ragassert.steps.step import Reading

from .reply_corpus import AROUND, CORPUS, DRAFT, NEAR, Asked, around, edits

IDS = [f"{asked.step.name}-{n}" for n, asked in enumerate(CORPUS)]
every_reply = pytest.mark.parametrize("asked", CORPUS, ids=IDS)
replies = st.sampled_from(CORPUS)
near = st.sampled_from(sorted(NEAR))
forms = st.sampled_from(sorted(AROUND))


def reading_of(asked: Asked, text: str) -> Reading | None:
    """None where it is an error; any other exception is one of the test."""
    try:
        return asked.read(text)
    except ReplyError:
        return None


@every_reply
def test_each_reply_is_read_whole(asked: Asked) -> None:
    reading = asked.read()
    assert reading.missing == ()
    assert asked.step.answers(asked.message, reading.reply)


@pytest.mark.parametrize("form", AROUND)
def test_what_stands_around_an_answer_changes_nothing(form: str) -> None:
    for asked in CORPUS:
        assert asked.read(around(form, asked.text)) == asked.read(), asked.text


@pytest.mark.parametrize("form", NEAR)
def test_almost_json_says_the_same(form: str) -> None:
    read = 0
    for asked in CORPUS:
        text = NEAR[form](asked.value)
        reading = reading_of(asked, text)
        # a text with marks of its own may be more than the library can tell; then it is an error
        assert reading == asked.read() or (reading is None and re.search("[„“”']", text)), text
        read += reading is not None
    assert read >= len(CORPUS) - 2


@pytest.mark.parametrize("form", ["bare", *NEAR])
def test_what_is_cut_off_is_never_completed(form: str) -> None:
    for asked in CORPUS:
        text = NEAR[form](asked.value) if form in NEAR else asked.text
        whole = text.rfind("]" if text.startswith("[") else "}")
        for end in range(whole):
            assert reading_of(asked, text[:end]) is None, text[:end]


@settings(max_examples=100, deadline=None)
@given(replies, forms, near | st.none(), st.data())
def test_a_cut_in_what_stands_around_leaves_the_answer_or_an_error(
    asked: Asked, form: str, writing: str | None, data: st.DataObject
) -> None:
    if form == "no opening tag":
        return  # cut off before its end, such reasoning is a reply like any other
    text = around(form, NEAR[writing](asked.value) if writing else asked.text)
    end = data.draw(st.integers(0, len(text)))
    assert reading_of(asked, text[:end]) in (None, asked.read())


@settings(max_examples=100, deadline=None)
@given(replies, near, forms | st.none(), forms | st.none())
def test_forms_one_within_another_say_the_same_or_nothing(
    asked: Asked, writing: str, inner: str | None, outer: str | None
) -> None:
    text = NEAR[writing](asked.value)
    for form in (inner, outer):
        text = around(form, text) if form else text
    assert reading_of(asked, text) in (None, asked.read())


def decisions(reply: dict[str, Any]) -> Any:
    """What of a reply makes a score: labels by id, scores, labels; how many texts."""
    if "verdicts" in reply:
        return {verdict["id"]: verdict["verdict"] for verdict in reply["verdicts"]}
    if "passages" in reply:
        return {judged["id"]: judged["relevant"] for judged in reply["passages"]}
    for texts in ("claims", "questions"):
        if texts in reply:
            return len(reply[texts])
    return reply.get("label")


def check_damaged(asked: Asked, text: str) -> None:
    """A damaged reply gives what it said, a part of it that says so, or an error."""
    reading = reading_of(asked, text)
    if reading is None:
        return
    before, after = decisions(asked.read().reply), decisions(reading.reply)
    if isinstance(before, dict):
        assert after.items() <= before.items(), text
        assert sorted([*after, *reading.missing]) == sorted(before), text
    else:
        assert after == before, text
    numbers = [float(number) for number in re.findall(r"\d+(?:\.\d+)?(?:[eE]\d+)?", text)]
    for scored in (reading.reply, *reading.reply.values()):
        if isinstance(scored, dict) and "score" in scored:
            assert scored["score"] in numbers, text
    for said in reading.reply.get("claims", ()):
        assert all(word in text for word in re.findall("[A-Za-z]{3,}", said["text"])), text


@settings(max_examples=150, deadline=None)
@given(replies, near | st.none(), forms | st.none(), st.data())
def test_one_damaged_character_never_changes_what_was_decided(
    asked: Asked, writing: str | None, form: str | None, data: st.DataObject
) -> None:
    text = NEAR[writing](asked.value) if writing else asked.text
    damaged = list(edits(text, data.draw(st.integers(0, len(text) - 1))))
    chosen = data.draw(st.sampled_from(damaged))
    check_damaged(asked, around(form, chosen) if form else chosen)


@settings(max_examples=100, deadline=None)
@given(replies, replies, st.sampled_from(["", "\n", "\n\nor\n\n"]))
def test_two_replies_are_one_only_where_they_say_the_same(
    one: Asked, other: Asked, between: str
) -> None:
    reading = reading_of(one, one.text + between + other.text)
    if reading is not None:
        assert reading == one.read()
        assert one.step is not other.step or one.text == other.text


def altered(asked: Asked) -> st.SearchStrategy[Any]:
    """The reply's value with members in another order, more of them, numbers as texts."""

    def walk(value: Any, draw: st.DrawFn) -> Any:
        if isinstance(value, list):
            return [walk(item, draw) for item in value]
        if isinstance(value, dict):
            names = draw(st.permutations([*value, "note", "ID"]))
            return {name: walk(value.get(name, "more"), draw) for name in names}
        number = isinstance(value, int | float) and not isinstance(value, bool)
        return str(value) if number and draw(st.booleans()) else value

    @st.composite
    def drawn(draw: st.DrawFn) -> Any:
        return walk(asked.value, draw)

    return drawn()


@settings(max_examples=100, deadline=None)
@given(replies, st.data())
def test_order_more_members_and_numbers_as_texts_change_nothing(
    asked: Asked, data: st.DataObject
) -> None:
    value = data.draw(altered(asked))
    reading = asked.read(json.dumps(value))
    assert decisions(reading.reply) == decisions(asked.read().reply)
    assert reading.missing == ()


@pytest.mark.parametrize("name", ["response", "Result", "output", "arguments"])
def test_an_envelope_is_opened(name: str) -> None:
    # a list in an envelope may be anything
    for asked in (one for one in CORPUS if not one.text.startswith("[")):
        for value in ({name: asked.value}, {"status": "ok", name: {"data": asked.value}}):
            assert asked.read(json.dumps(value)) == asked.read(), asked.text
        assert asked.read(json.dumps([asked.value])) == asked.read(), asked.text
        assert asked.read(json.dumps(asked.text)) == asked.read(), asked.text


@every_reply
def test_a_draft_beside_the_answer_is_not_chosen(asked: Asked) -> None:
    for text in (f"{DRAFT}\n{asked.text}", f"```json\n{DRAFT}\n```\nNo:\n```json\n{asked.text}```"):
        assert reading_of(asked, text) is None


ANY = st.text(st.characters(codec=None), max_size=60)
PIECES = st.sampled_from(
    ["<think>", "</think>", "{", "}", "[", "]", '"', "'", ",", ":", "```json\n", "```", "\\"]
    + ["//", "/*", "#", "\n", "“", "”", "None", "NaN", "1", "\ud800", "\0", DRAFT]
    + [asked.text for asked in CORPUS]
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=10,
).map(json.dumps)


@settings(max_examples=100, deadline=None)
@given(replies, ANY | JSON | st.lists(PIECES | ANY, max_size=8).map("".join))
def test_any_text_gives_a_reading_of_what_was_asked_or_an_error(asked: Asked, text: str) -> None:
    reading = reading_of(asked, text)
    if reading is None:
        return
    wanted = asked.step.asked(asked.message)
    kept = [item["id"] for items in reading.reply.values() for item in items] if wanted else []
    assert sorted([*kept, *reading.missing]) == sorted(wanted)
    if not reading.missing:
        assert asked.step.answers(asked.message, reading.reply)
