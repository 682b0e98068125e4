"""How chat requests are written for a model: what its endpoint refused is left out or renamed.

A refusal names what the endpoint can't take. That part alone changes, for the session, and the
request goes again, so that each refusal costs one request a process.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ..settings import Settings
from ..steps.canonical import readable_json
from ..steps.step import Json, Step

SYSTEM = "system role"
_FORMATS = ("json_schema", "json_object", "")
_LIMITS = ("max_tokens", "max_completion_tokens")
_SAMPLING = ("temperature", "top_p", "seed")
_STATUSES = (400, 415, 422, 501)

# Words by which a text says that it refuses what it names.
_REFUSES = re.compile(
    r"not (?:\w+ )?(?:support|permit|allow|implement|accept|available|enabled|valid|recogni)"
    r"|n't (?:\w+ )?(?:support|allow|accept)|unsupport|unknown|unrecogni|unexpected|invalid"
    r"|must be|extra (?:inputs?|fields?|keys?)|deprecated|disabled|cannot|can't|no longer"
    r"|only (?:\w+ ){0,6}(?:support|allow)|must alternate|unable to"
)
_TOO_LARGE = re.compile(r"too (?:large|high|big)|at most|less than|exceed|greater than|larger than")
_NAMES = {
    "response_format": re.compile(
        r"response_format|json_schema|json_object|structured outputs?|json mode|guided|grammar"
    ),
    "max_tokens": re.compile(r"(?<![\w.])max_tokens(?!\w)"),
    "max_completion_tokens": re.compile(r"(?<![\w.])max_completion_tokens(?!\w)"),
    **{name: re.compile(rf"(?<![\w.]){name}(?!\w)") for name in _SAMPLING},
    SYSTEM: re.compile(
        r"system (?:role|message|prompt|instruction)|developer instruction|role[^.]{0,30}system"
        r"|roles? must alternate|(?:only )?user and assistant roles"
    ),
}


class RequestShape:
    """The requests to one model.

    Attributes:
        lessons: what was learned, in words.
    """

    def __init__(self) -> None:
        self.lessons: list[str] = []
        self._format = 0
        self._limit = 0
        self._dropped: set[str] = set()
        self._system = True

    def body(
        self, settings: Settings, step: Step, message: Json, model: str, sample: int
    ) -> dict[str, Any]:
        """The request that asks a message of a step."""
        kind = _FORMATS[self._format]
        optional: dict[str, Any] = {
            "response_format": _response_format(kind, step) if kind else None,
            "temperature": settings.temperature_of(sample),
            "top_p": settings.top_p,
            # one seed for all votes would make them copies of each other
            "seed": None if settings.seed is None else settings.seed + sample,
            _LIMITS[self._limit]: settings.max_tokens,
        }
        taken = {
            name: value
            for name, value in optional.items()
            if value is not None and name not in self._dropped
        }
        return {"model": model, "messages": self._messages(step, message), **taken}

    def _messages(self, step: Step, message: Json) -> list[dict[str, Any]]:
        instructions, data = step.system_message, readable_json(message)
        if self._system:
            return [
                {"role": "system", "content": instructions},
                {"role": "user", "content": data},
            ]
        # a part of their own: data never stands in one text with instructions
        parts = [{"type": "text", "text": text} for text in (instructions, data)]
        return [{"role": "user", "content": parts}]

    def learn(self, refused: str, sent: Mapping[str, Any]) -> None:
        """Leave out or rename what was refused, unless that was done since the request was made.

        Args:
            refused: as `refused_part` names it.
            sent: the request.
        """
        if refused == "response_format":
            if sent.get(refused, {}).get("type", "") == _FORMATS[self._format]:
                left = _FORMATS[self._format]
                self._format += 1
                self._note(f"response_format {left}", _FORMATS[self._format])
        elif refused == SYSTEM:
            if self._system:
                self._system = False
                self._note("the system role", "a part of the user message")
        elif refused == "max_tokens":
            if not self._limit:
                self._limit = 1
                self._note("max_tokens", "max_completion_tokens")
        elif refused not in self._dropped:
            self._dropped.add(refused)
            self._note(refused)

    def _note(self, refused: str, instead: str = "") -> None:
        self.lessons.append(f"refuses {refused}" + (f", takes {instead}" if instead else ""))


def _response_format(kind: str, step: Step) -> dict[str, Any]:
    if kind == "json_object":
        return {"type": kind}
    schema = {"name": step.name, "strict": True, "schema": step.schema}
    return {"type": kind, kind: schema}


def refused_part(status: int, named: str | None, words: str, sent: Mapping[str, Any]) -> str | None:
    """Which part of a request its refusal is about; None where that is none that can change.

    Args:
        status: of HTTP, or what a body says in its place.
        named: the parameter that the error object names.
        words: the error's message.
        sent: the request.
    """
    if status not in _STATUSES:
        return None
    there = [name for name in _NAMES if _has(sent, name)]
    text = words.casefold()
    places = {name: match.start() for name in there if (match := _NAMES[name].search(text))}
    found = min(places, key=places.__getitem__, default=None) if _REFUSES.search(text) else None
    if named:
        found = _part_named(named)
    # a limit beyond the model's is the user's to lower
    if found not in there or (found in _LIMITS and _TOO_LARGE.search(text)):
        return None
    return found


def _has(sent: Mapping[str, Any], name: str) -> bool:
    if name == SYSTEM:
        return any(message["role"] == "system" for message in sent["messages"])
    return name in sent


def _part_named(named: str) -> str | None:
    """`response_format.type` is of the response format, `messages[0].role` of the system role."""
    name = re.split(r"[.\[]", named, maxsplit=1)[0]
    if name == "messages":
        return SYSTEM if re.search(r"\brole\b", named) else None
    return name if name in _NAMES else None
