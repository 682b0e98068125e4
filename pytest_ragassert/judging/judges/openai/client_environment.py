"""Reads from a given environment what the `openai` client and its HTTP client would read from
`os.environ`. They are created while a test runs, and a test may have changed `os.environ`.
"""

from __future__ import annotations

import ssl
from collections.abc import Mapping
from urllib.parse import SplitResult, urlsplit

from ....runtime.environment import CERTIFICATES, HEADERS_VARIABLE, names_a_proxy
from ....runtime.redaction import header_lines


def custom_headers(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the headers that the client takes from its variable and adds to every request."""
    return dict(header_lines(environ.get(HEADERS_VARIABLE, "")))


def proxy_of(url: str, environ: Mapping[str, str]) -> str | None:
    """Return the proxy for the URL, or None for a direct connection."""
    name = proxy_variable(url, environ)
    proxy = environ[name] if name else ""
    return (proxy if "://" in proxy else f"http://{proxy}") if proxy else None


def proxy_variable(url: str, environ: Mapping[str, str]) -> str | None:
    """Return the variable that holds the proxy for the URL, or None for a direct connection."""
    # of the two spellings, lower case takes precedence, as usual
    names = sorted(filter(names_a_proxy, environ), key=str.islower)
    by_kind = {name.lower().removesuffix("_proxy"): name for name in names}
    parts = urlsplit(url)
    for kind in (parts.scheme, "all"):
        name = by_kind.get(kind)
        if name is not None and environ[name]:
            excepted = environ[by_kind["no"]] if "no" in by_kind else ""
            return None if _is_excepted(parts, excepted) else name
    return None


def why_no_client(error: Exception, url: str, environ: Mapping[str, str]) -> str | None:
    """Return which variable prevents a client from being created and what to do, or None."""
    if isinstance(error, OSError):
        # certificates first: nothing is connected yet
        name = next((name for name in CERTIFICATES if environ.get(name)), None)
        what = "certificates that can't be read"
        advice = "correct it, or unset it"
    else:
        name = proxy_variable(url, environ)
        what = "a proxy that can't be used"
        advice = "write http://HOST:PORT, unset it, or name the endpoint's host in NO_PROXY"
        if isinstance(error, ImportError):
            what = "a SOCKS proxy, for which a package is missing"
            advice = "pip install socksio, unset it, or name the endpoint's host in NO_PROXY"
    return None if name is None else f"the variable {name} names {what}; {advice}"


def _is_excepted(url: SplitResult, hosts: str) -> bool:
    """Whether the URL's host or its domain is excepted from the proxy."""
    host = f".{url.hostname}"
    places = (host, f"{host}:{url.port}")
    names = [name.strip().lower().lstrip("*.").strip("[]") for name in hosts.split(",")]
    return "*" in map(str.strip, hosts.split(",")) or any(
        place.endswith(f".{name}") for name in names if name for place in places
    )


def certificates(environ: Mapping[str, str]) -> ssl.SSLContext | bool:
    """Return the certificates to trust, or True for the HTTP client's own.

    Raises:
        OSError: the file that the variable names can't be read.
    """
    file, folder = map(environ.get, CERTIFICATES)
    if file:
        return ssl.create_default_context(cafile=file)
    if folder:
        return ssl.create_default_context(capath=folder)
    return True
