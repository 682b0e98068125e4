"""Joins a reply that comes as a stream of pieces (server-sent events)."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Mapping
from typing import TYPE_CHECKING, Any

from .error_body import status_in
from .reply_limit import BrokenReply

if TYPE_CHECKING:
    import openai
    from openai.types.chat import ChatCompletion

_END = "[DONE]"
# Statuses of an error that comes in the middle without a status, by its code or type.
_STATUSES = {"invalid_request_error": 400, "json_validate_failed": 400, "rate_limit_exceeded": 429}
_BROKEN = 502
# How a text of events begins: with data, or with other fields and comments before it.
_EVENTS = re.compile(r"[\r\n]*(?:(?:event|id|retry)?:[^\r\n]*[\r\n]+)*data:")


class UnreadEvent(ValueError):
    """An event of a stream is not JSON."""


async def streamed(client: openai.AsyncOpenAI, path: str, body: dict[str, Any]) -> ChatCompletion:
    """Return the reply to a request that asks for a stream, as if it had come in one piece.

    Some servers answer in one piece nevertheless.

    Raises:
        openai.APIConnectionError: it can't be read, or is larger than the limit.
        BrokenReply: it ends before the reply does.
        UnreadEvent: an event is not JSON.
        ValueError: the reply came in one piece and is not JSON.
        openai.APITimeoutError: nothing more came.
    """
    from openai import AsyncStream
    from openai.types.chat import ChatCompletion, ChatCompletionChunk

    stream: AsyncStream[ChatCompletionChunk] = await client.post(
        path,
        cast_to=ChatCompletionChunk,
        body=body,
        stream=True,
        stream_cls=AsyncStream[ChatCompletionChunk],
    )
    try:
        whole = await _whole(stream.response)
    finally:
        await stream.close()
    return ChatCompletion.construct(**whole)


def is_stream(text: str) -> bool:
    """Whether the text is the events of a stream."""
    return _EVENTS.match(text) is not None


async def joined(text: str) -> ChatCompletion:
    """Join the reply in the events of a stream that was not requested.

    Raises:
        BrokenReply: it ends before the reply does.
        UnreadEvent: an event is not JSON.
    """
    from openai.types.chat import ChatCompletion

    return ChatCompletion.construct(**await _joined(_one_piece(text)))


async def _one_piece(text: str) -> AsyncIterator[bytes]:
    yield text.encode()


async def _whole(response: Any) -> dict[str, Any]:
    """Return the completion as plain data."""
    from openai import APIConnectionError, APITimeoutError

    try:
        kind = response.headers.get("content-type", "")
        if "json" in kind or "html" in kind:
            found = json.loads(await response.aread())
            return found if isinstance(found, dict) else {}
        return await _joined(response.aiter_bytes())
    except (ValueError, RecursionError, BrokenReply):
        raise
    except Exception as error:
        late = "Timeout" in type(error).__name__
        if late:
            raise APITimeoutError(request=response.request) from error
        raise APIConnectionError(request=response.request) from error


async def _joined(pieces: AsyncIterator[bytes]) -> dict[str, Any]:
    reply = _Joined()
    async for name, data in _events(pieces):
        if data == _END:
            return reply.whole()
        reply.add(data, failed=name == "error")
        if reply.error is not None:
            return reply.whole()
    if reply.finish_reason is None:
        raise BrokenReply("the stream ended before the reply did")
    return reply.whole()


async def _events(pieces: AsyncIterator[bytes]) -> AsyncIterator[tuple[str, str]]:
    """Yield the name of each event, empty if it has none, and its data."""
    name, data = "", []
    async for line in _lines(pieces):
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if field == "data":
            data.append(value)
        elif field == "event":
            name = value
        elif not line:
            if data:
                yield name, "\n".join(data)
            name, data = "", []
    if data:
        yield name, "\n".join(data)


async def _lines(pieces: AsyncIterator[bytes]) -> AsyncIterator[str]:
    """Yield lines as events have them; Unicode's other line separators are part of the text."""
    rest: list[bytes] = []
    async for piece in pieces:
        *lines, last = piece.split(b"\n")
        for line in lines:
            rest.append(line)
            yield b"".join(rest).decode("utf-8", "replace").removesuffix("\r")
            rest = []
        rest.append(last)
    if any(rest):
        yield b"".join(rest).decode("utf-8", "replace").removesuffix("\r")


class _Joined:
    """Joins the pieces of the first choice. Reasoning is ignored, as in complete replies.

    Attributes:
        error: the error that came instead of the rest.
    """

    def __init__(self) -> None:
        self.finish_reason: Any = None
        self.error: dict[str, Any] | None = None
        self._texts: list[str] = []
        self._refusals: list[str] = []
        self._calls: list[Any] = []
        self._usage: Any = None
        self._model: Any = None

    def add(self, data: str, *, failed: bool) -> None:
        """Add the data of an event.

        Args:
            failed: the event's name says that it is an error.

        Raises:
            UnreadEvent: it is not JSON.
        """
        try:
            chunk = json.loads(data)
        except (ValueError, RecursionError):
            raise UnreadEvent(
                "an event of its stream is not JSON, or is nested too deeply"
            ) from None
        if not isinstance(chunk, dict):
            chunk = {"error": chunk} if failed else {}
        reported = chunk.get("error") or (chunk if failed else None)
        if reported:
            self.error = _error(reported)
            return
        self._usage = chunk.get("usage") or self._usage
        self._model = self._model or chunk.get("model")
        choices = chunk.get("choices")
        for choice in choices if isinstance(choices, list) else ():
            if isinstance(choice, Mapping) and choice.get("index") in (0, None):
                self._add_choice(choice)

    def _add_choice(self, choice: Mapping[str, Any]) -> None:
        self.finish_reason = choice.get("finish_reason") or self.finish_reason
        delta = choice.get("delta")
        if not isinstance(delta, Mapping):
            delta = choice.get("message")
        if not isinstance(delta, Mapping):
            return
        content = delta.get("content")
        for part in content if isinstance(content, list) else [content]:
            text = part.get("text") if isinstance(part, Mapping) else part
            if isinstance(text, str):
                self._texts.append(text)
        if isinstance(refusal := delta.get("refusal"), str):
            self._refusals.append(refusal)
        self._calls += delta.get("tool_calls") or []

    def whole(self) -> dict[str, Any]:
        if self.error is not None:
            return {"error": self.error}
        message = {
            "role": "assistant",
            "content": "".join(self._texts),
            "refusal": "".join(self._refusals) or None,
            "tool_calls": self._calls or None,
        }
        choice = {"index": 0, "message": message, "finish_reason": self.finish_reason}
        return {"choices": [choice], "usage": self._usage, "model": self._model}


def _error(reported: Any) -> dict[str, Any]:
    """Return the error with a status; it counts as temporary unless it says otherwise."""
    error = dict(reported) if isinstance(reported, Mapping) else {"message": str(reported)}
    status = status_in(error)
    if status is None:
        named = (error.get("code"), error.get("type"))
        status = next((_STATUSES[one] for one in named if one in _STATUSES), _BROKEN)
    return {**error, "status_code": status, "code": error.get("code", status)}
