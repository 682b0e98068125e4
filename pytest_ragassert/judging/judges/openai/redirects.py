"""Requests go to the configured endpoint and nowhere else, whatever it redirects to."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from ....runtime.redaction import redact
from ....runtime.urls import origin, shown_url


class RedirectedRequest(Exception):
    """The endpoint redirects to where nothing is sent; the message names the place."""


def only_to(url: str) -> Callable[[Any], Awaitable[None]]:
    """A request hook for the HTTP client, called before each request, redirected ones too.

    A question that is sent on unchanged (307, 308) within the same scheme, host and port is let
    through. Other redirects turn it into a request without the question.

    Args:
        url: the configured one.

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
