"""The API key and ids sent with each request, checked as HTTP header values.

Imports only the standard library: a run checks them at its start, before it loads anything else.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from ..runtime.environment import HEADERS_VARIABLE, ORGANIZATION_VARIABLE, PROJECT_VARIABLE
from ..runtime.redaction import header_lines

# HTTP libraries send ASCII without control characters, except the tab.
_UNFIT = re.compile(r"[^\t\x20-\x7e]")
HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
AUTHORIZATION = "authorization"
PLACEHOLDER = "none"  # the key sent to endpoints on this machine if none is set
_KEY_HEADERS = frozenset({AUTHORIZATION, "api-key", "x-api-key", "x-goog-api-key"})


@dataclass(frozen=True)
class Credentials:
    """The API key and ids of requests; the `repr` shows no value.

    Attributes:
        key: the API key; None if there is none.
        organization, project: OpenAI's ids for billing.
    """

    key: str | None = field(default=None, repr=False)
    organization: str | None = field(default=None, repr=False)
    project: str | None = field(default=None, repr=False)


def read_credentials(
    environ: Mapping[str, str], key: str | None, source: str = "api_key"
) -> Credentials:
    """
    Args:
        key: the API key as it was given.
        source: where it was given, for error messages.

    Raises:
        ValueError: a value cannot be sent as a header; the message names its variable, never the
            value.
    """
    for name, value in header_lines(environ.get(HEADERS_VARIABLE, "")):
        header_value(value, HEADERS_VARIABLE)
        if not HEADER_NAME.fullmatch(name):
            raise ValueError(
                f"{HEADERS_VARIABLE}: each line must be `Name: value`, and one has no valid name"
            )
    return Credentials(
        header_value(key or "", source) or None,
        header_value(environ.get(ORGANIZATION_VARIABLE, ""), ORGANIZATION_VARIABLE) or None,
        header_value(environ.get(PROJECT_VARIABLE, ""), PROJECT_VARIABLE) or None,
    )


def needs_key(
    url: str, environ: Mapping[str, str], headers: Iterable[tuple[str, str]] = ()
) -> bool:
    """Whether requests to the URL need an API key.

    Requests to this machine need none, nor do those with credentials in the URL or in a header.

    Args:
        headers: names and values of headers that are sent in addition to those in the environment.
    """
    from ..runtime.urls import is_this_machine, parsed

    sent = (*header_lines(environ.get(HEADERS_VARIABLE, "")), *headers)
    if not _KEY_HEADERS.isdisjoint(name.lower() for name, _ in sent):
        return False
    try:
        return parsed(url).username is None and not is_this_machine(url)
    except ValueError:
        return True


def sent_credentials(
    url: str,
    environ: Mapping[str, str],
    headers: Iterable[tuple[str, str]],
    key: str | None,
) -> list[str]:
    """The sources of the credentials sent with each request, never their values.

    A header takes precedence over the URL's user info, which takes precedence over the key.

    Args:
        headers: names and values from the option, in addition to those in the environment.
        key: where it was given; None: there is none.
    """
    from ..runtime.urls import parsed

    places = {
        name.lower(): f"the header {name} in {source}"
        for source, pairs in (
            (HEADERS_VARIABLE, header_lines(environ.get(HEADERS_VARIABLE, ""))),
            ("--ragassert-header", headers),
        )
        for name, _ in pairs
        if name.lower() in _KEY_HEADERS
    }
    if AUTHORIZATION not in places:
        if parsed(url).username is not None:
            instead = f", which replace {key}" if key else ""
            places[AUTHORIZATION] = f"user and password in the base URL{instead}"
        elif key:
            places[AUTHORIZATION] = key
    return list(places.values())


def header_value(text: str, source: str) -> str:
    """Strip and check a header's value.

    Raises:
        ValueError: it cannot be sent as a header; the message names the source, never the value.
    """
    value = text.strip()
    if unfit := _UNFIT.search(value):
        what = "a control character" if ord(unfit[0]) < 0xA0 else "not ASCII"
        what = "a line break" if unfit[0] in "\r\n" else what
        raise ValueError(
            f"{source}: the value cannot be sent as an HTTP header: character {unfit.start() + 1} "
            "of "
            f"{len(value)} is {what}; set it again (it is not shown because it may be secret)"
        )
    return value
