"""Parts of a URL: what identifies an endpoint, what may be shown, and what is secret.

This module uses only the standard library: options are read with it in every pytest run.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit, urlunsplit

if TYPE_CHECKING:
    from ipaddress import IPv4Address, IPv6Address

MASK = "***"
# The one query parameter that distinguishes two judges. Its value must look like a version.
_VERSION_NAME = "api-version"
_VERSION = re.compile(r"v?\d+(?:[.-]\d+)*(?:[.-]?(?:preview|alpha|beta)\d*)?|preview|latest")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
# The scheme has a maximum length, so that long texts are searched in linear time.
_IN_TEXT = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{0,20}://[^\s'\"<>]*")


def parsed(url: str) -> SplitResult:
    """Return the URL's parts.

    Raises:
        ValueError: it has no scheme or host, or no valid port. The message shows no part of it.
    """
    url = url.strip()
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:  # whose message shows what comes before the path
        raise ValueError("no URL") from None
    if not (parts.scheme and parts.hostname) or port == 0 or _CONTROL.search(url):
        raise ValueError("no URL")
    # `host:80/x@y` is a password with an unquoted slash
    if port is not None and "@" not in parts.netloc and re.search("[^/]@", parts.path):
        raise ValueError("no URL")
    return parts


def has_wrong_port(url: str) -> bool:
    """Whether an HTTP URL is valid except for its port, and the text there is not a password."""
    try:
        parts = urlsplit(url.strip())
        host = parts.hostname
    except ValueError:
        return False
    # `host:80/x@y` is a password with an unquoted slash
    unquoted = "@" in url and "@" not in parts.netloc
    if parts.scheme not in ("http", "https") or not host or unquoted:
        return False
    with contextlib.suppress(ValueError):
        return parts.port == 0
    return True


def endpoint_of(url: str) -> str:
    """Return a base URL as in keys and judges' names: without user info, final slash and query,
    except the API's version. So a rotated key invalidates nothing.
    """
    try:
        parts = without_user_info(urlsplit(url))
    except ValueError:
        return MASK  # no client accepts it
    version = "&".join(filter(_is_version, parts.query.split("&")))
    return urlunsplit(parts._replace(query=version, fragment="")).rstrip("/")


def without_user_info(url: SplitResult) -> SplitResult:
    return url._replace(netloc=url.netloc.rpartition("@")[2])


def origin(url: str) -> tuple[str, str, int | None]:
    """Return scheme, host and port, which determine who gets a request.

    Raises:
        ValueError: as in `parsed`.
    """
    parts = parsed(url)
    port = parts.port or {"http": 80, "https": 443}.get(parts.scheme)
    return parts.scheme, parts.hostname or "", port


# Names that containers have for the machine that they run on.
_HOSTS = ("host.docker.internal", "host.containers.internal")


def is_this_machine(url: str) -> bool:
    """Whether the server there runs on this machine, or on the one that runs this container.

    This is decided from the address alone, without a look-up.
    """
    try:
        host = (parsed(url).hostname or "").rstrip(".")
    except ValueError:
        return False
    if host in ("localhost", *_HOSTS) or host.endswith(".localhost"):
        return True
    if (address := _address(host)) is not None:
        mapped = getattr(address, "ipv4_mapped", None) or address
        return mapped.is_loopback or mapped.is_unspecified
    import socket

    # as the network's own name service knows it, too
    return host.removesuffix(".local") == socket.gethostname().lower().removesuffix(".local")


def _address(host: str) -> IPv4Address | IPv6Address | None:
    """Return the address that a host is written as, in every accepted form; None: it is a name."""
    import ipaddress
    import socket

    with contextlib.suppress(ValueError):
        return ipaddress.ip_address(host)
    with contextlib.suppress(OSError):
        return ipaddress.IPv4Address(socket.inet_aton(host))
    return None


def shown_url(url: str) -> str:
    """Return a URL as anyone may see it: without user info, query and fragment."""
    try:
        parts = parsed(url)
    except ValueError:
        return MASK
    return urlunsplit(without_user_info(parts)._replace(query="", fragment=""))


def masked_urls(text: str) -> str:
    """Return a text in which URLs keep their form, but without user info, query values and
    fragment.
    """
    return _IN_TEXT.sub(lambda match: _masked(match[0]), text)


def url_secrets(url: str) -> Iterator[str]:
    """Return what is secret in a URL: user, password and query values, decoded and as written."""
    url = url.strip()
    # a proxy may be written without a scheme
    url = url if "://" in url else f"http://{url}"
    try:
        parts = parsed(url)
    except ValueError:
        # in case a password that is not quoted ends the host
        yield from _of_user_info(url.partition("://")[2].rpartition("@")[0])
        yield from re.split("[?&=#]", url)[1:]
        return
    yield from _of_user_info(parts.netloc.rpartition("@")[0])
    for pair in (*parts.query.split("&"), *parts.fragment.split("&")):
        if not _is_version(pair):
            yield pair
            yield pair.partition("=")[2]
            yield from (value for _, value in parse_qsl(pair))


def _of_user_info(user_info: str) -> Iterator[str]:
    user, _, password = user_info.partition(":")
    yield from (user_info, user, password, unquote(user), unquote(password))
    yield f"{unquote(user)}:{unquote(password)}"  # the header contains both together, in Base64


def _masked(url: str) -> str:
    try:
        parts = parsed(url)
    except ValueError:
        return f"{url.partition('://')[0]}://{MASK}"
    host = without_user_info(parts).netloc
    return urlunsplit(
        parts._replace(
            netloc=f"{MASK}@{host}" if "@" in parts.netloc else host,
            query="&".join(map(_masked_pair, parts.query.split("&"))),
            fragment=MASK if parts.fragment else "",
        )
    )


def _masked_pair(pair: str) -> str:
    name, equals, _ = pair.partition("=")
    if not pair or _is_version(pair):
        return pair
    return f"{name}={MASK}" if equals else MASK


def _is_version(pair: str) -> bool:
    name, _, value = pair.partition("=")
    return name.lower() == _VERSION_NAME and _VERSION.fullmatch(value) is not None
