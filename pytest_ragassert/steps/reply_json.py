"""The JSON value inside a judge's reply: bare, fenced, or with chatter around it."""

from __future__ import annotations

import json
import re
from itertools import islice
from typing import Any

from .step import ReplyError

_FENCE = re.compile(r"```[^\n`]*\n(.*?)```", re.DOTALL)
_DECODER = json.JSONDecoder()
# A reply with more opening braces than this in its prose is not worth looking through.
_MOST_STARTS = 200


def reply_value(text: str, key: str) -> Any:
    """The JSON value of a reply to a step whose object has `key`.

    Raises:
        ReplyError: there is none, or several that differ.
    """
    stripped = text.strip()
    try:
        return json.loads(stripped)
    except (ValueError, RecursionError):
        pass
    if _cut_off(stripped, key):
        raise ReplyError(f"an answer in the reply is not whole: {_excerpt(stripped)}")
    for found in (_fenced(stripped, key), _embedded(stripped, key)):
        if len(found) == 1:
            return found[0]
        if found:
            raise ReplyError(f"{len(found)} different JSON answers in one reply")
    raise ReplyError(f"no JSON with {key!r} in the reply: {_excerpt(stripped)}")


def _fenced(text: str, key: str) -> list[Any]:
    values = []
    for block in _FENCE.findall(text):
        try:
            values.append(json.loads(block))
        except (ValueError, RecursionError):
            continue
    return _answers(values, key, bare_list=True)


def _embedded(text: str, key: str) -> list[Any]:
    values: list[Any] = []
    at = text.find("{")
    for _ in range(_MOST_STARTS):
        if at < 0:
            break
        try:
            value, end = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            end = at + 1
        else:
            values.append(value)
        at = text.find("{", end)
    return _answers(values, key)


def _cut_off(text: str, key: str) -> bool:
    """Whether an answer begins that does not end; a whole draft before it is not the answer."""
    starts = islice(re.finditer(rf'\{{\s*"{re.escape(key)}"\s*:', text), _MOST_STARTS)
    return any(not _decodes(text, start.start()) for start in starts)


def _decodes(text: str, at: int) -> bool:
    try:
        _DECODER.raw_decode(text, at)
    except (ValueError, RecursionError):
        return False
    return True


def _answers(values: list[Any], key: str, *, bare_list: bool = False) -> list[Any]:
    """Those that have the key, or are the list that stands under it, each once."""
    answers: list[Any] = []
    for value in values:
        fits = key in value if isinstance(value, dict) else bare_list and isinstance(value, list)
        if fits and value not in answers:
            answers.append(value)
    return answers


def _excerpt(text: str) -> str:
    line = " ".join(text.split())
    return repr(line if len(line) <= 80 else line[:79] + "…")
