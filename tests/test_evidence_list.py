"""Evidence as judges give it: read in any shape as a list of quotes, the deciding one first."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_ragassert.runtime.canonical_json import Json
from pytest_ragassert.steps.catalogue import STEPS
from pytest_ragassert.steps.evidence.evidence_list import MOST_QUOTES, evidence_of

VERIFY = STEPS["verify_claims"]
MESSAGE = {
    "passages": [{"id": 1, "text": "A passage."}],
    "claims": [{"id": 1, "text": "a claim"}],
}
A, B = {"passage": 1, "quote": "a b c"}, {"passage": 2, "quote": "d e f"}
WORDS = {"passage": None, "quote": "a b c"}


def read(**said: Any) -> list[Json]:
    """The evidence in the normal form of a verdict."""
    reply = VERIFY.read(MESSAGE, [{"id": 1, "verdict": "yes", **said}]).reply
    evidence: list[Json] = reply["verdicts"][0]["evidence"]
    return evidence


@pytest.mark.parametrize(
    ("given", "quotes"),
    [
        ([A, B], [A, B]),
        ([B, A, B], [B, A]),
        ([{**A, "passage": n} for n in range(1, 6)], [{**A, "passage": n} for n in range(1, 4)]),
        ([], []),
        (None, []),
        (A, [A]),
        ("a b c", [WORDS]),
        (["a b c", B], [WORDS, B]),
        ([{"quote": "a b c"}], [WORDS]),
        ([{"passage": "2", "quote": " d e f\n"}], [B]),
        ([{"passage": True, "quote": "a b c"}], [WORDS]),
        ([{"passage": "two", "quote": "a b c"}], [WORDS]),
        pytest.param([{"passage": "7" * 5000, "quote": "a b c"}], [WORDS], id="long"),
        ([{**A, "says": "more"}], [A]),
        ([{"passage": 1}, {"passage": 1, "quote": None}, {"passage": 1, "quote": "  "}], []),
        ([None, 1, [], [A], {}, B], [B]),
        ([{"passage": 1, "quote": ["a"]}, {"passage": 1, "quote": {"quote": "a"}}], []),
        (7, []),
    ],
)
def test_evidence_is_read_in_any_shape(given: Any, quotes: list[Json]) -> None:
    assert read(evidence=given) == quotes


def test_the_first_versions_fields_are_read() -> None:
    assert read(passage=2, quote="d e f") == [B]
    assert read(passage=None, quote="a b c") == [WORDS]
    assert read(passage=1, quote=None) == read(passage=1) == read() == []
    assert read(evidence=None, **B) == read(evidence=[], **B) == [B]
    assert read(evidence=[A], **B) == [A]


SCALARS: st.SearchStrategy[Any] = (
    st.none() | st.booleans() | st.integers(-2, 9) | st.floats() | st.text(max_size=5)
)
QUOTES = st.fixed_dictionaries(
    {}, optional={"passage": SCALARS, "quote": SCALARS | st.just("a b c"), "more": SCALARS}
)
SHAPES: st.SearchStrategy[Any] = st.recursive(
    SCALARS | QUOTES,
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=8,
)
SAID = st.fixed_dictionaries(
    {}, optional={"evidence": SHAPES, "passage": SCALARS, "quote": SHAPES, "reason": SCALARS}
)


@given(SAID)
def test_whatever_is_said_has_a_normal_form_that_stays(said: Json) -> None:
    quotes = read(**said)
    assert len(quotes) <= MOST_QUOTES
    for one in quotes:
        assert one.keys() == {"passage", "quote"}
        assert type(one["passage"]) in (int, type(None))
        assert one["quote"] == one["quote"].strip() != ""
    assert evidence_of({"evidence": quotes}) == quotes
    whole = VERIFY.read(MESSAGE, [{"id": 1, "verdict": "yes", **said}]).reply
    assert VERIFY.is_kept_whole(whole)
    assert VERIFY.answers(MESSAGE, whole)
    (kept,) = VERIFY.judgement_replies(MESSAGE, whole, [0])
    assert VERIFY.is_whole(kept)
    assert VERIFY.read(MESSAGE, whole).reply == whole
