"""Limits how much of a reply is read, so that a server can't fill the memory, compressed or not."""

from __future__ import annotations

import sys
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import cache
from typing import Any

from ....runtime.redaction import redact

# The only encoding that is requested. This module decompresses it piece by piece, up to the limit.
ENCODING = "gzip"
MEGABYTE = 1 << 20
_LARGEST_ERROR = MEGABYTE
_PIECE = 1 << 16
_WINDOW_BITS = {"gzip": 16 + zlib.MAX_WBITS, "x-gzip": 16 + zlib.MAX_WBITS, "deflate": 15}


class UnreadReply(Exception):
    """The reply is larger than what is read, or in an encoding that was not requested."""


class BrokenReply(Exception):
    """The reply began but ended before it was complete."""


def limited(largest: int) -> Callable[[Any], Awaitable[None]]:
    """A response hook for the HTTP client that limits how many decompressed bytes of a reply are
    read.

    Of an error's body, the first megabyte is read and the rest ignored, so that its status is
    reported.

    Raises:
        UnreadReply: while the body is read.
        BrokenReply: while the body is read.
    """

    async def limit(response: Any) -> None:
        stream = response.stream
        # a recorded or mocked response may be complete already
        if response.is_stream_consumed or not hasattr(stream, "__aiter__"):
            return
        given = response.headers.pop("content-encoding", "").strip()
        encoding = given.lower()
        if encoding == "identity":
            encoding = ""
        if encoding not in ("", *_WINDOW_BITS):
            raise UnreadReply(f"it is encoded as {redact(given):.40}, which was not requested")
        is_error = response.status_code >= 400
        response.stream = _stream_class(type(response).__module__.partition(".")[0])(
            stream, encoding, _LARGEST_ERROR if is_error else largest, cut=is_error
        )

    return limit


@cache
def _stream_class(library: str) -> Any:
    """Return the class of limited streams for an HTTP library: `httpx`, or its fork that `openai`
    uses.
    """
    return type("LimitedStream", (_Limited, sys.modules[library].AsyncByteStream), {})


class _Limited:
    """A stream with a limited size.

    Args:
        stream: the body as it arrives.
        encoding: `gzip`, `deflate` or none.
        largest: maximum number of bytes after decompression.
        cut: stop at the limit instead of raising an error.
    """

    def __init__(self, stream: Any, encoding: str, largest: int, *, cut: bool) -> None:
        self._stream = stream
        self._encoding = encoding
        self._largest = largest
        self._cut = cut

    async def __aiter__(self) -> AsyncIterator[bytes]:
        left = self._largest
        async for piece in _unpacked(self._stream, self._encoding):
            if len(piece) > left:
                if self._cut:
                    yield piece[:left]
                    return
                raise UnreadReply(
                    f"it is larger than {self._largest // MEGABYTE} MB, the most that is read"
                )
            left -= len(piece)
            yield piece

    async def aclose(self) -> None:
        await self._stream.aclose()

    @property
    def elapsed(self) -> Any:
        return self._stream.elapsed


async def _unpacked(stream: Any, encoding: str) -> AsyncIterator[bytes]:
    """Yield the decompressed body in pieces of limited size."""
    if not encoding:
        async for raw in _received(stream):
            yield raw
        return
    unpack: Any = None
    async for raw in _received(stream):
        if unpack is None and raw:
            unpack = zlib.decompressobj(_window_bits(encoding, raw))
        while raw:
            try:
                piece = unpack.decompress(raw, _PIECE)
            except zlib.error:
                raise UnreadReply(f"it is declared as {encoding} but is not") from None
            raw = unpack.unconsumed_tail
            if piece:
                yield piece


async def _received(stream: Any) -> AsyncIterator[bytes]:
    """Yield the body as it arrives. A lost body is distinguished from a connection without a
    reply.
    """
    try:
        async for raw in stream:
            yield raw
    except Exception as error:
        if "Timeout" in type(error).__name__:
            raise
        raise BrokenReply(str(error) or type(error).__name__) from error


def _window_bits(encoding: str, start: bytes) -> int:
    # some servers send deflated data without the header that HTTP requires
    if encoding == "deflate" and start[0] & 0x0F != zlib.DEFLATED:
        return -zlib.MAX_WBITS
    return _WINDOW_BITS[encoding]
