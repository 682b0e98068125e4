"""Interprets a rejected request, however the endpoint words it: its kind, and whether to go on."""

from __future__ import annotations

import email.utils
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ....config.credentials import PLACEHOLDER
from ....config.options import KEY_VARIABLE
from ....runtime.clock import Clock
from ....runtime.redaction import without_keys
from .error_body import ServerError

_FILTER_CODES = {
    "content_filter",
    "content_policy_violation",
    "responsibleaipolicyviolation",
    "data_inspection_failed",
    "datainspectionfailed",
    "prohibited_content",
    "sensitive_words_detected",
    "1301",  # of Zhipu
}
_FILTER_WORDS = re.compile(
    "moderation|content exists risk|considered high risk|inappropriate content"
    "|violates? (?:our |the )?(?:usage|content)|content management policy|敏感内容"
)
_QUOTA_CODES = {
    "insufficient_quota",
    "billing_hard_limit_reached",
    "insufficient_credits",
    "arrearage",
    "1113",  # of Zhipu
}
_QUOTA_WORDS = re.compile(
    "exceeded your current quota|insufficient (?:account )?(?:credit|balance|fund)"
    "|balance is (?:too low|not enough|insufficient)|余额不足"
)
_AFTER_QUOTA = "add credit or set another key, then run again: what was answered is stored"
_KEY_CODES = {"invalid_api_key", "api_key_invalid"}
_KEY_WORDS = re.compile(
    r"api key not valid|(?:incorrect|invalid|no) api key|invalid authentication"
)
_MODEL_CODES = {
    "model_not_found",
    "invalid_model",
    "unknown_model",
    "deploymentnotfound",
    "model_decommissioned",
    "model_not_supported",
    "1211",  # of Zhipu
}
_MODEL_WORDS = re.compile(
    r"not a valid model|invalid model name|no models? (?:is |are )?loaded|模型不存在"
)
_MODEL = re.compile(r"\bmodels?\b")
_NOT_THERE = re.compile(
    r"\b(?:not (?:be )?found|does not exist|not exist"
    r"|unknown(?! (?:name|parameter|param|field|argument|key|property|format|variant)))"
)
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
    r"|tokens? .{0,40}(?:exceeds?|must be <)|exceeds? .{0,40}(?:token|context)|reduce the length"
    r"|range of input length"
)
_SECONDS = re.compile(r"\s*(\d+(?:\.\d+)?)\s*s?(?:ec(?:onds?)?)?\s*", re.IGNORECASE)
# The endpoint itself found that its model's output is not JSON of the requested form.
_UNFIT_CODES = {"json_validate_failed", "jsonschemavalidationerror", "json_parse_failed"}
_UNFIT = re.compile(
    r"(?:fail(?:ed|s|ure)?|unable|could ?(?:not|n't)|can ?(?:not|'t)|did ?(?:not|n't)|not able)"
    r"(?: \w+){0,4} (?:generat|produc|output|return|emit|validat)\w*(?: \w+){0,4} json\b"
    r"|json_validate_failed|failed_generation"
    r"|json mode could ?(?:not|n't) be met"
    r"|generated (?:json|output|text|content|response)(?: \w+){0,4} (?:not|invalid|malformed)"
    r"|generated (?:an? )?(?:invalid|malformed) json"
    r"|model(?:'s)? (?:output|response|reply)(?: \w+){0,2} not (?:a )?(?:valid )?json"
    r"|jsonschemavalidationerror"
)
# A server's own error with status 500 that recurs as long as the same format is requested.
_GRAMMAR = re.compile(
    r"(?:fail(?:ed|ure)?|unable|cannot|can't|could ?(?:not|n't)|error)(?: \w+){0,3}"
    r" (?:pars|compil|convert|initializ)\w*(?: \w+){0,4} (?:grammar|schema|samplers)"
    r"|(?:json )?schema(?: \w+){0,3} (?:not |un)support"
    r"|schema conversion fail|unrecognized schema|empty grammar stack"
)


class Refusal(NamedTuple):
    """The meaning of an HTTP error.

    Attributes:
        kind: as in `JudgeError`.
        words: the endpoint's message.
        advice: what to do, or what caused it.
        again: whether another try may help.
        ends_judging: whether every other question would fail as well.
    """

    kind: str
    words: str
    advice: str = ""
    again: bool = False
    ends_judging: bool = False


def refusal_of(
    error: ServerError,
    model: str,
    *,
    answered: bool,
    credentials: Sequence[str] = (),
    model_option: str = "--ragassert-model",
) -> Refusal:
    """Interpret an error.

    Args:
        answered: the endpoint has answered a question before.
        credentials: what was sent with the request as credentials, in words.
        model_option: the option that names the model.
    """
    status, codes, text = error.status, error.codes, error.words
    words = text.casefold()
    flagged = [name for record in error.records for name in _flagged(record)]
    if codes & _FILTER_CODES or flagged or _FILTER_WORDS.search(words):
        what = ", ".join(dict.fromkeys(flagged))
        return Refusal("content filter", text, f"content filter{f': {what}' if what else ''}")
    if _is_unfit(error, words):
        return Refusal("malformed", text)
    if status == 402 or codes & _QUOTA_CODES or _QUOTA_WORDS.search(words):
        return Refusal("quota", text, f"quota used up; {_AFTER_QUOTA}", ends_judging=True)
    if status in (401, 403) or codes & _KEY_CODES or _KEY_WORDS.search(words):
        # only this machine is asked without a key
        advice = (
            f"the placeholder key {PLACEHOLDER!r} was sent because none is set; set {KEY_VARIABLE}"
        )
        if credentials:
            advice = f"check {' and '.join(credentials)}"
        return Refusal("credentials", without_keys(text), advice, ends_judging=True)
    if status == 404 and "requested parameters" in words:
        return Refusal("request", text)
    unknown_model = codes & _MODEL_CODES or (status < 429 and _names_no_model(words))
    if unknown_model or (status == 404 and not answered):
        advice = f"check {model_option} ({model}) and --ragassert-base-url"
        return Refusal("model", text, advice, ends_judging=True)
    if status == 429:
        return Refusal("rate limit", text, again=True)
    if status == 501:
        return Refusal("request", text, "the endpoint can't do this")
    if status == 500 and _GRAMMAR.search(words):
        return Refusal("request", text)
    if status in (408, 409) or status >= 500:
        return Refusal("server", text, again=True)
    return Refusal("request", text)


def asked_wait(headers: Mapping[str, str]) -> float | None:
    """Return the seconds that the server asks to wait, given as a number, milliseconds or a date;
    None if there is no valid value.
    """
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
    """Whether a line says that the model does not exist."""
    if _MODEL_WORDS.search(words):
        return True
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


def is_too_long(error: ServerError) -> bool:
    """Whether the request was longer than the model's context."""
    if error.status not in (400, 413, 422, 500):
        return False
    return bool(error.codes & _LENGTH_CODES or _LENGTH.search(error.words.casefold()))


def _is_unfit(error: ServerError, words: str) -> bool:
    """Whether the error is about the model's output, so that another try may succeed."""
    if error.status not in (400, 422, 500, 502):
        return False
    named = any("failed_generation" in record for record in error.records)
    return named or bool(error.codes & _UNFIT_CODES or _UNFIT.search(words))


def _flagged(record: Mapping[str, Any]) -> list[str]:
    """Return the categories that a content filter flagged."""
    found, metadata = record.get("content_filter_result"), record.get("metadata")
    names = []
    if isinstance(found, Mapping):
        names = [
            str(name)
            for name, result in found.items()
            if isinstance(result, Mapping) and result.get("filtered") is True
        ]
    reasons = metadata.get("reasons") if isinstance(metadata, Mapping) else None
    return names + [str(reason) for reason in (reasons if isinstance(reasons, list) else ())]
