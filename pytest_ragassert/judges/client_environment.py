"""What the `openai` client and its HTTP client would read in `os.environ`, from an environment that
is given: they are made while a test runs, which may have changed it."""

from __future__ import annotations

import re
import ssl
from collections.abc import Mapping
from urllib.parse import SplitResult, urlsplit

_NAMES_A_PROXY = re.compile("(https?|all|no)_proxy", re.IGNORECASE).fullmatch


def custom_headers(environ: Mapping[str, str]) -> dict[str, str]:
    """The headers of every request, of which the variable has one a line."""
    lines = environ.get("OPENAI_CUSTOM_HEADERS", "").split("\n")
    pairs = [line.partition(":") for line in lines if ":" in line]
    return {name.strip(): value.strip() for name, _, value in pairs}


def proxy_of(url: str, environ: Mapping[str, str]) -> str | None:
    """The proxy by which the URL is asked; None: it is asked directly."""
    # of two spellings the one in small letters counts, as everywhere
    names = sorted(filter(_NAMES_A_PROXY, environ), key=str.islower)
    proxies = {name.lower().removesuffix("_proxy"): environ[name] for name in names}
    parts = urlsplit(url)
    proxy = proxies.get(parts.scheme) or proxies.get("all")
    if not proxy or _is_excepted(parts, proxies.get("no", "")):
        return None
    return proxy if "://" in proxy else f"http://{proxy}"


def _is_excepted(url: SplitResult, hosts: str) -> bool:
    """Whether the URL's host, or its domain, is among those that are asked directly."""
    host = f".{url.hostname}"
    places = (host, f"{host}:{url.port}")
    names = [name.strip().lower().lstrip("*.").strip("[]") for name in hosts.split(",")]
    return "*" in map(str.strip, hosts.split(",")) or any(
        place.endswith(f".{name}") for name in names if name for place in places
    )


def certificates(environ: Mapping[str, str]) -> ssl.SSLContext | bool:
    """Those to trust; True: the HTTP client's own.

    Raises:
        OSError: the variable's can't be read.
    """
    if file := environ.get("SSL_CERT_FILE"):
        return ssl.create_default_context(cafile=file)
    if folder := environ.get("SSL_CERT_DIR"):
        return ssl.create_default_context(capath=folder)
    return True
