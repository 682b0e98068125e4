"""What people read about trouble with a shared store.

A server's own words may contain parts of a command, such as a password or a verdict, so no message
has any of them. They are classified by their code instead.
"""

from __future__ import annotations

import ssl
from enum import Enum, auto
from typing import TypeVar

import redis.exceptions as of_client

from ..contents import PRUNE

Error = TypeVar("Error", bound=BaseException)

_DISK = "this run's verdicts are kept on disk only"


class Extent(Enum):
    """What an error prevents."""

    NOW = auto()  # everything, for a while
    RUN = auto()  # everything, for the rest of the run
    WRITES = auto()  # writing only, for the rest of the run


class Trouble(Exception):
    """The server can't be used.

    Attributes:
        what: what is wrong.
        do: what to do about it.
        is_denied: whether the user lacks a permission.
    """

    is_denied = False

    def __init__(self, what: str, do: str, extent: Extent = Extent.NOW) -> None:
        super().__init__(what)
        self.what = what
        self.do = do
        self.extent = extent


# By the code at the beginning of a server's error, or its class in the client.
_BY_CODE: dict[str, tuple[str, str, Extent]] = {
    "NOAUTH": ("it needs a password", "Give user and password in the URL", Extent.RUN),
    "WRONGPASS": (
        "it rejects the user name or password",
        "Correct them in the URL; special characters in them are percent-encoded",
        Extent.RUN,
    ),
    "OOM": (
        "is full",
        "Raise its maxmemory, or prune it: " + PRUNE,
        Extent.WRITES,
    ),
    "READONLY": ("is a replica that can only be read", "Give the primary's URL", Extent.WRITES),
    "MISCONF": ("can't save to its disk", "Look at the server's log", Extent.WRITES),
    "NOREPLICAS": ("has too few replicas", "Look at the server's log", Extent.WRITES),
    "MOVED": ("it is part of a cluster", "Give a server that is not in a cluster", Extent.RUN),
    "CLUSTERDOWN": ("its cluster is down", "Give a server that is not in a cluster", Extent.RUN),
    "LOADING": ("it is loading its data", "Wait until it has started", Extent.NOW),
    "BUSY": ("it is busy with a script", "Look at the server's log", Extent.NOW),
    "MASTERDOWN": ("it has lost its primary", "Look at the server's log", Extent.NOW),
    "MAXCLIENTS": (
        "it rejects the connection, perhaps because it has too many",
        "Raise its maxclients, use fewer workers, or look at the server's log",
        Extent.NOW,
    ),
    "DATABASE": (
        "it has no database of that number",
        "Correct the number at the URL's end",
        Extent.RUN,
    ),
}
# By whether the URL asks for an encrypted connection.
_ENCRYPTION = {
    False: "whether the server expects encryption (rediss://)",
    True: "whether the server uses no encryption (redis://)",
}
_CLASSES: tuple[tuple[type[Exception], str], ...] = (
    (of_client.OutOfMemoryError, "OOM"),
    (of_client.ReadOnlyError, "READONLY"),
    (of_client.BusyLoadingError, "LOADING"),
)


def trouble_in(error: BaseException, *, writes: bool, encrypted: bool) -> Trouble:
    """Return what an error of the client means.

    Args:
        writes: whether something was to be written.
        encrypted: whether the URL asks for an encrypted connection.
    """
    if isinstance(error, Trouble):
        return error
    code = _code(error)
    if code == "NOPERM":
        what = "does not let this user write" if writes else "it does not let this user read"
        do = "Give the user the commands that the documentation lists"
        denied = Trouble(what, do, Extent.WRITES if writes else Extent.RUN)
        denied.is_denied = True
        return denied
    if code in _BY_CODE:
        return Trouble(*_BY_CODE[code])
    if (of_tls := _in_chain(error, ssl.SSLError)) is not None:
        if isinstance(of_tls, ssl.SSLCertVerificationError):
            do = "Correct the URL or its ssl_ca_certs"
            return Trouble("its certificate is not trusted", do, Extent.RUN)
        do = f"Correct the URL or its ssl_ca_certs, and check {_ENCRYPTION[True]}"
        return Trouble("no encrypted connection could be made", do, Extent.RUN)
    if isinstance(error, of_client.TimeoutError | TimeoutError):
        return Trouble(
            "it did not answer in time", f"Check server and network, and {_ENCRYPTION[encrypted]}"
        )
    if isinstance(error, of_client.ResponseError):
        named = f" ({code})" if code else ""
        return Trouble(f"it answered with an error{named}", "Look at the server's log", Extent.RUN)
    if isinstance(error, of_client.RedisError | OSError):
        return Trouble(_of_connection(error), "Check URL, server and network")
    # such as that of a plugin that blocks sockets
    return Trouble(f"{type(error).__name__} at the connection", "Check URL, server and network")


def _code(error: BaseException) -> str:
    """Return the code of a server's error; empty if it has none."""
    text = str(error).lower()
    if isinstance(error, of_client.AuthenticationError):
        missing = "authentication required" in text or "noauth" in text
        return "NOAUTH" if missing else "WRONGPASS"
    if isinstance(error, of_client.NoPermissionError):
        return "NOPERM"
    for kind, code in _CLASSES:
        if isinstance(error, kind):
            return code
    # the client calls a server that says something unasked "not ready"
    if "max number of clients" in text or "connection not ready" in text:
        return "MAXCLIENTS"
    if not isinstance(error, of_client.ResponseError):
        return ""
    if "db index" in text:
        return "DATABASE"
    if "authentication required" in text:
        return "NOAUTH"
    first = str(error).partition(" ")[0]
    return first if first.isascii() and first.isupper() and first.isalpha() else ""


def _of_connection(error: BaseException) -> str:
    first = _in_chain(error, OSError)
    if isinstance(first, ConnectionRefusedError):
        return "it refuses connections"
    if isinstance(first, FileNotFoundError):
        return "there is no such socket"
    if isinstance(first, ConnectionError | BrokenPipeError):
        return "it closed the connection"
    text = str(error).lower()
    if "closed by server" in text or "connection closed" in text:
        return "it closed the connection"
    if "name or service" in text or "getaddrinfo" in text or "name resolution" in text:
        return "its host is unknown"
    return "it can't be reached"


def _in_chain(error: BaseException, kind: type[Error]) -> Error | None:
    """Return the first error of that kind among an error and those that led to it."""
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        if isinstance(current, kind):
            return current
        seen.add(id(current))
        current = current.__cause__ or current.__context__
    return None


def notice(place: str, trouble: Trouble, *, worked: bool = False, adds: bool = True) -> str:
    """
    Args:
        worked: whether the run used the server before.
        adds: whether the run stores verdicts; a replay does not.
    """
    if trouble.extent is Extent.WRITES:
        return (
            f"the shared verdict store {place} {trouble.what}: its verdicts are used, and {_DISK}. "
            f"{trouble.do}"
        )
    no, since = ("is no longer", " from then on") if worked else ("is not", "")
    effect = f"this run's verdicts{since} are kept on disk only"
    if not adds:
        effect = f"verdicts that only the server has are missing{since}"
    return f"the shared verdict store {place} {no} used: {trouble.what}; {effect}. {trouble.do}"


def interruption(place: str, trouble: Trouble, *, adds: bool = True) -> str:
    """The notice on a server that failed and is used again; arguments as for `notice`."""
    effect = (
        "verdicts of that time may be on disk only, and the next run that uses them adds them"
        if adds
        else "verdicts that only the server has were missing meanwhile"
    )
    return (
        f"the shared verdict store {place} was unavailable for a time: {trouble.what}; {effect}. "
        f"{trouble.do}"
    )


def slow() -> Trouble:
    return Trouble(
        "it is too slow, and waiting for it cost the run several seconds",
        "Use a server that is nearer",
        Extent.RUN,
    )


def other_values(place: str) -> str:
    return (
        f"the shared verdict store {place} contains values that are not texts, or belong to "
        "another program: they count as not stored. Give another namespace with "
        f"--ragassert-store-namespace, or remove them with: {PRUNE}"
    )


def no_locks(place: str, trouble: Trouble) -> str:
    return (
        f"the shared verdict store {place} can't keep other machines from asking the same question "
        "at the same time, because it does not let this user run scripts. " + trouble.do
    )
