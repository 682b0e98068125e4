"""The words judges use for a verdict: a closed table, never a substring."""

from __future__ import annotations

import re
from typing import Any

from ..verdict import Verdict

_TABLE: dict[str, Verdict] = {
    **dict.fromkeys(("fully supported", "supported", "yes", "true", "1"), Verdict.FULLY_SUPPORTED),
    "partially supported": Verdict.PARTIALLY_SUPPORTED,
    **dict.fromkeys(
        (
            "no evidence",
            "unsupported",
            "not supported",
            "not mentioned",
            "unverifiable",
            "neutral",
            "unknown",
            "idk",
        ),
        Verdict.NO_EVIDENCE,
    ),
    **dict.fromkeys(
        ("contradictory", "contradicted", "incorrect", "refuted"), Verdict.CONTRADICTORY
    ),
}
# What may stand before a label, and what after it; "!" or "." before it may mean something.
_BEFORE = " \t\r\n*_`#\"'\u201c\u201d\u2018\u2019"
_AFTER = _BEFORE + ".!:;,\u2026\u3002\uff01"
_SEPARATORS = re.compile(r"[\s_\-]+")


def verdict_of(value: Any) -> Verdict | None:
    """The verdict that a label stands for; None where it is not a label.

    Case, surrounding markdown and final punctuation do not matter; space, `_` and `-` are alike.
    Numbers other than 1, `false` and `no` are no labels: judges use them both ways.
    """
    if value is True or (isinstance(value, int) and value == 1):
        return Verdict.FULLY_SUPPORTED
    if not isinstance(value, str):
        return None
    return _TABLE.get(_SEPARATORS.sub(" ", value.lstrip(_BEFORE).rstrip(_AFTER)).lower())
