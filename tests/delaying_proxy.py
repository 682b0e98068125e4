"""A TCP proxy that delays what passes through it, as a network does."""

from __future__ import annotations

import contextlib
import queue
import socket
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path


class DelayingProxy:
    """Passes connections on to a socket. As a context manager, it ends at the end.

    Args:
        to: the path of the socket.
        delay: seconds that a round trip takes; may be changed at any time.

    Attributes:
        port: the port on 127.0.0.1 that it listens on.
        round_trips: how often something was sent after an answer had come, on any connection.
        swallows: whether it passes nothing on any more, as a firewall does that drops packets.
    """

    def __init__(self, to: Path, delay: float = 0.0) -> None:
        self.delay = delay
        self.swallows = False
        self.round_trips = 0
        self._to = to
        self._listening = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.port: int = self._listening.getsockname()[1]
        self._open: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        """Refuse and end all connections."""
        for one in (self._listening, *self._open):
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()

    def __enter__(self) -> DelayingProxy:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._listening.accept()
            except OSError:
                return
            near.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            far = socket.socket(socket.AF_UNIX)
            self._open += [near, far]
            try:
                far.connect(str(self._to))
            except OSError:
                near.close()
                continue
            answered = threading.Event()
            answered.set()
            self._pump(near, far, partial(self._sent, answered))
            self._pump(far, near, answered.set)

    def _sent(self, answered: threading.Event) -> None:
        if answered.is_set():
            answered.clear()
            self.round_trips += 1

    def _pump(self, source: socket.socket, target: socket.socket, note: Callable[[], None]) -> None:
        passing: queue.SimpleQueue[tuple[float, bytes]] = queue.SimpleQueue()

        def read() -> None:
            data = b"-"
            while data:
                try:
                    data = source.recv(1 << 16)
                except OSError:
                    data = b""
                if data:
                    note()
                if not self.swallows:
                    passing.put((time.monotonic() + self.delay / 2, data))

        def write() -> None:
            while True:
                due, data = passing.get()
                if (wait := due - time.monotonic()) > 0:
                    time.sleep(wait)
                with contextlib.suppress(OSError):
                    if not data:
                        target.shutdown(socket.SHUT_WR)
                        return
                    target.sendall(data)

        for work in (read, write):
            threading.Thread(target=work, daemon=True).start()
