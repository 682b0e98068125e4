"""How chat requests to a model are written: what its endpoint rejected is left out or renamed.

A rejection names what the endpoint does not accept. Only that part changes, for the whole run, and
the request is sent again. So each rejection costs one request.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ....config.request_extras import OWN_MEMBERS
from ....config.settings import Settings
from ....runtime.canonical_json import Json, readable_json
from ....steps.step import Step

SYSTEM = "system role"
STREAM = "stream"
_FORMATS = ("json_schema", "json_object", "")
_LIMITS = ("max_tokens", "max_completion_tokens")
_SAMPLING = ("temperature", "top_p", "seed")
_OPTIONAL = (*_SAMPLING, *_LIMITS, "stream_options")
_STATUSES = (400, 415, 422, 500, 501)

# Words by which a text says that it rejects what it names.
_REFUSES = re.compile(
    r"not (?:\w+ )?(?:support|permit|allow|implement|accept|available|enabled|valid|recogni)"
    r"|n't (?:\w+ )?(?:support|allow|accept)|unsupport|unknown|unrecogni|unexpected|invalid"
    r"|must be|input should be|extra (?:inputs?|fields?|keys?)|deprecated|disabled|cannot|can't"
    r"|no longer|unavailable|only (?:\w+ ){0,6}(?:support|allow|for)|(?:may|can|must) only"
    r"|fail(?:ed|ure)? to|must alternate|should alternate|unable to"
)
_TOO_LARGE = re.compile(r"too (?:large|high|big)|at most|less than|exceed|greater than|larger than")
_NAMES = {
    "response_format": re.compile(
        r"response_?(?:format|schema|mime_?type|json_?schema)|text\.format|output_(?:format|config)"
        r"|json[_ ](?:schema|object|mode)|structured[_ ]outputs?|guided|grammar"
    ),
    "max_tokens": re.compile(r"(?<![\w.])max_tokens(?!\w)"),
    "max_completion_tokens": re.compile(r"(?<![\w.])max_completion_tokens(?!\w)"),
    **{name: re.compile(rf"(?<![\w.]){name}(?!\w)") for name in _SAMPLING},
    "stream_options": re.compile(r"stream_options|include_usage"),
    STREAM: re.compile(r"(?<![\w.])stream(?:ing)?(?!\w)"),
    SYSTEM: re.compile(
        r"system (?:role|message|prompt|instruction)|developer instruction|role[^.]{0,30}system"
        r"|roles? must alternate|(?:only )?user and assistant roles"
    ),
}
# How servers say that they answer only with streams.
_WANTS_STREAM = re.compile(
    r"stream(?:ing)?[\W_]{0,3} (?:must|should|has to|needs to) be (?:set to )?[\W_]{0,3}"
    r"(?:true|on|enabled)"
    r"|only (?:[\w/]+[ /]){0,3}stream|streaming is (?:\w+ )?(?:required|recommended)"
    r"|requires? (?:\w+ ){0,2}stream|non-?stream\w*(?: \w+){0,3} (?:not|unsupported|disabled)\b"
    r"|(?:enable|use|set) (?:the )?[\W_]{0,3}stream|stream(?: ?= ?|[\W_]{0,3} is )false"
    r"|for non-?stream|非流式|仅支持流式|只支持流式"
)


class RequestShape:
    """The shape of the requests to one model.

    Args:
        stream: whether to ask for the reply as a stream, unless the endpoint requires otherwise.

    Attributes:
        lessons: what the endpoint was found to reject, in words.
    """

    def __init__(self, *, stream: bool = False) -> None:
        self.lessons: list[str] = []
        self._format = 0
        self._limit = 0
        self._dropped: set[str] = set()
        self._system = True
        self._configured_stream = stream
        # what the endpoint requires; None: as configured
        self._wanted_stream: bool | None = None
        self._turned = False

    @classmethod
    def of_record(cls, record: Any, *, stream: bool = False) -> RequestShape | None:
        """Return the shape that `record` describes, or None if it describes none."""
        shape = cls(stream=stream)
        try:
            shape._format = _FORMATS.index(record["format"])
            shape._limit = _LIMITS.index(record["limit"])
            shape._dropped = {name for name in _OPTIONAL if name in record["without"]}
            shape._system = record["system"] is True
            shape._wanted_stream = record["stream"]
        except (KeyError, ValueError, TypeError, AttributeError):
            return None
        return shape if shape._wanted_stream in (None, True, False) else None

    def adopt(self, other: RequestShape) -> None:
        """Leave out and rename everything that `other` does too."""
        self._format = max(self._format, other._format)
        self._limit = max(self._limit, other._limit)
        self._dropped |= other._dropped
        self._system = self._system and other._system
        if self._wanted_stream is None:
            self._wanted_stream = other._wanted_stream

    def record(self) -> Json:
        """Return the shape as plain data."""
        return {
            "format": _FORMATS[self._format],
            "limit": _LIMITS[self._limit],
            "without": sorted(self._dropped),
            "system": self._system,
            "stream": self._wanted_stream,
        }

    @property
    def _stream(self) -> bool:
        wanted = self._wanted_stream
        return self._configured_stream if wanted is None else wanted

    def body(
        self, settings: Settings, step: Step, message: Json, model: str, sample: int
    ) -> dict[str, Any]:
        """Return the request for a message of a step."""
        kind = _FORMATS[self._format]
        optional: dict[str, Any] = {
            "response_format": _response_format(kind, step) if kind else None,
            "temperature": settings.temperature_of(sample),
            "top_p": settings.top_p,
            # one seed for all votes would make them copies of each other
            "seed": None if settings.seed is None else settings.seed + sample,
            _LIMITS[self._limit]: settings.max_tokens,
            "stream": self._stream or None,
            "stream_options": {"include_usage": True} if self._stream else None,
        }
        taken = {
            name: value
            for name, value in optional.items()
            if value is not None and name not in self._dropped
        }
        own = {"model": model, "messages": self._messages(step, message), **taken}
        return own | (settings.extra_body or {})

    def _messages(self, step: Step, message: Json) -> list[dict[str, Any]]:
        instructions, data = step.system_message, readable_json(message)
        if self._system:
            return [
                {"role": "system", "content": instructions},
                {"role": "user", "content": data},
            ]
        # a separate part: data is never in one text with instructions
        parts = [{"type": "text", "text": text} for text in (instructions, data)]
        return [{"role": "user", "content": parts}]

    def simplify(self, sent: Mapping[str, Any]) -> bool:
        """Simplify the next request if it is unknown what was rejected.

        First use a simpler format, then none, then no optional parameters either.

        Args:
            sent: the rejected request.

        Returns:
            Whether there is a simpler request.
        """
        if "response_format" in sent and self._format + 1 < len(_FORMATS):
            self._format += 1
            return True
        optional = {name for name in _OPTIONAL if name in sent}
        self._dropped |= optional
        return bool(optional)

    def learn(self, refused: str, sent: Mapping[str, Any]) -> bool:
        """Leave out or rename what was rejected, unless this was done since the request was
        written.

        Args:
            refused: as `refused_part` names it.
            sent: the request.

        Returns:
            Whether the next request differs from it.
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
        elif refused == STREAM:
            return self._learn_stream(was=bool(sent.get(STREAM)))
        elif refused == "max_tokens":
            if not self._limit:
                self._limit = 1
                self._note("max_tokens", "max_completion_tokens")
        elif refused not in self._dropped:
            self._dropped.add(refused)
            self._note(refused)
        return True

    def _learn_stream(self, *, was: bool) -> bool:
        if self._stream == was and not self._turned:
            # once only: otherwise a server that accepts neither would be asked forever
            self._wanted_stream, self._turned = not was, True
            self._note(*(("streams", "whole replies") if was else ("whole replies", "streams")))
        return self._stream != was

    def _note(self, refused: str, instead: str = "") -> None:
        self.lessons.append(f"refuses {refused}" + (f", takes {instead}" if instead else ""))

    @property
    def lacks(self) -> str:
        """What of a complete request is left out, in words."""
        lacking = ["response_format json_schema" if self._format == 1 else "response_format"]
        left_out = lacking[: self._format > 0] + sorted(self._dropped)
        return ", ".join(left_out)


def _response_format(kind: str, step: Step) -> dict[str, Any]:
    if kind == "json_object":
        return {"type": kind}
    schema = {"name": step.name, "strict": True, "schema": step.sent_schema}
    return {"type": kind, kind: schema}


def refused_part(status: int, named: str | None, words: str, sent: Mapping[str, Any]) -> str | None:
    """Return which part of a request its rejection is about, or None if no part of it can change.

    Args:
        status: the HTTP status, or the one that a body gives instead.
        named: the parameter that the error object names.
        words: the error's message.
        sent: the request.
    """
    if status not in _STATUSES:
        return None
    text = words.casefold()
    found = _named_part(named, text, sent)
    # a server's own error may have any cause; a limit beyond the model's is for the user to lower
    if status == 500 and found != "response_format":
        return None
    return None if found in _LIMITS and _TOO_LARGE.search(text) else found


def is_unexplained(status: int, named: str | None, words: str, sent: Mapping[str, Any]) -> bool:
    """Whether a simpler form of a rejected request may be accepted, since the reason is unknown.

    The arguments are those of `refused_part`.
    """
    if status not in (400, 422) or (named and _first_name(named) in ("messages", "model")):
        return False
    text = words.casefold()
    if _named_part(named, text, sent) is not None:
        return False
    # what the user added to the request is for the user to remove
    added = [re.escape(name.casefold()) for name in sent if name not in OWN_MEMBERS]
    return not any(named == name or re.search(f"['\"`]{name}['\"`]", text) for name in added)


def _named_part(named: str | None, text: str, sent: Mapping[str, Any]) -> str | None:
    """Return the part of the sent request that a rejection names."""
    part = _part_named(named) if named else None
    there = [name for name in _NAMES if _has(sent, name)]
    if part is None and named and _first_name(named) in ("messages", "model"):
        # "'messages' must contain the word 'json'", if a format is requested
        of_format = "response_format" in there and "response_format" in text
        return "response_format" if of_format else None
    if part in there:
        return part
    if STREAM not in sent and (part == STREAM or _WANTS_STREAM.search(text)):
        return STREAM
    if not _REFUSES.search(text):
        return None
    places = {name: match.start() for name in there if (match := _NAMES[name].search(text))}
    return min(places, key=places.__getitem__, default=None)


def _has(sent: Mapping[str, Any], name: str) -> bool:
    if name == SYSTEM:
        return any(message["role"] == "system" for message in sent["messages"])
    return name in sent


def _part_named(named: str) -> str | None:
    """Map a parameter to its part: `response_format.type` to the format, `messages[0].role` to the
    role.
    """
    name = _first_name(named)
    if name == "messages":
        return SYSTEM if re.search(r"\brole\b", named) else None
    if name not in _NAMES and _NAMES["response_format"].search(named.casefold()):
        return "response_format"
    return name if name in _NAMES else None


def _first_name(path: str) -> str:
    return re.split(r"[.\[]", path, maxsplit=1)[0]
