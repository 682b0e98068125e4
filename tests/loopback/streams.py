"""A chat completion as a stream of server-sent events."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from .judge import Json

END = "[DONE]"
_PIECE = 7  # characters


def chunks(body: Json) -> Iterator[Json]:
    """The completion in pieces, as OpenAI sends it where usage is asked for."""
    choice = body["choices"][0]
    message = choice["message"]
    yield _chunk(body, {"role": "assistant", "content": ""})
    yield _chunk(body, {"reasoning_content": "hm"})
    content = message.get("content") or ""
    for start in range(0, len(content), _PIECE):
        yield _chunk(body, {"content": content[start : start + _PIECE]})
    if message.get("refusal"):
        yield _chunk(body, {"refusal": message["refusal"]})
    yield _chunk(body, {}, choice["finish_reason"])
    yield {**_chunk(body, {}), "choices": [], "usage": body["usage"]}


def events(chunks: Iterable[Json | str]) -> bytes:
    """Chunks, or other data, as events."""
    texts = (c if isinstance(c, str) else json.dumps(c, ensure_ascii=False) for c in chunks)
    return "".join(f"data: {text}\n\n" for text in texts).encode("utf-8", "surrogatepass")


def stream_bytes(content: bytes, *, missing: int = 0) -> bytes:
    """The response that carries events.

    Args:
        missing: so many more bytes are promised than sent.
    """
    head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\n"
    # the server hangs up after it, and a client that isn't told would ask on the same connection
    head += f"connection: close\r\ncontent-length: {len(content) + missing}\r\n\r\n"
    return head.encode() + content


def streamed(body: Json) -> bytes:
    return stream_bytes(events([*chunks(body), END]))


def _chunk(body: Json, delta: Json, finish_reason: str | None = None) -> Json:
    choice = {"index": 0, "delta": delta, "finish_reason": finish_reason}
    return {
        "id": body["id"],
        "object": "chat.completion.chunk",
        "model": body["model"],
        "choices": [choice],
        "usage": None,
    }
