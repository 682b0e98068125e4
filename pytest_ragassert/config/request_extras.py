"""Members of the JSON body and headers that users add to each request to an endpoint.

Imports only the standard library: options are read before anything else is loaded.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ..runtime.redaction import is_credential_scheme
from .credentials import HEADER_NAME, header_value
from .wrong_part import WrongPart

Headers = tuple[tuple[str, str], ...]

# Members of a request body that this package sets, each with its option, if there is one.
OWN_MEMBERS: Mapping[str, str] = {
    "model": "--ragassert-model",
    "messages": "",
    "response_format": "",
    "temperature": "--ragassert-temperature",
    "top_p": "--ragassert-top-p",
    "seed": "--ragassert-seed",
    "max_tokens": "--ragassert-max-tokens",
    "max_completion_tokens": "--ragassert-max-tokens",
    "stream": "--ragassert-stream",
    "stream_options": "--ragassert-stream",
}
# Headers that the HTTP client sets: body length, host, and accepted encodings.
_OF_THE_CLIENT = re.compile(
    "accept-encoding|connection|content-encoding|content-length|content-type|expect|host|te|trailer"
    "|transfer-encoding|upgrade"
).fullmatch

_WORD = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])")
# Words in the names of members and headers, in lower case.
_CREDENTIAL = re.compile(
    "auth|authorization|bearer|cookie|credentials?|keys?|passwd|password|secrets?|signature"
).fullmatch
# Before "token", these mean a model's token, not a credential.
_OF_MODELS = re.compile(
    "bos|eos|image|mask|max|min|next|pad|per|prefix|sep|stop|suffix|unk"
).fullmatch
# In headers, these identify the client or the request.
_OF_SENDERS = re.compile(
    "agent|baggage|client|correlation|metadata|organization|project|referr?er|sentry|session|span"
    "|tenant|title|trace|traceparent|tracestate|tracing|user"
).fullmatch


def read_extra_body(text: str, takes: str) -> dict[str, Any]:
    """
    Args:
        takes: what the option takes: the start of each message. Also below.

    Raises:
        ValueError: the text is not a JSON object, or sets a member that this package sets. The
            message shows no value.
    """
    try:
        value = json.loads(text, parse_constant=_refused_constant)
    except (ValueError, RecursionError):
        raise ValueError(takes) from None
    return checked_extra_body(value, takes)


def checked_extra_body(value: Any, takes: str) -> dict[str, Any]:
    """A copy of the members.

    Raises:
        ValueError: as for `read_extra_body`.
    """
    if not isinstance(value, dict) or not all(isinstance(name, str) for name in value):
        raise ValueError(takes)
    for name, option in OWN_MEMBERS.items():
        if name in value:
            by = f"by {option}" if option else "by ragassert itself"
            raise WrongPart(f"{name!r} is set {by}; leave it out")
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False)
        text.encode()
        copy: dict[str, Any] = json.loads(text)
    except (ValueError, TypeError, RecursionError):
        raise ValueError(f"{takes}: a value cannot be written as JSON") from None
    return copy


def read_headers(text: str, takes: str) -> Headers:
    """
    Raises:
        ValueError: a line is not a header, or the client sets that header. The message shows no
            value.
    """
    return checked_headers([line for line in text.split("\n") if line.strip()], takes)


def checked_headers(headers: Any, takes: str) -> Headers:
    """The headers, with white space stripped from names and values.

    Args:
        headers: lines, or pairs of name and value.

    Raises:
        ValueError: as for `read_headers`.
    """
    headers = list(headers) if isinstance(headers, Iterable) else [headers]
    found: dict[str, tuple[str, str]] = {}
    for number, header in enumerate(headers, start=1):
        which = "it" if len(headers) == 1 else f"line {number}"
        pair = header.split(":", 1) if isinstance(header, str) else header
        if not isinstance(pair, list | tuple) or list(map(type, pair)) != [str, str]:
            raise ValueError(f"{takes}: {which} has no colon")
        name, value = pair[0].strip(), pair[1]
        if not HEADER_NAME.fullmatch(name):
            raise ValueError(f"{takes}: the name of {which} is not valid")
        if _OF_THE_CLIENT(name.lower()):
            raise WrongPart(f"{name.lower()} is set by the client; leave it out")
        if name.lower() in found:
            raise WrongPart(f"{which} repeats the name of an earlier one")
        try:
            found[name.lower()] = name, header_value(value, which)
        except ValueError:
            raise ValueError(
                f"{takes}: the value of {which} cannot be sent as an HTTP header"
            ) from None
    return tuple(found.values())


def _refused_constant(name: str) -> Any:
    raise ValueError(name)


# -- what answers depend on, and what is secret ----------------------------------------------------


def key_digests(extra_body: Mapping[str, Any] | None, headers: Headers) -> dict[str, str]:
    """The part that enters the keys of stored answers: hashes, by `extra_body` and `headers`.

    Empty if neither is set. Left out are members and headers whose names mark them as credentials,
    and headers that only identify the client or trace requests: changing them invalidates nothing.
    """
    members = _without_credentials(extra_body or {})
    sorted_headers = sorted(
        [name.lower(), value] for name, value in headers if changes_answers(name)
    )
    parts = {"extra_body": members, "headers": sorted_headers}
    return {name: _digest(value) for name, value in parts.items() if value}


def changes_answers(header: str) -> bool:
    """Whether answers may depend on the header, judging by its name."""
    words = _words(header)
    identifies = any(map(_OF_SENDERS, words)) or words[-2:] == ["request", "id"]
    return not (identifies or is_credential(header) or words[:2] == ["x", "b3"] or words == ["b3"])


def is_credential(name: str) -> bool:
    """Whether a member or header is a credential, judging by its name."""
    words = _words(name)
    last, before = words[-1:], words[-2:-1]
    if last == ["token"]:
        return not any(map(_OF_MODELS, before))
    # `apikey` is one word
    return any(map(_CREDENTIAL, words)) or any(word.endswith("apikey") for word in last)


def secrets_of(extra_body: Mapping[str, Any] | None, headers: Headers) -> Iterator[str]:
    """The values that must never be shown."""
    yield from _secrets_in(extra_body or {}, named=False)
    for name, value in headers:
        yield value
        scheme, _, rest = value.partition(" ")
        if rest and (is_credential(name) or is_credential_scheme(scheme)):
            yield rest.strip()


def _secrets_in(value: Any, *, named: bool) -> Iterator[str]:
    if isinstance(value, Mapping):
        for name, held in value.items():
            yield from _secrets_in(held, named=named or is_credential(name))
    elif isinstance(value, list):
        for held in value:
            yield from _secrets_in(held, named=named)
    elif isinstance(value, str):
        scheme, _, rest = value.partition(" ")
        if named or (rest and is_credential_scheme(scheme)):
            yield value
            yield rest.strip()


def _without_credentials(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {
            name: _without_credentials(held)
            for name, held in value.items()
            if not is_credential(name)
        }
    if isinstance(value, list):
        return [_without_credentials(held) for held in value]
    return value


def _words(name: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(name)]


def _digest(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:32]
