"""Finds what an endpoint's error says, wherever it says it: message, codes and the parameter named.

Gateways wrap the error of the provider behind them: in `metadata.raw`, `innererror`, `details`, a
list, or as JSON within a text. Everything that is read is limited in size, because some errors
repeat the whole request.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import openai

# Under these names, in any case and with or without underscores, an error has its words, or other
# errors that have them.
_REASONS = (
    "error",
    "message",
    "msg",
    "err",
    "errmsg",
    "errormsg",
    "errormessage",
    "errordescription",
    "exception",
    "description",
    "detail",
    "details",
    "errors",
    "validation",
    "fieldviolations",
    "metadata",
    "raw",
    "innererror",
    "fault",
    "faultstring",
    "cause",
    "externalmodelmessage",
    "attempts",
    "title",
    "response",
    "result",
    "data",
)
# Gateways have names of their own: `upstream_error`, `previous_errors`, `failure_reason`. A single
# word under these is a code, and a body that is not JSON may be the request.
_LIKE_REASONS = re.compile(
    r"(?:errors?|exceptions?|message|msg|baseresp|reasons?|causes?|details?|descriptions?|hint|info|raw|body"
    r"|response|failures?|violations|invalidfields)\Z|\A(?:raw|upstream|original|previous|inner)"
)
# An object under these names may have an error for each field of a request, by its name.
_BY_FIELD = ("errors", "validation")
_CODES = ("code", "type", "status", "error_code", "error_type", "reason")
_PATH = re.compile(r"[A-Za-z_]\w{0,60}(?:\.\w{1,60}|\[\w{0,60}\]){0,20}")
_MOST_PARTS = 4  # of a page
_SAID = re.compile(
    r"<(?:title|h1|h2|p|pre|(?:\w{1,20}:)?(?:message|faultstring|detail|description))"
    r"\b[^<>]{0,200}>([^<]{1,400})",
    re.IGNORECASE,
)
# Invisible parts of a page; a page that is cut off may end within one.
_UNSEEN = re.compile(
    r"<!--.*?(?:-->|\Z)|<(style|script)\b.*?(?:</\1\s*>|\Z)", re.DOTALL | re.IGNORECASE
)
_INLINE = re.compile(
    r"</?(?:a|b|code|em|font|i|ins|small|span|strong|tt|u)\b[^<>]{0,400}>", re.IGNORECASE
)
_TAG = re.compile(r"<[a-z/!?][^<>]*(?:>|\Z|(?=<))", re.IGNORECASE)
_PAGE = re.compile(
    r"\s*<(?:!doctype|html|head|body|title|h[1-6]|p|pre|div|center|\?xml"
    r"|(?:\w{1,20}:)?(?:error|fault|envelope)\w{0,20})\b",
    re.IGNORECASE,
)
# Before JSON: a byte order mark, or the field name of a server-sent event.
_BEFORE_JSON = re.compile(r'[\s\ufeff]*(?:data:\s*)?(?=[{\["])')
_DEEPEST = 8  # depth of nested errors
_MOST_RECORDS = 100  # number of errors in one body
_MOST_TEXTS = 8
# Of a text, this many characters are read at each end.
_READ = 2_000


@dataclass(frozen=True)
class ServerError:
    """An error from an endpoint, by its status or inside a reply with status 200.

    Attributes:
        status: the HTTP status.
        body: what it sent: an object, a list of objects, or a text.
        headers: by name in lower case.
    """

    status: int
    body: Any
    headers: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def records(self) -> list[Mapping[str, Any]]:
        """The error object and those inside it, the outermost first."""
        found: list[Mapping[str, Any]] = []
        level: list[Any] = [self.body]
        for _ in range(_DEEPEST):
            below: list[Any] = []
            for value in map(_parsed, level):
                if isinstance(value, list):
                    below += value[:_MOST_RECORDS]
                elif isinstance(value, Mapping) and len(found) < _MOST_RECORDS:
                    found.append(value)
                    below += [reason for _, reason in _reasons(value)]
            level = below
        return found

    @cached_property
    def words(self) -> str:
        """The endpoint's own message, empty if there is none. Of a very long one, both ends."""
        said: list[str] = []
        for text in _texts(self.body, 0):
            if any(text in other for other in said):
                continue
            said = [other for other in said if other not in text] + [text]
            if len(said) == _MOST_TEXTS:
                break
        if said:
            return _ends("; ".join(said))
        if not self.body or (isinstance(self.body, str) and _PAGE.match(self.body)):
            return ""
        return _ends(_text_of(self.body).strip())

    @cached_property
    def codes(self) -> set[str]:
        """Codes and types, in lower case."""
        given = (record.get(name) for record in self.records for name in _CODES)
        return {code.casefold() for code in given if isinstance(code, str)}

    @cached_property
    def parameter(self) -> str | None:
        """The parameter that the error names: `response_format`, `messages[0].role`."""
        named = (_named_in(record) for record in self.records)
        return next((name for name in named if name is not None), None)


def _named_in(record: Mapping[str, Any]) -> str | None:
    for name in ("param", "field"):
        if isinstance(path := record.get(name), str) and _PATH.fullmatch(path):
            return path
    # FastAPI, as in vLLM: {"detail": [{"loc": ["body", "seed"], "msg": …}]}
    return ".".join(_place(record)) or None


def _place(record: Mapping[str, Any]) -> list[str]:
    place = record.get("loc")
    if not isinstance(place, list) or place[:1] != ["body"]:
        return []
    return [str(part) for part in place[1:20] if isinstance(part, str | int)]


def _parsed(value: Any) -> Any:
    """Return the value, or the JSON value that a text contains."""
    before = _BEFORE_JSON.match(value) if isinstance(value, str) else None
    if before is None:
        return value
    try:
        # some append the request's id
        inner, _ = json.JSONDecoder().raw_decode(value, before.end())
    except (ValueError, RecursionError):
        return value
    # some encode it twice
    inner = _parsed(inner)
    return inner if isinstance(inner, dict | list) else value


def _texts(given: Any, depth: int) -> Iterator[str]:
    """Return the messages of an error, followed by those of errors inside it."""
    value = _parsed(given)
    if isinstance(value, str):
        if text := _plain(_ends(value)):
            yield text
    elif depth > _DEEPEST:
        return
    elif isinstance(value, list):
        for item in value[:_MOST_RECORDS]:
            yield from _texts(item, depth + 1)
    elif isinstance(value, Mapping):
        place = ".".join(_place(value))
        for name, reason in _reasons(value):
            for text in _texts(reason, depth + 1):
                yield f"{place}: {text}" if place and name == "msg" else text


def _reasons(record: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Return the parts of an error that contain text or other errors, by their names in
    `_REASONS`.
    """
    found = _by_name(record)
    for name in _BY_FIELD:
        fields = found.get(name)
        if isinstance(fields, Mapping) and _by_name(fields).keys().isdisjoint(_REASONS):
            found[name] = [*fields.values()]
    further = [
        name for name in found if name not in _REASONS and _is_like_reason(name, found[name])
    ]
    return [(name, found[name]) for name in (*_REASONS, *further) if name in found]


def _is_like_reason(name: str, value: Any) -> bool:
    if _LIKE_REASONS.search(name) is None:
        return False
    if isinstance(value, str) and isinstance(_parsed(value), str):
        return " " in value.strip() and not name.endswith("body")
    return True


def _by_name(record: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in islice(record.items(), _MOST_RECORDS):
        found.setdefault(str(name).casefold().replace("_", ""), value)
    return found


def _plain(text: str) -> str:
    """Return a text, or the first sentences of an HTML or XML page: from the usual place or
    anywhere.
    """
    if _PAGE.match(text) is None:
        return text.strip()
    seen = _INLINE.sub("", _UNSEEN.sub("", text))
    for found in (_SAID.findall(seen), _TAG.split(seen)):
        said = (" ".join(html.unescape(each).split()) for each in found)
        if parts := list(islice(dict.fromkeys(filter(None, said)), _MOST_PARTS)):
            return "; ".join(parts)
    return ""


def _ends(text: str) -> str:
    return text if len(text) <= 2 * _READ else f"{text[:_READ]} … {text[-_READ:]}"


def _text_of(body: Any) -> str:
    try:
        return str(body)
    except RecursionError:
        return "objects within objects, without a message"


def error_of(error: openai.APIStatusError) -> ServerError:
    return ServerError(error.status_code, _whole_body(error), error.response.headers)


def _whole_body(error: openai.APIStatusError) -> Any:
    """Return the body as received; the client unwraps `error` and drops what is beside it."""
    try:
        return error.response.json()
    except (ValueError, RecursionError):
        return error.body if error.body is not None else error.message


def error_inside(response: Any) -> ServerError | None:
    """Return the error in a response with status 200, as gateways pass on their provider's
    error.
    """
    given = getattr(response, "error", None)
    if not isinstance(given, Mapping):
        choices = getattr(response, "choices", None)
        first = choices[0] if isinstance(choices, list) and choices else None
        given = getattr(first, "error", None)
        if not isinstance(given, Mapping) or getattr(first, "finish_reason", None) != "error":
            return None
    elif getattr(response, "choices", None) or getattr(response, "data", None):
        return None
    status = status_in(given)
    return None if status is None else ServerError(status, given)


def status_in(error: Mapping[str, Any]) -> int | None:
    """Return the HTTP status that an error object contains."""
    for name in ("code", "status", "status_code"):
        code = error.get(name)
        if isinstance(code, str) and re.fullmatch("[0-9]{3}", code):
            code = int(code)
        if isinstance(code, int) and 400 <= code < 600:
            return code
    return None
