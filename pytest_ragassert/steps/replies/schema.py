"""The answer inside a JSON value: as asked, in an envelope, or under a name that means the same;
and the errors of replies that hold none."""

from __future__ import annotations

from typing import Any


class ReplyError(Exception):
    """The reply can't be read at all: no JSON, not an object of the step's shape."""


class VoidReply(ReplyError):
    """The reply answers something that was not asked, so none of it is believed.

    It is asked again once.
    """


# Names that say nothing of what is in them: wrappers, and the members of a tool's call.
_ENVELOPES = frozenset(
    ("response", "result", "output", "answer", "reply", "data", "json", "arguments", "parameters")
)
_DEEPEST = 3
_JUDGED = ("judgements", "judgments", "results")
# By the name that was asked for. None of the names stands in a message to the judge: an echo of
# the question is no answer.
_OTHER_NAMES = {
    "claims": ("statements", "facts"),
    "verdicts": _JUDGED,
    "passages": _JUDGED,
    "checks": (*_JUDGED, "checklist"),
}


def names_of(key: str) -> tuple[str, ...]:
    """The names under which an answer may stand."""
    return key, *_OTHER_NAMES.get(key, ())


def answer_in(value: Any, key: str, deepest: int = _DEEPEST) -> dict[str, Any] | None:
    """The object that has `key`; None where the value holds none, or more than one."""
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
