"""The two steps: what they are, and how replies to them are read."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_ragassert.runtime.canonical_json import Json
from pytest_ragassert.steps.catalogue import STEPS, step_named
from pytest_ragassert.steps.replies.schema import ReplyError, VoidReply
from pytest_ragassert.steps.step import Reading, Step

from .replies import verdict

LONG = pytest.param("1" * 5000, id="long")  # more digits than an integer is read from

EXTRACT, VERIFY = STEPS["extract_claims"], STEPS["verify_claims"]


def verify_message(*ids: int) -> Json:
    claims = [{"id": id, "text": f"claim {id}"} for id in ids]
    return {"passages": [{"id": 1, "text": "A passage."}], "claims": claims}


def extract_message(*texts: str) -> Json:
    sentences = [{"id": number, "text": text} for number, text in enumerate(texts, start=1)]
    return {"question": None, "sentences": sentences}


def labels(reading: Reading) -> dict[int, str]:
    return {v["id"]: v["verdict"] for v in reading.reply["verdicts"]}


# -- what they are ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "version", "fingerprint"),
    [
        ("extract_claims", 2, "1246b5eb380ad972065e8214776531897f8d688896ea70c897fb217bb3e26cc7"),
        ("verify_claims", 2, "0ec22ba46448caa74b55cad699b63fafd9e9790cf5bd9b07271b3ff5bd6bba6f"),
    ],
)
def test_fingerprints_change_only_on_purpose(name: str, version: int, fingerprint: str) -> None:
    """A changed instruction or schema voids every stored verdict: tell it in the changelog."""
    assert (STEPS[name].version, STEPS[name].fingerprint) == (version, fingerprint)


def test_extraction_says_what_may_stand_in_its_message() -> None:
    for name in ("question", "sentences", "history", "only"):
        assert f'"{name}" (' in EXTRACT.instructions


def test_the_fingerprint_covers_instructions_and_schema() -> None:
    other_words = type(VERIFY)(VERIFY.name, 1, VERIFY.instructions + " ", VERIFY.schema)
    other_schema = type(VERIFY)(VERIFY.name, 1, VERIFY.instructions, EXTRACT.schema)
    prints = {step.fingerprint for step in (VERIFY, other_words, other_schema)}
    assert len(prints) == 3


def schemas_in(schema: Json) -> Iterator[Json]:
    yield schema
    inner = [*schema.get("properties", {}).values(), *schema.get("anyOf", ())]
    for part in inner + ([schema["items"]] if "items" in schema else []):
        yield from schemas_in(part)


@pytest.mark.parametrize("step", STEPS.values(), ids=list(STEPS))
def test_schemas_stay_in_the_strict_subset(step: Step) -> None:
    assert step.schema["type"] == "object"
    for schema in schemas_in(step.schema):
        assert set(schema) <= {
            "type",
            "properties",
            "required",
            "additionalProperties",
            "items",
            "enum",
            "anyOf",
        }
        if schema.get("type") == "object":
            assert schema["additionalProperties"] is False
            assert schema["required"] == list(schema["properties"])
        if "enum" in schema:
            assert schema["type"] == "string"
            assert all(isinstance(value, str) for value in schema["enum"])
        if "anyOf" in schema:
            assert [part["type"] for part in schema["anyOf"]][1:] == ["null"]
        else:
            assert isinstance(schema["type"], str)


def test_reason_and_quotes_come_before_the_label() -> None:
    fields = VERIFY.schema["properties"]["verdicts"]["items"]["required"]
    assert max(fields.index("reason"), fields.index("evidence")) < fields.index("verdict")


def test_the_system_message_begins_with_step_and_version() -> None:
    assert VERIFY.system_message.splitlines()[0] == "ragassert step: verify_claims v2"


def test_an_unknown_step_is_named_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match=r"'verify'.*extract_claims, verify_claims"):
        step_named("verify")


# -- verdicts --------------------------------------------------------------------------------------


def test_verdicts_belong_to_ids_not_to_places() -> None:
    said = [verdict(3, "supported"), verdict(1, "refuted"), verdict(2, "neutral")]
    reading = VERIFY.read(verify_message(1, 2, 3), {"verdicts": said})
    assert list(labels(reading).items()) == [
        (1, "CONTRADICTORY"),
        (2, "NO_EVIDENCE"),
        (3, "FULLY_SUPPORTED"),
    ]
    assert reading.missing == ()


@pytest.mark.parametrize("value", [[verdict(1, "yes")], {"verdicts": [verdict("1", "yes")]}])
def test_a_bare_list_and_digits_as_id_are_read(value: Any) -> None:
    assert labels(VERIFY.read(verify_message(1), value)) == {1: "FULLY_SUPPORTED"}


@pytest.mark.parametrize(
    "id",
    [0, 4, -1, "4", "one", None, True, 1.5, [1], {"id": 1}, LONG],
)
def test_an_id_that_was_not_asked_voids_the_reply(id: Any) -> None:
    said = [verdict(1, "yes"), verdict(2, "yes"), verdict(id, "yes")]
    with pytest.raises(VoidReply, match="not asked"):
        VERIFY.read(verify_message(1, 2, 3), {"verdicts": said})


def test_counting_from_zero_voids_the_reply() -> None:
    said = [verdict(id, label) for id, label in enumerate(["yes", "refuted", "yes"])]
    with pytest.raises(VoidReply):
        VERIFY.read(verify_message(1, 2, 3), {"verdicts": said})


@pytest.mark.parametrize("item", [None, "supported", 1, ["supported"], {"verdict": "supported"}])
def test_a_verdict_without_id_voids_the_reply(item: Any) -> None:
    with pytest.raises(VoidReply, match="no claim id"):
        VERIFY.read(verify_message(1), {"verdicts": [item]})


@pytest.mark.parametrize("label", ["maybe", "no", None, 0, ["supported"]], ids=repr)
def test_a_verdict_without_a_label_is_missing(label: Any) -> None:
    said = [verdict(1, "yes"), {"id": 2, "verdict": label}, {"id": 3}]
    reading = VERIFY.read(verify_message(1, 2, 3), {"verdicts": said})
    assert labels(reading) == {1: "FULLY_SUPPORTED"}
    assert reading.missing == (2, 3)


def test_equal_duplicates_count_once() -> None:
    said = [verdict(1, "yes"), verdict(2, "refuted"), verdict("1", "SUPPORTED.")]
    reading = VERIFY.read(verify_message(1, 2), {"verdicts": said})
    assert len(reading.reply["verdicts"]) == 2
    assert reading.missing == ()


def test_duplicates_that_differ_in_their_words_count_once() -> None:
    said = [{**verdict(1, "yes"), "reason": reason} for reason in ("It says so.", "Stated.")]
    reading = VERIFY.read(verify_message(1), {"verdicts": said})
    assert [one["reason"] for one in reading.reply["verdicts"]] == ["It says so."]
    assert reading.missing == ()


def test_what_was_answered_before_is_passed_over_and_what_never_was_asked_is_not() -> None:
    whole, rest = verify_message(1, 2, 3, 4), verify_message(2, 4)
    said = [verdict(id, "yes") for id in (1, 2, 3, 4)]
    assert list(labels(VERIFY.read(rest, said, whole))) == [2, 4]
    assert VERIFY.read(rest, said[::2], whole).missing == (2, 4)
    with pytest.raises(VoidReply):
        VERIFY.read(rest, [*said, verdict(5, "yes")], whole)


def test_differing_duplicates_are_missing() -> None:
    said = [verdict(1, "yes"), verdict(2, "yes"), verdict(1, "refuted"), verdict(1, "yes")]
    reading = VERIFY.read(verify_message(1, 2), {"verdicts": said})
    assert labels(reading) == {2: "FULLY_SUPPORTED"}
    assert reading.missing == (1,)


@pytest.mark.parametrize("value", [None, {}, {"verdicts": None}, {"verdicts": {}}, "x", 3, True])
def test_a_reply_without_a_list_of_verdicts_can_not_be_read(value: Any) -> None:
    with pytest.raises(ReplyError, match="verdicts"):
        VERIFY.read(verify_message(1), value)


def test_only_id_and_label_are_needed() -> None:
    reading = VERIFY.read(verify_message(1), [{"id": 1, "verdict": "yes"}])
    assert reading.reply["verdicts"] == [verdict(1, "FULLY_SUPPORTED")]


@pytest.mark.parametrize(
    "value",
    ["x", "8/10", True, -0.1, 1.1, math.nan, math.inf, pytest.param(10**400, id="long"), [1]],
)
def test_a_confidence_out_of_range_is_null(value: Any) -> None:
    said = {"id": 1, "verdict": "yes", "confidence": value}
    assert VERIFY.read(verify_message(1), [said]).reply["verdicts"][0]["confidence"] is None


@pytest.mark.parametrize(
    ("field", "value", "read"),
    [
        ("reason", 4, None),
        ("confidence", 1, 1.0),
    ],
)
def test_other_fields_are_taken_where_they_make_sense(field: str, value: Any, read: Any) -> None:
    said = {"id": 1, "verdict": "yes", field: value}
    assert VERIFY.read(verify_message(1), [said]).reply["verdicts"][0][field] == read


# -- claims ----------------------------------------------------------------------------------------


def claims(reading: Reading) -> list[tuple[int | None, str]]:
    return [(claim["sentence"], claim["text"]) for claim in reading.reply["claims"]]


@pytest.mark.parametrize("name", ["text", "claim", "statement"])
def test_the_claim_may_stand_under_another_name(name: str) -> None:
    reading = EXTRACT.read(extract_message("A.", "B."), {"claims": [{"sentence": 2, name: " B "}]})
    assert claims(reading) == [(2, "B")]


def test_plain_texts_belong_to_the_one_sentence() -> None:
    reading = EXTRACT.read(extract_message("Buses run, trams stop."), ["Buses run", "Trams stop"])
    assert claims(reading) == [(1, "Buses run"), (1, "Trams stop")]


@pytest.mark.parametrize(
    ("sentences", "plain", "aligned"),
    [
        (("Open in May.", "Shut in June.", "Costs 5."), ["Shut in June", "Open in May"], [2, 1]),
        (("Der Bus fährt.", "Die Bahn steht."), ["Die Bahn steht", "Der Bus fährt"], [2, 1]),
        (("渡船每天开。", "票价五元。"), ["票价五元", "渡船每天开"], [2, 1]),
        (("Berlin.", "Rome."), ["Rome"], [2]),
        (("One.", "Two."), ["Nothing alike"], [1]),
        (("One.", "Two."), ["Two", "Nothing alike"], [2, 2]),
    ],
)
def test_plain_texts_are_aligned_by_their_words(
    sentences: tuple[str, ...], plain: list[str], aligned: list[int | None]
) -> None:
    reading = EXTRACT.read(extract_message(*sentences), {"claims": plain})
    assert [sentence for sentence, _ in claims(reading)] == aligned


@pytest.mark.parametrize("blank", [None, "", " \n", "\u3164", "\u2800\ufe0f", {"text": "\u200b"}])
def test_blank_claims_are_dropped(blank: Any) -> None:
    reading = EXTRACT.read(extract_message("A."), {"claims": [blank, "A"]})
    assert claims(reading) == [(1, "A")]


@pytest.mark.parametrize("said", [{"sentence": 1}, {}, {"sentence": 1, "fact": "A"}], ids=repr)
def test_a_claim_without_a_known_name_can_not_be_read(said: Any) -> None:
    with pytest.raises(ReplyError, match="a claim without text"):
        EXTRACT.read(extract_message("A."), {"claims": [said, "A"]})


def test_identical_claims_of_one_sentence_merge_and_of_two_do_not() -> None:
    said = [{"sentence": n, "text": "It runs"} for n in (1, "1", 2)]
    reading = EXTRACT.read(extract_message("A.", "B."), {"claims": said})
    assert claims(reading) == [(1, "It runs"), (2, "It runs")]


@pytest.mark.parametrize("sentence", [0, 3, "3", "first", True, [1], 1.0, LONG])
def test_a_sentence_that_was_not_asked_voids_the_reply(sentence: Any) -> None:
    said = [{"sentence": 1, "text": "A"}, {"sentence": sentence, "text": "B"}]
    with pytest.raises(VoidReply, match="not asked"):
        EXTRACT.read(extract_message("A.", "B."), {"claims": said})


@pytest.mark.parametrize(
    "value",
    [
        None,
        {},
        {"claims": None},
        {"claims": "A"},
        {"claims": {"1": "A"}},
        {"claims": [1]},
        {"claims": [["A"]]},
        {"claims": [True]},
        {"claims": [{"sentence": 1, "text": 5}]},
        {"claims": [{"sentence": 1, "text": ["A"]}]},
        7,
        "A",
    ],
    ids=repr,
)
def test_claims_of_another_shape_can_not_be_read(value: Any) -> None:
    with pytest.raises(ReplyError):
        EXTRACT.read(extract_message("A."), value)


def test_claims_are_kept_in_the_order_of_their_sentences() -> None:
    said = [{"sentence": n, "text": text} for n, text in ((2, "B"), (1, "A"), (2, "C"))]
    whole = EXTRACT.merged({"text": "A bus. A tram.", "question": None}, [{"claims": said}])
    assert [claim["text"] for claim in whole["claims"]] == ["A", "B", "C"]
    assert [(one["start"], one["end"]) for one in whole["sentences"]] == [(0, 6), (7, 14)]


def test_no_claims_are_an_answer() -> None:
    assert EXTRACT.read(extract_message("Hello!"), {"claims": []}) == Reading({"claims": []})


# -- whatever a judge says -------------------------------------------------------------------------

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-3, 6)
    | st.floats()
    | st.sampled_from(["1", "2", "supported", "refuted", "", "no", "9" * 4301])
    | st.text(max_size=4)
)
KEYS = st.sampled_from(
    ["verdicts", "claims", "id", "verdict", "sentence", "text", "claim", "confidence", "passage"]
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)
VERDICTS = st.lists(
    st.fixed_dictionaries(
        {"id": st.integers(1, 4) | st.sampled_from(["1", " 2 "])},
        optional={"verdict": SCALARS, "quote": SCALARS, "confidence": SCALARS | st.just(10**400)},
    ),
    max_size=6,
)


@settings(max_examples=80, deadline=None)
@given(VALUES | VERDICTS | st.fixed_dictionaries({"verdicts": VERDICTS | VALUES}))
def test_any_reply_gives_verdicts_on_what_was_asked_or_a_named_error(value: Any) -> None:
    asked = (1, 2, 4)
    try:
        reading = VERIFY.read(verify_message(*asked), value)
    except (ReplyError, VoidReply):
        return
    kept = [one["id"] for one in reading.reply["verdicts"]]
    assert sorted([*kept, *reading.missing]) == sorted(asked)
    # what was kept and what the rest is asked again make a whole, storable reply
    whole = [verdict(id, "FULLY_SUPPORTED") for id in reading.missing]
    joined = VERIFY.joined([reading.reply, {"verdicts": whole}])
    assert VERIFY.answers(verify_message(*asked), joined)


@settings(max_examples=80, deadline=None)
@given(VALUES | st.fixed_dictionaries({"claims": st.lists(VALUES, max_size=3)}))
def test_any_reply_gives_claims_of_what_was_asked_or_a_named_error(value: Any) -> None:
    message = extract_message("A bus.", "A tram.")
    try:
        reading = EXTRACT.read(message, value)
    except (ReplyError, VoidReply):
        return
    assert reading.missing == ()
    assert EXTRACT.answers(message, reading.reply)
