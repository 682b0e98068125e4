"""The words judges use for their judgements: closed tables, never a substring."""

from __future__ import annotations

import re
from typing import Any

from ...judgements import CORRECT, DONT_KNOW, WRONG, Met, Verdict

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
_NAMES = {verdict.value: verdict for verdict in Verdict}  # as nearly all verdicts are given
_RELEVANT = {
    **dict.fromkeys(("true", "yes", "relevant"), True),
    **dict.fromkeys(("false", "no", "not relevant", "irrelevant"), False),
}
_MET = {
    **dict.fromkeys(("yes", "true", "met", "satisfied", "fulfilled", "pass", "passed"), Met.YES),
    **dict.fromkeys(
        ("no", "false", "not met", "unmet", "not satisfied", "not fulfilled", "fail", "failed"),
        Met.NO,
    ),
    **dict.fromkeys(("unclear", "unknown", "undecided", "not applicable", "n/a"), Met.UNCLEAR),
}
_ANSWERS = {
    **dict.fromkeys(("correct", "right"), CORRECT),
    **dict.fromkeys(("wrong", "incorrect"), WRONG),
    **dict.fromkeys(("dont know", "don't know", "unknown", "not answered", "refusal"), DONT_KNOW),
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
    return _NAMES.get(value) or _TABLE.get(_bare(value))


def relevance_of(value: Any) -> bool | None:
    """Whether a passage is relevant, as JSON says it or in a word; None where that is unsaid."""
    if isinstance(value, bool):
        return value
    return _RELEVANT.get(_bare(value)) if isinstance(value, str) else None


def met_of(value: Any) -> Met | None:
    """Whether a criterion is met, as JSON says it or in a word; None where that is unsaid."""
    if isinstance(value, bool):
        return Met.YES if value else Met.NO
    return _MET.get(_bare(value)) if isinstance(value, str) else None


def answer_label_of(value: Any) -> str | None:
    """One of `ANSWER_CLASSES`, None where the value is none of their words."""
    return _ANSWERS.get(_bare(value).replace("\u2019", "'")) if isinstance(value, str) else None


def _bare(text: str) -> str:
    """The words alone, as they stand in the tables."""
    return _SEPARATORS.sub(" ", text.lstrip(_BEFORE).rstrip(_AFTER)).lower()
