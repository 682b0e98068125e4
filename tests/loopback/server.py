"""The loopback judge: a small HTTP/1.1 server on a thread of its own, or on a command line.

It answers chat completions and embeddings. A reply with `until`, a function, is held until that
returns true.

    with LoopbackJudge(latency=0.2) as judge:
        client = OpenAI(base_url=judge.base_url, api_key="sk-any")

    python -m tests.loopback.server --port 0 --latency 0.3

Who answers a question, first come: the checks (`require_key`, `refuse`, `max_prompt_chars`), the
rules of `on`, the answers of `script`, a failure by `error_rate`, and then the default judge.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from typing import Any

from .embeddings import STEP as EMBED_STEP
from .embeddings import embeddings
from .judge import (
    Json,
    answer,
    bad_request,
    completion,
    error_body,
    http_bytes,
    parse_object,
    system_role,
)
from .scripts import (
    ALIASES,
    DEFAULT,
    Recorded,
    Reply,
    Rule,
    Script,
    as_reply,
    record,
    rule_of,
)
from .streams import streamed

Gone = Callable[[], bool]
HELD_SECONDS = 30.0


class LoopbackJudge:
    """An OpenAI-compatible judge on 127.0.0.1; its settings may be changed while it serves."""

    def __init__(
        self,
        *,
        port: int = 0,
        latency: float = 0.0,
        error_rate: float = 0.0,
        error_seed: int = 0,
        require_key: str | None = None,
        max_prompt_chars: int | None = None,
        refuse: Collection[str] = (),
        keep_bodies: bool = True,
    ) -> None:
        self.latency = latency
        self.error_rate = error_rate
        self.error_seed = error_seed
        self.require_key = require_key
        self.max_prompt_chars = max_prompt_chars
        self.refuse = refuse
        self.keep_bodies = keep_bodies
        self._port = port
        self._lock = threading.RLock()
        self._script = Script([], False)
        self._rules: list[Rule] = []
        self._held_in_vain = False
        self._thread: threading.Thread | None = None
        self._conversations: set[asyncio.Task[None] | None] = set()  # those that have begun
        self._in_flight = 0
        self._clear_records()

    def start(self) -> LoopbackJudge:
        # Bound here, so that the port is known and a taken one is an error of the caller.
        self._socket = socket.create_server(("127.0.0.1", self._port), backlog=1024)
        self._port = self._socket.getsockname()[1]
        self._ready = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), daemon=True)
        self._thread.start()
        self._ready.wait(10)
        return self

    def close(self) -> None:
        if self._thread is not None:
            self._loop.call_soon_threadsafe(self._stop.set)
            self._thread.join(10)
            self._thread = None

    def __enter__(self) -> LoopbackJudge:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._port}/v1"

    @property
    def requests(self) -> list[Recorded]:
        with self._lock:
            return list(self._requests)

    @property
    def max_in_flight(self) -> int:
        return self._max_in_flight

    def count(self, step: str | None = None) -> int:
        wanted = ALIASES.get(step or "", step)
        return sum(1 for r in self.requests if wanted is None or r.step == wanted)

    def reset(self, *, replies: bool = False) -> None:
        """Forget what was recorded; with `replies` also the rules and the script."""
        with self._lock:
            self._clear_records()
            if replies:
                self._rules.clear()
                self._script = Script([], False)

    def script(self, entries: Iterable[Reply | str], *, repeat_last: bool = False) -> None:
        """Answer with these in call order, in place of an earlier script; "ok" judges by default.

        With `repeat_last` the last answer that fits the step is served for ever.
        """
        with self._lock:
            self._script = Script([as_reply(entry) for entry in entries], repeat_last)

    def on(
        self,
        when: str | Rule,
        reply: Reply | str | Callable[[Recorded], Reply | str | None] | None = None,
    ) -> None:
        """Add a rule: a step or a predicate with its reply, or a callable that returns a reply."""
        with self._lock:
            self._rules.append(rule_of(when, reply))

    def gather(self, count: int) -> None:
        """Hold replies, after the first, until so many requests were in flight at once."""
        held = {"until": lambda: self.max_in_flight >= count}
        self.on(lambda _: held if self.count() > 1 else None)

    def stats(self) -> Json:
        """Count what was asked; `duplicates` are the bodies that came more than once."""
        requests = self.requests
        seen = Counter(r.digest for r in requests)
        return {
            "total": len(requests),
            "steps": dict(sorted(Counter(r.step for r in requests).items())),
            "statuses": dict(sorted(Counter(str(r.status) for r in requests).items())),
            "distinct": len(seen),
            "duplicates": sum(1 for times in seen.values() if times > 1),
            "in_flight": self._in_flight,
            "max_in_flight": self._max_in_flight,
            "first": min((r.at for r in requests), default=None),
            "last": max((r.ended or r.at for r in requests), default=None),
            "prompt_tokens": sum(r.prompt_tokens for r in requests),
            "completion_tokens": sum(r.completion_tokens for r in requests),
        }

    def _clear_records(self) -> None:
        self._requests: list[Recorded] = []
        self._failed: set[str] = set()
        self._max_in_flight = self._in_flight

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._stop = asyncio.Event()
        server = await asyncio.start_server(self._converse, sock=self._socket, backlog=1024)
        self._ready.set()
        await self._stop.wait()
        # a connection that has just come is closed by nobody but its conversation
        while asyncio.all_tasks() - self._conversations - {asyncio.current_task()}:
            await asyncio.sleep(0)
        server.close()

    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        self._conversations.add(task)
        try:
            while await self._exchange(reader, writer):
                pass
            writer.close()
        except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            pass
        except asyncio.CancelledError:
            if not self._stop.is_set():
                raise
        finally:
            # Harmless after an orderly close; otherwise the client sees the connection break.
            if not writer.is_closing():
                writer.transport.abort()
            self._conversations.discard(task)

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Serve one request; whether the connection stays open."""
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        method, target, version = head[0].split(" ", 2)
        pairs = (line.split(":", 1) for line in head[1:] if ":" in line)
        headers = {name.strip().lower(): value.strip() for name, value in pairs}
        content = await reader.readexactly(int(headers.get("content-length", 0)))
        path = target.split("?", 1)[0]
        if method == "POST" and path.endswith(("/chat/completions", "/embeddings")):
            output, stays = await self._chat(
                target, headers, content, lambda: reader.at_eof() or writer.is_closing()
            )
        else:
            output, stays = self._manage(method, path), True
        writer.write(output)
        await writer.drain()
        return stays and version == "HTTP/1.1" and headers.get("connection", "").lower() != "close"

    def _manage(self, method: str, path: str) -> bytes:
        if (method, path) == ("GET", "/stats"):
            return http_bytes(200, self.stats())
        if (method, path) == ("POST", "/reset"):
            self.reset()
            return http_bytes(200, {"ok": True})
        return http_bytes(404, error_body(f"no such address: {method} {path}"))

    async def _chat(
        self, target: str, headers: dict[str, str], content: bytes, gone: Gone
    ) -> tuple[bytes, bool]:
        body = parse_object(content)
        recorded = record(headers, body or {}, content)
        recorded.target = target
        with self._lock:
            self._requests.append(recorded)
            number = len(self._requests)
            self._in_flight += 1
            self._max_in_flight = max(self._max_in_flight, self._in_flight)
        try:
            reply = self._decide(recorded) if body is not None else bad_request("body is not JSON")
            await _wait(float(reply.get("latency", self.latency)), gone)
            if "until" in reply:
                await self._hold(reply["until"], gone)
            return await self._perform(reply, recorded, number, gone)
        finally:
            with self._lock:
                self._in_flight -= 1
            recorded.ended = time.time()
            if not self.keep_bodies:
                recorded.body, recorded.data, recorded.headers = {}, {}, {}

    async def _hold(self, true: Callable[[], bool], gone: Gone) -> None:
        """Wait for what a test says that happens. When it did not once, nothing is held again."""
        end = time.monotonic() + HELD_SECONDS
        while not (true() or self._held_in_vain):
            await asyncio.sleep(0.01)
            self._held_in_vain = time.monotonic() > end
            if gone():
                raise ConnectionAbortedError

    async def _perform(
        self, reply: Reply, recorded: Recorded, number: int, gone: Gone
    ) -> tuple[bytes, bool]:
        if "hang" in reply:
            await _wait(float(reply["hang"]), gone)
        if "hang" in reply or reply.get("reset"):
            raise ConnectionAbortedError
        if "raw" in reply:
            raw = reply["raw"]
            return (raw if isinstance(raw, bytes) else str(raw).encode()), False
        recorded.status = int(reply.get("status", 200))
        headers = {"x-request-id": f"req-loopback-{number}", **reply.get("headers", {})}
        if "status" in reply or "body" in reply:
            body = reply.get("body", error_body(f"scripted status {recorded.status}"))
            recorded.completion_tokens = _completion_tokens(body)
            return http_bytes(recorded.status, body, headers), True
        if recorded.step == EMBED_STEP:
            body = embeddings(
                recorded.data["input"],
                model=recorded.body.get("model"),
                prompt_tokens=recorded.prompt_tokens,
                changes=reply,
            )
            return http_bytes(200, body, headers), True
        content = reply.get("content")
        if "content" not in reply and "message" not in reply:
            content = json.dumps(answer(recorded.step, recorded.data))
        body = completion(
            content,
            number=number,
            model=recorded.body.get("model"),
            prompt_tokens=recorded.prompt_tokens,
            changes=reply,
        )
        recorded.completion_tokens = _completion_tokens(body)
        if recorded.body.get("stream") is True:
            return streamed(body), True
        return http_bytes(200, body, headers), True

    def _decide(self, recorded: Recorded) -> Reply:
        with self._lock:
            found = self._check(recorded)
            found = self._by_rule(recorded) if found is None else found
            found = self._script.take(recorded.step) if found is None else found
            return self._fail_once(recorded) if found is None else found

    def _check(self, recorded: Recorded) -> Reply | None:
        key = recorded.headers.get("authorization", "").removeprefix("Bearer ")
        if self.require_key is not None and key != self.require_key:
            message = "Incorrect API key provided: sk-***."
            return {"status": 401, "body": error_body(message, code="invalid_api_key")}
        for name in (name for name in recorded.body if name in self.refuse):
            message = f"Unsupported parameter: '{name}' is not supported with this model."
            return bad_request(message, name, "unsupported_parameter")
        role = system_role(recorded.body) if "system" in self.refuse else None
        if role is not None:
            message = f"Unsupported value: '{role}' does not support 'system' with this model."
            return bad_request(message, role, "unsupported_value")
        limit = self.max_prompt_chars
        if limit is not None and recorded.prompt_chars > limit:
            message = f"This model's maximum context length is {limit // 4} tokens."
            return bad_request(message, "messages", "context_length_exceeded")
        return None

    def _by_rule(self, recorded: Recorded) -> Reply | None:
        for rule in self._rules:
            reply = rule(recorded)
            if reply is not None and not isinstance(reply, bool):
                return as_reply(reply)
        return None

    def _fail_once(self, recorded: Recorded) -> Reply:
        digest = hashlib.sha256(f"{self.error_seed} {recorded.digest}".encode()).digest()
        chosen = int.from_bytes(digest[:8], "big") < self.error_rate * 2**64
        if not chosen or recorded.digest in self._failed:
            return DEFAULT
        self._failed.add(recorded.digest)
        return {"status": 500, "body": error_body("scripted failure by error_rate")}


def _completion_tokens(body: Any) -> int:
    usage = body.get("usage") if isinstance(body, dict) else None
    count = usage.get("completion_tokens") if isinstance(usage, dict) else None
    return count if isinstance(count, int) else 0


async def _wait(seconds: float, gone: Gone) -> None:
    """Sleep, but give up when the client has gone, so that it is not counted as in flight."""
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        await asyncio.sleep(min(left, 0.1))
        if gone():
            raise ConnectionAbortedError


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Serve a deterministic judge on 127.0.0.1.")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--latency", type=float, default=0.0, metavar="SECONDS")
    parser.add_argument("--error-rate", type=float, default=0.0, metavar="SHARE")
    parser.add_argument("--error-seed", type=int, default=0)
    parser.add_argument("--require-key")
    parser.add_argument("--max-prompt-chars", type=int)
    parser.add_argument("--refuse", action="append", default=[], metavar="PARAMETER")
    parser.add_argument("--keep-bodies", action="store_true", help="keep every request in memory")
    parser.add_argument("--script", type=Path, metavar="FILE", help="a JSON list of answers")
    parser.add_argument("--repeat-last", action="store_true")
    options = vars(parser.parse_args(argv))
    script, repeat_last = options.pop("script"), options.pop("repeat_last")
    with LoopbackJudge(**options) as judge:
        if script is not None:
            judge.script(json.loads(script.read_text("utf-8")), repeat_last=repeat_last)
        _wait_until_ended(judge)


def serve_replies(parser: argparse.ArgumentParser, rule: Rule) -> None:
    """Serve a judge with replies of a rule until the process is ended.

    Args:
        parser: of the command line, to which the options are added.
        rule: as `when` of `LoopbackJudge.on`.
    """
    parser.add_argument("--latency", type=float, default=0.0, metavar="SECONDS")
    with LoopbackJudge(latency=parser.parse_args().latency, keep_bodies=False) as judge:
        judge.on(rule)
        _wait_until_ended(judge)


def _wait_until_ended(judge: LoopbackJudge) -> None:
    print(judge.base_url, flush=True)
    threading.Event().wait()


if __name__ == "__main__":
    main()
