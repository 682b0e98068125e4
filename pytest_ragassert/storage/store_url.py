"""URLs of stores that several machines share: which server, and what may be shown of it.

This module uses only the standard library: options are read with it in every pytest run.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, unquote, urlsplit

DEFAULT_NAMESPACE = "ragassert"
DISK = "disk"  # instead of a URL: no shared store
SCHEMES = ("redis", "rediss", "valkey", "unix")
WANTED = "disk, or a URL that begins with redis://, rediss://, valkey:// or unix://"
_PORT = 6379
_NAMESPACE = re.compile(r"[A-Za-z0-9_.:-]{1,100}")
_DATABASE = re.compile(r"[0-9]{1,6}")
_CONTROL = re.compile(r"[\x00-\x20\x7f]")
_QUOTED = "; a user name or password in it has @ : / ? # % as %40 %3A %2F %3F %23 %25"
# Parameters of a rediss:// URL, with the values that they take; any value if there are none.
_TLS: Mapping[str, tuple[str, ...]] = {
    "ssl_ca_certs": (),
    "ssl_certfile": (),
    "ssl_keyfile": (),
    "ssl_cert_reqs": ("required", "none"),
    "ssl_check_hostname": ("true", "false"),
}


@dataclass(frozen=True)
class StoreUrl:
    """A server and how to log in to it. Its repr shows no credentials.

    Attributes:
        scheme: one of `SCHEMES`.
        host: empty for a socket.
        path: of the socket; empty for a host.
        database: the number of the database, from 0.
        tls: parameters of the encrypted connection, by name.
    """

    scheme: str
    host: str
    port: int
    path: str
    database: int
    username: str | None = field(default=None, repr=False)
    password: str | None = field(default=None, repr=False)
    tls: Mapping[str, str] = field(default_factory=dict, repr=False)

    @property
    def shown(self) -> str:
        """The URL as anyone may see it: without user name, password and parameters."""
        if self.path:
            return f"unix://{self.path}" + (f"?db={self.database}" if self.database else "")
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}:{self.port}/{self.database}"


def read_store_url(text: str) -> StoreUrl:
    """Return the parts of a URL.

    Raises:
        ValueError: it is not the URL of a shared store. The message says what one is, and shows no
            part of the text.
    """
    text = text.strip()
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:  # whose message shows a part of the text
        raise ValueError(WANTED + _QUOTED * ("@" in text)) from None
    if parts.scheme not in SCHEMES or "://" not in text or _CONTROL.search(text):
        raise ValueError(WANTED)
    if parts.fragment or "#" in text or port == 0:
        raise ValueError(WANTED + _QUOTED)
    options = dict(parse_qsl(parts.query, keep_blank_values=True))
    database = options.pop("db", None)
    path = unquote(parts.path)
    if parts.scheme == "unix":
        if len(path) < 2 or parts.hostname:
            raise ValueError("a URL of a socket, such as unix:///run/redis/redis.sock?db=0")
    else:
        own = path.strip("/")
        if own and database not in (None, own):
            raise ValueError("a URL with one number of a database")
        database, path = own or database, ""
    if database is not None and not _DATABASE.fullmatch(database):
        what = "a URL whose database is a number, such as redis://localhost:6379/0"
        raise ValueError(what + _QUOTED * ("@" in text))
    _check_tls(parts.scheme, options)
    return StoreUrl(
        parts.scheme,
        "" if path else (parts.hostname or "localhost"),
        port or _PORT,
        path,
        int(database or 0),
        unquote(parts.username) if parts.username else None,
        unquote(parts.password) if parts.password else None,
        options,
    )


def _check_tls(scheme: str, options: Mapping[str, str]) -> None:
    known = _TLS if scheme == "rediss" else {}
    for name, value in options.items():
        if name not in known and name in _TLS:
            raise ValueError(f"a URL with {name} that begins with rediss://")
        if name not in known:
            names = ", ".join(("db", *known))
            tls = "; parameters of TLS need rediss://" * (scheme != "rediss")
            raise ValueError(f"a URL whose parameters are among {names}{tls}")
        if not value or (known[name] and value not in known[name]):
            values = " or ".join(known[name]) or "a path"
            raise ValueError(f"a URL whose parameter {name} is {values}")


def read_store(text: str) -> str:
    """Return the option's value: `disk`, or a URL.

    Raises:
        ValueError: it is neither.
    """
    text = text.strip()
    if text != DISK:
        read_store_url(text)
    return text


def read_namespace(text: str) -> str:
    """
    Raises:
        ValueError: it is not a namespace.
    """
    if not _NAMESPACE.fullmatch(text.strip()):
        raise ValueError("a namespace: 1 to 100 letters, digits and the characters - _ . :")
    return text.strip()


def shown_store(text: str) -> str:
    """Return the option's value as anyone may see it."""
    return text if text == DISK else read_store_url(text).shown
