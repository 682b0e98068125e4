"""Sends commands to a Redis or Valkey server, and stops when that costs a run too much.

No error of the server or the network reaches a test. A server that fails is left alone for a while
and then tried again. All that is waited for in vain is added up, and from a few seconds on the
server is left for the rest of the run, so that a slow server costs no more than that.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import threading
from collections.abc import Callable, Sequence
from typing import Any

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from ...runtime.clock import Clock
from ..contents import UnreadableStore
from ..store_url import StoreUrl
from .messages import Extent, Trouble, interruption, notice, slow, trouble_in

Command = tuple[bytes | str | int, ...]

CONNECT_SECONDS = 2.0
COMMAND_SECONDS = 2.0
# What a round trip may take; what is beyond counts as waited for in vain.
_QUICK_SECONDS = 0.05
_MOST_WAITED = 5.0
_PAUSE_SECONDS = 10.0  # before a server that failed is tried again
# Newer versions of the client have one option instead of two.
_ABOUT_ITSELF = ("driver_info",) if hasattr(redis, "DriverInfo") else ("lib_name", "lib_version")


class WrongType(Exception):
    """The reply to a command about a key whose value has another type."""


class Client:
    """Connections of this process to a server. May be used from any thread.

    Args:
        place: the server's name in notices.
        on_notice: called with a line for people, once, if the server can't be used normally.
        on_state: called with a line on whether the server is used, which replaces the last one;
            default: `on_notice`.
        adds: whether the run stores verdicts; a replay does not.
    """

    def __init__(
        self,
        url: StoreUrl,
        place: str,
        on_notice: Callable[[str], None],
        on_state: Callable[[str], None] | None = None,
        *,
        adds: bool = True,
    ) -> None:
        self.place = place
        self._url = url
        self._on_notice = on_notice
        self._on_state = on_state or on_notice
        self._adds = adds
        self._state = ""  # the last line on it
        self._worked = False
        self._failed: Trouble | None = None  # at the last attempt
        self._noticed: set[str] = set()
        self._making = threading.Lock()
        self._pid = os.getpid()
        self._redis: redis.Redis | None = None
        self._waited = 0.0
        self._paused_until = 0.0
        self._left = self._writes_left = False
        # seconds by which the server's clock is ahead of this machine's monotonic one
        self._ahead: float | None = None

    def __repr__(self) -> str:
        return f"<Client of {self.place}>"

    # -- for a run -------------------------------------------------------------------------------

    @property
    def is_usable(self) -> bool:
        """Whether the server may be tried now."""
        return not self._left and Clock.now() >= self._paused_until

    @property
    def is_writable(self) -> bool:
        return self.is_usable and not self._writes_left

    @property
    def is_unused(self) -> bool:
        """Whether the last attempt failed."""
        return self._failed is not None

    def contact(self, command: Command) -> None:
        """Read with a command if the server has not been tried yet or failed, even if a pause has
        not passed, so that a notice reports it.
        """
        if self.is_unused or not self._worked:
            self._paused_until = 0.0
            self.read([command])

    def read(self, commands: Sequence[Command]) -> list[Any] | None:
        """Send commands together and return their replies; None if the server can't be used.

        A reply may be `WrongType`.
        """
        return self._tried(commands, writes=False) if self.is_usable else None

    def write(self, commands: Sequence[Command]) -> list[Any] | None:
        """Do the same with commands of which all or none take effect."""
        return self._tried(commands, writes=True) if self.is_writable else None

    def _tried(self, commands: Sequence[Command], *, writes: bool) -> list[Any] | None:
        began = Clock.now()
        try:
            replies = self._sent(commands, atomic=writes)
        except Exception as error:
            self._waited += Clock.now() - began
            self.give_up(self._trouble_in(error, writes))
            return None
        self._waited += max(0.0, Clock.now() - began - _QUICK_SECONDS)
        if self._waited > _MOST_WAITED:
            self.give_up(slow())
        else:
            self._note_success()
        return replies

    def _note_success(self) -> None:
        self._worked = True
        if self._failed is not None:
            self._tell(interruption(self.place, self._failed, adds=self._adds))
            self._failed = None

    def _tell(self, line: str) -> None:
        if line != self._state:
            self._state = line
            self._on_state(line)

    def give_up(self, trouble: Trouble) -> None:
        """Stop using the server, as far as the trouble requires, and give a notice."""
        if trouble.extent is Extent.WRITES:
            self._writes_left = True
            self.notice(notice(self.place, trouble))
            return
        if trouble.extent is Extent.RUN or self._waited > _MOST_WAITED:
            self._left = True
        else:
            self._paused_until = Clock.now() + _PAUSE_SECONDS
        self._failed = trouble
        self._tell(notice(self.place, trouble, worked=self._worked, adds=self._adds))

    def notice(self, line: str) -> None:
        if line not in self._noticed:
            self._noticed.add(line)
            self._on_notice(line)

    def moment(self) -> float | None:
        """Return the present time of the server's clock in seconds since 1970; None if the server
        can't be used.
        """
        if self._ahead is None:
            self.read([])
        return None if self._ahead is None else self._ahead + Clock.now()

    def run_script(self, script: str, keys: Sequence[str], *values: bytes | str | int) -> Any:
        """Run a script on the server, which usually knows it already, and return its reply; None if
        the server can't be used for writing.

        Raises:
            Trouble: the user may not run scripts.
        """
        if not self.is_writable:
            return None
        began = Clock.now()
        try:
            reply = self._evaluated(script, keys, values)
            self._note_success()
            return reply
        except Exception as error:
            self._waited += Clock.now() - began
            trouble = self._trouble_in(error, True)
            if trouble.is_denied:
                # the user may still write otherwise
                raise trouble from None
            self.give_up(trouble)
            return None

    def _evaluated(self, script: str, keys: Sequence[str], values: Sequence[Any]) -> Any:
        client: Any = self._connected()
        name = hashlib.sha1(script.encode(), usedforsecurity=False).hexdigest()
        arguments = (len(keys), *keys, *values)
        try:
            return client.execute_command("EVALSHA", name, *arguments)
        except redis.exceptions.NoScriptError:
            return client.execute_command("EVAL", script, *arguments)

    # -- for commands ----------------------------------------------------------------------------

    def ask(self, commands: Sequence[Command], *, writes: bool = False) -> list[Any]:
        """Send commands together and return their replies.

        Raises:
            UnreadableStore: the server can't be used.
        """
        try:
            return self._sent(commands, atomic=writes)
        except Exception as error:
            trouble = self._trouble_in(error, writes)
            # what is wrong with writing continues the sentence
            unused = "" if trouble.extent is Extent.WRITES else "can't be used: "
            line = f"the shared store {self.place} {unused}{trouble.what}. {trouble.do}"
            raise UnreadableStore(line) from None

    def _trouble_in(self, error: BaseException, writes: bool) -> Trouble:
        return trouble_in(error, writes=writes, encrypted=self._url.scheme == "rediss")

    # -- connections -----------------------------------------------------------------------------

    def _sent(self, commands: Sequence[Command], *, atomic: bool) -> list[Any]:
        timed = self._ahead is None and not atomic
        client: Any = self._connected()  # whose commands have no types
        with client.pipeline(transaction=atomic) as pipeline:
            for command in [("TIME",), *commands] if timed else commands:
                pipeline.execute_command(*command)
            asked = Clock.now()
            replies: list[Any] = pipeline.execute(raise_on_error=False)
        if timed:
            self._set_clock(replies.pop(0), (asked + Clock.now()) / 2)
        return [_checked(reply) for reply in replies]

    def _set_clock(self, reply: Any, at: float) -> None:
        try:
            seconds, microseconds = reply
            now = int(seconds) + int(microseconds) / 1e6
        except (TypeError, ValueError):
            now = Clock.since_1970()  # a user who may not ask for the time
        self._ahead = now - at

    def _connected(self) -> redis.Redis:
        with self._making:
            if self._redis is None or self._pid != os.getpid():
                # after a fork, the connections belong to the parent process
                self._pid, self._redis = os.getpid(), _client(self._url)
            return self._redis

    def close(self) -> None:
        if self._redis is not None and self._pid == os.getpid():
            with contextlib.suppress(Exception):
                self._redis.connection_pool.disconnect()
        self._redis = None


def _checked(reply: Any) -> Any:
    """Return a reply, or `WrongType` for a key that has a value of another type.

    Raises:
        redis.ResponseError: any other error.
    """
    if isinstance(reply, Exception):
        if str(reply).startswith("WRONGTYPE"):
            return WrongType()
        raise reply
    return reply


def _client(url: StoreUrl) -> redis.Redis:
    """Return a client that connects when it is first used, and repeats nothing by itself."""
    options: dict[str, Any] = {
        "db": url.database,
        "username": url.username,
        "password": url.password,
        "socket_timeout": COMMAND_SECONDS,
        "socket_connect_timeout": CONNECT_SECONDS,
        "retry": Retry(NoBackoff(), 0),
        "protocol": 2,
        # what it would tell the server about itself would cost another round trip
        **dict.fromkeys(_ABOUT_ITSELF),
    }
    kind: Any
    if url.path:
        # its timeout of a connection is that of a command
        del options["socket_connect_timeout"]
        kind, options["path"] = redis.UnixDomainSocketConnection, url.path
    else:
        kind, options["host"], options["port"] = redis.Connection, url.host, url.port
    if url.scheme == "rediss":
        kind = redis.SSLConnection
        options |= _tls_options(url)
    return redis.Redis(connection_pool=redis.ConnectionPool(connection_class=kind, **options))


def _tls_options(url: StoreUrl) -> dict[str, Any]:
    options: dict[str, Any] = {"ssl_cert_reqs": "required", "ssl_check_hostname": True, **url.tls}
    if "ssl_check_hostname" in url.tls:
        options["ssl_check_hostname"] = url.tls["ssl_check_hostname"] == "true"
    if options["ssl_cert_reqs"] == "none":
        options["ssl_check_hostname"] = False
    return options
