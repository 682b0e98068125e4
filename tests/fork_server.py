"""Start Python processes that have already imported pytest, this package and its clients.

A worker of pytest-xdist needs a second to import them, and a tenth to run a test. `python` below
is an executable that passes its arguments, environment and standard streams to a server, which
forks: the process is a real one, but starts with everything imported. What a start-up itself does
is tested with `sys.executable`.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import importlib
import io
import marshal
import os
import runpy
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

# Isolated and without `site`: it lives as long as the process that was forked, and starts in 15 ms.
_CLIENT = """\
#!{python} -IS
import marshal, os, sys
from _socket import AF_UNIX, SCM_RIGHTS, SOCK_STREAM, SOL_SOCKET, socket
asked = marshal.dumps((sys.argv[1:], os.getcwd(), dict(os.environb)))
server = socket(AF_UNIX, SOCK_STREAM)
server.connect({address!r})
streams = b"".join(n.to_bytes(4, sys.byteorder) for n in range(3))
server.sendmsg([len(asked).to_bytes(4, "big")], [(SOL_SOCKET, SCM_RIGHTS, streams)])
while asked:
    asked = asked[server.send(asked):]
status = server.recv(4)
code = int.from_bytes(status, "big", signed=True)
if code < 0:
    os.kill(os.getpid(), -code)
os._exit(code if status else 1)
"""


@contextlib.contextmanager
def fork_server(*prefix: str) -> Iterator[str]:
    """Run a server, after a prefix of its command; yields the executable that makes it fork."""
    # the path of a socket is short
    with tempfile.TemporaryDirectory(prefix="fork-server-", dir="/tmp") as folder:
        address, python = Path(folder, "socket"), Path(folder, "python")
        python.write_text(_CLIENT.format(python=sys.executable, address=str(address)))
        python.chmod(0o700)
        command = [*prefix, sys.executable, "-m", __name__, str(address), str(python)]
        root = Path(__file__).parents[1]
        with subprocess.Popen(
            command, cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        ) as server:
            assert server.stdout is not None
            assert server.stdout.read(5) == b"ready"
            yield str(python)
            # at the end of its input the server ends, and its processes with it
            server.communicate()


class _Server:
    def __init__(self, listener: socket.socket) -> None:
        self._listener = listener
        self._clients: dict[int, socket.socket] = {}
        self._selector = selectors.DefaultSelector()

    def serve(self) -> list[str]:
        """Fork as asked; returns in each forked process, with its arguments."""
        # a byte comes in whenever a process ends
        ended, wakeup = os.pipe()
        os.set_blocking(wakeup, False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(wakeup)
        self._selector.register(ended, selectors.EVENT_READ)
        self._selector.register(self._listener, selectors.EVENT_READ)
        self._selector.register(sys.stdin, selectors.EVENT_READ)
        while True:
            for key, _ in self._selector.select():
                if key.fileobj is sys.stdin:
                    self._exit()
                elif key.fileobj is self._listener:
                    args = self._fork()
                    if args is not None:
                        os.close(ended)
                        os.close(wakeup)
                        return args
                elif key.fileobj == ended:
                    os.read(ended, 1000)
                    self._reap()
                elif key.data in self._clients:
                    # the client was killed
                    os.kill(key.data, signal.SIGKILL)
                    self._selector.unregister(key.fileobj)

    def _fork(self) -> list[str] | None:
        client, _ = self._listener.accept()
        size, streams, _, _ = socket.recv_fds(client, 4, 3)
        asked = b""
        while len(asked) < int.from_bytes(size, "big"):
            asked += client.recv(1 << 20)
        pid = os.fork()
        if pid == 0:
            args: list[str]
            args, folder, environ = marshal.loads(asked)
            self._become(streams, folder, environ)
            client.close()
            return args
        for stream in streams:
            os.close(stream)
        self._clients[pid] = client
        self._selector.register(client, selectors.EVENT_READ, pid)
        return None

    def _become(self, streams: list[int], folder: str, environ: dict[bytes, bytes]) -> None:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        self._selector.close()
        self._listener.close()
        for other in self._clients.values():
            other.close()
        for number, descriptor in enumerate(streams):
            os.dup2(descriptor, number)
            os.close(descriptor)
        os.chdir(folder)
        os.environb.clear()
        os.environb.update(environ)
        # an interpreter reads this variable only as it starts
        sys.dont_write_bytecode = bool(os.environ.get("PYTHONDONTWRITEBYTECODE"))
        sys.stdin = io.TextIOWrapper(io.FileIO(0, closefd=False))
        for name, number in (("stdout", 1), ("stderr", 2)):
            raw = io.BufferedWriter(io.FileIO(number, "w", closefd=False))
            stream = io.TextIOWrapper(raw, "utf-8", "backslashreplace", line_buffering=True)
            setattr(sys, name, stream)
            setattr(sys, f"__{name}__", stream)

    def _reap(self) -> None:
        while self._clients:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if not pid:
                return
            client = self._clients.pop(pid)
            with contextlib.suppress(KeyError):
                self._selector.unregister(client)
            with contextlib.suppress(OSError), client:
                client.send(os.waitstatus_to_exitcode(status).to_bytes(4, "big", signed=True))

    def _exit(self) -> NoReturn:
        for pid in self._clients:
            os.kill(pid, signal.SIGKILL)
        for pid in self._clients:
            os.waitpid(pid, 0)
        sys.exit()


def _run(args: list[str]) -> int:
    """Do as `python *args` does; returns the exit status."""
    if args[0] == "-u":
        del args[0]
    sys.path[1:1] = filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))
    try:
        if args[0] == "-c":
            sys.argv, sys.path[0] = ["-c", *args[2:]], ""
            exec(args[1], {"__name__": "__main__"})
        else:
            module, *rest = args[1:] if args[0] == "-m" else [args[0][2:], *args[1:]]
            sys.argv, sys.path[0] = [module, *rest], os.getcwd()
            runpy.run_module(module, run_name="__main__", alter_sys=True)
    except SystemExit as end:
        if end.code is None or isinstance(end.code, int):
            return end.code or 0
        print(end.code, file=sys.stderr)
        return 1
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


def _main() -> None:
    from .runs import projects

    projects.load_client()
    projects.run_once()
    with contextlib.suppress(ImportError):
        importlib.import_module("execnet.gateway_base")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(sys.argv[1])
        # what forked processes start is forked too
        sys.executable = sys.argv[2]
        listener.listen(100)
        os.write(1, b"ready")
        # forked processes share what is there, and need not look through it when they end
        gc.collect()
        gc.freeze()
        args = _Server(listener).serve()
    _end(_run(args))


def _end(status: int) -> NoReturn:
    """End as an interpreter does, but leave all modules as they are: that takes the longest."""
    vars(threading)["_shutdown"]()
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


if __name__ == "__main__":
    _main()
