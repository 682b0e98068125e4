"""The words that judges use for their judgements, in closed tables; substrings never count."""

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
_NAMES = {verdict.value: verdict for verdict in Verdict}  # the form of nearly all verdicts
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
# What may precede a label, and what may follow it; "!" or "." before it may have a meaning.
_BEFORE = " \t\r\n*_`#\"'\u201c\u201d\u2018\u2019"
_AFTER = _BEFORE + ".!:;,\u2026\u3002\uff01"
_SEPARATORS = re.compile(r"[\s_\-]+")


def verdict_of(value: Any) -> Verdict | None:
    """Return the verdict that a label means, or None if it is not a label.

    Case, surrounding markdown and final punctuation do not matter; space, `_` and `-` are alike.
    Numbers other than 1, `false` and `no` are not labels, because judges use them both ways.
    """
    if value is True or (isinstance(value, int) and value == 1):
        return Verdict.FULLY_SUPPORTED
    if not isinstance(value, str):
        return None
    return _NAMES.get(value) or _TABLE.get(_bare(value))


def relevance_of(value: Any) -> bool | None:
    """Return whether a passage is relevant, given as JSON or as a word; None if it is
    neither.
    """
    if isinstance(value, bool):
        return value
    return _RELEVANT.get(_bare(value)) if isinstance(value, str) else None


def met_of(value: Any) -> Met | None:
    """Return whether a criterion is met, given as JSON or as a word; None if it is neither."""
    if isinstance(value, bool):
        return Met.YES if value else Met.NO
    return _MET.get(_bare(value)) if isinstance(value, str) else None


def answer_label_of(value: Any) -> str | None:
    """Return one of `ANSWER_CLASSES`, or None if the value is not one of their words."""
    return _ANSWERS.get(_bare(value).replace("\u2019", "'")) if isinstance(value, str) else None


def _bare(text: str) -> str:
    """Return the words alone, in the form of the tables."""
    return _SEPARATORS.sub(" ", text.lstrip(_BEFORE).rstrip(_AFTER)).lower()
