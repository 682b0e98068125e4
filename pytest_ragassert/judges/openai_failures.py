"""What a refused request means, however the endpoint spells it: its kind, and whether to ask on."""

from __future__ import annotations

import email.utils
import math
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from ..current import Clock
from ..options import KEY_VARIABLE

if TYPE_CHECKING:
    import openai

_FILTER_CODES = {"content_filter", "content_policy_violation", "responsibleaipolicyviolation"}
_QUOTA_CODES = {"insufficient_quota", "billing_hard_limit_reached", "insufficient_credits"}
_KEY_CODES = {"invalid_api_key", "api_key_invalid"}
_MODEL_CODES = {"model_not_found", "invalid_model", "unknown_model", "deploymentnotfound"}
_QUOTA_WORDS = re.compile("exceeded your current quota|insufficient (?:credit|balance|fund)")
_KEY_WORDS = re.compile(r"api key not valid|(?:incorrect|invalid) api key")
_MODEL = re.compile(r"\bmodels?\b")
_NOT_THERE = re.compile(r"\b(?:not (?:be )?found|does not exist|unknown|not exist)")
_LENGTH_CODES = {
    "context_length_exceeded",
    "context_window_exceeded",
    "contextwindowexceedederror",
    "exceed_context_size_error",
    "string_above_max_length",
}
_LENGTH = re.compile(
    r"context (?:length|window|size)|(?:prompt|input|request|message)s? (?:is|are|was)? ?too long"
    r"|too many (?:input )?tokens|maximum (?:number of )?(?:input |prompt )?tokens"
    r"|tokens? .{0,40}exceeds?|exceeds? .{0,40}(?:token|context)|reduce the length"
)
_SECONDS = re.compile(r"\s*(\d+(?:\.\d+)?)\s*s?(?:ec(?:onds?)?)?\s*", re.IGNORECASE)
# Of an error's words so many characters are read at each end: some echo the whole request.
_READ = 2_000
_DEEPEST = 5  # errors within errors


class ServerError(NamedTuple):
    """An error as an endpoint answered it, by its status or inside a reply that looks well.

    Attributes:
        status: of HTTP.
        body: what it sent: an object, a list of them, or a text.
        headers: by name in lower case.
    """

    status: int
    body: Any
    headers: Mapping[str, str] = {}

    @property
    def record(self) -> Mapping[str, Any]:
        """The error object, also where it comes in a list or as a bare text."""
        body = self.body[0] if isinstance(self.body, list) and self.body else self.body
        if isinstance(body, Mapping) and isinstance(body.get("error"), Mapping):
            body = body["error"]
        return body if isinstance(body, Mapping) else {}

    @property
    def words(self) -> str:
        """The endpoint's own, however it wraps them; of very long ones the two ends."""
        found = _message_in(self.record) or _message_in(self.body)
        return _ends(found or ("no message" if self.body is None else _text_of(self.body)))

    @property
    def parameter(self) -> str | None:
        """The parameter that it names: `response_format`, `messages[0].role`."""
        named = self.record.get("param")
        if isinstance(named, str):
            return named
        # FastAPI, as in vLLM: {"detail": [{"loc": ["body", "seed"], "msg": …}]}
        details = self.record.get("detail")
        for detail in details if isinstance(details, list) else ():
            place = detail.get("loc") if isinstance(detail, Mapping) else None
            if isinstance(place, list) and place[:1] == ["body"]:
                return ".".join(str(p) for p in place[1:] if isinstance(p, str | int)) or None
        return None

    @property
    def is_too_long(self) -> bool:
        """Whether the request was longer than the model's context."""
        if self.status not in (400, 413, 422, 500):
            return False
        return bool(_codes(self.record) & _LENGTH_CODES or _LENGTH.search(self.words.casefold()))


def _message_in(value: Any, depth: int = 0) -> str:
    """The message of an error object, also of one as text within another's."""
    if isinstance(value, str):
        return value
    if not isinstance(value, Mapping) or depth > _DEEPEST:
        return ""
    details = value.get("detail")
    if isinstance(details, list):
        said = [d.get("msg") for d in details if isinstance(d, Mapping)]
        return "; ".join(text for text in said if isinstance(text, str))
    names = ("message", "error", "detail", "error_message", "msg")
    return next((text for name in names if (text := _message_in(value.get(name), depth + 1))), "")


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
    """The body as it came; the client unwraps `error` and drops what stands beside it."""
    try:
        return error.response.json()
    except (ValueError, RecursionError):
        return error.body if error.body is not None else error.message


def error_inside(response: Any) -> ServerError | None:
    """The error that a response of status 200 is, as gateways pass on that of their provider."""
    given = getattr(response, "error", None)
    if not isinstance(given, Mapping):
        choices = getattr(response, "choices", None)
        first = choices[0] if isinstance(choices, list) and choices else None
        given = getattr(first, "error", None)
        if not isinstance(given, Mapping) or getattr(first, "finish_reason", None) != "error":
            return None
    elif getattr(response, "choices", None) or getattr(response, "data", None):
        return None
    code = given.get("code")
    status = int(code) if isinstance(code, str) and re.fullmatch("[0-9]{3}", code) else code
    if not isinstance(status, int) or not 400 <= status < 600:
        return None
    return ServerError(status, given)


class Refusal(NamedTuple):
    """An HTTP error read.

    Attributes:
        kind: as in `JudgeError`.
        told: the endpoint's words.
        advice: what to do, or what it was.
        again: whether another try may help.
        ends_judging: whether no other question can succeed either.
    """

    kind: str
    told: str
    advice: str = ""
    again: bool = False
    ends_judging: bool = False


def refusal_of(
    error: ServerError,
    model: str,
    *,
    answered: bool,
    model_option: str = "--ragassert-model",
) -> Refusal:
    """The error's meaning.

    Args:
        answered: the endpoint has answered a question before.
        model_option: which option names the model.
    """
    status, body, told = error.status, error.record, error.words
    codes = _codes(body)
    words = told.casefold()
    if codes & _FILTER_CODES or _flagged(body) or "moderation" in words:
        what = ", ".join(_flagged(body))
        return Refusal("content filter", told, f"content filter{f': {what}' if what else ''}")
    if status == 402 or codes & _QUOTA_CODES or _QUOTA_WORDS.search(words):
        return Refusal("quota", told, "quota used up", ends_judging=True)
    if status in (401, 403) or codes & _KEY_CODES or _KEY_WORDS.search(words):
        advice = f"check the API key in {KEY_VARIABLE}"
        return Refusal("credentials", told, advice, ends_judging=True)
    unknown_model = codes & _MODEL_CODES or (status < 429 and _names_no_model(words))
    if unknown_model or (status == 404 and not answered):
        advice = f"check {model_option} ({model}) and --ragassert-base-url"
        return Refusal("model", told, advice, ends_judging=True)
    if status == 429:
        return Refusal("rate limit", told, again=True)
    if status == 501:
        return Refusal("request", told, "the endpoint can't do this")
    if status in (408, 409) or status >= 500:
        return Refusal("server", told, again=True)
    return Refusal("request", told)


def asked_wait(headers: Mapping[str, str]) -> float | None:
    """Seconds that the server asks to wait: a number, milliseconds, or a date; None where it says
    nothing that can be read."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        seconds = _number(headers.get(name, "")) * unit
        if not math.isnan(seconds):
            return max(0.0, seconds)
    try:
        date = email.utils.parsedate_tz(headers.get("retry-after", ""))
    except (ValueError, TypeError, LookupError):
        return None
    try:
        return None if date is None else max(0.0, email.utils.mktime_tz(date) - Clock.since_1970())
    except (ValueError, OverflowError):
        return math.inf  # beyond the calendar's years


def _names_no_model(words: str) -> bool:
    """Whether a line says of a model that it is not there."""
    for line in words.splitlines():
        model = _MODEL.search(line)
        if model is not None and _NOT_THERE.search(line, model.end()):
            return True
    return False


def _number(text: str) -> float:
    match = _SECONDS.fullmatch(text)
    try:
        return float(match[1] if match else text)
    except ValueError:
        return math.nan


def _codes(body: Mapping[str, Any]) -> set[str]:
    inner = body.get("innererror")
    given = [body.get("code"), body.get("type"), body.get("status")]
    given.append(inner.get("code") if isinstance(inner, Mapping) else None)
    return {code.casefold() for code in given if isinstance(code, str)}


def _flagged(body: Mapping[str, Any]) -> list[str]:
    """What a content filter found, by name."""
    inner, metadata = body.get("innererror"), body.get("metadata")
    found = inner.get("content_filter_result") if isinstance(inner, Mapping) else None
    names = []
    if isinstance(found, Mapping):
        names = [
            str(name)
            for name, result in found.items()
            if isinstance(result, Mapping) and result.get("filtered") is True
        ]
    reasons = metadata.get("reasons") if isinstance(metadata, Mapping) else None
    return names + [str(reason) for reason in (reasons if isinstance(reasons, list) else ())]
