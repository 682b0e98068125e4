"""A request hook for the HTTP client: bytes are sent once the permit to send has come, not earlier.

Connections are made before that, so the time for connecting does not shift when a server sees the
request.
"""

from __future__ import annotations

from contextlib import AsyncExitStack
from typing import Any

from ...calls.send_permit import permit


async def paced(request: Any) -> None:
    """Send the request's bytes when the running task's permit allows it."""
    going = AsyncExitStack()
    given = permit()

    async def trace(event: str, info: Any) -> None:
        # events of httpcore, "http11.send_request_headers.started"; a proxy's tunnel has them too
        _, _, what = event.partition(".")
        if what == "send_request_headers.started" and not _is_tunnel(info):
            await going.enter_async_context(given.going_out())
        elif what in _OUT:
            await going.aclose()

    request.extensions = {**request.extensions, "trace": trace}


_OUT = {"send_request_headers.failed", "send_request_body.complete", "send_request_body.failed"}


def _is_tunnel(info: Any) -> bool:
    return bool(info["request"].method == b"CONNECT")
