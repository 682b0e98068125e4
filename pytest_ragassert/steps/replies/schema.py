"""Finds the answer inside a JSON value: as requested, in an envelope, or under a synonymous name;
and defines the errors of replies without one.
"""

from __future__ import annotations

from typing import Any


class ReplyError(Exception):
    """The reply can't be read at all: it is not JSON, or not an object of the step's shape."""


class VoidReply(ReplyError):
    """The reply answers something that was not asked, so none of it is trusted.

    It is requested again once.
    """


# Names without a meaning of their own: wrappers, and the members of a tool call.
_ENVELOPES = frozenset(
    ("response", "result", "output", "answer", "reply", "data", "json", "arguments", "parameters")
)
_DEEPEST = 3
_JUDGED = ("judgements", "judgments", "results")
# By the name that was requested. None of the names is used in a message to the judge, because an
# echo of the question is not an answer.
_OTHER_NAMES = {
    "claims": ("statements", "facts"),
    "verdicts": _JUDGED,
    "passages": _JUDGED,
    "checks": (*_JUDGED, "checklist"),
}


def names_of(key: str) -> tuple[str, ...]:
    """Return the names under which an answer may be found."""
    return key, *_OTHER_NAMES.get(key, ())


def answer_in(value: Any, key: str, deepest: int = _DEEPEST) -> dict[str, Any] | None:
    """Return the object that has `key`, or None if the value contains none, or more than one."""
    if isinstance(value, list):
        return answer_in(value[0], key, deepest - 1) if len(value) == 1 and deepest else None
    if not isinstance(value, dict):
        return None
    if key in value:
        return value
    present = [name for name in names_of(key) if name in value]
    if present:
        return {**value, key: value[present[0]]} if len(present) == 1 else None
    if not deepest:
        return None
    inner = [
        found
        for name, held in value.items()
        if name.casefold() in _ENVELOPES
        and isinstance(held, dict)
        and (found := answer_in(held, key, deepest - 1)) is not None
    ]
    return inner[0] if len(inner) == 1 else None
