"""Detects sockets that something in this process forbids, as test plugins do for one test or all.

This is not a failure of the judge: another test of the same run may be able to call it.
"""

from __future__ import annotations

import traceback
from collections.abc import Iterator

from ...errors import JudgeError

# Modules of the standard library, of anyio, and of what HTTP clients are built on.
_CONNECTING = frozenset({"create_connection", "start_connection", "connect_tcp", "getaddrinfo"})
# The HTTP client and the libraries below it report network trouble with errors of their own.
_OF_NETWORK = ("openai", "httpx", "httpx2", "httpcore", "httpcore2", "anyio", "ssl", "asyncio")
# Raised when there is no network, or for a host name or port that is not valid.
_NO_BLOCKERS = (OSError, ValueError, ArithmeticError)


def blocked(why: Exception, advice: str) -> JudgeError:
    """Return the error of something that can't be asked because a socket is forbidden.

    Args:
        advice: how the test can allow the socket.
    """
    reason = " ".join(str(why).split()).rstrip(".")
    return JudgeError(
        f"sockets are blocked here, so the judge can't be asked ({reason}); {advice}, or record "
        "the verdict in a run without the block: stored and committed verdicts need no socket",
        kind="blocked",
    )


def blocker_in(error: BaseException) -> Exception | None:
    """Return the module whose error forbids a connection, or None if the error comes from the
    network.

    Blockers raise errors of every kind, under `-W error` even warnings. They are recognized by the
    module in which the error was raised.
    """
    for one in _causes(error):
        # anyio collects the errors of its attempts
        leaf = _first_leaf(one)
        if isinstance(leaf, _NO_BLOCKERS) or not isinstance(leaf, Exception):
            return None
        forbidden = _connects(one) and _module(leaf) not in _OF_NETWORK
        if forbidden or _module(leaf) == "pytest_socket":
            return leaf
    return None


def _causes(error: BaseException) -> Iterator[BaseException]:
    at: BaseException | None = error
    while at is not None:
        yield at
        at = at.__cause__


def _connects(error: BaseException) -> bool:
    frames = traceback.walk_tb(error.__traceback__)
    return any(frame.f_code.co_name in _CONNECTING for frame, _ in frames)


def _first_leaf(error: BaseException) -> BaseException:
    while inner := getattr(error, "exceptions", None):
        error = inner[0]
    return error


def _module(error: BaseException) -> str:
    return type(error).__module__.partition(".")[0]
