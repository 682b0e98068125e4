"""A door before a server: it passes requests and replies on, and notes what passed."""

from __future__ import annotations

import contextlib
import http.client
import json
import select
import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from .holding import Change, unchanged

_SECONDS = 300.0
# of one connection, not of the message
_HOP = {"connection", "keep-alive", "transfer-encoding", "content-length", "host"}


class Passed(NamedTuple):
    """A request as it came to the door, and its reply."""

    path: str
    sent: dict[str, Any]
    status: int
    text: str

    @property
    def question(self) -> str:
        """What makes two requests the same question."""
        return json.dumps(self.sent, sort_keys=True)

    @property
    def step(self) -> str:
        first: str = self.sent["messages"][0]["content"].partition("\n")[0]
        return first.removeprefix("ragassert step: ").partition(" ")[0]

    @property
    def reply(self) -> dict[str, Any]:
        value: dict[str, Any] = json.loads(self.text)
        return value

    @property
    def content(self) -> str:
        """The model's words."""
        words: str = self.reply["choices"][0]["message"]["content"]
        return words

    @property
    def finish(self) -> str:
        reason: str = self.reply["choices"][0]["finish_reason"]
        return reason


class Door:
    """Open from `__enter__` on; `passed` in the order in which replies came.

    Args:
        change: what becomes of requests on their way; may be set anew.
    """

    def __init__(self, url: str, change: Change = unchanged) -> None:
        self._to = urlsplit(url).netloc
        self.change = change
        self._lock = threading.Lock()
        self._inside = 0
        self.most_inside = 0
        self.passed: list[Passed] = []

    def __enter__(self) -> Door:
        door = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                door._pass_on(self)

            def log_message(self, format: str, *args: Any) -> None:
                return None

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def of(self, step: str) -> list[Passed]:
        return [each for each in self.passed if each.step == step]

    def _pass_on(self, request: BaseHTTPRequestHandler) -> None:
        sent = json.loads(request.rfile.read(int(request.headers["Content-Length"])))
        chat = "messages" in sent
        body = json.dumps(self.change(sent) if chat else sent).encode()
        headers = {n: v for n, v in request.headers.items() if n.lower() not in _HOP}
        with self._lock:
            self._inside += 1
            self.most_inside = max(self.most_inside, self._inside)
        connection = http.client.HTTPConnection(self._to, timeout=_SECONDS)
        try:
            connection.request("POST", request.path, body, headers)
            if not _awaited(connection.sock, request.connection):
                request.close_connection = True
                return
            reply = connection.getresponse()
            text = reply.read()
        finally:
            connection.close()
            with self._lock:
                self._inside -= 1
        noted = Passed(request.path, sent, reply.status, text.decode())
        with self._lock:
            self.passed.append(noted)
        request.send_response(reply.status)
        for name, value in reply.getheaders():
            if name.lower() not in _HOP:
                request.send_header(name, value)
        request.send_header("Content-Length", str(len(text)))
        request.end_headers()
        with contextlib.suppress(ConnectionError):  # it left
            request.wfile.write(text)


def _awaited(server: socket.socket, client: socket.socket) -> bool:
    """Wait for the server's reply; False where the client left meanwhile.

    The server ends its work when its own client leaves, so it must learn of it.
    """
    while True:
        ready = select.select([server, client], [], [], _SECONDS)[0]
        if server in ready or not ready:
            return True
        if not client.recv(1, socket.MSG_PEEK):
            return False
