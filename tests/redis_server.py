"""A Redis server for tests, on a socket in a folder of its own."""

from __future__ import annotations

import contextlib
import shutil
import socket
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

import pytest

SERVER = shutil.which("redis-server") or shutil.which("valkey-server")
needs_server = pytest.mark.skipif(SERVER is None, reason="there is no redis-server here")


def answer_keys(client: Any) -> list[bytes]:
    """The keys of stored answers; the other keys have a suffix, such as `.lease`."""
    return [key for key in client.keys("*") if b"." not in key]


class RedisServer:
    """A running server. As a context manager, it stops at the end.

    Args:
        options: further options of `redis-server`, such as `--requirepass x`.

    Attributes:
        socket: the path of its socket.
    """

    def __init__(self, *options: str, port: int = 0) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="redis-"))  # a socket's path must be short
        self.socket = self.folder / "s"
        self.options = options
        self.port = port
        self.start()

    @property
    def url(self) -> str:
        return f"unix://{self.socket}"

    def start(self) -> None:
        assert SERVER is not None
        command = [SERVER, "--port", str(self.port), "--bind", "127.0.0.1"]
        command += ["--unixsocket", str(self.socket), "--save", "", "--appendonly", "no"]
        command += ["--dir", str(self.folder), *self.options]
        self.process = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        end = time.monotonic() + 20
        while not self.answers():
            assert self.process.poll() is None, "the server ended"
            assert time.monotonic() < end, "the server does not answer"
            time.sleep(0.01)

    def answers(self) -> bool:
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as connection:
            connection.connect(str(self.socket))
            return True
        return False

    def client(self, **options: Any) -> Any:
        """A client that sees bytes, for what a test does to the server itself."""
        import redis

        return redis.Redis(unix_socket_path=str(self.socket), **options)

    def stop(self) -> None:
        self.process.kill()
        self.process.wait()

    def __enter__(self) -> RedisServer:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)
