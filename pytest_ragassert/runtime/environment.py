"""The environment variables at one moment, and which of them affect what a run does.

This module uses only the standard library, because every run imports it.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Literal, Protocol

_PREFIXES = ("RAGASSERT_", "OPENAI_")
CERTIFICATES = ("SSL_CERT_FILE", "SSL_CERT_DIR")  # a file or a folder of certificates to trust
_NAMES = frozenset({"CI", *CERTIFICATES})
_PROXIES = frozenset({"http_proxy", "https_proxy", "all_proxy", "no_proxy"})

# What the `openai` client reads.
ORGANIZATION_VARIABLE = "OPENAI_ORG_ID"
PROJECT_VARIABLE = "OPENAI_PROJECT_ID"
HEADERS_VARIABLE = "OPENAI_CUSTOM_HEADERS"
# Secrets that the clients read, and those of other providers, which a hook's judge may use.
_SECRET_ENDINGS = ("_API_KEY", "_OPENAI_KEY")
_SECRET_VALUES = frozenset(
    {
        ORGANIZATION_VARIABLE,
        PROJECT_VARIABLE,
        "OPENAI_ADMIN_KEY",
        "OPENAI_WEBHOOK_SECRET",
        "AZURE_OPENAI_AD_TOKEN",
        "ANTHROPIC_AUTH_TOKEN",
        "AWS_BEARER_TOKEN_BEDROCK",
    }
)
_SECRET_URLS = frozenset(
    {
        "OPENAI_BASE_URL",
        "OPENAI_API_BASE",
        "RAGASSERT_BASE_URL",
        "RAGASSERT_STORE",
        "AZURE_OPENAI_ENDPOINT",
        "AZURE_OPENAI_API_BASE",
        "AZURE_API_BASE",
        "AWS_BEDROCK_BASE_URL",
        "OLLAMA_HOST",
        "OLLAMA_BASE_URL",
        "OLLAMA_API_BASE",
        "HTTP_PROXY",
        "HTTPS_PROXY",
        "ALL_PROXY",
    }
)

RUN_FOLDER_PREFIX = "ragassert-"


class Environment(Mapping[str, str]):
    """A copy of the variables that later changes to `os.environ` do not affect. Its repr shows no
    value.
    """

    def __init__(self, variables: Mapping[str, str]) -> None:
        self._variables = dict(variables)

    def __getitem__(self, name: str) -> str:
        return self._variables[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._variables)

    def __len__(self) -> int:
        return len(self._variables)

    def __eq__(self, other: object) -> bool:
        # the same as a mapping's own method, which looks up each variable
        if isinstance(other, Environment):
            return self._variables == other._variables
        return super().__eq__(other)

    def __repr__(self) -> str:
        return f"<Environment of {len(self)} variables>"

    def deciding(self) -> dict[str, str]:
        """Return the variables that choose and configure the judge, which processes of one run
        share.
        """
        return {name: value for name, value in self.items() if _decides(name)}

    def with_deciding(self, deciding: Mapping[str, str]) -> Environment:
        """Return this environment with another one's `deciding` variables instead of its own."""
        own = {name: value for name, value in self.items() if not _decides(name)}
        return Environment({**own, **deciding})


class HasEnvironment(Protocol):
    """A run, whose variables are fixed when its session starts."""

    environ: Environment


# The runs in progress in this process. A run nested in another's process, as in the tests of a
# plugin, comes after it and ends first.
runs: list[HasEnvironment] = []


def current_environment() -> Environment:
    """Return the variables that count: those of the innermost run's start, or the present ones."""
    return runs[-1].environ if runs else Environment(os.environ)


def _decides(name: str) -> bool:
    return name.startswith(_PREFIXES) or name in _NAMES or names_a_proxy(name)


def names_a_proxy(variable: str) -> bool:
    """Whether HTTP clients read it for a proxy, or for the hosts that are asked without one."""
    return variable.lower() in _PROXIES


def secret_in(variable: str) -> Literal["value", "url", "headers"] | None:
    """Return what is secret in a variable: its whole value, parts of a URL, the values of
    headers.
    """
    upper = variable.upper()  # proxies are read in both cases
    if upper in _SECRET_VALUES or upper.endswith(_SECRET_ENDINGS):
        return "value"
    if upper in _SECRET_URLS:
        return "url"
    return "headers" if upper == HEADERS_VARIABLE else None


def expanded(path: str, environ: Mapping[str, str]) -> str:
    """Return the path with `~` replaced by the home folder that `environ` names."""
    home = environ.get("HOME")
    if home and (path == "~" or path.startswith("~/")):
        return home + path[1:]
    return os.path.expanduser(path)


def run_folder_path(run_id: str) -> Path:
    """Return the private folder that the processes of a run share; it is created when first
    used.
    """
    try:
        temporary = tempfile.gettempdir()
    except OSError:
        # there is no writable folder: a notice reports it when something is to be stored there
        temporary = os.environ.get("TMPDIR", "/tmp")
    return Path(temporary, f"{RUN_FOLDER_PREFIX}{run_id}")
