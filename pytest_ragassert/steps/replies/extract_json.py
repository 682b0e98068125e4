"""Finds the JSON value in a judge's reply: bare, fenced, or with chatter or reasoning around it."""

from __future__ import annotations

from typing import Any

from ...language.escaping import shortened
from .fragments import Part, parts_of
from .schema import ReplyError, answer_in
from .strict_json import NoJson, decoded, same

_BYTE_ORDER_MARK = "\ufeff"


def reply_value(text: str, key: str) -> Any:
    """Return the JSON value of a reply to a step whose object has `key`.

    If the whole reply is JSON, it is used as it is. Otherwise it is searched for the one answer:
    tagged reasoning is skipped, almost valid JSON is repaired if that does not
    change its content, and text that was cut off is never completed.

    Raises:
        ReplyError: there is no answer, there are several different ones, or it can't be read.
    """
    stripped = text.strip().removeprefix(_BYTE_ORDER_MARK).strip()
    try:
        return _whole(stripped, key)
    except NoJson:
        pass
    parts = parts_of(stripped, key)
    if any(part.fault == "cut" for part in parts):
        raise ReplyError(f"an answer in the reply is incomplete: {_excerpt(stripped)}")
    answers = _answers(parts, key)
    if len(answers) > 1 or (answers and any(_is_rival(part, key) for part in parts)):
        raise ReplyError(f"{max(2, len(answers))} different JSON answers in one reply")
    if not answers or _spoilt(parts, key):
        raise ReplyError(f"no JSON with {key!r} that can be read: {_excerpt(stripped)}")
    return answers[0]


def _whole(text: str, key: str) -> Any:
    """Return the value of a reply that is JSON, or JSON in a JSON string, as a whole."""
    value = decoded(text)
    if isinstance(value, str):
        try:
            value = decoded(value)
        except NoJson:
            return value
    found = answer_in(value, key)
    return value if found is None else found


def _answers(parts: list[Part], key: str) -> list[Any]:
    """Return the values that are answers, each once. A bare list counts only if it stands alone."""
    answers: list[Any] = []
    for part in parts:
        answer = _answer(part, key)
        if answer is not None and not any(same(answer, other) for other in answers):
            answers.append(answer)
    return answers


def _answer(part: Part, key: str) -> Any:
    found = answer_in(part.value, key)
    return part.value if found is None and part.apart and isinstance(part.value, list) else found


def _is_rival(part: Part, key: str) -> bool:
    """Whether a list amid the chatter may be an answer too, because its meaning is unknown."""
    return (
        isinstance(part.value, list)
        and _answer(part, key) is None
        and any(isinstance(item, dict | str) for item in part.value)
    )


def _spoilt(parts: list[Part], key: str) -> bool:
    """Whether a part that can't be read may be the answer.

    It is not if it is in the chatter before a fenced answer: `{"claims": [...]}`.
    """
    bad = [at for at, part in enumerate(parts) if part.fault]
    good = [at for at, part in enumerate(parts) if part.apart and _answer(part, key) is not None]
    return any(parts[at].apart or not good or at > good[0] for at in bad)


def _excerpt(text: str) -> str:
    return repr(shortened(" ".join(text.split()), 160))
