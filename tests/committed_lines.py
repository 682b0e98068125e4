"""Committed verdicts as tests make them."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from pytest_ragassert.storage.committed.committed_verdicts import open_verdicts
from pytest_ragassert.storage.committed.verdict_line import VerdictLine

JUDGE = "openai https://api.openai.com/v1 gpt-4o-mini"


def key_of(number: int | str) -> str:
    return hashlib.sha256(str(number).encode()).hexdigest()


def line(number: int | str = 1, **more: Any) -> VerdictLine:
    """The verdict of a made-up question, of its number where nothing else is given."""
    given: dict[str, Any] = {
        "key": key_of(number),
        "step": "verify_claims",
        "judge": JUDGE,
        "about": f"Ticket {number} costs 4 crowns",
        "reply": {"verdicts": [{"id": 1, "reason": f"so says {number}", "confidence": 0.5}]},
    }
    return VerdictLine(**{**given, **more})


def read(path: Path | str) -> list[VerdictLine]:
    return list(open_verdicts(path).lines())


def in_order(lines: list[VerdictLine]) -> list[VerdictLine]:
    return sorted(lines, key=lambda one: one.sort_key)


def _joined(text: str) -> str:
    """Two halves of a character side by side are the character: JSON can't keep them apart."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


texts = st.text(
    st.characters(codec=None) | st.sampled_from('\0\n\r\x7f\x85\u2028\u202e\ud800\udc00"\\}{'),
    max_size=12,
).map(_joined)
values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
keys = st.integers(0, 2**256 - 1).map("{:064x}".format)
# What stands beside a judgement's reply; nothing in other lines.
_beside: st.SearchStrategy[dict[str, Any]] = st.just({}) | st.fixed_dictionaries(
    {
        "asked": keys,
        "passages": st.lists(keys.map(lambda key: key[:32]), max_size=3).map(tuple),
        "source": st.none() | keys,
    }
)
some_lines = st.lists(
    st.builds(
        lambda beside, **fields: VerdictLine(**fields, **beside),
        beside=_beside,
        key=keys,
        step=st.sampled_from(["verify_claims", "extract_claims", "override", "Step-2"]),
        judge=st.sampled_from([JUDGE, "by hand", 'my "judge"']) | texts,
        about=texts,
        reply=st.dictionaries(texts, values, max_size=3),
    ),
    max_size=6,
    unique_by=lambda one: one.key,
)
