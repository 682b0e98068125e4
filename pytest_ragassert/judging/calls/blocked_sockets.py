"""Sockets that somebody forbids in this process, as test plugins do for one test or for all.

It is no trouble of the judge's: another test of the same run may well ask it.
"""

from __future__ import annotations

import traceback
from collections.abc import Iterator

from ...errors import JudgeError

# Of the standard library, of anyio, and of what HTTP clients are built on.
_CONNECTING = frozenset({"create_connection", "start_connection", "connect_tcp", "getaddrinfo"})
# The HTTP client and what it is built on tell of the network by errors of their own.
_OF_NETWORK = ("openai", "httpx", "httpx2", "httpcore", "httpcore2", "anyio", "ssl", "asyncio")
# Of a network that is not there, of a host's name and of a port that can't be.
_NO_BLOCKERS = (OSError, ValueError, ArithmeticError)


def blocked(why: Exception, advice: str) -> JudgeError:
    """The error of what can't be asked because a socket is forbidden.

    Args:
        advice: how the test gets it.
    """
    reason = " ".join(str(why).split()).rstrip(".")
    return JudgeError(
        f"sockets are blocked here, so that nothing can be asked ({reason}); {advice}, or record "
        "the verdict in a run that blocks none: what is stored or committed needs no socket",
        kind="blocked",
    )


def blocker_in(error: BaseException) -> Exception | None:
    """Whoever's error it is that forbids a connection; None where it is one of the network.

    Those who forbid raise errors of all kinds, under `-W error` a warning's: they are told by where
    they stood in the way.
    """
    for one in _causes(error):
        # anyio gathers what its attempts met
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
