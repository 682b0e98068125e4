"""Sends requests only to the configured endpoint, whatever it redirects to."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from ....runtime.redaction import redact
from ....runtime.urls import origin, shown_url


class RedirectedRequest(Exception):
    """The endpoint redirects to a place where nothing is sent. The message names the place."""


def only_to(url: str) -> Callable[[Any], Awaitable[None]]:
    """A request hook for the HTTP client, called before each request, including redirected ones.

    It allows a redirect that sends the question unchanged (307, 308) to the same scheme, host and
    port. Other redirects would send a request without the question.

    Args:
        url: the configured URL.

    Raises:
        RedirectedRequest: before anything is sent to another origin, or without the question.
    """
    own = origin(url)

    async def check(request: Any) -> None:
        target = str(request.url)
        try:
            elsewhere = origin(target) != own
        except ValueError:
            elsewhere = True
        if elsewhere or request.method != "POST":
            raise RedirectedRequest(redact(shown_url(target)))

    return check
